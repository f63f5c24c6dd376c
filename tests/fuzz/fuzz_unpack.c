// Fuzz target of decompressing: any bytes, in pieces and rooms of two sizes, give the same
// content and end the same way, within what they are given.
#include "read/unpack.h"

#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                                            \
    if (!(condition)) {                                                                            \
        abort();                                                                                   \
    }

#define OUT_MOST (1u << 20) // of a bomb the beginning is enough

static uint8_t first[OUT_MOST], second[OUT_MOST];

static enum unpack_end unpack_all(const uint8_t *in, size_t n, size_t in_most, size_t out_most,
                                  uint8_t *out, size_t *out_n)
{
    struct unpack *u = unpack_new(unpack_probe(in, n));
    size_t at = 0;
    bool goes_on = true;
    bool moved = true;
    bool ends = false;
    *out_n = 0;
    while (goes_on && moved && *out_n < OUT_MOST) {
        size_t most = OUT_MOST - *out_n < out_most ? OUT_MOST - *out_n : out_most;
        size_t piece = n - at < in_most ? n - at : in_most;
        size_t used, made;
        goes_on = unpack_step(u, in + at, piece, &used, out + *out_n, most, &made);
        MUST(used <= piece && made <= most);
        at += used;
        *out_n += made;
        moved = used > 0 || made > 0 || !ends;
        if (used == 0 && made == 0 && !ends) {
            unpack_ends(u);
            ends = true;
        }
    }
    MUST(!goes_on || *out_n == OUT_MOST || at == n); // no library stands still
    enum unpack_end end = unpack_verdict(u);
    MUST(goes_on || (end >= UNPACK_DAMAGED));
    unpack_free(u);
    return end;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    size_t first_n, second_n;
    if (unpack_probe(bytes, n) == UNPACK_NONE) {
        return 0;
    }
    enum unpack_end all = unpack_all(bytes, n, 65536, 65536, first, &first_n);
    enum unpack_end again = unpack_all(bytes, n, 7, 1000, second, &second_n);
    if (first_n < OUT_MOST && second_n < OUT_MOST) {
        MUST(all == again && first_n == second_n);
    }
    MUST(memcmp(first, second, first_n < second_n ? first_n : second_n) == 0);
    return 0;
}
