// The record of a SIP message: what tracking needs of it; everything else stays in its bytes.
#include "decode/parts.h"

#include <stddef.h>

// Nobody must be able to make another frame look like a copy.
static uint64_t frame_hash(const struct datagram *d, uint64_t frame)
{
    uint64_t h = hash_mix(endpoint_hash(d->src, hash_secret), endpoint_hash(d->dst, hash_secret));
    return hash_bytes(d->payload, d->payload_n, hash_mix(h, frame));
}

static struct slice uri_and_tag(struct slice value, struct slice *tag)
{
    struct sip_name_addr a;
    bool ok = sip_name_addr(value, &a);
    *tag = a.tag;
    return ok ? a.uri : slice_of(NULL, 0);
}

static void fill(struct sip_record *r, const struct sip_message *m)
{
    struct sip_cseq cseq = {0};
    struct sip_via via = {0};
    struct slice via_list = sip_value(m, SIP_H_VIA);
    struct slice first_via;
    r->raw = m->raw;
    r->body = m->body;
    r->is_request = m->is_request;
    r->method = m->method;
    r->method_text = m->method_text;
    r->uri = m->uri;
    r->code = m->is_request || m->code < 100 || m->code > 699 ? 0 : m->code; // RFC 3261 7.2
    r->reason = m->reason;
    uint64_t rseq;
    if (r->code > 100 && r->code < 200 && slice_u64(sip_value(m, SIP_H_RSEQ), UINT32_MAX, &rseq)) {
        r->rseq = (uint32_t)rseq;
    }
    r->call_id = sip_value(m, SIP_H_CALL_ID);
    r->call_id_hash = (uint32_t)hash_bytes(r->call_id.p, r->call_id.n, hash_secret);
    r->from = uri_and_tag(sip_value(m, SIP_H_FROM), &r->from_tag);
    r->to = uri_and_tag(sip_value(m, SIP_H_TO), &r->to_tag);
    r->cseq_text = sip_value(m, SIP_H_CSEQ);
    sip_cseq(r->cseq_text, &cseq);
    r->cseq = cseq.number;
    if (sip_list_next(&via_list, &first_via)) {
        sip_via(first_via, &via);
    }
    r->branch = via.branch;
    r->agent = sip_value(m, SIP_H_USER_AGENT);
    if (r->agent.n == 0) {
        r->agent = sip_value(m, SIP_H_SERVER);
    }
    r->other_leg = sip_value(m, SIP_H_X_CALL_ID);
    r->oddities = m->oddities;
    r->has_sdp = m->body.n > 0 && sip_body_part(m, SLICE("application/sdp"), &r->body);
}

static uint32_t part_of(const struct record_list *list)
{
    const struct sip_record *all = list->items;
    const struct sip_record *last = &all[list->count - 1];
    bool goes_on = list->count > 1 && last[-1].order.at == last->order.at;
    return goes_on ? last[-1].part + 1 : 0;
}

static struct sip_record *push(struct records *records, const struct sip_message *m,
                               const struct datagram *d, enum transport transport,
                               const struct origin *from)
{
    struct slice call_id = sip_value(m, SIP_H_CALL_ID);
    struct sip_record *r =
        RECORDS_PUSH(records, SIP_RECORDS, struct sip_record, bin_of_call(call_id));
    *r = (struct sip_record){
        .order = from->order,
        .time_ns = from->time_ns,
        .src = d->src,
        .dst = d->dst,
        .path = records_path(records, &d->path),
        .first_ns = from->first_ns,
        .packets = from->packets,
        .packet_count = from->packet_count,
        .ttl = d->ttl,
        .transport = (uint8_t)transport,
    };
    fill(r, m);
    r->part = part_of(&records->lists[SIP_RECORDS]);
    return r;
}

static void move(struct slice *s, ptrdiff_t by)
{
    s->p = s->p ? s->p + by : NULL;
}

// The message's bytes are going to be overwritten: they, and all that points to them, move into
// memory of the batch.
static void keep_bytes(struct records *records, struct sip_record *r)
{
    struct slice *all[] = {&r->body,  &r->method_text, &r->uri,      &r->reason, &r->call_id,
                           &r->from,  &r->to,          &r->from_tag, &r->to_tag, &r->branch,
                           &r->agent, &r->cseq_text,   &r->other_leg};
    struct slice copy = arena_slice(&records->kept, r->raw);
    ptrdiff_t by = copy.p - r->raw.p;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        move(all[i], by);
    }
    r->raw = copy;
}

void decode_message(struct records *records, struct sip_message *m, const struct datagram *d,
                    enum transport transport, enum message_state state, const struct origin *from)
{
    sip_judge(m);
    struct sip_record *r = push(records, m, d, transport, from);
    r->truncated = (state & MESSAGE_CUT) != 0;
    r->frame_hash = from->frame != 0 ? frame_hash(d, from->frame) : 0;
    r->frame_set = (uint32_t)from->frame;
    if (state & MESSAGE_LENT) {
        keep_bytes(records, r);
    }
}

struct sip_record *decode_sip_datagram(struct records *records, const struct datagram *d,
                                       enum transport transport, const struct origin *from)
{
    struct sip_message m;
    bool truncated = d->payload_n < d->payload_length;
    if (sip_parse(&m, (const char *)d->payload, d->payload_n, SIP_DATAGRAM, truncated) <= 0) {
        return NULL;
    }
    sip_judge(&m);
    struct sip_record *r = push(records, &m, d, transport, from);
    r->frame_hash = frame_hash(d, (uint64_t)d->ip_id << 32 | (uint64_t)d->ttl << 16 | d->checksum);
    r->frame_set = frame_set_of(d);
    r->truncated = truncated;
    return r;
}
