// The official JavaScript clients of OpenAI, Anthropic and Ollama, unmodified,
// against the weir serve whose address is the first argument:
// client_node_test.py starts it.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import test from "node:test";

const root = fileURLToPath(new URL("../..", import.meta.url));
const require = createRequire(root + ".cache/clients/npm/");
const OpenAI = require("openai").default;
const { zodResponseFormat, zodTextFormat, zodFunction, zodResponsesFunction } =
  require("openai/helpers/zod");
const Anthropic = require("@anthropic-ai/sdk").default;
const { Ollama } = require("ollama");
const { z } = require("zod");

const url = process.argv[2];
const options = { apiKey: "none", maxRetries: 0 };
const openai = new OpenAI({ baseURL: url + "/v1", ...options });
const anthropic = new Anthropic({ baseURL: url, ...options });
const ollama = new Ollama({ host: url });

const Person = z.object({
  name: z.string().max(8),
  age: z.number().int().min(0).max(130),
  mood: z.enum(["happy", "sad"]),
});
const Add = z.object({ a: z.number().int().min(0).max(99), b: z.enum(["x", "y"]) });
const messages = [{ role: "user", content: "A person, please." }];
const model = "tiny";

async function all(stream) {
  const found = [];
  for await (const item of stream) found.push(item);
  return found;
}

test("chat: zodResponseFormat", async () => {
  const answer = await openai.chat.completions.parse({ model, messages, n: 2,
    max_tokens: 900, response_format: zodResponseFormat(Person, "person") });
  for (const choice of answer.choices) Person.parse(choice.message.parsed);
});

test("chat: zodResponseFormat of a stream", async () => {
  const stream = openai.chat.completions.stream({ model, messages,
    max_tokens: 900, response_format: zodResponseFormat(Person, "person"),
    stream_options: { include_usage: true } });
  let text = "";
  stream.on("content", delta => { text += delta; });
  const final = await stream.finalChatCompletion();
  Person.parse(final.choices[0].message.parsed);
  assert.equal(text, final.choices[0].message.content);
  assert.ok((await stream.totalUsage()).completion_tokens > 1);
});

test("chat: plain stream", async () => {
  const fields = { model, messages, max_tokens: 30, temperature: 0 };
  const whole = await openai.chat.completions.create(fields);
  const chunks = await all(await openai.chat.completions.create(
    { ...fields, stream: true }));
  assert.equal(chunks.map(c => c.choices[0].delta.content ?? "").join(""),
    whole.choices[0].message.content);
});

test("chat: tools", async () => {
  const fields = { model, messages, max_tokens: 900, tool_choice: "required",
    parallel_tool_calls: false, tools: [zodFunction({ name: "add",
      parameters: Add })] };
  const answer = await openai.chat.completions.parse(fields);
  assert.equal(answer.choices[0].finish_reason, "tool_calls");
  Add.parse(answer.choices[0].message.tool_calls[0].function.parsed_arguments);
  const stream = openai.chat.completions.stream(fields);
  const final = await stream.finalChatCompletion();
  const call = final.choices[0].message.tool_calls[0];
  Add.parse(JSON.parse(call.function.arguments));
  assert.match(call.id, /^call_/);
});

test("chat: runTools", async () => {
  const seen = [];
  const runner = openai.chat.completions.runTools({ model, messages,
    max_tokens: 900, tool_choice: { type: "function", function: { name: "add" } },
    tools: [zodFunction({ name: "add", parameters: Add,
      function: args => { seen.push(args); return "3"; } })] },
    { maxChatCompletions: 1 });
  await runner.done();
  Add.parse(seen[0]);
});

test("chat: refused", async () => {
  await assert.rejects(openai.chat.completions.create({ model, messages,
    guided_regex: "a(b" }), error => error.status === 400 &&
    error.code === "invalid_regex" && error.param === "guided_regex");
});

test("responses: zodTextFormat", async () => {
  const fields = { model, input: "A person.", max_output_tokens: 900,
    text: { format: zodTextFormat(Person, "person") } };
  const answer = await openai.responses.parse(fields);
  Person.parse(answer.output_parsed);
  const stream = openai.responses.stream(fields);
  let text = "";
  stream.on("response.output_text.delta", event => { text += event.delta; });
  const final = await stream.finalResponse();
  Person.parse(final.output_parsed);
  assert.equal(text, final.output_text);
});

test("responses: tools", async () => {
  const fields = { model, input: "1 + 2", max_output_tokens: 900,
    tool_choice: "required", parallel_tool_calls: false,
    tools: [zodResponsesFunction({ name: "add", parameters: Add })] };
  const answer = await openai.responses.parse(fields);
  Add.parse(answer.output.find(i => i.type === "function_call")
    .parsed_arguments);
  const final = await openai.responses.stream(fields).finalResponse();
  Add.parse(JSON.parse(final.output.find(i => i.type === "function_call")
    .arguments));
});

test("messages", async () => {
  const fields = { model, messages, max_tokens: 900,
    tools: [{ name: "add", input_schema: z.toJSONSchema(Add) }],
    tool_choice: { type: "any" } };
  const answer = await anthropic.messages.create(fields);
  Add.parse(answer.content.find(b => b.type === "tool_use").input);
  const stream = anthropic.messages.stream(fields);
  const final = await stream.finalMessage();
  Add.parse(final.content.find(b => b.type === "tool_use").input);
  const text = anthropic.messages.stream({ model, messages, max_tokens: 20,
    logit_bias: { 260: false } }); // never the stop token
  let joined = "";
  text.on("text", delta => { joined += delta; });
  assert.equal(await text.finalText(), joined);
});

test("ollama: format and tools", async () => {
  const format = z.toJSONSchema(Person);
  const answer = await ollama.chat({ model, messages, format });
  Person.parse(JSON.parse(answer.message.content));
  const parts = await all(await ollama.chat({ model, messages, format,
    stream: true }));
  Person.parse(JSON.parse(parts.map(p => p.message.content).join("")));
  assert.equal(parts.at(-1).done, true);
  const called = await ollama.chat({ model, messages, options:
    { num_predict: 40 }, tools: [{ type: "function", function: { name: "add",
      parameters: z.toJSONSchema(Add) } }] });
  for (const call of called.message.tool_calls ?? [])
    Add.parse(call.function.arguments);
  assert.deepEqual((await ollama.list()).models.map(m => m.model), [model]);
});
