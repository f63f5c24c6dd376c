// A report as one JSON object.
//
// Fields and their order are those of docs/json.md: a value that is not known is left out, counters
// are always there, lists too unless they only exist from two entries on.
#include "show/report_json.h"

#include "show/number.h"
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

static void findings(struct json *j, const struct sidetone_finding *all, size_t n)
{
    JSON_KEY(j, "findings");
    json_open(j, '[');
    for (size_t i = 0; i < n; i++) {
        json_open(j, '{');
        JSON_KEY(j, "name");
        json_string(j, all[i].name);
        JSON_KEY(j, "severity");
        json_string(j, words_severity(all[i].severity));
        JSON_TEXT_IF(j, "text", all[i].text);
        JSON_KEY(j, "packets");
        json_packets(j, all[i].packets, all[i].packet_count);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void capture_object(struct json *j, const struct sidetone_capture *c)
{
    JSON_KEY(j, "capture");
    json_open(j, '{');
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
    JSON_U64(j, "keepalives", c->keepalives);
    JSON_U64(j, "analysed", c->analysed);
    JSON_KEY(j, "not_analysed");
    counts_object(j, c->not_analysed, c->not_analysed_count);
    JSON_KEY(j, "oddities");
    counts_object(j, c->oddities, c->oddity_count);
    JSON_KEY(j, "complete");
    json_bool(j, c->complete);
    JSON_KEY(j, "interrupted");
    json_bool(j, c->interrupted);
    JSON_U64(j, "name_blocks", c->name_blocks);
    JSON_U64(j, "secret_blocks", c->secret_blocks);
    JSON_KEY(j, "warnings");
    json_texts(j, c->warnings, c->warning_count);
    json_close(j, '}');
}

// --- calls ---

static void branches(struct json *j, const struct sidetone_call *c)
{
    if (c->branch_count == 0) {
        return;
    }
    JSON_KEY(j, "branches");
    json_open(j, '[');
    for (size_t i = 0; i < c->branch_count; i++) {
        json_open(j, '{');
        JSON_TEXT_IF(j, "to_tag", c->branches[i].to_tag);
        JSON_STRING_IF(j, "state", c->branches[i].state);
        if (c->branches[i].final_code != 0) {
            JSON_U64(j, "final_code", c->branches[i].final_code);
        }
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void hops(struct json *j, const struct sidetone_call *c)
{
    if (c->hop_count == 0) {
        return;
    }
    JSON_KEY(j, "hops");
    json_open(j, '[');
    for (size_t i = 0; i < c->hop_count; i++) {
        json_open(j, '{');
        JSON_KEY(j, "src");
        json_endpoint(j, &c->hops[i].src);
        JSON_KEY(j, "dst");
        json_endpoint(j, &c->hops[i].dst);
        JSON_U64(j, "messages", c->hops[i].messages);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void legs(struct json *j, const struct sidetone_call *c)
{
    if (c->leg_count == 0) {
        return;
    }
    JSON_KEY(j, "legs");
    json_open(j, '[');
    for (size_t i = 0; i < c->leg_count; i++) {
        json_open(j, '{');
        JSON_U64(j, "call", c->legs[i].call);
        JSON_KEY(j, "call_id");
        json_text(j, c->legs[i].call_id.p, c->legs[i].call_id.n);
        JSON_STRING_IF(j, "by", c->legs[i].by);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void registration(struct json *j, const struct sidetone_call *c)
{
    if (!c->kind || strcmp(c->kind, "registration") != 0) {
        return;
    }
    JSON_KEY(j, "registration");
    json_open(j, '{');
    JSON_TEXT_IF(j, "aor", c->aor);
    JSON_KEY(j, "contacts");
    json_open(j, '[');
    for (size_t i = 0; i < c->contact_count; i++) {
        json_open(j, '{');
        JSON_TEXT_IF(j, "uri", c->contacts[i].uri);
        if (c->contacts[i].expires_s != SIDETONE_UNKNOWN && c->contacts[i].expires_s >= 0) {
            JSON_U64(j, "expires_s", (uint64_t)c->contacts[i].expires_s);
        }
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void call_times(struct json *j, const struct sidetone_call *c)
{
    JSON_TIME_IF(j, "start", c->start_ns);
    JSON_TIME_IF(j, "end", c->end_ns);
    JSON_MS_IF(j, "trying_ms", c->trying_ns);
    JSON_MS_IF(j, "pdd_ms", c->pdd_ns);
    JSON_MS_IF(j, "setup_ms", c->setup_ns);
    JSON_MS_IF(j, "ring_ms", c->ring_ns);
    JSON_MS_IF(j, "duration_ms", c->duration_ns);
    JSON_STRING_IF(j, "ended_by", c->ended_by);
}

static void call_object(struct json *j, const struct sidetone_call *c)
{
    json_open(j, '{');
    JSON_KEY(j, "call_id"); // always there: an empty Call-ID is an identity too
    json_text(j, c->call_id.p, c->call_id.n);
    JSON_STRING_IF(j, "kind", c->kind);
    JSON_TEXT_IF(j, "method", c->method);
    JSON_STRING_IF(j, "state", c->state);
    if (c->final_code != 0) {
        JSON_U64(j, "final_code", c->final_code);
    }
    JSON_TEXT_IF(j, "reason", c->reason);
    JSON_TEXT_IF(j, "from", c->from);
    JSON_TEXT_IF(j, "to", c->to);
    JSON_TEXT_IF(j, "request_uri", c->request_uri);
    JSON_STRING_IF(j, "transport", c->transport);
    if (c->path_count > 0) {
        JSON_KEY(j, "path");
        json_texts(j, c->path, c->path_count);
    }
    JSON_KEY(j, "src");
    json_endpoint(j, &c->src);
    JSON_KEY(j, "dst");
    json_endpoint(j, &c->dst);
    JSON_KEY(j, "user_agents");
    json_texts(j, c->user_agents, c->user_agent_count);
    JSON_U64(j, "messages", c->messages);
    JSON_U64(j, "retransmissions", c->retransmissions);
    JSON_U64(j, "duplicates", c->duplicates);
    JSON_U64(j, "attempts", c->attempts);
    call_times(j, c);
    branches(j, c);
    legs(j, c);
    hops(j, c);
    registration(j, c);
    JSON_KEY(j, "streams");
    json_open(j, '[');
    for (size_t i = 0; i < c->stream_count; i++) {
        json_u64(j, c->streams[i]);
    }
    json_close(j, ']');
    findings(j, c->findings, c->finding_count);
    json_close(j, '}');
}

// --- streams ---

static void segments(struct json *j, const struct sidetone_stream *s)
{
    if (s->segment_count == 0) {
        return;
    }
    JSON_KEY(j, "segments");
    json_open(j, '[');
    for (size_t i = 0; i < s->segment_count; i++) {
        json_open(j, '{');
        JSON_TEXT_IF(j, "codec", s->segments[i].codec);
        JSON_U64(j, "packets", s->segments[i].packets);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void intervals(struct json *j, const struct sidetone_stream *s)
{
    JSON_KEY(j, "intervals");
    json_open(j, '[');
    for (size_t i = 0; i < s->interval_count; i++) {
        const struct sidetone_interval *at = &s->intervals[i];
        json_open(j, '{');
        JSON_TIME_IF(j, "start", at->start_ns);
        JSON_U64(j, "packets", at->packets);
        JSON_U64(j, "lost", at->lost);
        JSON_DECIMAL_IF(j, "jitter_ms", at->jitter_ms, NUMBER_MS_DIGITS);
        JSON_DECIMAL_IF(j, "mos", at->mos, NUMBER_SCORE_DIGITS);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void stream_identity(struct json *j, const struct sidetone_stream *s)
{
    JSON_KEY(j, "ssrc");
    json_hex32(j, s->ssrc);
    JSON_KEY(j, "src");
    json_endpoint(j, &s->src);
    JSON_KEY(j, "dst");
    json_endpoint(j, &s->dst);
    JSON_TEXT_IF(j, "codec", s->codec);
    if (s->clock_hz != 0) {
        JSON_U64(j, "clock_hz", s->clock_hz);
    }
    JSON_KEY(j, "payload_types");
    json_open(j, '[');
    for (size_t i = 0; i < s->payload_type_count; i++) {
        json_u64(j, s->payload_types[i]);
    }
    json_close(j, ']');
    if (s->call >= 0) {
        JSON_U64(j, "call", (uint64_t)s->call);
        JSON_KEY(j, "call_id");
        json_text(j, s->call_id.p, s->call_id.n);
    }
}

static void stream_counters(struct json *j, const struct sidetone_stream *s)
{
    JSON_U64(j, "packets", s->packets);
    JSON_U64(j, "unique", s->unique);
    JSON_U64(j, "expected", s->expected);
    JSON_U64(j, "lost", s->lost);
    JSON_DECIMAL_IF(j, "loss_percent", s->loss_percent, NUMBER_PERCENT_DIGITS);
    JSON_U64(j, "duplicates", s->duplicates);
    JSON_U64(j, "reordered", s->reordered);
    JSON_U64(j, "too_late", s->too_late);
    JSON_U64(j, "bytes", s->bytes);
}

static void stream_object(struct json *j, const struct sidetone_stream *s)
{
    json_open(j, '{');
    stream_identity(j, s);
    stream_counters(j, s);
    JSON_TIME_IF(j, "start", s->start_ns);
    JSON_TIME_IF(j, "end", s->end_ns);
    JSON_MS_IF(j, "duration_ms", number_between(s->start_ns, s->end_ns));
    JSON_DECIMAL_IF(j, "jitter_ms", s->jitter_ms, NUMBER_MS_DIGITS);
    JSON_DECIMAL_IF(j, "jitter_max_ms", s->jitter_max_ms, NUMBER_MS_DIGITS);
    JSON_DECIMAL_IF(j, "delta_max_ms", s->delta_max_ms, NUMBER_MS_DIGITS);
    JSON_DECIMAL_IF(j, "mos", s->mos, NUMBER_SCORE_DIGITS);
    JSON_DECIMAL_IF(j, "r_factor", s->r_factor, NUMBER_SCORE_DIGITS);
    JSON_STRING_IF(j, "mos_missing", s->mos_missing);
    JSON_DECIMAL_IF(j, "burst_ratio", s->burst_ratio, NUMBER_SCORE_DIGITS);
    JSON_U64(j, "bursts", s->bursts);
    JSON_TEXT_IF(j, "dtmf", s->dtmf);
    JSON_KEY(j, "encrypted");
    json_bool(j, s->encrypted);
    segments(j, s);
    intervals(j, s);
    findings(j, s->findings, s->finding_count);
    json_close(j, '}');
}

// --- the whole ---

static void calls_array(struct json *j, const struct sidetone_report *r, struct sidetone_scratch *s)
{
    size_t count = sidetone_report_calls(r);
    JSON_KEY(j, "calls");
    json_open(j, '[');
    for (size_t i = 0; i < count; i++) {
        struct sidetone_call call;
        sidetone_report_call(r, i, s, &call);
        json_break(j);
        call_object(j, &call);
    }
    json_close(j, ']');
}

static void streams_array(struct json *j, const struct sidetone_report *r,
                          struct sidetone_scratch *s)
{
    size_t count = sidetone_report_streams(r);
    JSON_KEY(j, "streams");
    json_open(j, '[');
    for (size_t i = 0; i < count; i++) {
        struct sidetone_stream stream;
        sidetone_report_stream(r, i, s, &stream);
        json_break(j);
        stream_object(j, &stream);
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
    capture_object(&j, sidetone_report_capture(report));
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
    capture_object(&j, sidetone_report_capture(report));
    json_close(&j, '}');
    OUTPUT(out, "\n");
}
