// A call as a JSON object (docs/json.md).
#include "show/number.h"
#include "show/report_json_parts.h"

static void indices(struct json *j, const uint32_t *all, size_t n)
{
    json_open(j, '[');
    for (size_t i = 0; i < n; i++) {
        json_u64(j, all[i]);
    }
    json_close(j, ']');
}

static void branches(struct json *j, const struct sidetone_call *c)
{
    if (c->branch_count == 0) {
        return;
    }
    JSON_OPEN(j, "branches", '[');
    for (size_t i = 0; i < c->branch_count; i++) {
        json_open(j, '{');
        JSON_TEXT_IF(j, "to_tag", c->branches[i].to_tag);
        JSON_STRING_IF(j, "state", c->branches[i].state);
        if (c->branches[i].final_code != 0) {
            JSON_U64(j, "final_code", c->branches[i].final_code);
        }
        JSON_KEY(j, "streams");
        indices(j, c->branches[i].streams, c->branches[i].stream_count);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void hops(struct json *j, const struct sidetone_call *c)
{
    if (c->hop_count == 0) {
        return;
    }
    JSON_OPEN(j, "hops", '[');
    for (size_t i = 0; i < c->hop_count; i++) {
        json_open(j, '{');
        JSON_ENDPOINT(j, "src", &c->hops[i].src);
        JSON_ENDPOINT(j, "dst", &c->hops[i].dst);
        JSON_U64(j, "messages", c->hops[i].messages);
        JSON_MS_IF(j, "delay_ms", c->hops[i].delay_ns);
        JSON_MS_IF(j, "delay_max_ms", c->hops[i].delay_max_ns);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void legs(struct json *j, const struct sidetone_call *c)
{
    if (c->leg_count == 0) {
        return;
    }
    JSON_OPEN(j, "legs", '[');
    for (size_t i = 0; i < c->leg_count; i++) {
        json_open(j, '{');
        JSON_U64(j, "call", c->legs[i].call);
        JSON_TEXT(j, "call_id", c->legs[i].call_id);
        JSON_STRING_IF(j, "by", c->legs[i].by);
        JSON_U64(j, "via", c->legs[i].via);
        if (c->legs[i].is_guess) {
            JSON_BOOL(j, "guess", true);
        }
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void holds(struct json *j, const struct sidetone_call *c)
{
    if (c->hold_count == 0) {
        return;
    }
    JSON_OPEN(j, "holds", '[');
    for (size_t i = 0; i < c->hold_count; i++) {
        json_open(j, '{');
        JSON_TIME_IF(j, "start", c->holds[i].start_ns);
        JSON_MS_IF(j, "duration_ms", c->holds[i].duration_ns);
        JSON_STRING_IF(j, "by", c->holds[i].by);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void transfers(struct json *j, const struct sidetone_call *c)
{
    if (c->transfer_count == 0) {
        return;
    }
    JSON_OPEN(j, "transfers", '[');
    for (size_t i = 0; i < c->transfer_count; i++) {
        const struct sidetone_transfer *t = &c->transfers[i];
        json_open(j, '{');
        JSON_STRING_IF(j, "by", t->by);
        JSON_TEXT_IF(j, "refer_to", t->refer_to);
        JSON_INDEX_IF(j, "call", t->call);
        JSON_OPEN(j, "statuses", '[');
        for (size_t k = 0; k < t->status_count; k++) {
            json_u64(j, t->statuses[k]);
        }
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void endpoint_report(struct json *j, const struct sidetone_endpoint_report *r)
{
    json_open(j, '{');
    JSON_STRING_IF(j, "format", r->format);
    JSON_STRING_IF(j, "by", r->by);
    JSON_TEXT_IF(j, "local", r->local);
    JSON_TEXT_IF(j, "remote", r->remote);
    JSON_TEXT_IF(j, "codec", r->codec);
    if (r->ssrc >= 0) {
        JSON_KEY(j, "ssrc");
        json_hex32(j, (uint32_t)r->ssrc);
    }
    JSON_COUNT_IF(j, "packets_sent", r->packets_sent);
    JSON_COUNT_IF(j, "packets_received", r->packets_received);
    JSON_COUNT_IF(j, "packets_lost", r->packets_lost);
    JSON_DECIMAL_IF(j, "loss_percent", r->loss_percent, NUMBER_PERCENT_DIGITS);
    JSON_DECIMAL_IF(j, "discard_percent", r->discard_percent, NUMBER_PERCENT_DIGITS);
    JSON_DECIMAL_IF(j, "jitter_ms", r->jitter_ms, NUMBER_MS_DIGITS);
    JSON_DECIMAL_IF(j, "round_trip_ms", r->round_trip_ms, NUMBER_MS_DIGITS);
    JSON_DECIMAL_IF(j, "one_way_ms", r->one_way_ms, NUMBER_MS_DIGITS);
    JSON_DECIMAL_IF(j, "end_system_ms", r->end_system_ms, NUMBER_MS_DIGITS);
    JSON_DECIMAL_IF(j, "mos_lq", r->mos_lq, NUMBER_SCORE_DIGITS);
    JSON_DECIMAL_IF(j, "mos_cq", r->mos_cq, NUMBER_SCORE_DIGITS);
    JSON_DECIMAL_IF(j, "r_factor", r->r_factor, NUMBER_SCORE_DIGITS);
    JSON_KEY(j, "packets");
    json_packets(j, &r->packet, 1);
    json_close(j, '}');
}

static void endpoint_reports(struct json *j, const struct sidetone_call *c)
{
    if (c->report_count == 0) {
        return;
    }
    JSON_OPEN(j, "reports", '[');
    for (size_t i = 0; i < c->report_count; i++) {
        endpoint_report(j, &c->reports[i]);
    }
    json_close(j, ']');
}

static void registration(struct json *j, const struct sidetone_call *c)
{
    if (!c->kind || strcmp(c->kind, "registration") != 0) {
        return;
    }
    JSON_OPEN(j, "registration", '{');
    JSON_TEXT_IF(j, "aor", c->aor);
    JSON_OPEN(j, "contacts", '[');
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

void json_call(struct json *j, const struct sidetone_call *c)
{
    json_open(j, '{');
    JSON_TEXT(j, "call_id", c->call_id); // always there: an empty Call-ID is an identity too
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
    JSON_ENDPOINT(j, "src", &c->src);
    JSON_ENDPOINT(j, "dst", &c->dst);
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
    holds(j, c);
    transfers(j, c);
    JSON_TEXT_IF(j, "dtmf", c->dtmf);
    endpoint_reports(j, c);
    registration(j, c);
    JSON_KEY(j, "streams");
    indices(j, c->streams, c->stream_count);
    json_findings(j, c->findings, c->finding_count);
    json_close(j, '}');
}
