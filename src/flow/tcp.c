// One direction of TCP: which segments belong to it and what they mean (RFC 9293 3.4, 3.10.7).
//
// What becomes of their bytes is decided in tcp_order.c. A side takes 64 bytes; 192 more for the
// segments that came last and up to TCP_WINDOW for the bytes delivered last, until it is made slim;
// and what waits behind holes. A segment in order, with nothing held, is compared with TCP_RECENT
// values, its last bytes are copied into the window, and the sink sees the others where they stand.
#include "flow/tcp.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "flow/tcp_side.h"

#define TCP_HEADER 20u
// Numbers further away than this are another connection's. Not smaller: late copies of a long
// stream are its own. Not larger: beyond 2 GiB ahead and behind are the same.
#define TCP_FOREIGN (1u << 30)
// The first position of a side: large enough that nothing before it is negative.
#define FIRST_TURN (UINT64_C(1) << 32)

_Static_assert(sizeof(struct tcp_side) <= 64, "an idle side is small");

bool tcp_segment_read(struct tcp_segment *s, const uint8_t *transport, const uint8_t *payload,
                      uint32_t n, uint32_t length)
{
    if (payload < transport + TCP_HEADER) {
        return false;
    }
    s->sequence = be32(transport + 4);
    s->acknowledgement = be32(transport + 8);
    s->flags = transport[13] & (TCP_FIN | TCP_SYN | TCP_RST | TCP_ACK);
    s->bytes = payload;
    s->n = n;
    s->length = length;
    return true;
}

struct tcp_side *tcp_side_new(void)
{
    struct tcp_side *s = memory_zero(sizeof *s);
    s->end = TCP_NOWHERE;
    return s;
}

void tcp_side_free(struct tcp_side *s)
{
    if (s) {
        tcp_held_free(s->held);
        tcp_side_slim(s);
        memory_free(s);
    }
}

void tcp_side_slim(struct tcp_side *s)
{
    memory_free(s->recent);
    memory_free(s->window);
    s->recent = NULL;
    s->window = NULL;
}

uint32_t tcp_side_next(const struct tcp_side *s)
{
    return (uint32_t)s->next;
}

bool tcp_side_has_begun(const struct tcp_side *s)
{
    return s->phase != TCP_UNSEEN;
}

bool tcp_side_is_over(const struct tcp_side *s)
{
    return s->is_over;
}

size_t tcp_side_held(const struct tcp_side *s)
{
    return s->held ? s->held->bytes : 0;
}

size_t tcp_side_memory(const struct tcp_side *s)
{
    return sizeof *s + MEMORY_OVERHEAD + (s->recent ? sizeof *s->recent + MEMORY_OVERHEAD : 0) +
           (s->window ? sizeof *s->window + s->window->room + MEMORY_OVERHEAD : 0) +
           (s->held ? tcp_held_memory(s->held) : 0);
}

// Where a number lies: within 2 GiB of what comes next.
static uint64_t position(const struct tcp_side *s, uint32_t number)
{
    return s->next + (uint64_t)(int64_t)(int32_t)(number - (uint32_t)s->next);
}

// Bytes on the wire.
static uint32_t wire_length(const struct tcp_segment *seg)
{
    // No segment is so long: such a length lies.
    bool is_cut = seg->n < seg->length && seg->length <= TCP_WILD;
    return is_cut || seg->length < seg->n ? seg->length : seg->n;
}

// Behind all that was seen.
static uint64_t seen_end(const struct tcp_side *s)
{
    return s->held ? tcp_piece_end(tcp_held_at(s->held, s->held->count - 1)) : s->next;
}

// --- does it belong here? ---

// Number of the first byte that was seen.
static uint32_t first_number(const struct tcp_side *s)
{
    return s->phase == TCP_WAITS ? (uint32_t)tcp_held_at(s->held, 0)->at : s->first;
}

// A SYN behind its data comes shortly before them.
static bool syn_belongs(const struct tcp_side *s, const struct tcp_segment *seg)
{
    uint32_t before = first_number(s) - (seg->sequence + 1);
    return s->has_syn ? before == 0 : !s->is_over && before <= TCP_BEFORE;
}

static bool belongs(const struct tcp_side *s, const struct tcp_segment *seg)
{
    if (seg->flags & TCP_RST) {
        return true;
    }
    if (s->phase == TCP_UNSEEN) {
        return !s->is_over || (!(seg->flags & TCP_SYN) && wire_length(seg) == 0);
    }
    if (seg->flags & TCP_SYN) {
        return syn_belongs(s, seg);
    }
    if (wire_length(seg) == 0) {
        return true;
    }
    uint64_t at = position(s, seg->sequence);
    return at + TCP_FOREIGN - s->next <= 2 * (uint64_t)TCP_FOREIGN && at < s->end;
}

// A probe repeats the last byte, or sends any byte or none in its place (RFC 9293 3.8.4).
static bool is_probe(const struct tcp_side *s, const struct tcp_segment *seg)
{
    if (wire_length(seg) != 1 || s->phase != TCP_FLOWS ||
        seg->flags & (TCP_SYN | TCP_FIN | TCP_RST)) {
        return false;
    }
    uint64_t at = position(s, seg->sequence);
    // Behind a hole it may repeat the last byte that is held; before a held FIN it fills the hole.
    bool repeats = at + 1 == (s->end == TCP_NOWHERE ? seen_end(s) : s->next);
    return at + 1 == s->next || repeats || at == s->end;
}

// --- what it means ---

// The first number of the side is known: positions begin to mean something.
static void begin(struct tcp_side *s, uint32_t first)
{
    s->first = first;
    s->next = FIRST_TURN + first;
    s->phase = TCP_FLOWS;
}

static void begin_midway(struct tcp_side *s, uint32_t first)
{
    begin(s, first);
    s->next -= TCP_BEFORE;
    s->phase = TCP_WAITS;
}

static void take_syn(struct tcp_work *w)
{
    struct tcp_side *s = w->s;
    uint32_t first = w->seg->sequence + 1;
    if (s->has_syn) {
        return;
    }
    w->is_new = true;
    s->has_syn = true;
    if (s->phase == TCP_UNSEEN) {
        begin(s, first);
        return;
    }
    w->odd[FLOW_TCP_REORDERED] += first_number(s) == first;
    if (s->phase == TCP_WAITS) {
        s->next = position(s, first);
        s->phase = TCP_FLOWS;
        tcp_order_drain(w);
    }
    s->first = first;
}

static void take_reset(struct tcp_work *w)
{
    struct tcp_side *s = w->s;
    uint64_t at = position(s, w->seg->sequence);
    if (s->phase != TCP_UNSEEN && at + TCP_WILD - s->next > 2 * (uint64_t)TCP_WILD) {
        return; // blind: hosts take it only inside their window (RFC 9293 3.10.7.4)
    }
    s->is_over = true;
    if (s->phase != TCP_UNSEEN && s->end == TCP_NOWHERE) {
        s->end = at > seen_end(s) ? at : seen_end(s);
    }
}

// Returns whether the segment's FIN means anything: the end is not known yet, or the same.
static bool take_fin(struct tcp_work *w, uint64_t at)
{
    struct tcp_side *s = w->s;
    if (s->end != TCP_NOWHERE) {
        return at == s->end;
    }
    if (at < s->next || at - s->next > TCP_WILD) {
        return false;
    }
    if (at < seen_end(s)) {
        tcp_order_drop_wild(s); // a stream does not go on behind its end
    }
    if (at < seen_end(s)) {
        return false;
    }
    s->end = at;
    tcp_order_end(w);
    return true;
}

// The first bytes, or only the end, of a direction without SYN. False: nothing begins with them.
static bool begin_without_syn(struct tcp_work *w, bool starts_well)
{
    const struct tcp_segment *seg = w->seg;
    if (wire_length(seg) > 0 && starts_well) {
        begin(w->s, seg->sequence);
        return true;
    }
    if (wire_length(seg) == 1 && !(seg->flags & TCP_FIN)) {
        return false; // a probe, or a byte that nobody misses
    }
    begin_midway(w->s, seg->sequence);
    return true;
}

static void take_bytes(struct tcp_work *w, uint64_t at)
{
    struct tcp_side *s = w->s;
    const struct tcp_segment *seg = w->seg;
    uint64_t wire_end = at + wire_length(seg);
    uint64_t end = at + seg->n < wire_end ? at + seg->n : wire_end;
    if (!s->has_syn && !s->is_mid_stream) {
        s->is_mid_stream = true;
        w->odd[FLOW_TCP_MID_STREAM]++;
    }
    if (end > at) {
        tcp_order_take(w, at, end < s->end ? end : s->end, seg->bytes);
    }
    if (wire_end > end) {
        tcp_order_take(w, end, wire_end < s->end ? wire_end : s->end, NULL);
    }
}

// What a segment without news is.
static enum tcp_result old_news(struct tcp_work *w, uint64_t end)
{
    // Before the first bytes of a direction without SYN: not seen before, only too late.
    bool is_too_early = w->s->is_mid_stream && !w->s->has_syn && w->s->phase == TCP_FLOWS &&
                        end <= position(w->s, w->s->first);
    w->odd[FLOW_TCP_RETRANSMITTED] += !is_too_early;
    return TCP_AGAIN;
}

static enum tcp_result take(struct tcp_work *w, bool starts_well)
{
    struct tcp_side *s = w->s;
    const struct tcp_segment *seg = w->seg;
    bool means = wire_length(seg) > 0 || seg->flags & TCP_SYN;
    if (seg->flags & TCP_RST) {
        take_reset(w);
        return TCP_NO_BYTES;
    }
    if (seg->flags & TCP_SYN) {
        take_syn(w);
    }
    if (s->phase == TCP_UNSEEN &&
        !((means || seg->flags & TCP_FIN) && begin_without_syn(w, starts_well))) {
        return TCP_NO_BYTES;
    }
    uint64_t at = position(s, seg->sequence + (seg->flags & TCP_SYN ? 1 : 0));
    if (wire_length(seg) > 0) {
        take_bytes(w, at);
    }
    if (seg->flags & TCP_FIN) {
        means = take_fin(w, at + wire_length(seg)) || means;
    }
    w->odd[FLOW_TCP_CONFLICT] += w->differs;
    return w->is_new ? TCP_NEWS : !means ? TCP_NO_BYTES : old_news(w, at + wire_length(seg));
}

// The ordinary case: nothing waits, and the segment brings what comes next or no bytes.
static bool is_ordinary(const struct tcp_side *s, const struct tcp_segment *seg)
{
    return s->phase == TCP_FLOWS && !s->held && s->end == TCP_NOWHERE &&
           !(seg->flags & (TCP_SYN | TCP_FIN | TCP_RST)) && seg->n == seg->length &&
           (seg->n == 0 || seg->sequence == (uint32_t)s->next);
}

static enum tcp_result take_ordinary(struct tcp_work *w)
{
    if (w->seg->n == 0) {
        return TCP_NO_BYTES;
    }
    tcp_order_next(w);
    return TCP_NEWS;
}

static void remember(struct tcp_side *s, const struct tcp_segment *seg)
{
    if (!s->recent) {
        s->recent = tcp_recent_new();
    }
    tcp_recent_note(s->recent, s->recent_at++ % TCP_RECENT, seg);
}

static enum tcp_result take_any(struct tcp_work *w, bool starts_well)
{
    struct tcp_side *s = w->s;
    const struct tcp_segment *seg = w->seg;
    bool is_nothing = is_probe(s, seg);
    if (!is_nothing && !belongs(s, seg)) {
        return TCP_OTHER;
    }
    remember(s, seg);
    tcp_order_expire(w, seg->clock_ns);
    enum tcp_result result = is_nothing ? TCP_NO_BYTES : take(w, starts_well);
    tcp_order_limit(w);
    tcp_order_expire(w, seg->clock_ns);
    tcp_order_flush(w);
    return result;
}

enum tcp_result tcp_side_segment(struct tcp_side *s, const struct tcp_segment *seg,
                                 bool starts_well, const struct tcp_sink *sink,
                                 uint64_t odd[FLOW_ODD_COUNT])
{
    struct tcp_work w = {.s = s, .sink = sink, .odd = odd, .seg = seg};
    if (s->recent && tcp_recent_has(s->recent, seg)) {
        return TCP_COPY;
    }
    if (!is_ordinary(s, seg)) {
        return take_any(&w, starts_well);
    }
    remember(s, seg);
    return take_ordinary(&w);
}

// --- what happens between segments ---

void tcp_side_acknowledged(struct tcp_side *s, uint32_t acknowledgement, int64_t clock_ns,
                           const struct tcp_sink *sink, uint64_t odd[FLOW_ODD_COUNT])
{
    int32_t ahead = (int32_t)(acknowledgement - (uint32_t)s->next);
    if (ahead <= 0 || ahead > (int32_t)TCP_FOREIGN || s->phase == TCP_UNSEEN) {
        return;
    }
    uint64_t at = s->next + (uint32_t)ahead;
    if (s->acknowledged <= s->next) {
        s->acknowledged_ns = clock_ns;
    }
    s->acknowledged = at > s->acknowledged ? at : s->acknowledged;
    tcp_side_tick(s, clock_ns, sink, odd);
}

void tcp_side_tick(struct tcp_side *s, int64_t clock_ns, const struct tcp_sink *sink,
                   uint64_t odd[FLOW_ODD_COUNT])
{
    struct tcp_work w = {.s = s, .sink = sink, .odd = odd};
    tcp_order_expire(&w, clock_ns);
    tcp_order_flush(&w);
}

void tcp_side_finish(struct tcp_side *s, const struct tcp_sink *sink, uint64_t odd[FLOW_ODD_COUNT])
{
    struct tcp_work w = {.s = s, .sink = sink, .odd = odd};
    while (s->held) {
        tcp_order_give_up(&w);
    }
    tcp_order_flush(&w);
}
