// Writes JSON.
//
// Budget: a text costs one look at each 16 bytes (8 without SSE2) and one copy; numbers are
// formatted in place in the output's buffer. A message of 413 bytes: 3,500 instructions, 0.3 us.
// Proof: bench/show_json.
#include "show/json_writer.h"

#include "base/bytes.h"
#include "show/endpoint.h"
#include "show/number.h"
#include "show/utf8.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

void json_init(struct json *j, struct output *out)
{
    j->out = out;
    j->comma = false;
}

// Before every element of an array and every value after a key.
static void before(struct json *j)
{
    if (j->comma) {
        OUTPUT(j->out, ",");
    }
    j->comma = true;
}

void json_open(struct json *j, char bracket)
{
    before(j);
    output_bytes(j->out, &bracket, 1);
    j->comma = false;
}

void json_close(struct json *j, char bracket)
{
    output_bytes(j->out, &bracket, 1);
    j->comma = true;
}

void json_break(struct json *j)
{
    if (j->comma) {
        OUTPUT(j->out, ",\n");
    } else {
        OUTPUT(j->out, "\n");
    }
    j->comma = false;
}

void json_key(struct json *j, const char *with_comma, size_t n)
{
    size_t skip = j->comma ? 0 : 1;
    output_bytes(j->out, with_comma + skip, n - skip);
    j->comma = false;
}

void json_key_name(struct json *j, const char *name)
{
    json_str(j, name);
    OUTPUT(j->out, ":");
    j->comma = false;
}

// Marks the bytes of a word that have to be looked at (below 0x20, '"', '\\', 0x7f or above) by
// their top bits. Borrows may mark bytes above a marked one too, so only the lowest mark counts.
static uint64_t special_marks(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101u, tops = ones * 0x80;
    uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\', del = word ^ ones * 0x7f;
    uint64_t hit = word | (word - ones * 0x20) | (quote - ones) | (backslash - ones) | (del - ones);
    return hit & tops;
}

static bool is_special_byte(uint8_t byte)
{
    return byte < 0x20 || byte == '"' || byte == '\\' || byte >= 0x7f;
}

// Where the first special byte of the 8 at p stands, or 8. The first byte in memory is the lowest
// of the word: see base/bytes.h.
static size_t plain_in_word(const char *p)
{
    uint64_t marks = special_marks(le64((const uint8_t *)p));
    return marks ? (size_t)__builtin_ctzll(marks) / 8 : 8;
}

// How many bytes from p on can be copied as they are.
static size_t plain_run_words(const char *p, size_t n)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        size_t plain = plain_in_word(p + i);
        if (plain < 8) {
            return i + plain;
        }
    }
    if (n >= 8) {
        return n - 8 + plain_in_word(p + n - 8); // again what is known to be plain, and the rest
    }
    while (i < n && !is_special_byte((uint8_t)p[i])) {
        i++;
    }
    return i;
}

#if defined(__SSE2__)

// Where the first special byte of the 16 at p stands, or 16.
static size_t plain_in_vector(const char *p)
{
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i low = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20)); // as signed: 0x80 and above too
    __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
    __m128i backslash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
    __m128i del = _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7f));
    __m128i special = _mm_or_si128(_mm_or_si128(low, quote), _mm_or_si128(backslash, del));
    unsigned marks = (unsigned)_mm_movemask_epi8(special);
    return marks ? (size_t)__builtin_ctz(marks) : 16;
}

static size_t plain_run(const char *p, size_t n)
{
    if (n < 16) {
        return plain_run_words(p, n);
    }
    for (size_t i = 0; i + 16 <= n; i += 16) {
        size_t plain = plain_in_vector(p + i);
        if (plain < 16) {
            return i + plain;
        }
    }
    return n - 16 + plain_in_vector(p + n - 16);
}

#else

static size_t plain_run(const char *p, size_t n)
{
    return plain_run_words(p, n);
}

#endif

static void escape_control(struct output *out, uint32_t code)
{
    char text[6] = {'\\', 'u', '0', '0'};
    const char *const shorts = "\bb\tt\nn\ff\rr\"\"\\\\";
    for (const char *at = shorts; *at; at += 2) {
        if (code == (uint8_t)at[0]) {
            text[1] = at[1];
            output_bytes(out, text, 2);
            return;
        }
    }
    text[4] = "0123456789abcdef"[code >> 4 & 15];
    text[5] = "0123456789abcdef"[code & 15];
    output_bytes(out, text, 6);
}

// One character that could not be copied in a run; returns its bytes.
static size_t put_special(struct output *out, const char *p, size_t n)
{
    uint32_t code;
    size_t took = utf8_next(p, n, &code);
    if (code == UTF8_INVALID) {
        OUTPUT(out, "\xef\xbf\xbd");
    } else if (code < 0xa0) {
        escape_control(out, code);
    } else {
        output_bytes(out, p, took);
    }
    return took;
}

void json_text(struct json *j, const char *p, size_t n)
{
    before(j);
    OUTPUT(j->out, "\"");
    while (n > 0) {
        size_t run = plain_run(p, n);
        if (run > 0) {
            output_bytes(j->out, p, run);
        } else {
            run = put_special(j->out, p, n);
        }
        p += run;
        n -= run;
    }
    OUTPUT(j->out, "\"");
}

void json_str(struct json *j, const char *text)
{
    json_text(j, text, strlen(text));
}

void json_u64(struct json *j, uint64_t value)
{
    before(j);
    output_took(j->out, number_u64(output_room(j->out, NUMBER_BYTES), value));
}

void json_i64(struct json *j, int64_t value)
{
    before(j);
    output_took(j->out, number_i64(output_room(j->out, NUMBER_BYTES), value));
}

void json_bool(struct json *j, bool value)
{
    before(j);
    if (value) {
        OUTPUT(j->out, "true");
    } else {
        OUTPUT(j->out, "false");
    }
}

// Text between quotes that needs no escapes: room for it, and its end.
static char *quoted_begin(struct json *j, size_t room)
{
    before(j);
    char *at = output_room(j->out, room + 2);
    *at = '"';
    return at + 1;
}

static void quoted_end(struct json *j, char *text, size_t n)
{
    text[n] = '"';
    output_took(j->out, n + 2);
}

void json_time(struct json *j, int64_t ns)
{
    char *text = quoted_begin(j, NUMBER_BYTES);
    quoted_end(j, text, number_time(text, ns));
}

void json_ms(struct json *j, int64_t ns)
{
    before(j);
    output_took(j->out, number_ms(output_room(j->out, NUMBER_BYTES), ns));
}

void json_decimal(struct json *j, double value, unsigned digits)
{
    before(j);
    output_took(j->out, number_decimal(output_room(j->out, NUMBER_BYTES), value, digits, true));
}

void json_endpoint(struct json *j, const struct sidetone_endpoint *e)
{
    char *text = quoted_begin(j, ENDPOINT_TEXT_BYTES);
    quoted_end(j, text, endpoint_show(text, e));
}

void json_hex32(struct json *j, uint32_t value)
{
    char *text = quoted_begin(j, NUMBER_BYTES);
    quoted_end(j, text, number_hex32(text, value));
}

void json_texts(struct json *j, const struct sidetone_text *texts, size_t n)
{
    json_open(j, '[');
    for (size_t i = 0; i < n; i++) {
        json_text(j, texts[i].p, texts[i].n);
    }
    json_close(j, ']');
}
