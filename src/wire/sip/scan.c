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

static bool is_control(char c)
{
    return ((uint8_t)c < 0x20 && c != '\t' && c != '\r' && c != '\n') || c == 0x7f;
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
            s->control |= is_control(p[line.end]);
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
    uint64_t lf, colon, control;
};

__attribute__((target("avx2"))) static inline void half(const char *p, uint32_t *lf,
                                                        uint32_t *colon, uint32_t *control)
{
    __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i is_lf = _mm256_cmpeq_epi8(x, _mm256_set1_epi8('\n'));
    __m256i is_colon = _mm256_cmpeq_epi8(x, _mm256_set1_epi8(':'));
    __m256i low = _mm256_cmpeq_epi8(_mm256_min_epu8(x, _mm256_set1_epi8(0x1f)), x);
    __m256i is_cr = _mm256_cmpeq_epi8(x, _mm256_set1_epi8('\r'));
    __m256i is_tab = _mm256_cmpeq_epi8(x, _mm256_set1_epi8('\t'));
    __m256i is_del = _mm256_cmpeq_epi8(x, _mm256_set1_epi8(0x7f));
    __m256i fine = _mm256_or_si256(_mm256_or_si256(is_lf, is_cr), is_tab);
    *lf = (uint32_t)_mm256_movemask_epi8(is_lf);
    *colon = (uint32_t)_mm256_movemask_epi8(is_colon);
    *control =
        (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(_mm256_andnot_si256(fine, low), is_del));
}

__attribute__((target("avx2"))) static inline struct masks block(const char *p)
{
    uint32_t lf[2], colon[2], control[2];
    half(p, &lf[0], &colon[0], &control[0]);
    half(p + 32, &lf[1], &colon[1], &control[1]);
    return (struct masks){(uint64_t)lf[1] << 32 | lf[0], (uint64_t)colon[1] << 32 | colon[0],
                          (uint64_t)control[1] << 32 | control[0]};
}

// The last block: `left` (1 to 63) bytes are there from p + base on.
__attribute__((target("avx2"))) static inline struct masks last_block(const char *p, uint32_t base,
                                                                      uint32_t left)
{
    uint32_t n = base + left;
    if (n >= 64) {
        struct masks m = block(p + n - 64);
        uint32_t shift = 64 - left;
        return (struct masks){m.lf >> shift, m.colon >> shift, m.control >> shift};
    }
    char copy[64];
    memset(copy, ' ', sizeof copy);
    memcpy(copy, p + base, left);
    return block(copy);
}

// Bits at and above position i (0 to 64).
static inline uint64_t from_bit(uint32_t i)
{
    return i < 64 ? ~(uint64_t)0 << i : 0;
}

__attribute__((target("avx2,bmi"))) uint32_t
sip_scan_fast(struct sip_scan *s, const char *p, uint32_t n, struct sip_line *lines, uint32_t max)
{
    uint32_t count = 0;
    uint32_t start = s->at;
    uint32_t colon = UINT32_MAX;
    uint64_t control = 0;
    if (max == 0) {
        return 0;
    }
    for (uint32_t base = start; base < n; base += 64) {
        uint32_t left = n - base;
        struct masks m = left >= 64 ? block(p + base) : last_block(p, base, left);
        while (m.lf != 0) {
            uint32_t bit = (uint32_t)__builtin_ctzll(m.lf);
            uint32_t end = base + bit;
            if (is_empty_line(p, start, end)) {
                s->control |= (control | (m.control & ~from_bit(bit))) != 0;
                s->empty = true;
                s->at = end + 1;
                return count;
            }
            if (colon == UINT32_MAX) {
                uint64_t before = m.colon & ~from_bit(bit);
                colon = before != 0 ? base + (uint32_t)__builtin_ctzll(before) : end;
            }
            lines[count++] = (struct sip_line){start, colon, end};
            start = end + 1;
            colon = UINT32_MAX;
            if (count == max) {
                s->control |= (control | (m.control & ~from_bit(bit))) != 0;
                s->end = start == n;
                s->at = start;
                return count;
            }
            m.colon &= from_bit(bit + 1);
            m.lf &= m.lf - 1;
        }
        if (colon == UINT32_MAX && m.colon != 0) {
            colon = base + (uint32_t)__builtin_ctzll(m.colon);
        }
        control |= m.control;
        if (left <= 64) {
            break; // base + 64 could wrap
        }
    }
    if (start < n) {
        lines[count++] = (struct sip_line){start, colon == UINT32_MAX ? n : colon, n};
    }
    s->control |= control != 0;
    s->end = true;
    s->at = n;
    return count;
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
