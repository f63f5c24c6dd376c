// Decoding one packet: what it is, and the record that it leaves. No state between packets; no
// allocation once the chunk's arrays have grown to what a chunk holds.
//
// Budget: 35 ns for an RTP packet. Proof: bench/read_carrier.
#include "read/decode.h"

#include "base/memory.h"
#include "wire/rtp/rtp.h"

#define KEEPALIVE_BYTES_MAX 8
// A datagram of which the capture kept fewer bytes may well have been SIP: a start line needs so
// many.
#define CUT_BYTES_MAX 64

static struct media_record *media_push(struct chunk *c)
{
    if (__builtin_expect(c->media_count == c->media_room, 0)) {
        c->media = memory_grow(c->media, &c->media_room, sizeof *c->media, 64);
    }
    return &c->media[c->media_count++];
}

static struct sip_record *sip_push(struct chunk *c)
{
    if (c->sip_count == c->sip_room) {
        c->sip = memory_grow(c->sip, &c->sip_room, sizeof *c->sip, 8);
    }
    return &c->sip[c->sip_count++];
}

// Local until the chunk is settled: the running time inside the chunk, the number of the record
// inside it.
static struct order local_order(const struct chunk *c)
{
    return (struct order){c->running_ns, c->packets - 1};
}

static void media(struct chunk *c, const struct datagram *d, const struct rtp_header *h,
                  int64_t time_ns)
{
    struct media_record *r = media_push(c);
    const uint8_t *payload = d->payload + h->header_n;
    bool has_head = h->payload_n >= 4 && d->payload_n >= (uint32_t)h->header_n + 4;
    r->src = d->src;
    r->dst = d->dst;
    r->order = local_order(c);
    r->time_ns = time_ns;
    r->ssrc = h->ssrc;
    r->timestamp = h->timestamp;
    r->head = has_head ? be32(payload) : 0;
    r->sequence = h->sequence;
    r->payload_n = h->payload_n;
    r->ip_id = d->ip_id;
    r->checksum = d->checksum;
    r->payload_type = h->payload_type;
    r->ttl = d->ttl;
    r->marker = h->marker;
    r->is_broken = false;
}

// Whether it matters depends on what calls announced, so that is for its bin to say.
static void broken_media(struct chunk *c, const struct datagram *d)
{
    *media_push(c) = (struct media_record){
        .src = d->src, .dst = d->dst, .order = local_order(c), .is_broken = true};
}

// Nobody must be able to make another frame look like a copy.
static uint64_t frame_hash(const struct datagram *d)
{
    uint64_t h = hash_mix(endpoint_hash(d->src, hash_secret), endpoint_hash(d->dst, hash_secret));
    h = hash_mix(h ^ d->ip_id, (uint64_t)d->ttl << 16 | d->checksum);
    return hash_bytes(d->payload, d->payload_n, h);
}

static struct slice uri_and_tag(struct slice value, struct slice *tag)
{
    struct sip_name_addr a;
    bool ok = sip_name_addr(value, &a);
    *tag = a.tag;
    return ok ? a.uri : slice_of(NULL, 0);
}

// What tracking needs of a message; everything else stays in its bytes.
static void fill_sip(struct sip_record *r, const struct sip_message *m)
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
    r->call_bin = call_bin_of(r->call_id);
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
    r->oddities = m->oddities;
    r->has_sdp = m->body.n > 0 && sip_body_part(m, SLICE("application/sdp"), &r->body);
}

static bool sip(struct chunk *c, const struct datagram *d, int64_t time_ns)
{
    struct sip_message m;
    bool truncated = d->payload_n < d->payload_length;
    if (sip_parse(&m, (const char *)d->payload, d->payload_n, SIP_DATAGRAM, truncated) <= 0) {
        return false;
    }
    sip_judge(&m);
    struct sip_record *r = sip_push(c);
    *r = (struct sip_record){
        .src = d->src,
        .dst = d->dst,
        .order = local_order(c),
        .time_ns = time_ns,
        .frame_hash = frame_hash(d),
        .frame_set = (uint32_t)hash_mix((uint64_t)d->ip_id << 16 | d->checksum, d->src.port),
        .ttl = d->ttl,
        .truncated = truncated,
    };
    fill_sip(r, &m);
    return true;
}

// Line ends, blanks or NULs that hold a NAT binding open (RFC 5626 4.4.1 and what phones really
// send).
static bool is_keepalive(const struct datagram *d)
{
    if (d->payload_length == 0 || d->payload_length > KEEPALIVE_BYTES_MAX ||
        d->payload_n < d->payload_length) {
        return false;
    }
    for (uint32_t i = 0; i < d->payload_n; i++) {
        uint8_t b = d->payload[i];
        if (b != '\r' && b != '\n' && b != ' ' && b != 0) {
            return false;
        }
    }
    return true;
}

static enum reason udp(struct chunk *c, const struct datagram *d, int64_t time_ns)
{
    struct rtp_header h;
    switch (rtp_classify(d->payload, d->payload_n, d->payload_length, &h)) {
    case RTP_MEDIA:
        media(c, d, &h, time_ns);
        return REASON_NONE;
    case RTP_CONTROL:
        c->rtcp++;
        return REASON_NONE;
    case RTP_BROKEN:
        broken_media(c, d);
        return REASON_NONE;
    case RTP_NOT:
        break;
    }
    if (sip(c, d, time_ns)) {
        return REASON_NONE;
    }
    if (is_keepalive(d)) {
        c->keepalives++;
        return REASON_NONE;
    }
    bool is_cut = d->payload_n < d->payload_length && d->payload_n < CUT_BYTES_MAX;
    return is_cut ? REASON_TRUNCATED : REASON_NOT_SIP_OR_MEDIA;
}

static int64_t sane_time(struct chunk *c, int64_t time_ns)
{
    int64_t bounded = time_bounded(time_ns);
    c->absurd_times += bounded != time_ns;
    return bounded;
}

static int64_t note_time(struct chunk *c, const struct cap_record *record)
{
    if (__builtin_expect(!record->has_time, 0)) {
        c->has_untimed = true;
        return INT64_MIN; // the running time, which is known when the chunk is proven
    }
    int64_t time_ns = sane_time(c, record->time_ns);
    if (c->first_running_ns == INT64_MIN) {
        c->first_running_ns = time_ns;
    }
    c->first_ns = time_ns < c->first_ns ? time_ns : c->first_ns;
    c->last_ns = time_ns > c->last_ns ? time_ns : c->last_ns;
    if (__builtin_expect(time_ns < c->running_ns, 0)) {
        int64_t back_ns = c->running_ns - time_ns;
        c->back_ns = back_ns > c->back_ns ? back_ns : c->back_ns;
        return time_ns;
    }
    c->running_ns = time_ns;
    return time_ns;
}

void decode_record(struct chunk *c, const struct cap_record *record)
{
    struct datagram d;
    c->packets++;
    c->bytes += record->length;
    int64_t time_ns = note_time(c, record);
    enum reason reason = peel(record->linktype, record->bytes, record->captured, &d);
    if (__builtin_expect(reason == REASON_NONE, 1)) {
        reason = d.protocol == NET_UDP   ? udp(c, &d, time_ns)
                 : d.protocol == NET_TCP ? REASON_TCP
                                         : REASON_NOT_SIP_OR_MEDIA;
    } else if (reason == REASON_UNKNOWN_LINKTYPE) {
        c->unknown_linktype = record->linktype;
    }
    c->reasons[reason]++;
}

// --- bins ---

static uint32_t *order_room(uint32_t **order, uint32_t *room, uint32_t count)
{
    if (count > *room) {
        *room = count * 2;
        *order = memory_resize(*order, *room * sizeof **order);
    }
    return *order;
}

void decode_sort(struct chunk *c)
{
    uint32_t at[MEDIA_BINS > CALL_BINS ? MEDIA_BINS : CALL_BINS];
    uint32_t *order = order_room(&c->media_order, &c->media_order_room, c->media_count);
    memset(c->media_bin, 0, sizeof c->media_bin);
    for (uint32_t i = 0; i < c->media_count; i++) {
        c->media_bin[media_bin_of(c->media[i].dst) + 1]++;
    }
    for (uint32_t b = 0; b < MEDIA_BINS; b++) {
        c->media_bin[b + 1] += c->media_bin[b];
        at[b] = c->media_bin[b];
    }
    for (uint32_t i = 0; i < c->media_count; i++) {
        order[at[media_bin_of(c->media[i].dst)]++] = i;
    }
    order = order_room(&c->sip_order, &c->sip_order_room, c->sip_count);
    memset(c->sip_bin, 0, sizeof c->sip_bin);
    for (uint32_t i = 0; i < c->sip_count; i++) {
        c->sip_bin[c->sip[i].call_bin + 1]++;
    }
    for (uint32_t b = 0; b < CALL_BINS; b++) {
        c->sip_bin[b + 1] += c->sip_bin[b];
        at[b] = c->sip_bin[b];
    }
    for (uint32_t i = 0; i < c->sip_count; i++) {
        order[at[c->sip[i].call_bin]++] = i;
    }
}
