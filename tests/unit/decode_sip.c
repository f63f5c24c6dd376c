// Tests of SIP records: what of a message whose bytes are lent only outlives them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "decode/decode.h"

#include <stdio.h>

// Every field of the record that borrows has a value in one of them.
static const char REQUEST[] = "INVITE sip:bob@example.com SIP/2.0\r\n"
                              "Via: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bK1\r\n"
                              "From: <sip:alice@example.com>;tag=a1\r\n"
                              "To: <sip:bob@example.com>;tag=b1\r\n"
                              "Call-ID: leg2@example.com\r\n"
                              "X-Call-ID: leg1@example.com\r\n"
                              "History-Info: <sip:carol@example.com>;index=1\r\n"
                              "Session-ID: ab30317f1a784dc48ff824d0d3715d86\r\n"
                              "History-Info: <sip:dave@example.com>;index=2\r\n"
                              "Join: 1@example.com;to-tag=1;from-tag=2\r\n"
                              "CSeq: 1 INVITE\r\n"
                              "User-Agent: phone\r\n"
                              "Content-Type: application/sdp\r\n"
                              "Content-Length: 5\r\n\r\n"
                              "v=0\r\n";
static const char RESPONSE[] = "SIP/2.0 200 Fine\r\n"
                               "Via: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bK1\r\n"
                               "From: <sip:alice@example.com>;tag=a1\r\n"
                               "To: <sip:bob@example.com>;tag=b1\r\n"
                               "Call-ID: leg2@example.com\r\n"
                               "CSeq: 1 INVITE\r\n\r\n";

static const size_t BORROWED[] = {
    offsetof(struct sip_record, raw),         offsetof(struct sip_record, body),
    offsetof(struct sip_record, method_text), offsetof(struct sip_record, uri),
    offsetof(struct sip_record, reason),      offsetof(struct sip_record, call_id),
    offsetof(struct sip_record, from),        offsetof(struct sip_record, to),
    offsetof(struct sip_record, from_tag),    offsetof(struct sip_record, to_tag),
    offsetof(struct sip_record, branch),      offsetof(struct sip_record, agent),
    offsetof(struct sip_record, cseq_text),
};

static const struct sip_record *decode_text(struct records *r, const char *p, size_t n,
                                            enum message_state state)
{
    struct sip_message m;
    struct datagram d = {.payload = (const uint8_t *)p, .payload_n = (uint32_t)n};
    struct origin from = {.time_ns = 1};
    assert_true(sip_parse(&m, p, n, SIP_DATAGRAM, false) > 0);
    decode_message(r, &m, &d, TRANSPORT_TCP, state, &from);
    const struct record_list *list = &r->lists[SIP_RECORDS];
    return &((const struct sip_record *)list->items)[list->count - 1];
}

static void check_outlives(const char *text, size_t n)
{
    struct records kept, borrowed;
    records_init(&kept);
    records_init(&borrowed);
    char *lent = memory_alloc(n);
    memcpy(lent, text, n);
    const struct sip_record *a = decode_text(&kept, lent, n, MESSAGE_LENT);
    memory_free(lent); // under AddressSanitizer nobody can look there any more
    const struct sip_record *b = decode_text(&borrowed, text, n, 0);
    for (size_t i = 0; i < sizeof BORROWED / sizeof *BORROWED; i++) {
        const struct slice *is = (const struct slice *)((const char *)a + BORROWED[i]);
        const struct slice *should_be = (const struct slice *)((const char *)b + BORROWED[i]);
        bool is_inside = is->n == 0 || (is->p >= a->raw.p && is->p + is->n <= a->raw.p + a->raw.n);
        assert_true(is_inside);
        assert_true(slice_eq(*is, *should_be));
    }
    const struct sip_link *x = a->links, *y = b->links;
    for (; x && y; x = x->next, y = y->next) {
        assert_true(x->kind == y->kind && slice_eq(x->value, y->value));
        assert_true(x->value.p >= a->raw.p && x->value.p + x->value.n <= a->raw.p + a->raw.n);
    }
    assert_true(!x && !y);
    records_fini(&kept);
    records_fini(&borrowed);
}

static void links_of_a_record_are_all_lines_that_mean_something_in_it(void **state)
{
    static const struct {
        const char *lines;
        const char *kinds; // digits: enum sip_link_kind
        const char *last;
    } ROWS[] = {
        {"INVITE x:\r\nX-CID: 1\r\nX-Call-ID: 2\r\nSession-ID: 3\r\n", "001", "3"},
        {"INVITE x:\r\nReplaces: 1\r\nJoin: 2\r\njoin: 3\r\n", "233", "3"},
        {"INVITE x:\r\nHistory-Info: 1\r\nDiversion: 2\r\nb: 3\r\n", "445", "3"},
        {"INVITE x:\r\nReferred-By: 1\r\nRefer-To: 2\r\n", "5", "1"},
        {"REFER x:\r\nr: 1\r\nReferred-By: 2\r\nReplaces: 3\r\n", "", ""},
        {"INVITE x:\r\nTo: <x:>;tag=1\r\nJoin: 2\r\n", "", ""},
        {"BYE x:\r\nSession-ID: 1\r\nX-CID:\r\n", "1", "1"},
        {"BYE x:\r\nDiversion: 1\r\nReplaces: 2\r\n", "", ""},
        {"OPTIONS x:\r\nSubject: 1\r\n", "", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char text[400], kinds[32];
        struct records r;
        size_t count = 0;
        struct slice last = slice_of(NULL, 0);
        const char *rest = strchr(ROWS[i].lines, '\r');
        int n = snprintf(text, sizeof text, "%.*s SIP/2.0%s\r\n", (int)(rest - ROWS[i].lines),
                         ROWS[i].lines, rest);
        records_init(&r);
        const struct sip_record *record = decode_text(&r, text, (size_t)n, 0);
        for (const struct sip_link *at = record->links; at; at = at->next) {
            kinds[count++] = (char)('0' + at->kind);
            last = at->value;
        }
        kinds[count] = '\0';
        assert_string_equal(kinds, ROWS[i].kinds);
        assert_true(slice_eq(last, slice_str(ROWS[i].last)));
        records_fini(&r);
    }
}

static void links_of_a_message_beyond_the_limit_are_passed_over(void **state)
{
    char text[2000];
    struct records r;
    size_t count = 0;
    (void)state;
    int n = snprintf(text, sizeof text, "INVITE x: SIP/2.0\r\n");
    for (int i = 0; i < 40; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "X-CID: %d\r\n", i);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "\r\n");
    records_init(&r);
    const struct sip_record *record = decode_text(&r, text, (size_t)n, 0);
    for (const struct sip_link *at = record->links; at; at = at->next) {
        count++;
    }
    assert_int_equal(count, 16);
    records_fini(&r);
}

static void record_of_a_lent_request_outlives_its_bytes(void **state)
{
    (void)state;
    check_outlives(REQUEST, sizeof REQUEST - 1);
}

static void record_of_a_lent_response_outlives_its_bytes(void **state)
{
    (void)state;
    check_outlives(RESPONSE, sizeof RESPONSE - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(record_of_a_lent_request_outlives_its_bytes),
        cmocka_unit_test(record_of_a_lent_response_outlives_its_bytes),
        cmocka_unit_test(links_of_a_record_are_all_lines_that_mean_something_in_it),
        cmocka_unit_test(links_of_a_message_beyond_the_limit_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
