// Of one direction of TCP: what waits behind holes, sorted by position.
//
// Comes in: ranges that nobody holds yet (the caller cuts them). Goes out: the first one. Positions
// are sequence numbers made 64 bits wide. The ordinary case, a range behind all others, is found
// and put at the end without a search; others cost a binary search and moving pointers, at most
// TCP_PIECES_MAX of them. One allocation for each piece.
#ifndef SIDETONE_FLOW_TCP_HELD_H
#define SIDETONE_FLOW_TCP_HELD_H

#include "flow/tcp.h"

// Pieces that wait behind holes. Not smaller: TCP_HELD_MAX bytes in segments of Ethernet are 1,437.
// Not larger: an insertion in their middle moves that many pointers (16 KiB), and a sender of
// one-byte segments pays 80 bytes of ours for each.
#define TCP_PIECES_MAX 2048u

enum tcp_piece_kind {
    TCP_PIECE_BYTES,
    TCP_PIECE_MISSING, // cut by the snap length: known not to come, unless it is sent again
    TCP_PIECE_END,     // FIN; its n is 0
};

struct tcp_piece {
    uint64_t at;
    int64_t since_ns; // when it was first known that there is a hole before it
    struct packet_ref from;
    uint32_t n;
    uint8_t kind;    // enum tcp_piece_kind
    uint8_t bytes[]; // n of TCP_PIECE_BYTES
};

struct tcp_held {
    struct tcp_piece **pieces; // sorted, without overlaps: count of them from head on
    uint32_t head, count, room;
    uint32_t bytes;   // of all TCP_PIECE_BYTES
    uint32_t missing; // pieces of that kind
};

struct tcp_held *tcp_held_new(void);
void tcp_held_free(struct tcp_held *h); // NULL: nothing

static inline struct tcp_piece *tcp_held_at(const struct tcp_held *h, uint32_t i)
{
    return h->pieces[h->head + i];
}

static inline uint64_t tcp_piece_end(const struct tcp_piece *p)
{
    return p->at + p->n;
}

// All memory that it takes.
size_t tcp_held_memory(const struct tcp_held *h);

// Index of the first piece that ends behind `at`; h->count: none.
uint32_t tcp_held_find(const struct tcp_held *h, uint64_t at);

// Puts a piece like *head with these bytes (NULL: none) before the i-th. Where one follows, it
// takes over since when the hole is known.
void tcp_held_insert(struct tcp_held *h, uint32_t i, const struct tcp_piece *head,
                     const uint8_t *bytes);

// Takes the i-th out; the caller frees it. The first one costs no moving.
struct tcp_piece *tcp_held_take(struct tcp_held *h, uint32_t i);

// Bytes [from, to) have come: they are not known to be missing any more. Was any of them?
bool tcp_held_punch(struct tcp_held *h, uint64_t from, uint64_t to);

#endif
