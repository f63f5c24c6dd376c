// A report as one JSON object.
//
// Fields and their order are those of docs/json.md: a value that is not known is left out, counters
// are always there, lists too unless they only exist from two entries on.
#include "show/report_json.h"

#include "show/number.h"
#include "show/report_json_parts.h"
#include "show/words.h"

static void counts_object(struct json *j, const struct sidetone_count *counts, size_t n)
{
    json_open(j, '{');
    for (size_t i = 0; i < n; i++) {
        json_key_name(j, counts[i].name);
        json_u64(j, counts[i].count);
    }
    json_close(j, '}');
}

void json_packets(struct json *j, const struct sidetone_packet *packets, size_t count)
{
    json_open(j, '[');
    for (size_t i = 0; i < count; i++) {
        json_open(j, '[');
        json_u64(j, packets[i].file);
        json_u64(j, packets[i].record);
        json_close(j, ']');
    }
    json_close(j, ']');
}

void json_findings(struct json *j, const struct sidetone_finding *all, size_t n)
{
    JSON_OPEN(j, "findings", '[');
    for (size_t i = 0; i < n; i++) {
        json_open(j, '{');
        JSON_STRING(j, "name", all[i].name);
        JSON_STRING(j, "severity", words_severity(all[i].severity));
        JSON_TEXT_IF(j, "text", all[i].text);
        JSON_KEY(j, "packets");
        json_packets(j, all[i].packets, all[i].packet_count);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void json_capture(struct json *j, const struct sidetone_capture *c)
{
    JSON_OPEN(j, "capture", '{');
    JSON_U64(j, "files", c->files);
    JSON_U64(j, "packets", c->packets);
    JSON_U64(j, "bytes", c->bytes);
    JSON_TIME_IF(j, "first", c->first_ns);
    JSON_TIME_IF(j, "last", c->last_ns);
    JSON_MS_IF(j, "duration_ms", number_between(c->first_ns, c->last_ns));
    JSON_U64(j, "sip_messages", c->sip_messages);
    JSON_U64(j, "rtp_packets", c->rtp_packets);
    JSON_U64(j, "rtcp_packets", c->rtcp_packets);
    JSON_U64(j, "duplicates", c->duplicates);
    JSON_U64(j, "dropped", c->dropped);
    JSON_U64(j, "keepalives", c->keepalives);
    JSON_U64(j, "analysed", c->analysed);
    JSON_KEY(j, "not_analysed");
    counts_object(j, c->not_analysed, c->not_analysed_count);
    JSON_KEY(j, "oddities");
    counts_object(j, c->oddities, c->oddity_count);
    JSON_BOOL(j, "complete", c->complete);
    JSON_BOOL(j, "interrupted", c->interrupted);
    JSON_U64(j, "name_blocks", c->name_blocks);
    JSON_U64(j, "secret_blocks", c->secret_blocks);
    JSON_KEY(j, "warnings");
    json_texts(j, c->warnings, c->warning_count);
    json_close(j, '}');
}

// --- the whole ---

static void calls_array(struct json *j, const struct sidetone_report *r, struct sidetone_scratch *s)
{
    size_t count = sidetone_report_calls(r);
    JSON_OPEN(j, "calls", '[');
    for (size_t i = 0; i < count; i++) {
        struct sidetone_call call;
        sidetone_report_call(r, i, s, &call);
        json_break(j);
        json_call(j, &call);
    }
    json_close(j, ']');
}

static void streams_array(struct json *j, const struct sidetone_report *r,
                          struct sidetone_scratch *s)
{
    size_t count = sidetone_report_streams(r);
    JSON_OPEN(j, "streams", '[');
    for (size_t i = 0; i < count; i++) {
        struct sidetone_stream stream;
        sidetone_report_stream(r, i, s, &stream);
        json_break(j);
        json_stream(j, &stream);
    }
    json_close(j, ']');
}

void report_json(struct output *out, const struct sidetone_report *report)
{
    struct sidetone_scratch *scratch = sidetone_scratch_new();
    struct json j;
    json_init(&j, out);
    json_open(&j, '{');
    JSON_U64(&j, "schema_version", REPORT_JSON_SCHEMA_VERSION);
    json_break(&j);
    json_capture(&j, sidetone_report_capture(report));
    json_break(&j);
    calls_array(&j, report, scratch);
    json_break(&j);
    streams_array(&j, report, scratch);
    json_close(&j, '}');
    OUTPUT(out, "\n");
    sidetone_scratch_free(scratch);
}

void report_json_capture_line(struct output *out, const struct sidetone_report *report)
{
    struct json j;
    json_init(&j, out);
    json_open(&j, '{');
    json_capture(&j, sidetone_report_capture(report));
    json_close(&j, '}');
    OUTPUT(out, "\n");
}
