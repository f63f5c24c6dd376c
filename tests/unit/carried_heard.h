// Feeds a direction of a connection and writes down what it hands on, so that two ways of cutting
// the same bytes can be compared. Used by the unit tests and by the fuzz target.
#ifndef SIDETONE_TESTS_CARRIED_HEARD_H
#define SIDETONE_TESTS_CARRIED_HEARD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow/carried.h"
#include "inside_check.h"

struct heard {
    struct carried *c;
    struct carried_sink sink;
    uint64_t odd[FLOW_ODD_COUNT];
    uint64_t segments;    // fed so far: their numbers are the frames, from 1
    const uint8_t *given; // the segment that is being fed
    uint32_t given_n;
    uint32_t pieces, borrowed;
    // One word a piece, a blank after each: "INVITE/150", "200/0", "k4", "hep30", "pkt12"; "~"
    // before it: WebSocket; "!" behind it: incomplete. With `shows_frames`: "@1,2" behind it.
    char *text;
    size_t text_n, text_room;
    bool shows_frames;
    uint8_t *bytes; // of all pieces
    size_t bytes_n, bytes_room;
};

static inline void heard_add(void *to, size_t *n, size_t *room, const void *p, size_t more)
{
    uint8_t **bytes = to;
    if (*n + more > *room) {
        *room = (*n + more) * 2;
        *bytes = realloc(*bytes, *room);
        INSIDE_CHECK(*bytes);
    }
    if (more > 0) {
        memcpy(*bytes + *n, p, more);
    }
    *n += more;
}

static inline void heard_word(struct heard *h, const char *word)
{
    heard_add(&h->text, &h->text_n, &h->text_room, word, strlen(word));
}

static inline void heard_check(const struct heard *h, const struct carried_piece *p)
{
    bool inside = h->given && p->bytes >= h->given && p->bytes + p->n <= h->given + h->given_n;
    INSIDE_CHECK(p->is_borrowed == inside);
    INSIDE_CHECK(p->n > 0 && p->n <= CARRIED_MESSAGE_MAX + 16);
    INSIDE_CHECK((p->kind == PIECE_SIP) == (p->sip != NULL));
    INSIDE_CHECK(p->packet_count >= 1);
    for (uint32_t i = 0; i < p->packet_count; i++) {
        INSIDE_CHECK(p->packets[i].at >= 1 && p->packets[i].at <= h->segments);
        INSIDE_CHECK(p->packets[i].time_ns == (int64_t)p->packets[i].at * 10);
        INSIDE_CHECK(i == 0 || p->packets[i].at > p->packets[i - 1].at);
    }
    if (p->sip) {
        INSIDE_CHECK((const uint8_t *)p->sip->raw.p == p->bytes && p->sip->raw.n == p->n);
        INSIDE_CHECK(p->is_websocket || !sip_is_odd(p->sip, SIP_ODD_LEADING_BYTES));
    }
}

static inline void heard_piece(void *context, const struct carried_piece *p)
{
    struct heard *h = context;
    char word[64];
    heard_check(h, p);
    heard_word(h, p->is_websocket ? "~" : "");
    switch (p->kind) {
    case PIECE_SIP:
        if (p->sip->is_request) {
            size_t n = p->sip->method_text.n;
            snprintf(word, sizeof word, "%.*s/%zu", (int)(n < 40 ? n : 40), p->sip->method_text.p,
                     p->sip->body.n);
        } else {
            snprintf(word, sizeof word, "%u/%zu", p->sip->code, p->sip->body.n);
        }
        break;
    case PIECE_HEP:
        snprintf(word, sizeof word, "hep%u", p->n);
        break;
    case PIECE_PACKET:
        snprintf(word, sizeof word, "pkt%u", p->n);
        break;
    case PIECE_KEEPALIVE:
        snprintf(word, sizeof word, "k%u", p->n);
        break;
    }
    heard_word(h, word);
    heard_word(h, p->is_incomplete ? "!" : "");
    for (uint32_t i = 0; h->shows_frames && i < p->packet_count; i++) {
        snprintf(word, sizeof word, "%c%llu", i == 0 ? '@' : ',',
                 (unsigned long long)p->packets[i].at);
        heard_word(h, word);
    }
    heard_word(h, " ");
    heard_add(&h->bytes, &h->bytes_n, &h->bytes_room, p->bytes, p->n);
    h->pieces++;
    h->borrowed += p->is_borrowed;
}

static inline void heard_begin(struct heard *h)
{
    *h = (struct heard){.c = carried_new()};
    h->sink = (struct carried_sink){h, heard_piece};
}

// One segment, in a block of exactly its size.
static inline void heard_feed(struct heard *h, const void *p, size_t n)
{
    uint8_t *copy = malloc(n > 0 ? n : 1);
    INSIDE_CHECK(copy);
    memcpy(copy, p, n);
    h->given = copy;
    h->given_n = (uint32_t)n;
    h->segments++;
    struct packet_ref from = {h->segments, (int64_t)h->segments * 10};
    carried_bytes(h->c, copy, (uint32_t)n, from, true, &h->sink, h->odd);
    h->given = NULL;
    free(copy);
}

static inline void heard_gap(struct heard *h, uint64_t n)
{
    carried_gap(h->c, n, &h->sink, h->odd);
}

// The end; what was heard stays readable until heard_free.
static inline const char *heard_end(struct heard *h)
{
    carried_end(h->c, &h->sink, h->odd);
    heard_add(&h->text, &h->text_n, &h->text_room, "", 1);
    return h->text;
}

static inline void heard_free(struct heard *h)
{
    carried_free(h->c);
    free(h->text);
    free(h->bytes);
}

// Is everything the same but what was borrowed and in which frames it came?
static inline bool heard_same(const struct heard *a, const struct heard *b)
{
    return a->text_n == b->text_n && memcmp(a->text, b->text, a->text_n) == 0 &&
           a->bytes_n == b->bytes_n &&
           (a->bytes_n == 0 || memcmp(a->bytes, b->bytes, a->bytes_n) == 0) &&
           memcmp(a->odd, b->odd, sizeof a->odd) == 0 && carried_kind(a->c) == carried_kind(b->c);
}

#endif
