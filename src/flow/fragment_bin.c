// From fragments to datagrams, and what these are.
#include "flow/fragment_bin.h"

#include "decode/decode.h"
#include "wire/sip/sip.h"

void fragment_bin_init(struct fragment_bin *b)
{
    *b = (struct fragment_bin){0};
    flow_output_init(&b->output);
}

void fragment_bin_fini(struct fragment_bin *b)
{
    if (b->fragments) {
        fragments_free(b->fragments);
    }
    flow_output_fini(&b->output);
}

// What peel() said of the first fragment that came.
static void datagram_again(struct datagram *d, const struct defragmented *f)
{
    const struct piece_record *head = &f->head;
    *d = (struct datagram){
        .src = head->src,
        .dst = head->dst,
        .protocol = head->protocol,
        .ip_id = head->ip_id,
        .ttl = head->ttl,
        .tunnels = head->tunnels,
        .fragment_id = head->fragment_id,
    };
    if (f->path) {
        path_set(&d->path, f->path);
    }
}

// Its bytes and the list of its frames move into the batch, since records borrow from there.
static void origin_of(struct records *batch, struct defragmented *f, struct order order,
                      struct origin *out)
{
    char *bytes = arena_bytes(&batch->kept, f->n);
    memcpy(bytes, f->bytes, f->n);
    f->bytes = (const uint8_t *)bytes;
    *out = (struct origin){.order = order, .first_ns = f->begin.time_ns};
    origin_take(out, batch, f->packets, f->packet_count);
}

static void take(struct fragment_bin *b, const struct piece_record *r);

// A fragment of an inner packet: it takes the same way. Tunnels are counted, so that this ends.
static void take_inner(struct fragment_bin *b, const struct datagram *d, const struct origin *from)
{
    struct piece_record piece;
    piece_fill(&piece, d, &d->path, from);
    take(b, &piece);
}

static enum reason whole(struct fragment_bin *b, struct defragmented *f, struct order order)
{
    struct records *batch = b->output.batch;
    struct datagram d;
    struct origin from;
    datagram_again(&d, f);
    origin_of(batch, f, order, &from);
    enum reason reason = peel_defragmented(&d, f->bytes, f->n, f->length);
    if (reason == REASON_FRAGMENT_INCOMPLETE) {
        fragments_settle(b->fragments, REASON_NONE);
        f->packet_count = 0; // they are accounted for with the inner datagram
        take_inner(b, &d, &from);
        return REASON_NONE;
    }
    reason = reason == REASON_NONE ? decode_datagram(batch, &d, &from) : reason;
    fragments_settle(b->fragments, (int)reason);
    return reason;
}

// Of a datagram that will not become whole: a SIP message as far as it came, or a piece of a
// stream.
static enum reason part(struct fragment_bin *b, struct defragmented *f, struct order order)
{
    struct records *batch = b->output.batch;
    struct datagram d;
    struct origin from;
    if (f->n == 0) {
        return REASON_FRAGMENT_INCOMPLETE;
    }
    datagram_again(&d, f);
    origin_of(batch, f, order, &from);
    uint32_t length = f->length > f->n ? f->length : f->n + 1; // something is missing
    if (peel_defragmented(&d, f->bytes, f->n, length) != REASON_NONE) {
        return REASON_FRAGMENT_INCOMPLETE;
    }
    bool is_message = d.protocol == NET_UDP && sip_looks_like((const char *)d.payload, d.payload_n);
    if (is_message && d.payload_length == d.payload_n) {
        d.payload_length++;
    }
    return is_message || d.protocol == NET_TCP ? decode_datagram(batch, &d, &from)
                                               : REASON_FRAGMENT_INCOMPLETE;
}

static void account(struct fragment_bin *b, enum reason reason, uint32_t packets)
{
    b->output.batch->counts.reasons[reason] += packets;
}

static void give_up(struct fragment_bin *b, int64_t now_ns, struct order order)
{
    struct defragmented f;
    while (fragments_give_up(b->fragments, now_ns, b->output.batch->counts.odd, &f)) {
        uint32_t packets = f.packet_count;
        if (now_ns == INT64_MAX) { // by their first fragments, and never back
            struct order first = {f.packets[0].time_ns, f.packets[0].at};
            first = order_at_end(first);
            order = order_before(order, first) ? first : order;
        }
        account(b, part(b, &f, order), packets);
    }
}

static void take(struct fragment_bin *b, const struct piece_record *r)
{
    struct records *batch = b->output.batch;
    uint32_t frames = r->packet_count > 0 ? r->packet_count : 1;
    struct defragmented f;
    enum reason reason;
    switch (fragments_add(b->fragments, r, batch->counts.odd, &f)) {
    case FRAGMENT_KEPT:
        return;
    case FRAGMENT_WHOLE:
        reason = whole(b, &f, r->order);
        account(b, reason, f.packet_count);
        return;
    case FRAGMENT_COPY:
        reason = (enum reason)fragments_copy_verdict(b->fragments);
        batch->counts.copies += reason == REASON_NONE;
        account(b, reason, frames);
        return;
    case FRAGMENT_DROPPED:
        break;
    }
    account(b, REASON_FRAGMENT_INCOMPLETE, frames);
}

void fragment_bin_packet(struct fragment_bin *b, const struct piece_record *r)
{
    if (!b->fragments) {
        b->fragments = fragments_new();
    }
    give_up(b, r->order.time_ns, r->order);
    take(b, r);
    give_up(b, r->order.time_ns, r->order); // what memory was taken from
}

void fragment_bin_finish(struct fragment_bin *b)
{
    if (b->fragments) {
        give_up(b, INT64_MAX, order_at_end((struct order){0, 0}));
    }
}
