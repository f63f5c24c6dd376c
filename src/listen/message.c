// Filling the view of a message.
#include "listen/message.h"

struct sidetone_endpoint endpoint_view(struct endpoint e)
{
    struct sidetone_endpoint out = {.port = e.port};
    memcpy(out.address, &e.addr.hi, 8);
    memcpy(out.address + 8, &e.addr.lo, 8);
    return out;
}

static void fill_headers(struct message_view *v, const struct sip_record *r)
{
    v->parsed.header_count = 0;
    sip_parse(&v->parsed, r->raw.p, r->raw.n, SIP_DATAGRAM, r->truncated);
    for (uint32_t i = 0; i < v->parsed.header_count; i++) {
        v->names[i] = text_view(v->parsed.headers[i].name);
        v->values[i] = text_view(v->parsed.headers[i].value);
    }
}

void message_view_fill(struct message_view *v, const struct sip_record *r)
{
    size_t odd_count = 0;
    for (uint64_t odd = r->oddities; odd != 0; odd &= odd - 1) {
        v->oddities[odd_count++] = sip_oddity_name((enum sip_oddity)__builtin_ctzll(odd));
    }
    fill_headers(v, r);
    v->packet = (struct sidetone_packet){order_file(r->order), order_record(r->order)};
    v->message = (struct sidetone_message){
        .time_ns = time_view(r->time_ns),
        .src = endpoint_view(r->src),
        .dst = endpoint_view(r->dst),
        .transport = "UDP",
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
        .packets = &v->packet,
        .packet_count = 1,
        .oddities = v->oddities,
        .oddity_count = odd_count,
        .raw = text_view(r->raw),
        .header_names = v->names,
        .header_values = v->values,
        .header_count = v->parsed.header_count,
    };
}
