// Bytes of one direction of TCP: delivered in order, held behind holes, or given up.
#include "flow/tcp_side.h"

#include "base/memory.h"

#include <string.h>

void tcp_order_flush(struct tcp_work *w)
{
    if (w->lost == 0) {
        return;
    }
    // What is lost in two steps is one hole where no byte lies between.
    w->odd[FLOW_TCP_GAP] += !w->s->after_gap;
    w->s->after_gap = true;
    w->sink->gap(w->sink->context, w->lost);
    w->lost = 0;
}

static void lose(struct tcp_work *w, uint64_t n)
{
    struct tcp_side *s = w->s;
    w->lost += n;
    s->next += n;
    if (s->window) {
        s->window->from = s->next;
    }
}

static void deliver(struct tcp_work *w, const uint8_t *p, uint64_t n, struct packet_ref from,
                    bool is_borrowed)
{
    struct tcp_side *s = w->s;
    tcp_order_flush(w);
    tcp_window_keep(&s->window, s->next, p, n);
    s->next += n;
    s->after_gap = false;
    w->sink->bytes(w->sink->context, p, (uint32_t)n, from, is_borrowed);
}

void tcp_order_next(struct tcp_work *w)
{
    deliver(w, w->seg->bytes, w->seg->n, w->seg->from, true);
}

static bool first_hole_is_wild(const struct tcp_side *s)
{
    return s->held && tcp_held_at(s->held, 0)->at - s->next > TCP_WILD;
}

// --- what is held ---

// Nothing is held any more: an ordinary side keeps no memory for it.
static void forget_held(struct tcp_side *s)
{
    tcp_held_free(s->held);
    s->held = NULL;
    s->wild_is_doubted = false;
}

void tcp_order_drop_wild(struct tcp_side *s)
{
    while (s->held && tcp_held_at(s->held, s->held->count - 1)->at - s->next > TCP_WILD) {
        memory_free(tcp_held_take(s->held, s->held->count - 1));
        if (s->held->count == 0) {
            forget_held(s);
        }
    }
}

static void deliver_first(struct tcp_work *w)
{
    struct tcp_piece *p = tcp_held_take(w->s->held, 0);
    switch ((enum tcp_piece_kind)p->kind) {
    case TCP_PIECE_BYTES:
        deliver(w, p->bytes, p->n, p->from, false);
        break;
    case TCP_PIECE_MISSING:
        lose(w, p->n);
        break;
    case TCP_PIECE_END:
        w->s->is_over = true;
        break;
    }
    memory_free(p);
    if (w->s->held->count == 0) {
        forget_held(w->s);
    }
}

static bool has_next(const struct tcp_side *s)
{
    return s->held && s->phase == TCP_FLOWS && tcp_held_at(s->held, 0)->at == s->next;
}

void tcp_order_drain(struct tcp_work *w)
{
    while (has_next(w->s)) {
        deliver_first(w);
    }
}

static void hold(struct tcp_work *w, uint32_t i, uint64_t at, uint64_t end, const uint8_t *bytes,
                 enum tcp_piece_kind kind)
{
    struct tcp_side *s = w->s;
    struct tcp_piece head = {
        .at = at,
        .since_ns = w->seg->clock_ns,
        .from = w->seg->from,
        .n = (uint32_t)(end - at),
        .kind = (uint8_t)kind,
    };
    if (!s->held) {
        s->held = tcp_held_new();
        if (s->acknowledged >= at) { // the hole is as old as the acknowledgement of what lies in it
            head.since_ns = s->acknowledged_ns;
        }
    }
    tcp_held_insert(s->held, i, &head, bytes);
}

// --- what a segment brings ---

static void take_hole(struct tcp_work *w, uint32_t i, uint64_t at, uint64_t end,
                      const uint8_t *bytes)
{
    struct tcp_side *s = w->s;
    w->is_new = true;
    if (s->phase != TCP_FLOWS || at != s->next) {
        hold(w, i, at, end, bytes, bytes ? TCP_PIECE_BYTES : TCP_PIECE_MISSING);
    } else if (bytes) {
        s->wild_is_doubted = s->wild_is_doubted || first_hole_is_wild(s);
        deliver(w, bytes, end - at, w->seg->from, true);
    } else {
        lose(w, end - at);
    }
}

static bool differs(const struct tcp_piece *p, uint64_t at, uint64_t end, const uint8_t *bytes)
{
    return bytes && p->kind == TCP_PIECE_BYTES &&
           memcmp(p->bytes + (at - p->at), bytes, end - at) != 0;
}

// Walks from `at` to `end` over holes and pieces in turn.
static void take_between(struct tcp_work *w, uint64_t at, uint64_t end, const uint8_t *bytes)
{
    struct tcp_side *s = w->s;
    uint32_t i = tcp_held_find(s->held, at);
    while (at < end) {
        const struct tcp_piece *p = s->held && i < s->held->count ? tcp_held_at(s->held, i) : NULL;
        uint64_t start = at, to = end;
        if (!p || p->at > at) {
            uint64_t next = s->next;
            to = p && p->at < end ? p->at : end;
            take_hole(w, i, at, to, bytes);
            i += s->next == next; // it is held
            // That one came before this, if this is no better copy of one cut before.
            w->odd[FLOW_TCP_REORDERED] += p && p->at == to && !w->mends;
        } else {
            to = tcp_piece_end(p) < end ? tcp_piece_end(p) : end;
            w->differs = w->differs || differs(p, at, to, bytes);
            if (has_next(s)) {
                deliver_first(w);
            } else {
                i++;
            }
        }
        at = to;
        bytes = bytes ? bytes + (to - start) : NULL;
    }
    tcp_order_drain(w);
}

// Is it so far ahead that no more of its kind is kept?
static bool is_too_wild(const struct tcp_side *s, uint64_t at, uint64_t n)
{
    return at - s->next > TCP_WILD &&
           (s->held ? s->held->bytes + n > TCP_WILD_HELD || s->held->count >= TCP_WILD_PIECES
                    : n > TCP_WILD_HELD);
}

void tcp_order_take(struct tcp_work *w, uint64_t at, uint64_t end, const uint8_t *bytes)
{
    struct tcp_side *s = w->s;
    if (at < s->next) {
        uint64_t to = end < s->next ? end : s->next;
        w->differs = w->differs || (bytes && s->window &&
                                    tcp_window_differs(s->window, s->next, at, bytes, to - at));
        bytes = bytes ? bytes + (to - at) : NULL;
        at = to;
    }
    if (at >= end) {
        return;
    }
    if (is_too_wild(s, at, end - at)) {
        w->is_new = true;
        return;
    }
    if (s->held && bytes) {
        w->mends = tcp_held_punch(s->held, at, end);
        if (s->held->count == 0) {
            forget_held(s);
        }
    }
    if (s->held) {
        take_between(w, at, end, bytes);
    } else {
        take_hole(w, 0, at, end, bytes);
    }
}

void tcp_order_end(struct tcp_work *w)
{
    struct tcp_side *s = w->s;
    w->is_new = true;
    if (!s->held && s->phase == TCP_FLOWS && s->next == s->end) {
        s->is_over = true;
        return;
    }
    hold(w, s->held ? s->held->count : 0, s->end, s->end, NULL, TCP_PIECE_END);
}

// --- holes that stay ---

void tcp_order_give_up(struct tcp_work *w)
{
    struct tcp_side *s = w->s;
    const struct tcp_piece *p = tcp_held_at(s->held, 0);
    if (s->phase == TCP_WAITS) {
        s->phase = TCP_FLOWS;
        s->next = p->at;
        s->first = (uint32_t)p->at;
        if (p->kind != TCP_PIECE_END) {
            w->sink->gap(w->sink->context, 0); // how much the capture lacks nobody knows
        }
    } else {
        lose(w, p->at - s->next);
    }
    tcp_order_drain(w);
}

void tcp_order_expire(struct tcp_work *w, int64_t clock_ns)
{
    struct tcp_side *s = w->s;
    while (s->held) {
        const struct tcp_piece *p = tcp_held_at(s->held, 0);
        // In unsigned numbers: a hostile capture may take any time.
        uint64_t age_ns = (uint64_t)clock_ns - (uint64_t)p->since_ns;
        bool is_lost = age_ns >= (uint64_t)TCP_LATE_NS && s->acknowledged >= p->at;
        if (!is_lost && age_ns < (uint64_t)TCP_HOLE_NS) {
            break;
        }
        if (!is_lost && s->wild_is_doubted && first_hole_is_wild(s)) {
            tcp_order_drop_wild(s); // injected: the stream went on without them
        } else {
            tcp_order_give_up(w);
        }
    }
}

void tcp_order_limit(struct tcp_work *w)
{
    struct tcp_side *s = w->s;
    while (s->held && (s->held->bytes > TCP_HELD_MAX || s->held->count > TCP_PIECES_MAX)) {
        tcp_order_give_up(w);
    }
}
