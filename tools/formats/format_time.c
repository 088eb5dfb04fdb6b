/* format_time.c: date, time, date-time (RFC 3339, section 5.6) and duration (its
 * appendix A).
 *
 * Dates are those of the Gregorian calendar, year 0000, a leap year, included.
 * A second 60 stands only where it is 23:59:60 in UTC. Offsets have been whole
 * quarters of an hour wherever there was a leap second, that is since 1972, so
 * only such are taken with it: 96 local times, not 1440.
 */
#include "formats/format_make.h"

#define DAYS_28 "(?:0[1-9]|1\\d|2[0-8])"
#define DAYS_30 "(?:0[1-9]|[12]\\d|30)"
#define DAYS_31 "(?:0[1-9]|[12]\\d|3[01])"
#define LEAP_YEAR                                 \
    "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|" \
    "(?:[02468][048]|[13579][26])00)"

#define HOUR_MINUTE "(?:[01]\\d|2[0-3]):[0-5]\\d"
#define FRACTION "(?:\\.\\d+)?"

const Dfa *make_date(LangCtx *ctx)
{
    return pattern(ctx, "\\d{4}-(?:(?:0[13578]|1[02])-" DAYS_31
                        "|(?:0[469]|11)-" DAYS_30 "|02-" DAYS_28 ")"
                        "|" LEAP_YEAR "-02-29");
}

/* 23:59:60 in UTC as a clock reads it that is `quarter` quarters ahead. */
static const Dfa *leap_second(LangCtx *ctx, unsigned quarter)
{
    unsigned ahead = quarter * 15, behind = (1440 - ahead) % 1440;
    unsigned local = (1439 + ahead) % 1440;
    return patternf(ctx,
                    "%02u:%02u:60" FRACTION "(?:\\+%02u:%02u|-%02u:%02u%s)",
                    local / 60, local % 60, ahead / 60, ahead % 60, behind / 60,
                    behind % 60, ahead ? "" : "|[Zz]");
}

const Dfa *make_time(LangCtx *ctx)
{
    const Dfa *out = pattern(ctx, HOUR_MINUTE ":[0-5]\\d" FRACTION
                                              "(?:[Zz]|[+-]" HOUR_MINUTE ")");
    for (unsigned quarter = 0; quarter < 96; quarter++)
        out = lang_unite(ctx, out, leap_second(ctx, quarter));
    return out;
}

const Dfa *make_date_time(LangCtx *ctx)
{
    const Dfa *date = lang_concat(ctx, make_date(ctx), pattern(ctx, "[Tt]"));
    return lang_concat(ctx, date, make_time(ctx));
}

const Dfa *make_duration(LangCtx *ctx)
{
#define SECOND "\\d+[Ss]"
#define MINUTE "\\d+[Mm](?:" SECOND ")?"
#define HOUR "\\d+[Hh](?:" MINUTE ")?"
#define TIME "[Tt](?:" HOUR "|" MINUTE "|" SECOND ")"
#define DAY "\\d+[Dd]"
#define MONTH "\\d+[Mm](?:" DAY ")?"
#define YEAR "\\d+[Yy](?:" MONTH ")?"
    return pattern(ctx, "[Pp](?:(?:" DAY "|" MONTH "|" YEAR ")(?:" TIME ")?"
                        "|" TIME "|\\d+[Ww])");
}
