// What waits behind holes: a sorted array of pointers to pieces.
#include "flow/tcp_held.h"

#include "base/memory.h"

#include <string.h>

#define ROOM_FIRST 8u

struct tcp_held *tcp_held_new(void)
{
    return memory_zero(sizeof(struct tcp_held));
}

void tcp_held_free(struct tcp_held *h)
{
    if (!h) {
        return;
    }
    for (uint32_t i = 0; i < h->count; i++) {
        memory_free(tcp_held_at(h, i));
    }
    memory_free(h->pieces);
    memory_free(h);
}

size_t tcp_held_memory(const struct tcp_held *h)
{
    size_t pieces = h->count * (sizeof(struct tcp_piece) + MEMORY_OVERHEAD) + h->bytes;
    size_t array = h->room * sizeof *h->pieces + MEMORY_OVERHEAD;
    return sizeof *h + MEMORY_OVERHEAD + array + pieces;
}

uint32_t tcp_held_find(const struct tcp_held *h, uint64_t at)
{
    uint32_t low = 0, high = h->count;
    if (high == 0 || tcp_piece_end(tcp_held_at(h, high - 1)) <= at) {
        return high;
    }
    high--; // that one ends behind `at`
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tcp_piece_end(tcp_held_at(h, middle)) <= at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Opens a place for the i-th pointer.
static void make_place(struct tcp_held *h, uint32_t i)
{
    if (h->head > 0 && i < h->count / 2) {
        memmove(&h->pieces[h->head - 1], &h->pieces[h->head], i * sizeof *h->pieces);
        h->head--;
        h->count++;
        return;
    }
    if (h->head + h->count == h->room && h->head > h->count) {
        memmove(h->pieces, &h->pieces[h->head], h->count * sizeof *h->pieces);
        h->head = 0;
    }
    if (h->head + h->count == h->room) {
        h->pieces = memory_grow(h->pieces, &h->room, sizeof *h->pieces, ROOM_FIRST);
    }
    struct tcp_piece **place = &h->pieces[h->head + i];
    memmove(place + 1, place, (h->count - i) * sizeof *place);
    h->count++;
}

void tcp_held_insert(struct tcp_held *h, uint32_t i, const struct tcp_piece *head,
                     const uint8_t *bytes)
{
    struct tcp_piece *p = memory_alloc(sizeof *p + (bytes ? head->n : 0));
    *p = *head;
    if (bytes) {
        memcpy(p->bytes, bytes, head->n);
        h->bytes += head->n;
    }
    if (i < h->count) {
        p->since_ns = tcp_held_at(h, i)->since_ns;
    }
    h->missing += p->kind == TCP_PIECE_MISSING;
    make_place(h, i);
    h->pieces[h->head + i] = p;
}

struct tcp_piece *tcp_held_take(struct tcp_held *h, uint32_t i)
{
    struct tcp_piece **place = &h->pieces[h->head + i];
    struct tcp_piece *p = *place;
    h->count--;
    h->bytes -= p->kind == TCP_PIECE_BYTES ? p->n : 0;
    h->missing -= p->kind == TCP_PIECE_MISSING;
    if (i == 0) {
        h->head++;
    } else {
        memmove(place, place + 1, (h->count - i) * sizeof *place);
    }
    return p;
}

bool tcp_held_punch(struct tcp_held *h, uint64_t from, uint64_t to)
{
    bool any = false;
    uint32_t i = h->missing > 0 ? tcp_held_find(h, from) : h->count;
    while (i < h->count && tcp_held_at(h, i)->at < to) {
        struct tcp_piece *p = tcp_held_at(h, i);
        uint64_t end = tcp_piece_end(p);
        if (p->kind != TCP_PIECE_MISSING) {
            i++;
            continue;
        }
        any = true;
        if (p->at >= from && end <= to) {
            memory_free(tcp_held_take(h, i));
            continue;
        }
        if (p->at < from && end > to) {
            struct tcp_piece right = *p;
            right.at = to;
            right.n = (uint32_t)(end - to);
            tcp_held_insert(h, i + 1, &right, NULL);
        }
        if (p->at < from) {
            p->n = (uint32_t)(from - p->at);
        } else {
            p->at = to;
            p->n = (uint32_t)(end - to);
        }
        i++;
    }
    return any;
}
