// A stream as a JSON object (docs/json.md).
#include "show/number.h"
#include "show/report_json_parts.h"

static void segments(struct json *j, const struct sidetone_stream *s)
{
    if (s->segment_count == 0) {
        return;
    }
    JSON_OPEN(j, "segments", '[');
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
    JSON_OPEN(j, "intervals", '[');
    for (size_t i = 0; i < s->interval_count; i++) {
        const struct sidetone_interval *at = &s->intervals[i];
        json_open(j, '{');
        JSON_TIME_IF(j, "start", at->start_ns);
        JSON_U64(j, "packets", at->packets);
        JSON_U64(j, "lost", at->lost);
        JSON_U64(j, "discarded", at->discarded);
        JSON_DECIMAL_IF(j, "jitter_ms", at->jitter_ms, NUMBER_MS_DIGITS);
        JSON_DECIMAL_IF(j, "mos", at->mos, NUMBER_SCORE_DIGITS);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void stream_identity(struct json *j, const struct sidetone_stream *s)
{
    JSON_STRING_IF(j, "kind", s->kind);
    if (s->has_ssrc) {
        JSON_KEY(j, "ssrc");
        json_hex32(j, s->ssrc);
    }
    JSON_ENDPOINT(j, "src", &s->src);
    JSON_ENDPOINT(j, "dst", &s->dst);
    JSON_TEXT_IF(j, "codec", s->codec);
    if (s->clock_hz != 0) {
        JSON_U64(j, "clock_hz", s->clock_hz);
    }
    JSON_OPEN(j, "payload_types", '[');
    for (size_t i = 0; i < s->payload_type_count; i++) {
        json_u64(j, s->payload_types[i]);
    }
    json_close(j, ']');
    JSON_BOOL(j, "announced", s->is_announced);
    JSON_INDEX_IF(j, "branch", s->branch);
    if (s->call >= 0) {
        JSON_U64(j, "call", (uint64_t)s->call);
        JSON_TEXT(j, "call_id", s->call_id);
    }
}

static void stream_counters(struct json *j, const struct sidetone_stream *s)
{
    JSON_U64(j, "packets", s->packets);
    JSON_U64(j, "unique", s->unique);
    JSON_U64(j, "expected", s->expected);
    JSON_U64(j, "lost", s->lost);
    JSON_DECIMAL_IF(j, "loss_percent", s->loss_percent, NUMBER_PERCENT_DIGITS);
    JSON_U64(j, "discarded", s->discarded);
    JSON_DECIMAL_IF(j, "discard_percent", s->discard_percent, NUMBER_PERCENT_DIGITS);
    JSON_U64(j, "duplicates", s->duplicates);
    JSON_U64(j, "reordered", s->reordered);
    JSON_U64(j, "too_late", s->too_late);
    JSON_U64(j, "bytes", s->bytes);
}

static void stream_quality(struct json *j, const struct sidetone_stream *s)
{
    JSON_DECIMAL_IF(j, "mos", s->mos, NUMBER_SCORE_DIGITS);
    JSON_DECIMAL_IF(j, "r_factor", s->r_factor, NUMBER_SCORE_DIGITS);
    JSON_STRING_IF(j, "mos_missing", s->mos_missing);
    JSON_STRING_IF(j, "mos_model", s->mos_model);
    JSON_STRING_IF(j, "mos_doubt", s->mos_doubt);
    JSON_INDEX_IF(j, "worst_interval", s->worst_interval);
    JSON_DECIMAL_IF(j, "burst_ratio", s->burst_ratio, NUMBER_SCORE_DIGITS);
    JSON_U64(j, "loss_runs", s->loss_runs);
    JSON_U64(j, "loss_run_max", s->loss_run_max);
    JSON_U64(j, "bursts", s->bursts);
    JSON_DECIMAL_IF(j, "burst_percent", s->burst_percent, NUMBER_PERCENT_DIGITS);
    JSON_DECIMAL_IF(j, "gap_percent", s->gap_percent, NUMBER_PERCENT_DIGITS);
    JSON_DECIMAL_IF(j, "burst_ms", s->burst_ms, NUMBER_MS_DIGITS);
    JSON_DECIMAL_IF(j, "gap_ms", s->gap_ms, NUMBER_MS_DIGITS);
    JSON_MS_IF(j, "gap_max_ms", s->gap_max_ns);
    JSON_U64(j, "redundant", s->redundant);
    JSON_U64(j, "recovered", s->recovered);
    JSON_U64(j, "repair", s->repair);
}

static void audio(struct json *j, const struct sidetone_audio *a)
{
    if (!a) {
        return;
    }
    JSON_OPEN(j, "audio", '{');
    JSON_U64(j, "packets", a->packets);
    JSON_U64(j, "silent_packets", a->silent_packets);
    JSON_U64(j, "clipped_packets", a->clipped_packets);
    JSON_MS_IF(j, "longest_silence_ms", a->longest_silence_ns);
    JSON_DECIMAL_IF(j, "level_dbov", a->level_dbov, NUMBER_SCORE_DIGITS);
    JSON_DECIMAL_IF(j, "peak_dbov", a->peak_dbov, NUMBER_SCORE_DIGITS);
    json_close(j, '}');
}

static void fax(struct json *j, const struct sidetone_fax *f)
{
    if (!f) {
        return;
    }
    JSON_OPEN(j, "fax", '{');
    JSON_STRING_IF(j, "error_correction", f->error_correction);
    JSON_U64(j, "recovered", f->recovered);
    JSON_OPEN(j, "indicators", '[');
    for (size_t i = 0; i < f->indicator_count; i++) {
        json_str(j, f->indicators[i]);
    }
    json_close(j, ']');
    JSON_U64(j, "data_packets", f->data_packets);
    json_close(j, '}');
}

static void extended_reports(struct json *j, const struct sidetone_rtcp *r)
{
    if (r->xr_reports == 0) {
        return;
    }
    JSON_OPEN(j, "xr", '{');
    JSON_U64(j, "reports", r->xr_reports);
    JSON_COUNT_IF(j, "lost", r->xr_lost);
    JSON_COUNT_IF(j, "duplicates", r->xr_duplicates);
    JSON_DECIMAL_IF(j, "jitter_ms", r->xr_jitter_ms, NUMBER_MS_DIGITS);
    JSON_COUNT_IF(j, "rle_lost", r->xr_rle_lost);
    JSON_COUNT_IF(j, "rle_longest", r->xr_rle_longest);
    JSON_DECIMAL_IF(j, "loss_percent", r->xr_loss_percent, NUMBER_PERCENT_DIGITS);
    JSON_DECIMAL_IF(j, "discard_percent", r->xr_discard_percent, NUMBER_PERCENT_DIGITS);
    JSON_DECIMAL_IF(j, "burst_percent", r->xr_burst_percent, NUMBER_PERCENT_DIGITS);
    JSON_DECIMAL_IF(j, "gap_percent", r->xr_gap_percent, NUMBER_PERCENT_DIGITS);
    JSON_DECIMAL_IF(j, "burst_ms", r->xr_burst_ms, NUMBER_MS_DIGITS);
    JSON_DECIMAL_IF(j, "gap_ms", r->xr_gap_ms, NUMBER_MS_DIGITS);
    JSON_DECIMAL_IF(j, "round_trip_ms", r->xr_round_trip_ms, NUMBER_MS_DIGITS);
    JSON_DECIMAL_IF(j, "end_system_ms", r->xr_end_system_ms, NUMBER_MS_DIGITS);
    JSON_DECIMAL_IF(j, "r_factor", r->xr_r_factor, NUMBER_SCORE_DIGITS);
    JSON_DECIMAL_IF(j, "mos_lq", r->xr_mos_lq, NUMBER_SCORE_DIGITS);
    JSON_DECIMAL_IF(j, "mos_cq", r->xr_mos_cq, NUMBER_SCORE_DIGITS);
    JSON_DECIMAL_IF(j, "signal_dbm", r->xr_signal_dbm, NUMBER_SCORE_DIGITS);
    JSON_DECIMAL_IF(j, "noise_dbm", r->xr_noise_dbm, NUMBER_SCORE_DIGITS);
    JSON_DECIMAL_IF(j, "rerl_db", r->xr_rerl_db, NUMBER_SCORE_DIGITS);
    JSON_DECIMAL_IF(j, "buffer_ms", r->xr_buffer_ms, NUMBER_MS_DIGITS);
    JSON_DECIMAL_IF(j, "buffer_max_ms", r->xr_buffer_max_ms, NUMBER_MS_DIGITS);
    json_close(j, '}');
}

static void rtcp(struct json *j, const struct sidetone_rtcp *r)
{
    if (!r) {
        return;
    }
    JSON_OPEN(j, "rtcp", '{');
    JSON_U64(j, "packets", r->packets);
    JSON_U64(j, "sender_reports", r->sender_reports);
    JSON_U64(j, "reports", r->reports);
    JSON_COUNT_IF(j, "sent_packets", r->sent_packets);
    JSON_COUNT_IF(j, "sent_bytes", r->sent_bytes);
    JSON_COUNT_IF(j, "lost", r->lost);
    JSON_DECIMAL_IF(j, "lost_percent", r->lost_percent, NUMBER_PERCENT_DIGITS);
    JSON_DECIMAL_IF(j, "fraction_max_percent", r->fraction_max_percent, NUMBER_PERCENT_DIGITS);
    JSON_DECIMAL_IF(j, "jitter_ms", r->jitter_ms, NUMBER_MS_DIGITS);
    JSON_DECIMAL_IF(j, "jitter_max_ms", r->jitter_max_ms, NUMBER_MS_DIGITS);
    JSON_DECIMAL_IF(j, "rtt_ms", r->rtt_ms, NUMBER_MS_DIGITS);
    JSON_DECIMAL_IF(j, "rtt_max_ms", r->rtt_max_ms, NUMBER_MS_DIGITS);
    JSON_DECIMAL_IF(j, "one_way_ms", r->one_way_ms, NUMBER_MS_DIGITS);
    JSON_TEXT_IF(j, "cname", r->cname);
    JSON_BOOL(j, "bye", r->has_bye);
    extended_reports(j, r);
    json_close(j, '}');
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
    stream_quality(j, s);
    JSON_TEXT_IF(j, "dtmf", s->dtmf);
    JSON_BOOL(j, "encrypted", s->encrypted);
    JSON_STRING_IF(j, "encrypted_by", s->encrypted_by);
    segments(j, s);
    intervals(j, s);
    audio(j, s->audio);
    fax(j, s->fax);
    rtcp(j, s->rtcp);
    json_findings(j, s->findings, s->finding_count);
    json_close(j, '}');
}
