// A connection's segments on their way through: order by number, cutting, decoding.
#include "flow/connection.h"

#include "base/index_table.h"
#include "base/memory.h"
#include "decode/decode.h"

// Its places in the bin: of an array that doubles, and in a table that is at most half full.
#define PLACES (2 * sizeof(struct connection *) + 4 * sizeof(struct index_slot))

static size_t direction_memory(const struct direction *d)
{
    return (d->tcp ? tcp_side_memory(d->tcp) : 0) + (d->carried ? carried_memory(d->carried) : 0) +
           (d->sctp ? sctp_side_memory(d->sctp) : 0);
}

static void note_memory(struct connection *c)
{
    c->memory = sizeof *c + MEMORY_OVERHEAD + PLACES + direction_memory(&c->directions[0]) +
                direction_memory(&c->directions[1]) +
                (c->path ? path_bytes(c->path) + MEMORY_OVERHEAD : 0);
}

static void keep_path(struct connection *c, const struct path *path)
{
    if (path) {
        size_t n = path_bytes(path);
        struct path *copy = memory_alloc(n);
        memcpy(copy, path, n);
        c->path = copy;
    }
}

struct connection *connection_new(const struct piece_record *r)
{
    struct connection *c = memory_zero(sizeof *c);
    c->ends[0] = r->src;
    c->ends[1] = r->dst;
    c->protocol = r->protocol;
    c->path_hash = r->path_hash;
    keep_path(c, r->path);
    note_memory(c);
    return c;
}

static void direction_fini(struct direction *d)
{
    if (d->tcp) {
        tcp_side_free(d->tcp);
    }
    if (d->carried) {
        carried_free(d->carried);
    }
    if (d->sctp) {
        sctp_side_free(d->sctp);
    }
    *d = (struct direction){0};
}

void connection_free(struct connection *c)
{
    direction_fini(&c->directions[0]);
    direction_fini(&c->directions[1]);
    memory_free((void *)(uintptr_t)c->path);
    memory_free(c);
}

// --- what comes out ---

// Of one direction, while a packet is worked at.
struct exit {
    struct connection *c;
    int from; // the direction's number
    struct order order;
    uint64_t frame; // as in struct origin
    struct records *out;
};

static void datagram_of(const struct exit *x, struct datagram *d, const uint8_t *p, uint32_t n)
{
    d->src = x->c->ends[x->from];
    d->dst = x->c->ends[1 - x->from];
    d->payload = p;
    d->payload_n = d->payload_length = n;
    d->ip_id = d->checksum = 0;
    d->ttl = 0;
    d->protocol = x->c->protocol;
    d->path.count = 0;
    if (x->c->path) {
        path_set(&d->path, x->c->path);
    }
}

// The time of a message is that of the packet that came last of those that it needed.
static void origin_of(const struct exit *x, const struct packet_ref *packets, uint32_t count,
                      struct origin *out)
{
    *out = (struct origin){
        .order = x->order,
        .time_ns = packets[0].time_ns,
        .first_ns = packets[0].time_ns,
        .frame = x->frame,
    };
    if (count > 1 || packets[0].at != x->order.at) {
        origin_take(out, x->out, packets, count);
    }
}

static enum message_state state_of(bool is_incomplete, bool is_borrowed)
{
    return (is_incomplete ? MESSAGE_CUT : 0u) | (is_borrowed ? 0u : MESSAGE_LENT);
}

static void take_piece(void *context, const struct carried_piece *piece)
{
    const struct exit *x = context;
    struct datagram d;
    struct origin from;
    struct slice bytes = slice_of((const char *)piece->bytes, piece->n);
    if (piece->kind == PIECE_KEEPALIVE) {
        x->c->has_keepalives = true;
        x->out->counts.keepalives += piece->packet_count; // frames: a run may last for hours
        return;
    }
    if (piece->kind == PIECE_HEP && !piece->is_borrowed) {
        bytes = arena_slice(&x->out->kept, bytes); // records borrow from it
    }
    origin_of(x, piece->packets, piece->packet_count, &from);
    datagram_of(x, &d, (const uint8_t *)bytes.p, (uint32_t)bytes.n);
    if (piece->kind == PIECE_SIP) {
        decode_message(x->out, piece->sip, &d, piece->is_websocket ? TRANSPORT_WS : TRANSPORT_TCP,
                       state_of(piece->is_incomplete, piece->is_borrowed), &from);
    } else if (piece->kind == PIECE_HEP) {
        decode_hep(x->out, &d, &from);
    } else {
        decode_framed(x->out, &d, &from);
    }
    x->c->has_messages = true;
}

static struct carried *carried_of(struct direction *d)
{
    d->carried = d->carried ? d->carried : carried_new();
    return d->carried;
}

static enum carried_kind kind_of(const struct direction *d)
{
    return d->carried ? carried_kind(d->carried) : CARRIED_UNKNOWN;
}

static void take_bytes(void *context, const uint8_t *p, uint32_t n, struct packet_ref from,
                       bool is_borrowed)
{
    struct exit *x = context;
    const struct carried_sink sink = {x, take_piece};
    struct direction *d = &x->c->directions[x->from];
    carried_bytes(carried_of(d), p, n, from, is_borrowed, &sink, x->out->counts.odd);
}

static bool speaks_http(const struct direction *d)
{
    enum carried_kind kind = kind_of(d);
    return kind == CARRIED_HTTP || kind == CARRIED_WEBSOCKET;
}

static void take_gap(void *context, uint64_t n)
{
    struct exit *x = context;
    const struct carried_sink sink = {x, take_piece};
    struct direction *d = &x->c->directions[x->from];
    if (!d->carried && speaks_http(&x->c->directions[1 - x->from])) {
        carried_answers_http(carried_of(d));
    }
    if (n > 0 && n <= UINT32_MAX) {
        d->lost_n = (uint32_t)n;
        d->lost_sequence = tcp_side_next(d->tcp) - d->lost_n;
    }
    carried_gap(carried_of(d), n, &sink, x->out->counts.odd);
}

static void take_sctp_message(void *context, const struct sctp_message *m)
{
    struct exit *x = context;
    struct sip_message sip;
    struct datagram d;
    struct origin from;
    const char *end = (const char *)m->bytes + m->n;
    struct slice rest = slice_of((const char *)m->bytes, m->n);
    for (int count = 0; count < MESSAGES_IN_ONE_MAX && rest.n > 0; count++) {
        if (sip_parse(&sip, rest.p, rest.n, SIP_DATAGRAM, m->is_incomplete) <= 0) {
            return;
        }
        const char *next = sip.raw.p + sip.raw.n;
        origin_of(x, m->packets, m->packet_count, &from);
        datagram_of(x, &d, (const uint8_t *)sip.raw.p, (uint32_t)sip.raw.n);
        decode_message(x->out, &sip, &d, TRANSPORT_SCTP, state_of(m->is_incomplete, m->is_borrowed),
                       &from);
        x->c->has_messages = true;
        rest = slice_of(next, (size_t)(end - next));
    }
}

// --- what comes in ---

static bool is_not_followed(const struct direction *d)
{
    enum carried_kind kind = kind_of(d);
    return kind == CARRIED_TLS || kind == CARRIED_OTHER;
}

// A segment that cannot stand in its stream any more, by itself.
static void take_alone(struct exit *x, const struct tcp_segment *s)
{
    const struct carried_sink sink = {x, take_piece};
    struct carried *alone = carried_new();
    carried_bytes(alone, s->bytes, s->n, s->from, true, &sink, x->out->counts.odd);
    carried_end(alone, &sink, x->out->counts.odd);
    carried_free(alone);
}

// Two segments that changed places where the capture begins, and the second one began with a
// message: the first one, which comes late, ends where that message begins. Both its ends are
// borders of messages then, as far as it has some.
static bool is_early(const struct direction *d, const struct tcp_segment *s)
{
    return d->is_from_middle && s->n > 0 && s->n == s->length &&
           s->sequence + s->length == d->first_sequence &&
           s->clock_ns - d->first_ns <= TCP_LATE_NS && carried_starts_well(s->bytes, s->n);
}

// Bytes of a hole that was given up come after all: what a lost fragment has left of its segment,
// or what was sent again much later. A message that begins there is shown.
static bool was_lost(const struct direction *d, const struct tcp_segment *s)
{
    return s->n > 0 && s->sequence - d->lost_sequence < d->lost_n &&
           carried_starts_well(s->bytes, s->n);
}

static void take_late(struct exit *x, struct direction *d, const struct tcp_segment *s)
{
    if (is_early(d, s)) {
        take_alone(x, s);
        d->first_sequence = s->sequence;
    } else if (was_lost(d, s)) {
        take_alone(x, s);
        d->lost_n = 0; // once: it may be sent again and again
    }
}

static void note_beginning(struct direction *d, const struct tcp_segment *s)
{
    if (s->n > 0 && !(s->flags & TCP_SYN) && !tcp_side_has_begun(d->tcp)) {
        d->is_from_middle = true;
        d->first_sequence = s->sequence;
        d->first_ns = s->clock_ns;
    }
}

// Acknowledgements of the same bytes differ in nothing else where cards fill in the checksum.
static uint64_t frame_of(const struct piece_record *r, const struct tcp_segment *s)
{
    return hash_mix((uint64_t)r->ip_id << 16 | r->checksum | (uint64_t)s->acknowledgement << 32,
                    (uint64_t)r->ttl << 8 | s->flags);
}

static bool tcp_packet(struct connection *c, const struct piece_record *r, struct exit *x)
{
    const struct tcp_sink sink = {x, take_bytes, take_gap};
    struct direction *d = &c->directions[x->from];
    struct direction *other = &c->directions[1 - x->from];
    struct tcp_segment s;
    uint64_t *odd = x->out->counts.odd;
    if (!tcp_segment_read(&s, r->transport, r->payload, r->payload_n, r->payload_length)) {
        return true;
    }
    if (is_not_followed(d) && !(s.flags & TCP_SYN)) {
        return true;
    }
    s.from = (struct packet_ref){r->order.at, r->time_ns};
    s.clock_ns = r->order.time_ns;
    s.frame = frame_of(r, &s);
    x->frame = hash_mix(s.frame, s.sequence) | 1;
    d->tcp = d->tcp ? d->tcp : tcp_side_new();
    bool starts_well = s.n > 0 && !tcp_side_has_begun(d->tcp) && carried_starts_well(s.bytes, s.n);
    note_beginning(d, &s);
    enum tcp_result result = tcp_side_segment(d->tcp, &s, starts_well, &sink, odd);
    if (result == TCP_OTHER) {
        return false;
    }
    c->copies += result == TCP_COPY;
    if (result == TCP_AGAIN) {
        take_late(x, d, &s);
    }
    if ((s.flags & TCP_ACK) && other->tcp) {
        x->from = 1 - x->from;
        tcp_side_acknowledged(other->tcp, s.acknowledgement, s.clock_ns, &sink, odd);
        x->from = 1 - x->from;
    }
    return true;
}

static void sctp_packet(struct connection *c, const struct piece_record *r, struct exit *x)
{
    const struct sctp_sink sink = {x, take_sctp_message};
    struct direction *d = &c->directions[x->from];
    d->sctp = d->sctp ? d->sctp : sctp_side_new();
    struct packet_ref from = {r->order.at, r->time_ns};
    uint64_t *odd = x->out->counts.odd;
    bool is_news =
        sctp_side_packet(d->sctp, r->payload, r->payload_n, from, r->order.time_ns, &sink, odd);
    odd[FLOW_SCTP_RETRANSMITTED] += !is_news;
}

bool connection_packet(struct connection *c, const struct piece_record *r, struct records *out)
{
    struct exit x = {c, endpoint_eq(r->src, c->ends[0]) ? 0 : 1, r->order, 0, out};
    if (c->protocol == NET_SCTP) {
        sctp_packet(c, r, &x);
    } else if (!tcp_packet(c, r, &x)) {
        return false;
    }
    c->last = r->order;
    c->packets += r->packet_count > 0 ? r->packet_count : 1;
    note_memory(c);
    return true;
}

// --- time and end ---

bool connection_waits(const struct connection *c)
{
    for (int i = 0; i < 2; i++) {
        const struct direction *d = &c->directions[i];
        if ((d->tcp && tcp_side_held(d->tcp) > 0) || (d->sctp && sctp_side_held(d->sctp) > 0)) {
            return true;
        }
    }
    return false;
}

void connection_tick(struct connection *c, struct order now, struct records *out)
{
    for (int i = 0; i < 2; i++) {
        struct exit x = {c, i, now, 0, out};
        const struct tcp_sink tcp_sink = {&x, take_bytes, take_gap};
        const struct sctp_sink sctp_sink = {&x, take_sctp_message};
        struct direction *d = &c->directions[i];
        if (d->tcp) {
            tcp_side_tick(d->tcp, now.time_ns, &tcp_sink, out->counts.odd);
        }
        if (d->sctp) {
            sctp_side_tick(d->sctp, now.time_ns, &sctp_sink, out->counts.odd);
        }
    }
    note_memory(c);
}

void connection_slim(struct connection *c)
{
    for (int i = 0; i < 2; i++) {
        struct direction *d = &c->directions[i];
        if (d->tcp) {
            tcp_side_slim(d->tcp);
        }
        if (d->carried) {
            carried_slim(d->carried);
        }
    }
    note_memory(c);
}

static enum reason verdict(const struct connection *c)
{
    if (c->has_messages) {
        return REASON_NONE;
    }
    bool is_other = !c->has_keepalives;
    for (int i = 0; i < 2; i++) {
        enum carried_kind kind = kind_of(&c->directions[i]);
        if (kind == CARRIED_TLS) {
            return REASON_ENCRYPTED;
        }
        is_other = is_other || kind != CARRIED_UNKNOWN;
    }
    return is_other ? REASON_NOT_SIP_OR_MEDIA : REASON_NONE;
}

void connection_finish(struct connection *c, struct order now, struct records *out)
{
    for (int i = 0; i < 2; i++) {
        struct exit x = {c, i, now, 0, out};
        const struct tcp_sink tcp_sink = {&x, take_bytes, take_gap};
        const struct carried_sink carried_sink = {&x, take_piece};
        const struct sctp_sink sctp_sink = {&x, take_sctp_message};
        struct direction *d = &c->directions[i];
        if (d->tcp) {
            tcp_side_finish(d->tcp, &tcp_sink, out->counts.odd);
        }
        if (d->carried) {
            carried_end(d->carried, &carried_sink, out->counts.odd);
        }
        if (d->sctp) {
            sctp_side_tick(d->sctp, INT64_MAX, &sctp_sink, out->counts.odd);
        }
    }
    enum reason reason = verdict(c);
    out->counts.reasons[reason] += c->packets;
    out->counts.copies += reason == REASON_NONE ? c->copies : 0;
    c->packets = c->copies = 0;
}
