// Writes JSON.
//
// Budget: a text costs one look at each 8 bytes and one copy; numbers are formatted in place in the
// output's buffer.
#include "show/json_writer.h"

#include "show/endpoint.h"
#include "show/number.h"
#include "show/utf8.h"

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
    json_string(j, name);
    OUTPUT(j->out, ":");
    j->comma = false;
}

// Has any byte of the word to be looked at: below 0x20, '"', '\\', 0x7f or above? May say yes too
// often (borrows run into higher bytes), never too rarely.
static bool is_special_word(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101u, tops = ones * 0x80;
    uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\', del = word ^ ones * 0x7f;
    uint64_t hit = word | (word - ones * 0x20) | (quote - ones) | (backslash - ones) | (del - ones);
    return (hit & tops) != 0;
}

static bool is_special_byte(uint8_t byte)
{
    return byte < 0x20 || byte == '"' || byte == '\\' || byte >= 0x7f;
}

// How many bytes from p on can be copied as they are.
static size_t plain_run(const char *p, size_t n)
{
    size_t i = 0;
    while (i + 8 <= n) {
        uint64_t word;
        memcpy(&word, p + i, 8);
        if (is_special_word(word)) {
            break;
        }
        i += 8;
    }
    while (i < n && !is_special_byte((uint8_t)p[i])) {
        i++;
    }
    return i;
}

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

void json_string(struct json *j, const char *text)
{
    json_text(j, text, strlen(text));
}

void json_u64(struct json *j, uint64_t value)
{
    before(j);
    output_took(j->out, number_u64(output_room(j->out, NUMBER_BYTES), value));
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

void json_time(struct json *j, int64_t ns)
{
    before(j);
    char *at = output_room(j->out, NUMBER_BYTES);
    size_t n = number_time(at + 1, ns);
    at[0] = '"';
    at[n + 1] = '"';
    output_took(j->out, n + 2);
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
    before(j);
    char *at = output_room(j->out, ENDPOINT_SHOW_BYTES + 2);
    size_t n = endpoint_show(at + 1, e);
    at[0] = '"';
    at[n + 1] = '"';
    output_took(j->out, n + 2);
}

void json_hex32(struct json *j, uint32_t value)
{
    before(j);
    char *at = output_room(j->out, NUMBER_BYTES);
    size_t n = number_hex32(at + 1, value);
    at[0] = '"';
    at[n + 1] = '"';
    output_took(j->out, n + 2);
}
