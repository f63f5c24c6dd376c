// Builds the bytes of a connection for tests of carried.h, and plays them cut in every way.
#ifndef SIDETONE_TESTS_CARRIED_STREAM_H
#define SIDETONE_TESTS_CARRIED_STREAM_H

#include "carried_heard.h"

#define CALL                                                                                       \
    "Via: SIP/2.0/TCP h;branch=z9hG4bK1\r\nFrom: <sip:a@x>;tag=1\r\nTo: <sip:b@x>\r\nCall-ID: "    \
    "c\r\n"
#define OPTIONS "OPTIONS sip:b@x SIP/2.0\r\n" CALL "CSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n"
#define OK      "SIP/2.0 200 OK\r\n" CALL "CSeq: 1 OPTIONS\r\nl: 0\r\n\r\n"
#define SDP     "v=0\r\nm=audio 4000 RTP/AVP 0\r\n" // 29 bytes
#define INVITE_WITH(length, body)                                                                  \
    "INVITE sip:b@x SIP/2.0\r\n" CALL "CSeq: 1 INVITE\r\nContent-Type: application/sdp\r\n" length \
    "\r\n" body
#define INVITE INVITE_WITH("Content-Length: 29\r\n", SDP)
#define TEXT_WITH(length, body)                                                                    \
    "MESSAGE sip:b@x SIP/2.0\r\n" CALL "CSeq: 1 MESSAGE\r\nContent-Type: text/plain\r\n" length    \
    "\r\n" body
#define HELLO TEXT_WITH("Content-Length: 5\r\n", "hello")

struct stream {
    uint8_t *p;
    size_t n, room;
};

static inline void stream_add(struct stream *s, const void *p, size_t n)
{
    heard_add(&s->p, &s->n, &s->room, p, n);
}

static inline void stream_text(struct stream *s, const char *text)
{
    stream_add(s, text, strlen(text));
}

static inline void stream_fill(struct stream *s, const char *pattern, size_t n)
{
    size_t one = strlen(pattern);
    for (; n > 0; n -= n < one ? n : one) {
        stream_add(s, pattern, n < one ? n : one);
    }
}

// One WebSocket frame with the shortest length; `mask` NULL: none.
static inline void stream_ws(struct stream *s, uint8_t first, const void *content, size_t n,
                             const char *mask)
{
    const uint8_t *p = content;
    uint8_t header[14] = {first, mask ? 0x80 : 0};
    size_t at = n < 126 ? 2 : n <= UINT16_MAX ? 4 : 10;
    header[1] |= (uint8_t)(n < 126 ? n : n <= UINT16_MAX ? 126 : 127);
    for (size_t i = at, left = n; i > 2; i--, left >>= 8) {
        header[i - 1] = (uint8_t)left;
    }
    stream_add(s, header, at);
    if (mask) {
        stream_add(s, mask, 4);
    }
    for (size_t i = 0; i < n; i++) {
        uint8_t byte = p[i] ^ (mask ? (uint8_t)mask[i % 4] : 0);
        stream_add(s, &byte, 1);
    }
}

// Plays the stream in pieces of `size` bytes (0: whole).
static inline void stream_play(const struct stream *s, struct heard *h, size_t size)
{
    heard_begin(h);
    for (size_t at = 0; at < s->n;) {
        size_t n = size > 0 && size < s->n - at ? size : s->n - at;
        heard_feed(h, s->p + at, n);
        at += n;
    }
    heard_end(h);
}

static inline void stream_must(const struct heard *h, const char *want, const char *how, size_t at)
{
    if (strcmp(h->text, want) != 0) {
        fprintf(stderr, "%s %zu: heard: %s\n     wanted: %s\n", how, at, h->text, want);
        abort();
    }
}

// Plays the stream whole, in pieces of every size up to 9 and cut once at every place: it must be
// heard as `want`, with the same oddities, which are left in `odd`.
static inline void stream_is(const struct stream *s, const char *want, uint64_t odd[FLOW_ODD_COUNT])
{
    struct heard whole, cut;
    stream_play(s, &whole, 0);
    stream_must(&whole, want, "whole", 0);
    for (size_t size = 1; size < 10; size++) {
        stream_play(s, &cut, size);
        stream_must(&cut, want, "pieces of", size);
        INSIDE_CHECK(heard_same(&whole, &cut));
        heard_free(&cut);
    }
    for (size_t at = 1; at < s->n; at++) {
        heard_begin(&cut);
        heard_feed(&cut, s->p, at);
        heard_feed(&cut, s->p + at, s->n - at);
        heard_end(&cut);
        stream_must(&cut, want, "cut at", at);
        INSIDE_CHECK(heard_same(&whole, &cut));
        heard_free(&cut);
    }
    memcpy(odd, whole.odd, sizeof whole.odd);
    heard_free(&whole);
}

#endif
