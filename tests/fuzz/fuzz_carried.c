// Fuzz target of carried.h: the same bytes, with the same gap in them, whole, byte by byte and in
// pieces of any size hand on the same. Byte 0: how they are cut; 1 and 2: where the gap is; 3: its
// size, more than 0 (1: unknown); the rest is the stream.
#include "../unit/carried_heard.h"
#include "base/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum {
    CONTROL = 4
};

struct script {
    const uint8_t *stream;
    size_t n, gap_at;
    uint64_t gap; // 0: none; else its size and one
};

// Feeds [at, end) in pieces of up to `most` bytes.
static void feed(struct heard *h, const uint8_t *p, size_t n, struct random *r, size_t most)
{
    while (n > 0) {
        size_t piece = most == 0 ? n : (size_t)random_below(r, most) + 1;
        piece = piece < n ? piece : n;
        heard_feed(h, p, piece);
        p += piece;
        n -= piece;
    }
}

static void play(struct heard *h, const struct script *s, uint8_t seed, size_t most)
{
    struct random r;
    random_init(&r, seed);
    heard_begin(h);
    feed(h, s->stream, s->gap_at, &r, most);
    if (s->gap > 0) {
        heard_gap(h, s->gap - 1);
    }
    feed(h, s->stream + s->gap_at, s->n - s->gap_at, &r, most);
    heard_end(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (n < CONTROL) {
        return 0;
    }
    struct script s = {bytes + CONTROL, n - CONTROL, 0, bytes[3]};
    s.gap_at = (size_t)(bytes[1] << 8 | bytes[2]) % (s.n + 1);
    static const size_t MOST[] = {1, 3, 40, 700};
    struct heard whole;
    play(&whole, &s, 0, 0);
    for (size_t i = 0; i < sizeof MOST / sizeof *MOST; i++) {
        struct heard cut;
        play(&cut, &s, bytes[0], MOST[i]);
        if (!heard_same(&whole, &cut)) {
            fprintf(stderr, "whole: %s\nup to %zu: %s\n", whole.text, MOST[i], cut.text);
            abort();
        }
        heard_free(&cut);
    }
    carried_starts_well(s.stream, (uint32_t)s.n);
    heard_free(&whole);
    return 0;
}
