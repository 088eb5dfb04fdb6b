"""Words and sentences that the demonstration model's tasks are made of.

A sentence is a template: [a|b] is a choice, {field} a value. Which of its
choices are for training and which are held out is told by a hash of the words
chosen, so that the two never meet (model/task_data.py).
"""

FIRST = """Anna Alice Ben Bob Carla Carlos Clara Daniel David Diana Elena Emma
Erik Eva Felix Finn Frank George Grace Hannah Helen Henry Hugo Ida Igor Ines
Ivan Jack James Jana Jane John Jonas Julia Karl Kate Kim Klara Lars Laura Lea
Leo Lena Linda Lisa Lucas Lucy Maria Mark Marta Martin Mary Max Mia Michael
Mina Nadia Nina Nora Oliver Olga Omar Oscar Paul Paula Peter Petra Rachel Robert
Rosa Ruth Sam Sara Simon Sofia Sophie Stefan Susan Tanya Thomas Tom Vera Victor
Viktor Wendy William Yara Zoe""".split()

LAST = """Adams Allen Anders Baker Bauer Becker Bell Berg Black Brown Carter
Clark Cohen Cook Costa Cruz Dahl Davis Diaz Evans Fischer Fox Garcia Green Hall
Hansen Harris Hill Hoffman Holm Jackson Jensen Johnson Jones Keller King Klein
Kovac Larsen Lee Lewis Lopez Martin Meyer Miller Moore Moreno Morris Nelson
Novak Olsen Parker Perez Petrov Price Reed Rivera Roberts Rossi Sato Schmidt
Silva Smith Stone Suzuki Taylor Thomas Turner Walker Weber White Wilson Wolf
Wood Wright Young Zimmer""".split()

CITIES = """Amsterdam Athens Berlin Boston Bremen Cairo Chicago Cologne Dallas
Delhi Denver Dublin Florence Geneva Hamburg Helsinki Istanbul Kyoto Leeds Lima
Lisbon London Lyon Madrid Milan Moscow Munich Nairobi Naples Oslo Paris Porto
Prague Riga Rome Seattle Seoul Sofia Sydney Tallinn Tokyo Toronto Turin Vienna
Warsaw York Zagreb Zurich""".split()

JOBS = """baker teacher doctor nurse farmer lawyer painter singer pilot driver
cook waiter plumber welder tailor gardener writer editor dentist chemist
biologist engineer programmer architect carpenter electrician mechanic fisher
butcher librarian journalist photographer actor dancer judge soldier sailor
cleaner barber florist""".split()

ITEMS = """apples pears lemons plates cups forks chairs tables lamps pencils
books shirts socks gloves hats shoes bags boxes candles bottles carpets clocks
mirrors pillows towels blankets ropes hammers nails screws brushes tiles bricks
tents bikes phones radios cameras tickets stamps""".split()

ANIMALS = "cat dog horse rabbit parrot turtle hamster goat pony duck".split()
WEATHER = "sunny cloudy rainy snowy windy foggy stormy".split()
EVENTS = """meeting concert wedding lecture workshop party exhibition market
match race play festival""".split()
ROOMS = "kitchen bedroom bathroom office hall garage cellar attic".split()
COLOURS = "red green blue yellow white black orange purple".split()
CURRENCIES = "EUR USD GBP JPY CHF SEK".split()
MONTHS = """January February March April May June July August September
October November December""".split()
NUMBERS = """zero one two three four five six seven eight nine ten eleven
twelve""".split()
TITLES = """River Winter Garden Stone Bridge Night Summer Silent House Island
Road Glass Letter Forest Last Golden Broken Hidden Shadow Storm Light Paper
Mountain Harbour Empty Lost Red Seven""".split()

# What the wanted keys are called by a prompt; the keys follow.
ASKS = ["Write JSON with the keys", "Extract as JSON:", "Keys:",
        "Answer in JSON with"]
# What follows a sentence whose keys are not told.
HINTS = ["", "", " As JSON:", " JSON:"]

# By kind: the schema of each key (docs of the fields: task_data.py), and the
# templates.
KINDS = {
    "person": {
        "fields": {"name": "person", "age": "age", "city": "city",
                   "job": "job", "email": "email"},
        "templates": [
            "{name} [is|turned|is now] {age}[ years old|] and [lives in|comes "
            "from|moved to|has a flat in|works in] {city}.",
            "{name} [lives in|comes from|moved to|works in] {city} and "
            "[is|turned|is now] {age}[ years old|].",
            "{name}, {age}, [lives in|comes from|works in|is from] {city}.",
            "{name} ({age}) [lives in|is from|comes from] {city}[ and works "
            "as a {job}| and is a {job}|, where {he} works as a {job}|].",
            "{name} is a {age}[ year old|-year-old] {job} [from|in|who lives "
            "in|working in] {city}.",
            "{name} works as a {job} in {city} and [is|turned|is now] {age}[ "
            "years old|].",
            "[Meet|This is|Here comes|Say hello to] {name}, a {job} "
            "[from|living in|based in] {city}[, who is {age}|, aged {age}|].",
            "The {job} {name} [lives in|is from|has a flat in] {city}. {He} "
            "[is|turned|is now] {age}[ years old|].",
            "In {city} [lives|works] {name}, [who is {age}|aged {age}|a {job}"
            "|a {job} of {age}].",
            "{name} [is|turned|is now] {age}[ years old|]. {He} [lives in|"
            "comes from|moved to] {city} and [works as|is] a {job}.",
            "{name} [works as|is] a {job}[ in {city}|]. {His} [email|address|"
            "mail] is {email}.",
            "[Write to|You can reach|Send it to] {name} at {email}[, the {job}"
            " from {city}| in {city}|; {he} lives in {city}|; {he} is {age}].",
            "My [name|full name] is {name}, I am {age}[ years old|] and I "
            "[live in|come from|work in] {city}.",
            "I am {name}, a {job} [from|in] {city}[, and I am {age}|; I am "
            "{age}|; my email is {email}|].",
        ]},
    "event": {
        "fields": {"event": "event", "date": "date", "time": "time",
                   "place": "city", "host": "person"},
        "templates": [
            "The {event} [is|takes place|will be|starts] on {date} at {time} "
            "in {place}.",
            "The {event} in {place} [is|takes place|will be|starts] on {date}[ "
            "at {time}|, at {time}|].",
            "On {date}[ at {time}|] there [is|will be] a {event} in {place}[ "
            "by {host}|, with {host}|].",
            "{host} [invites you to|hosts|plans|will hold] a {event} [in|near"
            "] {place} on {date}[ at {time}|].",
            "[Join|Meet] {host} for a {event} on {date}, {time}[, in {place}| "
            "in {place}|].",
            "[Please come|Come|You are invited] to the {event} of {host} in "
            "{place}. It [is|starts|will be] on {date}[ at {time}|].",
            "We [moved|changed] the {event} to {date}[ at {time}|]; it [is|"
            "will be] in {place}.",
            "[Reminder|Note|News]: {event} in {place}, {date}[, {time}|][, "
            "host {host}|].",
        ]},
    "order": {
        "fields": {"customer": "person", "item": "item",
                   "quantity": "quantity", "price": "price", "paid": "paid"},
        "templates": [
            "{customer} [ordered|bought|wants|asked for|would like] {quantity}"
            " {item} [for|at] {price}.",
            "{customer} [ordered|bought|wants|asked for|took] {quantity} "
            "{item} and {paid}[| for them].",
            "{customer} [ordered|bought|asked for|took] {quantity} {item} "
            "[for|at] {price} and {paid}.",
            "[We sold|We sent|Please send|Ship] {quantity} {item} to "
            "{customer}[ for {price}|].",
            "[An order|A new order|The order] [of|from|by] {customer}: "
            "{quantity} {item}[, {price}| for {price}|]. {He} {paid}.",
            "[Sold|Sent|Ordered]: {quantity} {item} [for|to] {customer}, "
            "{price}[; {he} {paid}|].",
            "The {item} [cost|are] {price}. {customer} [takes|wants|bought] "
            "{quantity}[ of them|] and {paid}.",
        ]},
    "weather": {
        "fields": {"city": "city", "temperature": "temperature",
                   "weather": "weather", "date": "date"},
        "templates": [
            "It is {weather} in {city} [at|with] {temperature} degrees[ on "
            "{date}|].",
            "In {city} it [is|will be|stays] {weather}[ on {date}|], with "
            "{temperature} degrees.",
            "[The weather in|The sky over] {city} [is|will be|stays] {weather}"
            "[; we have|, at|, about] {temperature} degrees.",
            "{city}[, {date}|]: {weather}, {temperature} degrees.",
            "On {date} it [is|was|will be] {weather} and {temperature} degrees"
            " in {city}.",
            "We [expect|measured|have|had] {temperature} degrees in {city}[ on"
            " {date}|] and it [is|was|will be] {weather}.",
        ]},
    "book": {
        "fields": {"title": "title", "author": "person", "year": "year",
                   "pages": "pages"},
        "templates": [
            "{author} wrote {title} in {year}[; it has {pages} pages|. It has "
            "{pages} pages|].",
            "{title} [is a book|is a novel|was written] by {author}[ from "
            "{year}|, from {year}|].",
            "[The book|The novel] {title} by {author} [has|is] {pages} pages"
            "[ and came out in {year}| long and appeared in {year}|].",
            "In {year} {author} [wrote|published|finished] {title}[, a book of"
            " {pages} pages|, with {pages} pages|].",
            "[I read|She reads|He likes|We love] {title} by {author}[, {pages}"
            " pages from {year}|, {pages} pages|, from {year}].",
        ]},
    "team": {
        "fields": {"team": "word", "members": "names", "city": "city"},
        "templates": [
            "The [team|group|crew] {team} [from|in|of] {city} [has|has the "
            "members|is] {members}.",
            "{members} [play for|are in|form|make up] the team {team}[ from "
            "{city}| in {city}|].",
            "[The members|The players] of {team} [are|will be] {members}[; "
            "they come from {city}|. They come from {city}|].",
            "[Team|The team|Our team] {team}[, {city}|]: {members}[ are in "
            "it|].",
            "In {city} the [team|group|crew] {team} [plays|works|starts] with "
            "{members}.",
        ]},
    "flight": {
        "fields": {"from": "city", "to": "city", "date": "date",
                   "seats": "quantity", "passenger": "person"},
        "templates": [
            "{passenger} [flies|travels|goes] from {from} to {to} on {date}.",
            "[A flight|A trip|One flight] from {from} to {to} [on|for] {date}"
            "[ with {seats} seats|, {seats} seats|].",
            "[Please book|Book|We need|I want] {seats} seats from {from} to "
            "{to}[ on {date}|][ for {passenger}|].",
            "On {date} {passenger} [flies|travels|goes] [to {to} from {from}|"
            "from {from} to {to}].",
            "{passenger} [booked|wants|needs] {seats} seats to {to}, [leaving|"
            "starting] from {from}[ on {date}|].",
        ]},
    "pet": {
        "fields": {"name": "word", "animal": "animal", "age": "quantity",
                   "owner": "person", "vaccinated": "vaccinated"},
        "templates": [
            "{name} is a {animal} of {age}[ years|] and [belongs to|lives "
            "with|comes with] {owner}.",
            "{owner} has a {animal} [called|named] {name}[, which is {age} "
            "years old|].",
            "{name}, [the|a] {animal} [of|from] {owner}, is {age}[ years old"
            "|] and {vaccinated}.",
            "The {animal} [called|named] {name} {vaccinated}[; its owner is "
            "{owner}|. It belongs to {owner}|].",
            "[My|Our|The] {animal} {name} is {age}[ years old|] and "
            "{vaccinated}.",
            "{owner} [came|called] about the {animal} {name}, [which is {age} "
            "years old|which {vaccinated}].",
        ]},
}

# Tools: parameters by field, what the tool is for, and what is asked of it.
TOOLS = {
    "get_weather": ({"city": "city"}, "Weather of a city", [
        "[What is|How is|Tell me] the weather [in|like in|of] {city}[?| now?| "
        "today?]",
        "[Is it warm|Is it cold|Will it rain|Does it snow] in {city}[?| now?| "
        "today?]"]),
    "add_event": ({"event": "event", "date": "date"}, "Adds an event", [
        "[Add|Put|Write] [a|the] {event} [on|for] {date}[ in my calendar|].",
        "[I have|There is|We plan] a {event} on {date}[, please add it|, "
        "write it down|; put it down]."]),
    "send_message": ({"to": "person", "text": "phrase"}, "Sends a message", [
        "[Tell|Write to|Send a message to|Text|Write|Message] {to}: {text}",
        "[Please|Now|Then|] [tell|write to|message|text] {to} this: {text}",
        "[Send|Write|Text] \"{text}\" to {to}[.|, please.|!]"]),
    "set_timer": ({"minutes": "minutes"}, "Starts a timer", [
        "[Set|Start|Give me] a timer [for|of] {minutes} minutes.",
        "[Wake me|Ring|Call me|Remind me|Stop me] in {minutes} minutes[.|, "
        "please.|!]"]),
    "set_light": ({"room": "room", "on": "on"}, "Switches a light", [
        "[Please turn|Turn|Switch] {on} the [light|lamp] in the {room}.",
        "[The light|The lamp|Light] in the {room} {on}[, please.|.]"]),
    "book_table": ({"name": "person", "people": "quantity", "time": "time"},
                   "Books a table", [
        "[Book|Reserve|I need] a table for {people} [people|guests] at {time}"
        "[,| for| in the name of] {name}.",
        "{name} [wants|needs|would like|asks for] a table for {people}[ "
        "people| guests|] at {time}."]),
    "find_flights": ({"from": "city", "to": "city", "date": "date"},
                     "Finds flights", [
        "[Find|Show|Look for|Are there] flights from {from} to {to} on {date}"
        "[.|, please.]",
        "[I want|I need|I have] to fly [to {to} from {from}|from {from} to "
        "{to}] on {date}."]),
    "convert_money": ({"amount": "minutes", "from": "currency",
                       "to": "currency"}, "Converts money", [
        "[How much is|Convert|Change|What are] {amount} {from} [in|to|into] "
        "{to}[?|.]"]),
    "play_music": ({"artist": "person"}, "Plays music", [
        "[Play|Put on|I want to hear] [something|music|a song|songs] [by|of|"
        "from] {artist}[.|, please.]"]),
    "paint": ({"item": "item", "colour": "colour"}, "Paints things", [
        "[Paint|Make|I want|Please paint] [the|all the|these|our] {item} "
        "{colour}[.|, please.]"]),
}
PHRASES = [
    "I [will be|am] [late|home soon|on my way]", "see you [soon|tomorrow|at "
    "{time}]", "[call me|write me|wait for me] [later|today|at {time}]",
    "the {item} [are here|are ready|have come]", "[thank you|thanks] for the "
    "{item}", "bring [the|some] {item}", "I am in {city} now"]
