// Feeds the readers of headers that tie dialogs together with anything. What must hold is in
// tests/unit/links_inside.h; here also: a message with the bytes in each such header is kept by a
// call within its limits.
#include "../unit/links_inside.h"
#include "base/memory.h"
#include "decode/decode.h"
#include "track/call_bin.h"
#include "track/call_extras.h"

#define HEADER_COUNT 8

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void check_call(const struct call *c)
{
    const struct call_links *l = c->links;
    uint32_t links = 0, transfers = 0;
    for (const struct call_link *at = l ? l->links : NULL; at; at = at->next) {
        INSIDE_CHECK(at->part[0].n > 0);
        INSIDE_CHECK(at->part[0].n + at->part[1].n + at->part[2].n <= CALL_LINK_TEXT_MAX);
        links++;
    }
    for (const struct call_transfer *at = call_transfers(c); at; at = at->next) {
        INSIDE_CHECK(at->target.call_id.n <= CALL_LINK_TEXT_MAX && at->made == -1);
        transfers++;
    }
    INSIDE_CHECK(links <= CALL_LINKS_MAX && transfers <= CALL_TRANSFERS_MAX);
    INSIDE_CHECK(!l || links == l->link_count);
}

// One message with the bytes as the value of `header`, folded into `bin` as its bytes go away.
static void fold(struct call_bin *bin, const char *method, size_t which, const char *p, size_t n)
{
    static const char *const HEADERS[HEADER_COUNT] = {"X-CID",       "Session-ID", "Replaces",
                                                      "Join",        "Diversion",  "History-Info",
                                                      "Referred-By", "Refer-To"};
    struct records records;
    struct sip_message m;
    char *text = malloc(n + 400);
    INSIDE_CHECK(text != NULL);
    int head = snprintf(text, 400,
                        "%s sip:bob@x SIP/2.0\r\nVia: SIP/2.0/UDP h;branch=z9hG4bK%zu\r\n"
                        "From: <sip:a@x>;tag=1\r\nTo: <sip:b@x>\r\nCall-ID: c@x\r\nCSeq: 1 %s\r\n"
                        "%s: ",
                        method, which, method, HEADERS[which]);
    if (n > 0) {
        memcpy(text + head, p, n);
    }
    memcpy(text + head + n, "\r\n\r\n", 4);
    size_t size = (size_t)head + n + 4;
    records_init(&records);
    struct datagram d = {.payload = (const uint8_t *)text, .payload_n = (uint32_t)size};
    struct origin from = {.time_ns = 1};
    INSIDE_CHECK(sip_parse(&m, text, size, SIP_DATAGRAM, false) > 0);
    decode_message(&records, &m, &d, TRANSPORT_UDP, MESSAGE_LENT, &from);
    free(text);
    call_bin_message(bin, records.lists[SIP_RECORDS].items);
    records_fini(&records);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const char *p = (const char *)bytes;
    struct call_bin bin;
    links_check_all(p, n);
    if (n > 4096) {
        return 0;
    }
    call_bin_init(&bin, 0);
    for (size_t i = 0; i < HEADER_COUNT; i++) {
        fold(&bin, "INVITE", i, p, n);
        fold(&bin, "REFER", i, p, n);
    }
    for (uint32_t i = 0; i < bin.call_count; i++) {
        check_call(bin.calls[i]);
    }
    call_bin_fini(&bin);
    return 0;
}
