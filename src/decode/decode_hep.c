// HEP: the packet that a capture agent has put into an envelope, as if it had been captured itself.
#include "decode/parts.h"

#include "decode/inflate.h"
#include "wire/hep/hep.h"

static enum transport transport_of(const struct hep *h)
{
    return h->protocol == NET_TCP    ? TRANSPORT_TCP
           : h->protocol == NET_SCTP ? TRANSPORT_SCTP
                                     : TRANSPORT_UDP;
}

// The message in the envelope as a datagram between those who exchanged it.
static void inner(struct datagram *out, const struct datagram *d, const struct hep *h)
{
    *out = (struct datagram){
        .src = h->src,
        .dst = h->dst,
        .payload = (const uint8_t *)h->payload.p,
        .payload_n = (uint32_t)h->payload.n,
        .payload_length = (uint32_t)h->payload.n,
        .protocol = NET_UDP,
    };
    path_set(&out->path, &d->path);
    path_add_between(&out->path, PATH_HEP, h->agent, d->src.addr, d->dst.addr);
}

// What a stream carried may be several messages in one envelope.
static void messages(struct records *r, struct datagram *in, const struct hep *h,
                     const struct origin *from)
{
    enum transport transport = transport_of(h);
    const uint8_t *end = in->payload + in->payload_n;
    struct sip_record *m = decode_sip_datagram(r, in, transport, from);
    r->counts.odd[FLOW_HEP_PAYLOAD] += !m;
    for (int count = 1; m; count++) {
        m->correlation_id = h->correlation_id;
        in->payload = (const uint8_t *)m->raw.p + m->raw.n;
        in->payload_n = in->payload_length = (uint32_t)(end - in->payload);
        bool goes_on =
            transport != TRANSPORT_UDP && in->payload_n > 0 && count < MESSAGES_IN_ONE_MAX;
        m = goes_on ? decode_sip_datagram(r, in, transport, from) : NULL;
    }
}

enum reason decode_hep(struct records *r, const struct datagram *d, const struct origin *from)
{
    struct hep h;
    if (!hep_read(&h, d->payload, d->payload_n)) {
        return REASON_NOT_SIP_OR_MEDIA;
    }
    size_t limit = h.payload.n * HEP_INFLATED_RATIO;
    limit = limit < HEP_INFLATED_MAX ? limit : HEP_INFLATED_MAX;
    r->counts.odd[FLOW_HEP_LENGTH] += (h.oddities & HEP_ODD_LENGTH) != 0;
    if (h.is_compressed && !inflate_into(&r->kept, h.payload, limit, &h.payload)) {
        r->counts.odd[FLOW_HEP_INFLATE]++;
        return REASON_NONE;
    }
    struct datagram in;
    struct origin when = *from;
    inner(&in, d, &h);
    if (h.has_time) {
        when.time_ns = when.first_ns = h.time_ns;
    }
    if (h.type == HEP_RTCP) {
        r->counts.rtcp++;
    } else if (h.type == HEP_RTP) {
        decode_framed(r, &in, &when);
    } else if (h.type == HEP_SIP) {
        messages(r, &in, &h, &when);
    }
    return REASON_NONE; // logs and the like too: an envelope is read
}
