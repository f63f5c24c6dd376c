// Finds line ends and the colons behind header names: AVX2 where the processor has it, else byte by
// byte.
//
// Layout of the fast way: 64 bytes become three 64-bit masks (LF, colon, special byte), bit i for
// byte i. Each LF bit ends a line, the lowest colon bit that is left between the line's start and
// its LF ends the name. A special byte that is neither LF nor stands before one is odd; the one
// before an LF is a CR, or the line ends by LF alone. Only the last block may be shorter: it is
// loaded so that it ends with the bytes and shifted down, so nothing outside [p, p + n) is touched.
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
        s->lf_alone |= has_lf && p[line.end - 1] != '\r';
        s->end = !has_lf;
    }
    s->end |= at >= n && !s->empty;
    s->at = at;
    return count;
}

#if defined(__x86_64__)

// Bit i for byte i of a block.
struct masks {
    uint64_t lf, colon;
    uint64_t special; // below 0x20, 0x7f, and above: seldom more than the line ends
};

// What is known of the lines so far, between blocks.
struct walk {
    const char *p;
    uint32_t start;       // of the line that is open
    uint32_t colon;       // the first one in it, UINT32_MAX for none
    uint32_t count;       // lines given
    bool last_is_special; // that of the block before, and no LF
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
    // One more than the byte is below 0x21, as a signed number, for all that is special: 0x7f
    // becomes negative, and 0xff zero.
    __m256i one = _mm256_set1_epi8(1);
    __m256i limit = _mm256_set1_epi8(0x21);
    return (struct masks){
        .lf = equal(a, b, '\n'),
        .colon = equal(a, b, ':'),
        .special = bits(_mm256_cmpgt_epi8(limit, _mm256_add_epi8(a, one)),
                        _mm256_cmpgt_epi8(limit, _mm256_add_epi8(b, one))),
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
        return (struct masks){m.lf >> shift, m.colon >> shift, m.special >> shift};
    }
    char copy[64];
    memset(copy, ' ', sizeof copy);
    memcpy(copy, p + base, left);
    return block(copy);
}

// Tells the kinds of odd bytes apart, one by one. A CR among them has no LF behind it.
__attribute__((noinline, cold)) static void look_closer(struct sip_scan *s, const char *p,
                                                        uint64_t odd)
{
    for (; odd != 0; odd &= odd - 1) {
        uint8_t c = (uint8_t)p[__builtin_ctzll(odd)];
        s->high |= c >= 0x80;
        s->control |= c < 0x80 && c != '\t';
    }
}

// A line that ends by LF alone: what is before the LF was not looked at.
__attribute__((noinline, cold)) static void lf_alone(struct sip_scan *s, const char *before)
{
    s->lf_alone = true;
    if ((uint8_t)*before < 0x20 || (uint8_t)*before >= 0x7f) {
        look_closer(s, before, 1);
    }
}

// What is odd in a block but for its last byte, of which the next one tells. What stands before an
// LF is left to the line.
static inline uint64_t odd_in(const struct masks *m)
{
    return m->special & ~(m->lf | m->lf >> 1) & ~((uint64_t)1 << 63);
}

// Gives the lines that end in the block at `base`. Returns true where that is the end: the empty
// line, or `max` lines.
__attribute__((target("avx2,bmi"))) static inline bool
lines_in(struct walk *w, struct sip_scan *s, uint32_t base, const struct masks *m,
         struct sip_line *lines, uint32_t max)
{
    const char *p = w->p;
    uint64_t colons = m->colon;
    for (uint64_t lf = m->lf; lf != 0; lf &= lf - 1) {
        uint32_t bit = (uint32_t)_tzcnt_u64(lf);
        uint32_t end = base + bit;
        bool empty = is_empty_line(p, w->start, end);
        if (!empty) {
            uint32_t colon = w->colon;
            if (colon == UINT32_MAX) {                         // none in the blocks before
                uint32_t first = (uint32_t)_tzcnt_u64(colons); // 64 for none
                colon = first < bit ? base + first : end;
            }
            lines[w->count++] = (struct sip_line){w->start, colon, end};
            if (p[end - 1] != '\r') {
                lf_alone(s, p + end - 1);
            }
        }
        w->start = end + 1;
        w->colon = UINT32_MAX;
        if (empty || w->count == max) {
            uint64_t odd = odd_in(m) & (lf ^ (lf - 1)); // not what is behind
            if (odd != 0) {
                look_closer(s, p + base, odd);
            }
            s->empty = empty;
            return true;
        }
        colons &= ~(lf ^ (lf - 1)); // those of the lines that follow
    }
    if (w->colon == UINT32_MAX && colons != 0) {
        w->colon = base + (uint32_t)_tzcnt_u64(colons);
    }
    return false;
}

// The bytes end in a line.
static uint32_t end_in_line(struct walk *w, struct sip_scan *s, uint32_t n, struct sip_line *lines)
{
    if (w->start < n) {
        lines[w->count++] = (struct sip_line){w->start, w->colon == UINT32_MAX ? n : w->colon, n};
        if (w->last_is_special && w->p[n - 1] != '\r') { // the LF may have been cut off
            look_closer(s, w->p + n - 1, 1);
        }
    }
    s->end = true;
    s->at = n;
    return w->count;
}

__attribute__((target("avx2,bmi"))) uint32_t
sip_scan_fast(struct sip_scan *s, const char *p, uint32_t n, struct sip_line *lines, uint32_t max)
{
    struct walk w = {.p = p, .start = s->at, .colon = UINT32_MAX};
    if (max == 0) {
        return 0;
    }
    for (uint32_t base = s->at; base < n; base += 64) {
        uint32_t left = n - base;
        struct masks m = left >= 64 ? block(p + base) : last_block(p, base, left);
        if (w.last_is_special && (m.lf & 1) == 0) {
            look_closer(s, p + base - 1, 1);
        }
        if (lines_in(&w, s, base, &m, lines, max)) {
            s->at = w.start;
            s->end = !s->empty && w.start == n;
            return w.count;
        }
        uint64_t odd = odd_in(&m);
        uint32_t last = left < 64 ? left - 1 : 63;
        w.last_is_special = (m.special & ~m.lf) >> last & 1;
        if ((odd & ~((uint64_t)1 << last)) != 0) {
            look_closer(s, p + base, odd & ~((uint64_t)1 << last));
        }
        if (left <= 64) {
            break; // base + 64 could wrap
        }
    }
    return end_in_line(&w, s, n, lines);
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
