// Tests of SIP records: what of a message whose bytes are lent only outlives them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "decode/decode.h"

// Every field of the record that borrows has a value in one of them.
static const char REQUEST[] = "INVITE sip:bob@example.com SIP/2.0\r\n"
                              "Via: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bK1\r\n"
                              "From: <sip:alice@example.com>;tag=a1\r\n"
                              "To: <sip:bob@example.com>;tag=b1\r\n"
                              "Call-ID: leg2@example.com\r\n"
                              "X-Call-ID: leg1@example.com\r\n"
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
    records_fini(&kept);
    records_fini(&borrowed);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
