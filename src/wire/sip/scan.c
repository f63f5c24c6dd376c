// Finds line ends and the colons behind header names: AVX2 where the processor has it, else byte by
// byte.
//
// Layout of the fast way: 64 bytes become three 64-bit masks (LF, colon, control byte), bit i for
// byte i. Each LF bit ends a line, the lowest colon bit that is left between the line's start and
// its LF ends the name. Only the last block may be shorter: it is loaded so that it ends with the
// bytes and shifted down, so nothing outside [p, p + n) is touched.
#include "wire/sip/scan.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static bool is_empty_line(const char *p, uint32_t start, uint32_t end)
{
    return end == start || (end == start + 1 && p[start] == '\r');
}

// A control byte that has no business in a header line. A CR has where an LF follows; that of a cut
// message may have.
static bool is_control(const char *p, uint32_t i, uint32_t n)
{
    if (p[i] == '\r') {
        return i + 1 < n && p[i + 1] != '\n';
    }
    return ((uint8_t)p[i] < 0x20 && p[i] != '\t' && p[i] != '\n') || p[i] == 0x7f;
}

uint32_t sip_scan_plain(struct sip_scan *s, const char *p, uint32_t n, struct sip_line *lines,
                        uint32_t max)
{
    uint32_t count = 0;
    uint32_t at = s->at;
    while (count < max && at < n) {
        struct sip_line line = {at, UINT32_MAX, at};
        while (line.end < n && p[line.end] != '\n') {
            if (p[line.end] == ':' && line.colon == UINT32_MAX) {
                line.colon = line.end;
            }
            s->control |= is_control(p, line.end, n);
            s->high |= (uint8_t)p[line.end] >= 0x80;
            line.end++;
        }
        bool has_lf = line.end < n;
        at = has_lf ? line.end + 1 : n;
        if (has_lf && is_empty_line(p, line.start, line.end)) {
            s->empty = true;
            break;
        }
        line.colon = line.colon == UINT32_MAX ? line.end : line.colon;
        lines[count++] = line;
        s->end = !has_lf;
    }
    s->end |= at >= n && !s->empty;
    s->at = at;
    return count;
}

#if defined(__x86_64__)

struct masks {
    uint64_t lf, colon, cr;
    uint64_t low, top; // below 0x20; 0x7f and above: seldom more than the line ends
};

// What was seen in the blocks so far.
struct seen {
    bool control, high;
    uint64_t cr_at_end; // 1: the block before ended with a CR
};

__attribute__((target("avx2"))) static inline uint64_t bits(__m256i a, __m256i b)
{
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32 | (uint32_t)_mm256_movemask_epi8(a);
}

__attribute__((target("avx2"))) static inline uint64_t equal(__m256i a, __m256i b, char c)
{
    __m256i all = _mm256_set1_epi8(c);
    return bits(_mm256_cmpeq_epi8(a, all), _mm256_cmpeq_epi8(b, all));
}

__attribute__((target("avx2"))) static inline struct masks block(const char *p)
{
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
    __m256i low = _mm256_set1_epi8(0x1f);
    __m256i top = _mm256_set1_epi8(0x7f);
    return (struct masks){
        .lf = equal(a, b, '\n'),
        .colon = equal(a, b, ':'),
        .cr = equal(a, b, '\r'),
        .low = bits(_mm256_cmpeq_epi8(_mm256_min_epu8(a, low), a),
                    _mm256_cmpeq_epi8(_mm256_min_epu8(b, low), b)),
        .top = bits(_mm256_cmpeq_epi8(_mm256_max_epu8(a, top), a),
                    _mm256_cmpeq_epi8(_mm256_max_epu8(b, top), b)),
    };
}

// The last block: `left` (1 to 63) bytes are there from p + base on.
__attribute__((target("avx2"))) static inline struct masks last_block(const char *p, uint32_t base,
                                                                      uint32_t left)
{
    uint32_t n = base + left;
    if (n >= 64) {
        struct masks m = block(p + n - 64);
        uint32_t shift = 64 - left;
        return (struct masks){m.lf >> shift, m.colon >> shift, m.cr >> shift, m.low >> shift,
                              m.top >> shift};
    }
    char copy[64];
    memset(copy, ' ', sizeof copy);
    memcpy(copy, p + base, left);
    return block(copy);
}

// Tells the kinds of rare bytes apart, one by one.
__attribute__((noinline, cold)) static void look_closer(struct seen *seen, const char *p,
                                                        uint64_t rare)
{
    for (; rare != 0; rare &= rare - 1) {
        uint8_t c = (uint8_t)p[__builtin_ctzll(rare)];
        seen->high |= c >= 0x80;
        seen->control |= c < 0x80 && c != '\t';
    }
}

// Notes what is odd in the first `n` (1 to 64) bytes of the block at p. A CR is odd unless an LF
// follows; for the last byte the next block tells.
static inline void look(struct seen *seen, const char *p, const struct masks *m, uint32_t n)
{
    uint64_t valid = ~(uint64_t)0 >> (64 - n);
    uint64_t last = (uint64_t)1 << (n - 1);
    uint64_t rare = ((m->low & ~(m->lf | m->cr)) | m->top) & valid;
    uint64_t bare_cr = m->cr & valid & ~last & ~(m->lf >> 1);
    seen->control |= (bare_cr | (seen->cr_at_end & ~m->lf & 1)) != 0;
    seen->cr_at_end = (m->cr & last) != 0;
    if (rare != 0) {
        look_closer(seen, p, rare);
    }
}

static inline uint32_t finish(struct sip_scan *s, const struct seen *seen, uint32_t at,
                              uint32_t count)
{
    s->control |= seen->control;
    s->high |= seen->high;
    s->at = at;
    return count;
}

__attribute__((target("avx2,bmi"))) uint32_t
sip_scan_fast(struct sip_scan *s, const char *p, uint32_t n, struct sip_line *lines, uint32_t max)
{
    uint32_t count = 0;
    uint32_t start = s->at;
    uint32_t colon = UINT32_MAX;
    struct seen seen = {0};
    for (uint32_t base = start; base < n && max > 0; base += 64) {
        uint32_t left = n - base;
        struct masks m = left >= 64 ? block(p + base) : last_block(p, base, left);
        uint64_t lf = m.lf;
        uint64_t colons = m.colon;
        while (lf != 0) {
            uint32_t bit = (uint32_t)__builtin_ctzll(lf);
            uint32_t end = base + bit;
            bool empty = is_empty_line(p, start, end);
            if (!empty) {
                if (colon == UINT32_MAX) {                         // none in the blocks before
                    uint32_t first = (uint32_t)_tzcnt_u64(colons); // 64 for none
                    colon = first < bit ? base + first : end;
                }
                lines[count++] = (struct sip_line){start, colon, end};
            }
            start = end + 1;
            if (empty || count == max) {
                look(&seen, p + base, &m, bit + 1);
                s->empty = empty;
                s->end = !empty && start == n;
                return finish(s, &seen, start, count);
            }
            colon = UINT32_MAX;
            colons &= ~(uint64_t)1 << bit; // those above it
            lf &= lf - 1;
        }
        if (colon == UINT32_MAX && colons != 0) {
            colon = base + (uint32_t)__builtin_ctzll(colons);
        }
        look(&seen, p + base, &m, left < 64 ? left : 64);
        if (left <= 64) {
            break; // base + 64 could wrap
        }
    }
    if (start < n && max > 0) {
        lines[count++] = (struct sip_line){start, colon == UINT32_MAX ? n : colon, n};
    }
    s->end = max > 0;
    return finish(s, &seen, max > 0 ? n : start, count);
}

bool sip_scan_has_fast(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
}

#else

uint32_t sip_scan_fast(struct sip_scan *s, const char *p, uint32_t n, struct sip_line *lines,
                       uint32_t max)
{
    return sip_scan_plain(s, p, n, lines, max);
}

bool sip_scan_has_fast(void)
{
    return false;
}

#endif

uint32_t sip_scan_lines(struct sip_scan *s, const char *p, uint32_t n, struct sip_line *lines,
                        uint32_t max)
{
    return sip_scan_has_fast() ? sip_scan_fast(s, p, n, lines, max)
                               : sip_scan_plain(s, p, n, lines, max);
}
