// Finds header lines, their names and their values: AVX2 where the processor has it, else byte by
// byte.
//
// Layout of the fast way: 64 bytes become three 64-bit masks (LF, colon, special byte), bit i for
// byte i. Each LF bit ends a line, the lowest colon bit that is left between the line's start and
// its LF ends the name. Special bytes are only counted: where there are more than the line ends
// have, a second pass, which few messages need, tells what they are. The last block ends
// with the bytes: what was read already of it does not count, and nothing outside [p, p + n) is
// touched.
#include "wire/sip/index.h"

#include "wire/sip/chars.h"
#include "wire/sip/names.h"
#include "wire/sip/value.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Header fields of which a second one is odd; one of Content-Length is told.
#define BIT(name) ((uint64_t)1 << SIP_H_##name)
#define ONCE                                                                                       \
    (BIT(FROM) | BIT(TO) | BIT(CALL_ID) | BIT(CSEQ) | BIT(MAX_FORWARDS) | BIT(CONTENT_LENGTH))

__attribute__((noinline, cold)) static void note_second(struct sip_index *x, enum sip_header_id id)
{
    uint64_t *odd = &x->m->oddities;
    if (id == SIP_H_FROM) {
        sip_note(odd, SIP_ODD_DUPLICATE_FROM);
    } else if (id == SIP_H_TO) {
        sip_note(odd, SIP_ODD_DUPLICATE_TO);
    } else if (id == SIP_H_CALL_ID) {
        sip_note(odd, SIP_ODD_DUPLICATE_CALL_ID);
    } else if (id == SIP_H_CSEQ) {
        sip_note(odd, SIP_ODD_DUPLICATE_CSEQ);
    } else if (id == SIP_H_MAX_FORWARDS) {
        sip_note(odd, SIP_ODD_DUPLICATE_MAX_FORWARDS);
    } else {
        x->has_more_lengths = true;
    }
}

// Header field number `count` of the message, which has this place in the index.
static inline void put(struct sip_message *m, uint32_t count, struct slice name, struct slice value,
                       enum sip_header_id id)
{
    m->headers[count] = (struct sip_header){name, value, id};
    m->header_count = count + 1;
}

// Notes where the first one with this id is.
static inline void note_place(struct sip_index *x, uint32_t count, enum sip_header_id id)
{
    if (x->m->first[id] < 0) {
        x->m->first[id] = (int16_t)count;
    } else if ((ONCE >> id & 1) != 0) {
        note_second(x, id);
    }
}

// Where the index is full only the first one of a known name has a place.
static void add_field(struct sip_index *x, struct slice name, struct slice value, uint32_t next)
{
    struct sip_message *m = x->m;
    enum sip_header_id id = sip_header_by_name(name);
    bool first = id != SIP_H_OTHER && m->first[id] < 0;
    uint32_t count = m->header_count;
    if (count < (first ? SIP_INDEX_MAX : SIP_HEADERS_MAX)) {
        put(m, count, name, value, id);
    } else {
        sip_note(&m->oddities, SIP_ODD_TOO_MANY_HEADERS);
        x->lost = next;
    }
    if (id != SIP_H_OTHER) {
        note_place(x, count, id);
    } else if (!sip_is_token(name)) {
        sip_note(&m->oddities, SIP_ODD_HEADER_NAME);
    }
}

// A line that begins with a blank continues the value before it (RFC 3261 7.3.1).
static void fold_line(struct sip_index *x, const char *start, const char *end)
{
    struct sip_message *m = x->m;
    bool after_header = m->header_count > 0 || x->lost > 0;
    sip_note(&m->oddities, after_header ? SIP_ODD_FOLDED : SIP_ODD_HEADER_NAME);
    if (x->lost == (uint32_t)(start - x->p)) {
        x->lost = (uint32_t)(end - x->p) + 1;
    } else if (m->header_count > 0) {
        struct slice *value = &m->headers[m->header_count - 1].value;
        const char *from = value->n > 0 ? value->p : start;
        *value = slice_trim(slice_of(from, (size_t)(end - from)));
    }
}

// Any line but the empty one, as it must be read: its first colon and its LF are at these places,
// `end` where there is no colon, the end of the bytes where there is no LF.
__attribute__((noinline)) static void add_line(struct sip_index *x, const char *start,
                                               const char *colon, const char *end)
{
    uint32_t next = (uint32_t)(end - x->p) + 1;
    if (next <= x->n && end[-1] != '\r') {
        sip_note(&x->m->oddities, SIP_ODD_LF_LINES);
    }
    if (sip_char_is(*start, SIP_CHAR_BLANK)) {
        fold_line(x, start, end);
    } else if (colon == end) {
        sip_note(&x->m->oddities, SIP_ODD_HEADER_NO_COLON);
        x->lost = next;
    } else {
        const char *name_end = colon;
        while (name_end > start && sip_char_is(name_end[-1], SIP_CHAR_BLANK)) {
            name_end--;
        }
        add_field(x, slice_of(start, (size_t)(name_end - start)),
                  slice_trim(slice_of(colon + 1, (size_t)(end - colon - 1))), next);
    }
}

static inline bool is_empty_line(const char *start, const char *end)
{
    return end == start || (end == start + 1 && *start == '\r');
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

static void look_at(struct sip_index *x, uint32_t i)
{
    x->m->has_high_bytes |= (uint8_t)x->p[i] >= 0x80;
    if (is_control(x->p, i, x->n)) {
        sip_note(&x->m->oddities, SIP_ODD_CONTROL_BYTES);
    }
}

void sip_index_plain(struct sip_index *x)
{
    const char *p = x->p;
    uint32_t n = x->n;
    uint32_t start = x->at;
    while (start < n) {
        uint32_t colon = UINT32_MAX;
        uint32_t end = start;
        while (end < n && p[end] != '\n') {
            colon = p[end] == ':' && colon == UINT32_MAX ? end : colon;
            look_at(x, end++);
        }
        x->whole = end < n && is_empty_line(p + start, p + end);
        if (x->whole) {
            x->head_end = start;
            x->at = end + 1;
            return;
        }
        add_line(x, p + start, p + (colon < end ? colon : end), p + end);
        start = end < n ? end + 1 : n;
    }
    x->head_end = x->at = n;
}

#if defined(__x86_64__)

// Tells what the special bytes in [from, to) are; passes over 8 ordinary ones at once.
__attribute__((noinline, cold)) static void look_closer(struct sip_index *x, uint32_t from,
                                                        uint32_t to)
{
    const uint64_t ones = 0x0101010101010101u;
    while (from < to) {
        uint64_t w = to - from >= 8 ? le64((const uint8_t *)x->p + from) : 0;
        if (((w | (w + ones) | (w - ones * 0x20)) & ones * 0x80) == 0) {
            from += 8;
        } else {
            for (uint32_t stop = to - from >= 8 ? from + 8 : to; from < stop; from++) {
                look_at(x, from);
            }
        }
    }
}

// What does not change while the lines of a message are read.
struct walk {
    struct sip_index *x;
    struct sip_message *m;
    const char *room_end; // names that begin before it have SIP_HEADER_NAME_ROOM
    __m128i letters;      // the bit that the letters of a name have
};

// The same as add_line for an ordinary line: a known name, the colon, one blank or none, a value
// that needs no more trimming, CRLF. Returns false, and has done nothing, where it is not one.
static inline bool add_plain_line(const struct walk *w, const char *start, const char *colon,
                                  const char *end)
{
    struct slice name = slice_of(start, (size_t)(colon - start));
    const char *value = colon + 1;
    const char *value_end = end - 1;
    const struct sip_header_name *h = sip_header_candidate(name);
    value += *value == ' '; // it is at most the CR
    uint32_t count = w->m->header_count;
    if (h->n != name.n || start >= w->room_end || !sip_header_is_with_room(start, h, w->letters) ||
        *value_end != '\r' || (uint8_t)*value <= ' ' || (uint8_t)value_end[-1] <= ' ' ||
        count >= SIP_HEADERS_MAX) {
        return false;
    }
    put(w->m, count, name, slice_of(value, (size_t)(value_end - value)), (enum sip_header_id)h->id);
    note_place(w->x, count, (enum sip_header_id)h->id);
    return true;
}

// Bit i for byte i of a block.
struct masks {
    uint64_t lf, colon;
    uint64_t special; // below 0x20, 0x7f, and above: seldom more than the line ends
};

// What bytes are compared with. A byte and one is below the limit, as a signed number, for all that
// is special: 0x7f becomes negative, and 0xff zero.
struct wanted {
    __m256i lf, colon, one, limit;
};

static const struct wanted *wanted(void)
{
#define ALL(c)                                                                                     \
    c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c
    static const char BYTES[4][32]
        __attribute__((aligned(32))) = {{ALL('\n')}, {ALL(':')}, {ALL(1)}, {ALL(0x21)}};
#undef ALL
    const void *all = BYTES;
    __asm__("" : "+r"(all)); // the compiler would make them anew for each block
    return all;
}

__attribute__((target("avx2"))) static inline uint64_t bits(__m256i a, __m256i b)
{
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32 | (uint32_t)_mm256_movemask_epi8(a);
}

__attribute__((target("avx2"))) static inline struct masks block(const struct wanted *w,
                                                                 const char *p)
{
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
    return (struct masks){
        bits(_mm256_cmpeq_epi8(a, w->lf), _mm256_cmpeq_epi8(b, w->lf)),
        bits(_mm256_cmpeq_epi8(a, w->colon), _mm256_cmpeq_epi8(b, w->colon)),
        bits(_mm256_cmpgt_epi8(w->limit, _mm256_add_epi8(a, w->one)),
             _mm256_cmpgt_epi8(w->limit, _mm256_add_epi8(b, w->one))),
    };
}

// Behind the last line. `specials` are those in the header lines that do not end them.
static inline void finish(struct sip_index *x, uint32_t head_end, uint32_t at, int64_t specials)
{
    uint32_t from = x->at;
    x->head_end = head_end;
    x->at = at;
    if (specials != 0) {
        look_closer(x, from, head_end);
    }
}

__attribute__((target("avx2,bmi,popcnt"))) void sip_index_fast(struct sip_index *x)
{
    const char *p = x->p;
    const char *stop = p + x->n;
    if (x->n < 64) {
        sip_index_plain(x);
        return;
    }
    const struct wanted *wants = wanted();
    struct walk w = {x, x->m, stop - SIP_HEADER_NAME_ROOM + 1, _mm_set1_epi8(0x40)};
    __asm__("" : "+x"(w.letters));
    const char *last = stop - 64; // the last block: it ends with the bytes
    const char *at = p + x->at;   // the block
    const char *start = at;       // of the line that is open
    const char *colon = stop;     // the first one in it in the blocks before; none
    int64_t specials = 0;
    uint64_t there = ~(uint64_t)0;
    while (start < stop) {
        if (at > last) { // of which a part was read already
            there <<= at - last;
            at = last;
        }
        struct masks m = block(wants, at);
        uint64_t lf = m.lf & there;
        uint64_t colons = m.colon & there;
        uint64_t special = m.special & there;
        for (; lf != 0; lf = _blsr_u64(lf)) {
            const char *end = at + _tzcnt_u64(lf);
            const char *here = at + _tzcnt_u64(colons); // the end of the block for none
            colon = colon < here ? colon : here;
            specials -= 2;
            if (colon >= end || !add_plain_line(&w, start, colon, end)) {
                if (is_empty_line(start, end)) {
                    special &= _blsmsk_u64(lf);
                    specials += __builtin_popcountll(special) + 1 - (end - start);
                    x->whole = true;
                    finish(x, (uint32_t)(start - p), (uint32_t)(end - p) + 1, specials);
                    return;
                }
                specials += end[-1] != '\r'; // one byte less ends the line
                add_line(x, start, colon < end ? colon : end, end);
            }
            start = end + 1;
            colon = stop;
            colons &= ~_blsmsk_u64(lf); // those of the lines that follow
        }
        if (colons != 0 && colon == stop) {
            colon = at + _tzcnt_u64(colons);
        }
        specials += __builtin_popcountll(special);
        if (at == last) {
            break;
        }
        at += 64;
    }
    if (start < stop) {
        add_line(x, start, colon, stop);
    }
    finish(x, x->n, x->n, specials);
}

bool sip_index_has_fast(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
}

#else

void sip_index_fast(struct sip_index *x)
{
    sip_index_plain(x);
}

bool sip_index_has_fast(void)
{
    return false;
}

#endif

void sip_index_lines(struct sip_index *x)
{
    if (sip_index_has_fast()) {
        sip_index_fast(x);
    } else {
        sip_index_plain(x);
    }
}
