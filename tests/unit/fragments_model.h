// A naive model of reassembly, written from the rules of flow/fragments.h and the RFCs: a flag for
// each byte, every fragment kept, everything looked for from the start. Slow, and free of pages and
// chains, so that reassembly is compared with it. It has no limit of memory.
#ifndef SIDETONE_TESTS_FRAGMENTS_MODEL_H
#define SIDETONE_TESTS_FRAGMENTS_MODEL_H

#include "flow/fragments.h"

#include <assert.h>
#include <stdlib.h>

#define MODEL_OPEN_MAX   128
#define MODEL_LIST_MAX   256
#define MODEL_RECENT_MAX 256
#define MODEL_ROOM       65536u

struct model_key {
    struct address src, dst;
    uint64_t path_hash;
    uint32_t id;
    int protocol; // -1: IPv6
};

struct model_piece {
    uint32_t begin, end;
    bool is_last;
};

struct model_datagram {
    struct model_key key;
    struct piece_record head;
    int64_t started_ns;
    uint8_t bytes[MODEL_ROOM];
    bool taken[MODEL_ROOM], captured[MODEL_ROOM];
    uint32_t end; // 0: not known
    bool is_dropped, has_conflict, is_tiny, has_first;
    struct model_piece pieces[MODEL_LIST_MAX];
    struct packet_ref frames[MODEL_LIST_MAX];
    uint32_t count;
};

struct model_recent {
    struct model_key key;
    int64_t completed_ns;
    int verdict;
};

struct fragments_model {
    struct model_datagram *open[MODEL_OPEN_MAX]; // oldest first
    uint32_t open_count;
    struct model_recent recent[MODEL_RECENT_MAX];
    uint32_t recent_count;
    int copy_verdict;
};

static inline struct model_key model_key_of(const struct piece_record *r)
{
    return (struct model_key){r->src.addr, r->dst.addr, r->path_hash, r->fragment_id,
                              address_is_v4(r->src.addr) ? r->protocol : -1};
}

static inline bool model_key_eq(const struct model_key *a, const struct model_key *b)
{
    return address_eq(a->src, b->src) && address_eq(a->dst, b->dst) &&
           a->path_hash == b->path_hash && a->id == b->id && a->protocol == b->protocol;
}

// Frees what was given out.
static inline void model_free(struct fragments_model *m)
{
    for (uint32_t i = 0; i < m->open_count; i++) {
        free(m->open[i]);
    }
    m->open_count = 0;
}

static inline struct model_datagram *model_take(struct fragments_model *m, uint32_t at)
{
    struct model_datagram *d = m->open[at];
    m->open_count--;
    for (uint32_t i = at; i < m->open_count; i++) {
        m->open[i] = m->open[i + 1];
    }
    return d;
}

// NULL: none. The caller frees it.
static inline struct model_datagram *model_give_up(struct fragments_model *m, int64_t now_ns,
                                                   uint64_t odd[FLOW_ODD_COUNT])
{
    if (m->open_count == 0 ||
        (now_ns != INT64_MAX && now_ns - m->open[0]->started_ns <= FRAGMENT_TIMEOUT_NS)) {
        return NULL;
    }
    struct model_datagram *d = model_take(m, 0);
    odd[FLOW_FRAGMENT_INCOMPLETE] += !d->is_dropped;
    return d;
}

static inline bool model_differs(const struct model_datagram *d, const struct piece_record *r)
{
    for (uint32_t i = 0; i < r->payload_n; i++) {
        uint32_t at = r->fragment_offset + i;
        if (d->captured[at] && d->bytes[at] != r->payload[i]) {
            return true;
        }
    }
    return false;
}

static inline bool model_is_overlap(const struct model_datagram *d, const struct piece_record *r)
{
    struct model_piece p = {r->fragment_offset, r->fragment_offset + r->payload_length,
                            !r->more_fragments};
    for (uint32_t i = 0; i < d->count; i++) {
        const struct model_piece *q = &d->pieces[i];
        if (p.begin == q->begin && p.end == q->end && p.is_last == q->is_last) {
            return model_differs(d, r);
        }
    }
    for (uint32_t i = 0; i < d->count; i++) {
        const struct model_piece *q = &d->pieces[i];
        if ((p.begin < q->end && q->begin < p.end) || (p.is_last && q->end > p.end) ||
            (q->is_last && p.end > q->end)) {
            return true;
        }
    }
    return false;
}

static inline void model_store(struct model_datagram *d, const struct piece_record *r)
{
    for (uint32_t i = 0; i < r->payload_length; i++) {
        uint32_t at = r->fragment_offset + i;
        if (!d->taken[at] && (d->end == 0 || at < d->end)) {
            d->taken[at] = true;
            d->captured[at] = i < r->payload_n;
            d->bytes[at] = i < r->payload_n ? r->payload[i] : 0;
        }
    }
}

static inline void model_put_v4(struct model_datagram *d, const struct piece_record *r,
                                uint64_t odd[FLOW_ODD_COUNT])
{
    uint32_t end = r->fragment_offset + r->payload_length;
    bool conflict = d->end != 0 && (end > d->end || (!r->more_fragments && end < d->end));
    if (d->end == 0 && !r->more_fragments) {
        d->end = end;
        for (uint32_t at = end; at < MODEL_ROOM; at++) {
            conflict = conflict || d->taken[at];
            d->taken[at] = d->captured[at] = false;
        }
    }
    conflict = conflict || model_differs(d, r);
    model_store(d, r);
    odd[FLOW_FRAGMENT_CONFLICT] += conflict && !d->has_conflict;
    d->has_conflict = d->has_conflict || conflict;
}

static inline void model_put_v6(struct model_datagram *d, const struct piece_record *r,
                                uint64_t odd[FLOW_ODD_COUNT])
{
    if (d->is_dropped) {
        return;
    }
    if (model_is_overlap(d, r)) {
        d->is_dropped = true;
        odd[FLOW_FRAGMENT_OVERLAP_V6]++;
        return;
    }
    d->end = r->more_fragments ? d->end : r->fragment_offset + r->payload_length;
    model_store(d, r);
}

static inline void model_put(struct model_datagram *d, const struct piece_record *r,
                             uint64_t odd[FLOW_ODD_COUNT])
{
    if (r->fragment_offset == 0) {
        uint32_t header = r->protocol == 17    ? 8
                          : r->protocol == 6   ? 20
                          : r->protocol == 132 ? 12
                                               : 0;
        bool tiny = r->more_fragments && r->payload_length < header;
        odd[FLOW_FRAGMENT_TINY] += tiny && !d->is_tiny;
        d->is_tiny = d->is_tiny || tiny;
        d->head.protocol = d->has_first ? d->head.protocol : r->protocol;
        d->has_first = true;
    }
    (d->key.protocol >= 0 ? model_put_v4 : model_put_v6)(d, r, odd);
    assert(d->count < MODEL_LIST_MAX);
    d->frames[d->count] = (struct packet_ref){r->order.at, r->time_ns};
    d->pieces[d->count++] = (struct model_piece){
        r->fragment_offset, r->fragment_offset + r->payload_length, !r->more_fragments};
}

static inline uint32_t model_prefix(const struct model_datagram *d, const bool *flags)
{
    uint32_t n = 0;
    while (n < MODEL_ROOM && flags[n] && (d->end == 0 || n < d->end)) {
        n++;
    }
    return d->is_dropped ? 0 : n;
}

static inline bool model_is_nonsense(const struct piece_record *r, uint64_t odd[FLOW_ODD_COUNT])
{
    if (r->fragment_offset > 65535 || r->payload_length > 65535 - r->fragment_offset) {
        odd[FLOW_FRAGMENT_OVERLONG]++;
        return true;
    }
    return r->payload_length == 0 || r->fragment_offset % 8 != 0 ||
           (!address_is_v4(r->src.addr) && r->more_fragments && r->payload_length % 8 != 0);
}

// Times never step back. Where it says FRAGMENT_WHOLE the caller frees *whole. The caller gives up
// what is too old before, as of fragments_add.
static inline enum fragment_result model_add(struct fragments_model *m,
                                             const struct piece_record *r,
                                             uint64_t odd[FLOW_ODD_COUNT],
                                             struct model_datagram **whole)
{
    if (model_is_nonsense(r, odd)) {
        return FRAGMENT_DROPPED;
    }
    struct model_key key = model_key_of(r);
    for (uint32_t i = 0; i < m->recent_count; i++) {
        const struct model_recent *c = &m->recent[i];
        if (model_key_eq(&c->key, &key) && r->order.time_ns - c->completed_ns <= FRAGMENT_COPY_NS) {
            m->copy_verdict = c->verdict;
            return FRAGMENT_COPY;
        }
    }
    uint32_t i = 0;
    while (i < m->open_count && !model_key_eq(&m->open[i]->key, &key)) {
        i++;
    }
    if (i == m->open_count) {
        assert(i < MODEL_OPEN_MAX);
        m->open[m->open_count++] = calloc(1, sizeof(struct model_datagram));
        assert(m->open[i]);
        m->open[i]->key = key;
        m->open[i]->head = *r;
        m->open[i]->started_ns = r->order.time_ns;
    }
    struct model_datagram *d = m->open[i];
    model_put(d, r, odd);
    if (d->end == 0 || d->is_dropped || model_prefix(d, d->taken) < d->end) {
        return FRAGMENT_KEPT;
    }
    assert(m->recent_count < MODEL_RECENT_MAX);
    m->recent[m->recent_count++] = (struct model_recent){key, r->order.time_ns, 0};
    *whole = model_take(m, i);
    return FRAGMENT_WHOLE;
}

static inline void model_settle(struct fragments_model *m, int verdict)
{
    m->recent[m->recent_count - 1].verdict = verdict;
}

// Is what was given out what the model says? NULL, or what is not.
static inline const char *model_difference(const struct model_datagram *d,
                                           const struct defragmented *out, bool is_whole)
{
    uint32_t n = model_prefix(d, d->captured);
    if (out->is_whole != is_whole || out->is_dropped != d->is_dropped) {
        return "what it is";
    }
    if (out->n != n || out->length != (d->end != 0 ? d->end : n)) {
        return "its length";
    }
    if (memcmp(out->bytes, d->bytes, n) != 0) {
        return "its bytes";
    }
    if (out->packet_count != d->count ||
        memcmp(out->packets, d->frames, d->count * sizeof *d->frames) != 0) {
        return "its frames";
    }
    if (out->head.order.at != d->head.order.at || out->head.protocol != d->head.protocol ||
        out->head.fragment_id != d->key.id) {
        return "its head";
    }
    return NULL;
}

#endif
