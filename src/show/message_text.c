// One SIP message as a line for people.
#include "show/message_text.h"

#include "show/endpoint.h"
#include "show/number.h"
#include "show/text_put.h"
#include "show/text_table.h"

#define PATH_COLUMNS 46 // two IPv4 endpoints and the arrow
#define HEAD_COLUMNS 70 // time, path and transport
#define CSEQ_COLUMNS 14 // "1234 SUBSCRIBE"

static void put_path(struct output *out, const struct sidetone_message *m)
{
    char src[ENDPOINT_TEXT_BYTES], dst[ENDPOINT_TEXT_BYTES];
    size_t src_n = endpoint_show(src, &m->src), dst_n = endpoint_show(dst, &m->dst);
    output_bytes(out, src, src_n);
    OUTPUT(out, " \xe2\x86\x92 "); // an arrow
    output_bytes(out, dst, dst_n);
    size_t used = src_n + 3 + dst_n;
    output_blanks(out, used < PATH_COLUMNS ? PATH_COLUMNS - used : 1);
}

// "INVITE sip:bob@example.com", "200 OK (1 INVITE)".
static unsigned put_start(struct output *out, const struct sidetone_message *m, unsigned room)
{
    unsigned used;
    if (m->is_request) {
        used = put_safe(out, text_slice(m->method), room / 3);
        OUTPUT(out, " ");
        return used + 1 + put_safe(out, text_slice(m->uri), room - used - 1);
    }
    size_t n = number_u64(output_room(out, NUMBER_BYTES), m->code);
    output_took(out, n);
    OUTPUT(out, " ");
    used = (unsigned)n + 1;
    used += put_safe(out, text_slice(m->reason), room - used - CSEQ_COLUMNS - 3);
    OUTPUT(out, " (");
    used += put_safe(out, text_slice(m->cseq), CSEQ_COLUMNS);
    OUTPUT(out, ")");
    return used + 3;
}

static void put_headers(struct output *out, const struct sidetone_message *m)
{
    for (size_t i = 0; i < m->header_count; i++) {
        OUTPUT(out, "    ");
        put_safe(out, text_slice(m->header_names[i]), 64);
        OUTPUT(out, ": ");
        put_safe(out, text_slice(m->header_values[i]), PUT_SAFE_COLUMNS_MAX);
        OUTPUT(out, "\n");
    }
}

void message_text(struct output *out, const struct sidetone_message *m, bool with_headers,
                  unsigned width)
{
    unsigned room = width > HEAD_COLUMNS + 60 ? width - HEAD_COLUMNS - 20 : 40;
    if (m->time_ns != SIDETONE_UNKNOWN) {
        output_took(out, number_clock(output_room(out, NUMBER_BYTES), m->time_ns));
    }
    OUTPUT(out, "  ");
    put_path(out, m);
    put_left(out, m->transport ? m->transport : "", 5);
    unsigned used = put_start(out, m, room);
    if (m->call_id.n > 0) {
        output_blanks(out, used < room ? room - used + 2 : 2);
        put_safe(out, text_slice(m->call_id), TABLE_CELL_COLUMNS);
    }
    if (m->is_incomplete) {
        OUTPUT(out, "  (incomplete)");
    }
    OUTPUT(out, "\n");
    if (with_headers) {
        put_headers(out, m);
    }
}
