// Fuzz target: text of the wire on its way to JSON and to a terminal.
#include "show/json_writer.h"
#include "show/text_put.h"
#include "show/utf8.h"

#include <stdlib.h>

#define MUST(condition)                                                                            \
    if (!(condition)) {                                                                            \
        abort();                                                                                   \
    }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct kept {
    size_t n;
    char text[1 << 16];
};

static int keep(void *context, const char *p, size_t n)
{
    struct kept *k = context;
    MUST(n <= sizeof k->text - k->n);
    memcpy(k->text + k->n, p, n);
    k->n += n;
    return 0;
}

// A JSON string and nothing else: quotes only at its ends, no control character, whole UTF-8.
static void check_json(const char *p, size_t n)
{
    MUST(n >= 2 && p[0] == '"' && p[n - 1] == '"');
    for (size_t i = 1, took; i < n - 1; i += took) {
        uint32_t code;
        took = utf8_next(p + i, n - 1 - i, &code);
        MUST(code != UTF8_INVALID && code >= 0x20 && code != '"' && (code < 0x7f || code > 0x9f));
        if (code == '\\') {
            MUST(i + 1 < n - 1 && strchr("\"\\bfnrtu", p[i + 1]));
            took = p[i + 1] == 'u' ? 6 : 2;
            MUST(i + took <= n - 1);
        }
    }
}

static void check_terminal(const char *p, size_t n, unsigned columns)
{
    static char text[UTF8_SAFE_BYTES(256)];
    unsigned used, sum = 0;
    size_t written = utf8_safe(text, p, n, columns, &used);
    MUST(written <= UTF8_SAFE_BYTES(columns) && used <= columns);
    for (size_t i = 0; i < written;) {
        uint32_t code;
        i += utf8_next(text + i, written - i, &code);
        int wide = utf8_columns(code);
        MUST(wide >= 0);
        sum += (unsigned)wide;
    }
    MUST(sum == used);
}

// Whole, for cells of tables: nothing but what a terminal may show, and each mark in its place.
static void check_whole(const char *p, size_t n)
{
    for (size_t i = 0, took; i < n; i += took) {
        uint32_t code;
        took = utf8_next(p + i, n - i, &code);
        MUST(utf8_columns(code) >= 0);
        MUST(code != '|' || (i > 0 && p[i - 1] == '\\'));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct output out;
    static struct kept kept;
    struct json json;
    const char *p = (const char *)data;
    if (size > 8192) { // a byte becomes at most six
        return 0;
    }
    kept.n = 0;
    output_init(&out, keep, &kept);
    json_init(&json, &out);
    json_text(&json, p, size);
    output_flush(&out);
    check_json(kept.text, kept.n);
    kept.n = 0;
    put_safe_whole(&out, slice_of(p, size), "|\\", '\\');
    output_flush(&out);
    check_whole(kept.text, kept.n);
    for (unsigned columns = 0; columns <= 256; columns = columns * 2 + 1) {
        check_terminal(p, size, columns);
    }
    return 0;
}
