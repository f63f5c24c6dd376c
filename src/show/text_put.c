// Small pieces of text for people.
#include "show/text_put.h"

#include "show/endpoint.h"
#include "show/number.h"
#include "show/text_table.h"
#include "show/utf8.h"

void put_str(struct output *out, const char *text)
{
    output_slice(out, slice_str(text));
}

void put_u64(struct output *out, uint64_t value)
{
    output_took(out, number_u64(output_room(out, NUMBER_BYTES), value));
}

void put_grouped(struct output *out, uint64_t value)
{
    output_took(out, number_grouped(output_room(out, NUMBER_BYTES), value));
}

void put_size(struct output *out, uint64_t bytes)
{
    output_took(out, number_size(output_room(out, NUMBER_BYTES), bytes));
}

void put_duration(struct output *out, int64_t ns)
{
    output_took(out, number_duration(output_room(out, NUMBER_BYTES), ns));
}

void put_decimal(struct output *out, double value, unsigned digits)
{
    output_took(out, number_decimal(output_room(out, NUMBER_BYTES), value, digits, false));
}

void put_percent(struct output *out, double percent)
{
    put_decimal(out, percent, 2);
    OUTPUT(out, " %");
}

void put_endpoint(struct output *out, const struct sidetone_endpoint *e)
{
    output_took(out, endpoint_show(output_room(out, ENDPOINT_TEXT_BYTES), e));
}

void put_count(struct output *out, uint64_t count, const char *one, const char *many)
{
    put_grouped(out, count);
    OUTPUT(out, " ");
    put_str(out, count == 1 ? one : many);
}

unsigned put_safe(struct output *out, struct slice text, unsigned columns)
{
    char safe[UTF8_SAFE_BYTES(PUT_SAFE_COLUMNS_MAX)];
    unsigned used;
    columns = columns < PUT_SAFE_COLUMNS_MAX ? columns : PUT_SAFE_COLUMNS_MAX;
    output_bytes(out, safe, utf8_safe(safe, text.p, text.n, columns, &used));
    return used;
}

void put_safe_whole(struct output *out, struct slice text, const char *marked, char mark)
{
    for (size_t i = 0, took; i < text.n; i += took) {
        char safe[UTF8_SAFE_BYTES(4)];
        unsigned used;
        uint32_t code;
        took = utf8_next(text.p + i, text.n - i, &code);
        if (code > 0 && code < 0x80 && strchr(marked, (int)code)) {
            output_bytes(out, &mark, 1);
        }
        bool is_harmful = utf8_columns(code) < 0;
        took = is_harmful ? 1 : took; // its bytes one by one
        output_bytes(out, safe, utf8_safe(safe, text.p + i, took, 4, &used));
    }
}

void put_grouped_right(struct output *out, uint64_t value, unsigned columns)
{
    char text[NUMBER_BYTES];
    size_t n = number_grouped(text, value);
    output_blanks(out, n < columns ? columns - n : 0);
    output_bytes(out, text, n);
}

void put_left(struct output *out, const char *text, unsigned columns)
{
    size_t n = strlen(text);
    output_bytes(out, text, n);
    output_blanks(out, n < columns ? columns - n : 1);
}
