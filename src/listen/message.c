// Filling the view of a message.
#include "listen/message.h"

#include "base/memory.h"

struct sidetone_endpoint endpoint_view(struct endpoint e)
{
    struct sidetone_endpoint out = {.port = e.port};
    memcpy(out.address, &e.addr.hi, 8);
    memcpy(out.address + 8, &e.addr.lo, 8);
    return out;
}

static void fill_headers(struct message_view *v, const struct sip_record *r)
{
    sip_record_parse(r, &v->parsed);
    for (uint32_t i = 0; i < v->parsed.header_count; i++) {
        v->names[i] = text_view(v->parsed.headers[i].name);
        v->values[i] = text_view(v->parsed.headers[i].value);
    }
}

const char *transport_name(uint8_t transport)
{
    static const char *const NAMES[] = {[TRANSPORT_UDP] = "UDP",
                                        [TRANSPORT_TCP] = "TCP",
                                        [TRANSPORT_WS] = "WS",
                                        [TRANSPORT_SCTP] = "SCTP"};
    return NAMES[transport];
}

size_t path_view(const struct path *path, struct sidetone_text texts[PATH_STEPS_MAX],
                 char bytes[PATH_STEPS_MAX][PATH_STEP_TEXT_BYTES])
{
    size_t count = path ? path->count : 0;
    for (size_t i = 0; i < count; i++) {
        size_t n = path_step_text(&path->steps[i], bytes[i]);
        texts[i] = (struct sidetone_text){bytes[i], n};
    }
    return count;
}

static void fill_packets(struct message_view *v, const struct sip_record *r)
{
    struct sidetone_message *m = &v->message;
    m->packets = &v->packet;
    m->packet_count = 1;
    m->first_time_ns = m->time_ns;
    v->packet = (struct sidetone_packet){order_file(r->order), order_record(r->order)};
    if (r->packet_count == 0) {
        return;
    }
    if (r->packet_count > v->packet_room) {
        v->packet_room = r->packet_count;
        v->packets = memory_resize(v->packets, v->packet_room * sizeof *v->packets);
    }
    for (uint32_t i = 0; i < r->packet_count; i++) {
        struct order o = {0, r->packets[i].at};
        v->packets[i] = (struct sidetone_packet){order_file(o), order_record(o)};
    }
    m->packets = v->packets;
    m->packet_count = r->packet_count;
    m->first_time_ns = time_view(r->first_ns);
}

void message_view_fini(struct message_view *v)
{
    memory_free(v->packets);
}

void message_view_fill(struct message_view *v, const struct sip_record *r, bool with_headers)
{
    size_t odd_count = 0;
    for (uint64_t odd = r->oddities; odd != 0; odd &= odd - 1) {
        v->oddities[odd_count++] = sip_oddity_name((enum sip_oddity)__builtin_ctzll(odd));
    }
    v->parsed.header_count = 0;
    if (with_headers) {
        fill_headers(v, r);
    }
    v->message = (struct sidetone_message){
        .time_ns = time_view(r->time_ns),
        .src = endpoint_view(r->src),
        .dst = endpoint_view(r->dst),
        .transport = transport_name(r->transport),
        .path = v->path,
        .path_count = path_view(r->path, v->path, v->path_text),
        .correlation_id = text_view(r->correlation_id),
        .is_incomplete = r->truncated,
        .is_request = r->is_request,
        .method = text_view(r->method_text),
        .uri = text_view(r->uri),
        .code = r->code,
        .reason = text_view(r->reason),
        .call_id = text_view(r->call_id),
        .cseq = text_view(r->cseq_text),
        .from = text_view(r->from),
        .to = text_view(r->to),
        .from_tag = text_view(r->from_tag),
        .to_tag = text_view(r->to_tag),
        .branch = text_view(r->branch),
        .length = (uint32_t)r->raw.n,
        .oddities = v->oddities,
        .oddity_count = odd_count,
        .raw = text_view(r->raw),
        .header_names = v->names,
        .header_values = v->values,
        .header_count = v->parsed.header_count,
    };
    fill_packets(v, r);
}
