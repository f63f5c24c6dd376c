// One SIP message as one line of JSON.
#include "show/message_json.h"

#include "show/report_json_parts.h"

static void start_line(struct json *j, const struct sidetone_message *m)
{
    if (m->is_request) {
        JSON_OPEN(j, "request", '{');
        JSON_TEXT_IF(j, "method", m->method);
        JSON_TEXT_IF(j, "uri", m->uri);
    } else {
        JSON_OPEN(j, "response", '{');
        if (m->code != 0) {
            JSON_U64(j, "code", m->code);
        }
        JSON_TEXT_IF(j, "reason", m->reason);
    }
    json_close(j, '}');
}

static void headers(struct json *j, const struct sidetone_message *m)
{
    JSON_OPEN(j, "headers", '[');
    for (size_t i = 0; i < m->header_count; i++) {
        json_open(j, '[');
        json_text(j, m->header_names[i].p, m->header_names[i].n);
        json_text(j, m->header_values[i].p, m->header_values[i].n);
        json_close(j, ']');
    }
    json_close(j, ']');
}

void message_json(struct output *out, const struct sidetone_message *m, bool with_headers)
{
    struct json j;
    json_init(&j, out);
    json_open(&j, '{');
    JSON_TIME_IF(&j, "time", m->time_ns);
    if (m->first_time_ns != m->time_ns) {
        JSON_TIME_IF(&j, "first_time", m->first_time_ns);
    }
    JSON_ENDPOINT(&j, "src", &m->src);
    JSON_ENDPOINT(&j, "dst", &m->dst);
    JSON_STRING_IF(&j, "transport", m->transport);
    if (m->path_count > 0) {
        JSON_KEY(&j, "path");
        json_texts(&j, m->path, m->path_count);
    }
    start_line(&j, m);
    JSON_TEXT_IF(&j, "call_id", m->call_id);
    JSON_TEXT_IF(&j, "cseq", m->cseq);
    JSON_TEXT_IF(&j, "from", m->from);
    JSON_TEXT_IF(&j, "to", m->to);
    JSON_TEXT_IF(&j, "from_tag", m->from_tag);
    JSON_TEXT_IF(&j, "to_tag", m->to_tag);
    JSON_TEXT_IF(&j, "branch", m->branch);
    JSON_TEXT_IF(&j, "correlation_id", m->correlation_id);
    JSON_U64(&j, "length", m->length);
    if (m->is_incomplete) {
        JSON_BOOL(&j, "incomplete", true);
    }
    JSON_KEY(&j, "packets");
    json_packets(&j, m->packets, m->packet_count);
    JSON_OPEN(&j, "oddities", '[');
    for (size_t i = 0; i < m->oddity_count; i++) {
        json_str(&j, m->oddities[i]);
    }
    json_close(&j, ']');
    if (with_headers) {
        headers(&j, m);
    }
    json_close(&j, '}');
    OUTPUT(out, "\n");
}
