// The statistics as tables of fields.
#include "show/stats_table.h"

#include "show/number.h"
#include "show/words.h"

#include <assert.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

// --- fields ---

#define CAPTURE(member) offsetof(struct sidetone_capture, member)
static const struct stats_field CAPTURE_FIELDS[] = {
    {"packets", NULL, FIELD_COUNT, false, 0, CAPTURE(packets)},
    {"bytes", NULL, FIELD_BYTES, false, 0, CAPTURE(bytes)},
    {"first", NULL, FIELD_TIME, false, 0, CAPTURE(first_ns)},
    {"last", NULL, FIELD_TIME, false, 0, CAPTURE(last_ns)},
    {"sip_messages", NULL, FIELD_COUNT, false, 0, CAPTURE(sip_messages)},
    {"rtp_packets", NULL, FIELD_COUNT, false, 0, CAPTURE(rtp_packets)},
    {"rtcp_packets", NULL, FIELD_COUNT, false, 0, CAPTURE(rtcp_packets)},
    {"complete", NULL, FIELD_BOOL, false, 0, CAPTURE(complete)},
    {"interrupted", NULL, FIELD_BOOL, false, 0, CAPTURE(interrupted)},
};

// Of a group; the whole is a group without a key.
#define NUMBER(member) offsetof(struct sidetone_group, numbers.member)
static const struct stats_field NUMBER_FIELDS[] = {
    {"key", "", FIELD_TEXT, true, 0, offsetof(struct sidetone_group, key)},
    {"calls", "calls", FIELD_COUNT, false, 0, NUMBER(calls)},
    {"answered", "answered", FIELD_COUNT, false, 0, NUMBER(answered)},
    {"busy", NULL, FIELD_COUNT, false, 0, NUMBER(busy)},
    {"unanswered", NULL, FIELD_COUNT, false, 0, NUMBER(unanswered)},
    {"rejected", NULL, FIELD_COUNT, false, 0, NUMBER(rejected)},
    {"redirected", NULL, FIELD_COUNT, false, 0, NUMBER(redirected)},
    {"failed", "failed", FIELD_COUNT, false, 0, NUMBER(failed)},
    {"open", NULL, FIELD_COUNT, false, 0, NUMBER(open)},
    {"partial_calls", "partial", FIELD_COUNT, false, 110, NUMBER(partial_calls)},
    {"others", "others", FIELD_COUNT, false, 0, NUMBER(others)},
    {"asr_percent", "ASR", FIELD_PERCENT, false, 0, NUMBER(asr_percent)},
    {"ner_percent", "NER", FIELD_PERCENT, false, 0, NUMBER(ner_percent)},
    {"ser_percent", NULL, FIELD_PERCENT, false, 0, NUMBER(ser_percent)},
    {"seer_percent", NULL, FIELD_PERCENT, false, 0, NUMBER(seer_percent)},
    {"talk_count", NULL, FIELD_COUNT, false, 0, NUMBER(talk_count)},
    {"talk_ms", NULL, FIELD_MS, false, 0, NUMBER(talk_ns)},
    {"acd_ms", "ACD", FIELD_MS, false, 0, NUMBER(acd_ns)},
    {"pdd_count", NULL, FIELD_COUNT, false, 0, NUMBER(pdd.count)},
    {"pdd_p50_ms", "pdd 50 %", FIELD_MS, false, 100, NUMBER(pdd.p50_ns)},
    {"pdd_p95_ms", "95 %", FIELD_MS, false, 0, NUMBER(pdd.p95_ns)},
    {"pdd_p99_ms", NULL, FIELD_MS, false, 0, NUMBER(pdd.p99_ns)},
    {"pdd_max_ms", NULL, FIELD_MS, false, 0, NUMBER(pdd.max_ns)},
    {"setup_count", NULL, FIELD_COUNT, false, 0, NUMBER(setup.count)},
    {"setup_p50_ms", NULL, FIELD_MS, false, 0, NUMBER(setup.p50_ns)},
    {"setup_p95_ms", NULL, FIELD_MS, false, 0, NUMBER(setup.p95_ns)},
    {"setup_p99_ms", NULL, FIELD_MS, false, 0, NUMBER(setup.p99_ns)},
    {"setup_max_ms", NULL, FIELD_MS, false, 0, NUMBER(setup.max_ns)},
    {"messages", NULL, FIELD_COUNT, false, 0, NUMBER(messages)},
    {"retransmissions", "resent", FIELD_COUNT, false, 100, NUMBER(retransmissions)},
    {"streams", "streams", FIELD_COUNT, false, 0, NUMBER(streams)},
    {"packets", NULL, FIELD_COUNT, false, 0, NUMBER(packets)},
    {"bytes", NULL, FIELD_BYTES, false, 0, NUMBER(bytes)},
    {"expected", NULL, FIELD_COUNT, false, 0, NUMBER(expected)},
    {"lost", NULL, FIELD_COUNT, false, 0, NUMBER(lost)},
    {"discarded", NULL, FIELD_COUNT, false, 0, NUMBER(discarded)},
    {"loss_percent", "loss", FIELD_PERCENT, false, 0, NUMBER(loss_percent)},
    {"mos_count", NULL, FIELD_COUNT, false, 0, NUMBER(mos_count)},
    {"mos_mean", "MOS", FIELD_SCORE, false, 0, NUMBER(mos_mean)},
    {"mos_p5", "5 %", FIELD_SCORE, false, 120, NUMBER(mos_p5)},
    {"mos_min", "lowest", FIELD_SCORE, false, 110, NUMBER(mos_min)},
    {"errors", NULL, FIELD_COUNT, false, 0, NUMBER(errors)},
    {"warnings", NULL, FIELD_COUNT, false, 0, NUMBER(warnings)},
    {"notes", NULL, FIELD_COUNT, false, 0, NUMBER(notes)},
};
_Static_assert(COUNT_OF(NUMBER_FIELDS) <= COUNT_OF(((struct stats_page *)0)->group_fields),
               "the fields of a group have room");

#define STATE(member) offsetof(struct sidetone_state_count, member)
static const struct stats_field STATE_FIELDS[] = {
    {"kind", "kind", FIELD_NAME, true, 0, STATE(kind)},
    {"state", "state", FIELD_NAME, true, 0, STATE(state)},
    {"count", "count", FIELD_COUNT, false, 0, STATE(count)},
};

#define CODE(member) offsetof(struct sidetone_code_count, member)
static const struct stats_field CODE_FIELDS[] = {
    {"code", "code", FIELD_CODE, true, 0, CODE(code)},
    {"responses", "responses", FIELD_COUNT, false, 0, CODE(responses)},
    {"retransmissions", "resent", FIELD_COUNT, false, 0, CODE(retransmissions)},
    {"calls", "calls that it decided", FIELD_COUNT, false, 0, CODE(calls)},
};

#define METHOD(member) offsetof(struct sidetone_method_count, member)
static const struct stats_field METHOD_FIELDS[] = {
    {"method", "method", FIELD_NAME, true, 0, METHOD(method)},
    {"requests", "requests", FIELD_COUNT, false, 0, METHOD(requests)},
    {"request_retransmissions", "resent", FIELD_COUNT, false, 0, METHOD(request_retransmissions)},
    {"responses", "responses", FIELD_COUNT, false, 0, METHOD(responses)},
    {"response_retransmissions", "resent", FIELD_COUNT, false, 0, METHOD(response_retransmissions)},
};

#define AGENT(member) offsetof(struct sidetone_agent_count, member)
static const struct stats_field AGENT_FIELDS[] = {
    {"user_agent", "user agent", FIELD_TEXT, true, 0, AGENT(user_agent)},
    {"calls", "calls", FIELD_COUNT, false, 0, AGENT(calls)},
    {"others", "others", FIELD_COUNT, false, 0, AGENT(others)},
};

#define TALKER(member) offsetof(struct sidetone_talker, member)
static const struct stats_field TALKER_FIELDS[] = {
    {"address", "address", FIELD_TEXT, true, 0, TALKER(address)},
    {"calls", "calls", FIELD_COUNT, false, 0, TALKER(calls)},
    {"others", "others", FIELD_COUNT, false, 0, TALKER(others)},
    {"messages", "messages", FIELD_COUNT, false, 0, TALKER(messages)},
    {"streams", "streams", FIELD_COUNT, false, 0, TALKER(streams)},
    {"media_sent_bytes", "media sent", FIELD_BYTES, false, 0, TALKER(media_sent_bytes)},
    {"media_received_bytes", "received", FIELD_BYTES, false, 0, TALKER(media_received_bytes)},
};

#define CODEC(member) offsetof(struct sidetone_codec_count, member)
static const struct stats_field CODEC_FIELDS[] = {
    {"codec", "codec", FIELD_TEXT, true, 0, CODEC(codec)},
    {"streams", "streams", FIELD_COUNT, false, 0, CODEC(streams)},
    {"packets", "packets", FIELD_COUNT, false, 0, CODEC(packets)},
    {"expected", NULL, FIELD_COUNT, false, 0, CODEC(expected)},
    {"lost", "lost", FIELD_COUNT, false, 0, CODEC(lost)},
    {"loss_percent", "loss", FIELD_PERCENT, false, 0, CODEC(loss_percent)},
    {"discarded", "discarded", FIELD_COUNT, false, 0, CODEC(discarded)},
    {"mos_count", NULL, FIELD_COUNT, false, 0, CODEC(mos_count)},
    {"mos_mean", "MOS", FIELD_SCORE, false, 0, CODEC(mos_mean)},
    {"mos_p5", "5 %", FIELD_SCORE, false, 0, CODEC(mos_p5)},
    {"mos_min", "lowest", FIELD_SCORE, false, 0, CODEC(mos_min)},
};

#define FINDING(member) offsetof(struct sidetone_finding_count, member)
static const struct stats_field FINDING_FIELDS[] = {
    {"severity", "", FIELD_SEVERITY, false, 0, FINDING(severity)},
    {"name", "finding", FIELD_NAME, true, 0, FINDING(name)},
    {"calls", "of calls", FIELD_COUNT, false, 0, FINDING(calls)},
    {"streams", "of streams", FIELD_COUNT, false, 0, FINDING(streams)},
};

#define BUCKET(member) offsetof(struct sidetone_bucket, member)
static const struct stats_field BUCKET_FIELDS[] = {
    {"start", "from (UTC)", FIELD_TIME, true, 0, BUCKET(start_ns)},
    {"calls", "calls", FIELD_COUNT, false, 0, BUCKET(calls)},
    {"answered", "answered", FIELD_COUNT, false, 0, BUCKET(answered)},
    {"failed", "failed", FIELD_COUNT, false, 0, BUCKET(failed)},
};

#define SERIES(member) offsetof(struct sidetone_stats, member)
static const struct stats_field SERIES_FIELDS[] = {
    {"bucket_ms", NULL, FIELD_MS, false, 0, SERIES(bucket_ns)},
    {"peak_start", NULL, FIELD_TIME, false, 0, SERIES(peak_start_ns)},
    {"peak_calls", NULL, FIELD_COUNT, false, 0, SERIES(peak_calls)},
};

// --- values ---

const void *stats_table_row(const struct stats_table *t, size_t index)
{
    const void *row;
    assert(index < t->row_count);
    // The list is one of pointers to some struct: its bytes are taken, whatever that is.
    memcpy(&row, (const char *)t->rows + index * sizeof row, sizeof row);
    return row;
}

// The member of a row.
#define MEMBER(type, row, f) (*(const type *)((const char *)(row) + (f)->offset))

static size_t decimal_text(char *room, double value, unsigned digits, bool for_people)
{
    return number_decimal(room, value, for_people ? 2 : digits, !for_people);
}

static size_t percent_text(char *room, double value, bool for_people)
{
    size_t n = decimal_text(room, value, NUMBER_PERCENT_DIGITS, for_people);
    if (n > 0 && for_people) {
        memcpy(room + n, " %", 2);
        n += 2;
    }
    return n;
}

// For people: "2023-11-14 22:13".
static size_t time_text(char *room, int64_t ns, bool for_people)
{
    if (ns == SIDETONE_UNKNOWN || !for_people) {
        return ns == SIDETONE_UNKNOWN ? 0 : number_time(room, ns);
    }
    size_t n = number_date(room, ns);
    room[n++] = ' ';
    number_clock(room + n, ns);
    return n + 5;
}

struct slice stats_value(const struct stats_field *f, const void *row, bool for_people, char *room)
{
    size_t n = 0;
    switch (f->kind) {
    case FIELD_TEXT:
        return slice_of(MEMBER(struct sidetone_text, row, f).p,
                        MEMBER(struct sidetone_text, row, f).n);
    case FIELD_NAME:
        return slice_str(MEMBER(char *, row, f));
    case FIELD_SEVERITY:
        return slice_str(words_severity(MEMBER(enum sidetone_severity, row, f)));
    case FIELD_BOOL:
        return MEMBER(bool, row, f) ? SLICE("true") : SLICE("false");
    case FIELD_CODE:
        n = MEMBER(uint16_t, row, f) > 0 ? number_u64(room, MEMBER(uint16_t, row, f)) : 0;
        break;
    case FIELD_COUNT:
        n = for_people ? number_grouped(room, MEMBER(uint64_t, row, f))
                       : number_u64(room, MEMBER(uint64_t, row, f));
        break;
    case FIELD_BYTES:
        n = for_people ? number_size(room, MEMBER(uint64_t, row, f))
                       : number_u64(room, MEMBER(uint64_t, row, f));
        break;
    case FIELD_PERCENT:
        n = percent_text(room, MEMBER(double, row, f), for_people);
        break;
    case FIELD_SCORE:
        n = decimal_text(room, MEMBER(double, row, f), NUMBER_SCORE_DIGITS, for_people);
        break;
    case FIELD_MS: {
        int64_t ns = MEMBER(int64_t, row, f);
        n = ns == SIDETONE_UNKNOWN ? 0
            : for_people           ? number_duration(room, ns)
                                   : number_ms(room, ns);
        break;
    }
    case FIELD_TIME:
        n = time_text(room, MEMBER(int64_t, row, f), for_people);
        break;
    }
    return slice_of(room, n);
}

struct slice stats_bucket_text(int64_t bucket_ns, char *room)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"day", INT64_C(86400000000000)},
                 {"hour", INT64_C(3600000000000)},
                 {"minute", INT64_C(60000000000)}};
    size_t i = 0, n = 0;
    while (bucket_ns % units[i].ns != 0 && i + 1 < COUNT_OF(units)) {
        i++;
    }
    struct slice name = slice_str(units[i].name);
    bool is_many = bucket_ns > units[i].ns;
    if (is_many) {
        n = number_u64(room, (uint64_t)(bucket_ns / units[i].ns));
        room[n++] = ' ';
    }
    memcpy(room + n, name.p, name.n);
    n += name.n;
    if (is_many) {
        room[n++] = 's';
    }
    return slice_of(room, n);
}

// --- the page ---

static void add(struct stats_page *page, const char *name, const char *heading,
                const struct stats_field *fields, size_t field_count, const void *rows,
                size_t row_count)
{
    assert(page->table_count < STATS_TABLES_MAX);
    page->tables[page->table_count++] = (struct stats_table){
        .name = name,
        .heading = heading,
        .fields = fields,
        .field_count = field_count,
        .rows = rows,
        .row_count = row_count,
    };
}

static void add_single(struct stats_page *page, const char *name, const char *heading,
                       const struct stats_field *fields, size_t field_count, const void *row)
{
    assert(page->single_count < COUNT_OF(page->single));
    page->single[page->single_count] = row;
    add(page, name, heading, fields, field_count, &page->single[page->single_count++], 1);
    page->tables[page->table_count - 1].is_single = true;
}

// "By prefix:4"; the key bears the name of the field.
static void add_groups(struct stats_page *page, const struct sidetone_stats *s)
{
    const char *name = sidetone_group_by_name(s->group_by);
    size_t n = strlen(name);
    memcpy(page->heading, "By ", 3);
    memcpy(page->heading + 3, name, n);
    n += 3;
    if (s->group_by == SIDETONE_GROUP_BY_PREFIX) {
        page->heading[n++] = ':';
        n += number_u64(page->heading + n, s->prefix_digits);
    }
    page->heading[n] = '\0';
    page->group_by = page->heading + 3;
    memcpy(page->group_fields, NUMBER_FIELDS, sizeof NUMBER_FIELDS);
    page->group_fields[0].name = page->group_fields[0].title = name;
    add(page, "groups", page->heading, page->group_fields, COUNT_OF(NUMBER_FIELDS), s->groups,
        s->group_count);
}

void stats_page_fill(struct stats_page *page, const struct sidetone_report *report,
                     const struct sidetone_stats *s)
{
    *page = (struct stats_page){.total = {.numbers = s->total},
                                .capture = sidetone_report_capture(report)};
    add_single(page, "capture", "Capture", CAPTURE_FIELDS, COUNT_OF(CAPTURE_FIELDS), page->capture);
    add_single(page, "total", "Total", NUMBER_FIELDS + 1, COUNT_OF(NUMBER_FIELDS) - 1,
               &page->total);
    if (s->group_by != SIDETONE_GROUP_BY_NONE) {
        add_groups(page, s);
        return;
    }
    char room[NUMBER_BYTES];
    struct slice bucket = stats_bucket_text(s->bucket_ns, room);
    memcpy(page->heading, "Calls by ", 9); // and a NUL, of the page
    memcpy(page->heading + 9, bucket.p, bucket.n);
    add(page, "states", "States", STATE_FIELDS, COUNT_OF(STATE_FIELDS), s->states, s->state_count);
    add(page, "codes", "Responses", CODE_FIELDS, COUNT_OF(CODE_FIELDS), s->codes, s->code_count);
    add(page, "methods", "Methods", METHOD_FIELDS, COUNT_OF(METHOD_FIELDS), s->methods,
        s->method_count);
    add(page, "user_agents", "User agents", AGENT_FIELDS, COUNT_OF(AGENT_FIELDS), s->agents,
        s->agent_count);
    add(page, "addresses", "Addresses", TALKER_FIELDS, COUNT_OF(TALKER_FIELDS), s->talkers,
        s->talker_count);
    add(page, "codecs", "Codecs", CODEC_FIELDS, COUNT_OF(CODEC_FIELDS), s->codecs, s->codec_count);
    add(page, "findings", "Findings", FINDING_FIELDS, COUNT_OF(FINDING_FIELDS), s->findings,
        s->finding_count);
    add_single(page, "series", "Calls by time", SERIES_FIELDS, COUNT_OF(SERIES_FIELDS), s);
    add(page, "buckets", page->heading, BUCKET_FIELDS, COUNT_OF(BUCKET_FIELDS), s->buckets,
        s->bucket_count);
}
