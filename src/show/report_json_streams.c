// A stream as a JSON object (docs/json.md).
#include "show/number.h"
#include "show/report_json_parts.h"

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

void json_stream(struct json *j, const struct sidetone_stream *s)
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
    json_findings(j, s->findings, s->finding_count);
    json_close(j, '}');
}
