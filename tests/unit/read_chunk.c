// Tests of chunks: borders that are guessed, records in bins, counts, and buffers that are used
// again.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "guard.h"
#include "mixed.h"
#include "own_captures.h"
#include "read/chunk.h"

#define CHUNKS_MAX 4096

static struct capture_file file;
static struct input input;

static void open_bytes(const struct bytes *b)
{
    file = capture_file(b->p, b->n);
    assert_int_equal(input_open(&input, file.path, 3, NULL), 0);
    assert_int_equal(input_reopen(&input), 0);
}

static void close_all(struct chunk *c)
{
    chunk_fini(c);
    input_fini(&input);
    capture_file_close(&file);
}

static void aim(struct chunk *c, uint64_t offset, uint64_t span, bool known, uint64_t begin)
{
    c->input = &input;
    c->offset = offset;
    c->span = span;
    c->has_begin = known;
    c->begin = begin;
    if (input.ng) {
        c->ng = c->ng ? c->ng : memory_alloc(sizeof *c->ng);
        pcapng_copy(c->ng, input.ng);
    }
}

static void *record_of(const struct chunk *c, enum record_kind kind, uint32_t i)
{
    return record_order(&c->records.lists[kind], kind, i);
}

static uint32_t count_of(const struct chunk *c, enum record_kind kind)
{
    return c->records.lists[kind].count;
}

static void check_bin(const struct chunk *c, enum record_kind kind, uint32_t bin)
{
    const struct record_list *list = &c->records.lists[kind];
    const char *p = (const char *)c->buffer;
    for (uint32_t i = list->begin[bin]; i < list->begin[bin + 1]; i++) {
        assert_true(i == list->begin[bin] || list->sorted[i - 1] < list->sorted[i]);
        if (kind == MEDIA_RECORDS) {
            const struct media_record *r = record_of(c, kind, list->sorted[i]);
            assert_int_equal(bin_of_media(r->dst), bin);
        } else {
            const struct sip_record *r = record_of(c, kind, list->sorted[i]);
            assert_int_equal(bin_of_call(r->call_id), bin);
            assert_true(r->raw.p >= p && r->raw.p + r->raw.n <= p + c->buffer_n);
        }
    }
}

static void check_bins(const struct chunk *c)
{
    static const enum record_kind KINDS[] = {MEDIA_RECORDS, SIP_RECORDS};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(c->records.lists[KINDS[k]].begin[BINS], count_of(c, KINDS[k]));
        for (uint32_t bin = 0; bin < BINS; bin++) {
            check_bin(c, KINDS[k], bin);
        }
    }
}

static void chunk_of_a_whole_file_has_every_record_in_its_bin(void **state)
{
    (void)state;
    struct mixed m;
    struct bytes b = {0};
    struct chunk c;
    chunk_init(&c);
    mixed_make(&m, capture_seed("read_chunk", 1), 10);
    mixed_pcap(&m, &b, LINK_ETHERNET);
    open_bytes(&b);
    aim(&c, input.records_at, b.n, true, input.records_at);
    chunk_decode(&c);
    assert_int_equal(c.why, END_OF_INPUT);
    assert_int_equal(c.packets, m.n);
    assert_int_equal(c.end, b.n);
    assert_int_equal(c.first_ns, m.packets[0].time_ns);
    assert_int_equal(c.last_ns, m.packets[m.n - 1].time_ns);
    check_bins(&c);
    chunk_settle(&c, 1, INT64_MIN + 1);
    chunk_settle_records(&c);
    for (uint32_t i = 0; i < count_of(&c, MEDIA_RECORDS); i++) {
        const struct order o = *record_order(&c.records.lists[MEDIA_RECORDS], MEDIA_RECORDS, i);
        assert_int_equal(order_file(o), 3);
        assert_int_equal(o.time_ns, m.packets[order_record(o) - 1].time_ns);
    }
    close_all(&c);
    bytes_free(&b);
    mixed_free(&m);
}

// Every offset: what is guessed is a border or nothing, and the chunk before ends where it begins.
static void chunk_guesses_borders_of_records(void **state)
{
    (void)state;
    for (int format = 0; format < 3; format++) {
        struct bytes b = {0};
        struct chunk c;
        chunk_init(&c);
        size_t borders[128], count = 0, right = 0, guessed = 0;
        if (format == 0) {
            own_pcap(&b, LINK_ETHERNET);
        } else {
            own_pcapng(&b, format == 2);
        }
        open_bytes(&b);
        for (size_t at = input.records_at; at < b.n && count < 128; count++) {
            borders[count] = at;
            const uint8_t *p = b.p + at;
            at += format == 0 ? 16 + le32(p + 8) : format == 1 ? le32(p + 4) : be32(p + 4);
        }
        for (size_t offset = input.records_at; offset < b.n; offset++) {
            size_t next = 0;
            while (next < count && borders[next] < offset) {
                next++;
            }
            aim(&c, offset, b.n, false, 0);
            chunk_decode(&c);
            guessed += c.has_begin;
            right += c.has_begin && next < count && c.begin == borders[next];
        }
        // A wrong guess costs a second decoding; more than a few would be a bad rule.
        assert_true(guessed > 0 && right * 10 >= guessed * 9);
        close_all(&c);
        bytes_free(&b);
    }
}

static void chunks_of_any_span_end_where_the_next_begins(void **state)
{
    (void)state;
    static const uint64_t SPANS[] = {1, 17, 100, 999, 4096};
    struct bytes b = {0};
    own_pcap(&b, LINK_SLL);
    for (size_t i = 0; i < 5; i++) {
        struct chunk c;
        chunk_init(&c);
        uint64_t packets = 0, begin, media = 0, sip = 0;
        open_bytes(&b);
        begin = input.records_at;
        for (uint64_t offset = begin; offset < b.n; offset += SPANS[i]) {
            aim(&c, offset, SPANS[i], true, begin > offset ? begin : offset);
            if (begin < offset) {
                fail_msg("the chunk before ended at %lu", (unsigned long)begin);
            }
            chunk_decode(&c);
            packets += c.packets;
            media += count_of(&c, MEDIA_RECORDS);
            sip += count_of(&c, SIP_RECORDS);
            begin = c.end;
            assert_true(c.why == END_NONE || c.end == b.n);
            check_bins(&c);
        }
        assert_int_equal(packets, 41);
        assert_int_equal(media, 36);
        assert_int_equal(sip, 5);
        close_all(&c);
    }
    bytes_free(&b);
}

// A long last record makes a chunk read on: what was decoded before must stay where it is.
static void chunk_with_a_long_last_record_keeps_its_messages(void **state)
{
    (void)state;
    static uint8_t jumbo[200000];
    struct bytes b = {0};
    struct chunk c;
    chunk_init(&c);
    own_pcap(&b, LINK_ETHERNET);
    size_t before = b.n;
    pcap_add(&b, CAPTURE_START_NS + 2000 * MS, jumbo, sizeof jumbo);
    open_bytes(&b);
    aim(&c, input.records_at, before - input.records_at + 1, true, input.records_at);
    chunk_decode(&c);
    assert_int_equal(c.packets, 42);
    check_bins(&c);
    const struct sip_record *first = record_of(&c, SIP_RECORDS, 0);
    assert_memory_equal(first->raw.p, "INVITE sip:b@x SIP/2.0", 22);
    close_all(&c);
    bytes_free(&b);
}

// Of a block that nobody reads the beginning is there; where it ends no byte may be looked at.
static void chunk_ends_with_its_bytes_in_a_block_that_is_longer(void **state)
{
    (void)state;
    struct bytes b = {0};
    struct chunk c;
    own_pcapng(&b, false);
    size_t border = b.n;
    open_bytes(&b);
    ng_other(&b, false, 300000);
    for (size_t missing = 4; missing < 2000; missing += 4) { // less than a page
        size_t n = b.n - missing;
        uint8_t *bytes = guard_copy(b.p, n);
        chunk_init(&c);
        aim(&c, input.records_at, n - input.records_at, true, input.records_at);
        c.buffer_at = 0;
        c.begin = input.records_at;
        c.buffer = bytes;
        c.buffer_n = n;
        c.is_filled = true;
        chunk_decode(&c);
        assert_int_equal(c.why, END_NONE);
        assert_int_equal(c.packets, 41);
        assert_true(c.end > border + 300000);
        c.is_last = true;
        chunk_decode(&c);
        assert_int_equal(c.why, END_CUT);
        assert_int_equal(c.end, border);
        c.buffer = NULL;
        chunk_fini(&c);
        guard_free(bytes, n);
    }
    input_fini(&input);
    capture_file_close(&file);
    bytes_free(&b);
}

static void chunk_that_is_decoded_again_allocates_nothing(void **state)
{
    (void)state;
    struct bytes b = {0};
    struct chunk c;
    chunk_init(&c);
    own_pcap(&b, LINK_ETHERNET);
    open_bytes(&b);
    uint64_t calls = 0;
    for (int i = 0; i < 100; i++) {
        aim(&c, input.records_at, b.n, true, input.records_at);
        chunk_decode(&c);
        calls = i == 0 ? memory_calls() : calls;
    }
    assert_int_equal(memory_calls() - calls, 0);
    close_all(&c);
    bytes_free(&b);
}

static void chunk_behind_a_later_clock_takes_its_order_from_it(void **state)
{
    (void)state;
    struct bytes b = {0};
    struct chunk c;
    chunk_init(&c);
    own_pcap(&b, LINK_ETHERNET);
    open_bytes(&b);
    aim(&c, input.records_at, b.n, true, input.records_at);
    chunk_decode(&c);
    int64_t running_ns = CAPTURE_START_NS + 405 * MS;
    chunk_settle(&c, 1000, running_ns);
    chunk_settle_records(&c);
    for (uint32_t i = 0; i < count_of(&c, MEDIA_RECORDS); i++) {
        const struct media_record *r = record_of(&c, MEDIA_RECORDS, i);
        int64_t own_ns = CAPTURE_START_NS + (int64_t)(order_record(r->order) - 1000) * 20 * MS;
        assert_int_equal(r->time_ns, own_ns);
        assert_int_equal(r->order.time_ns, own_ns > running_ns ? own_ns : running_ns);
    }
    assert_int_equal(c.running_ns, CAPTURE_START_NS + 800 * MS);
    assert_int_equal(order_record(c.records.last_order), 1040);
    close_all(&c);
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunk_of_a_whole_file_has_every_record_in_its_bin),
        cmocka_unit_test(chunk_guesses_borders_of_records),
        cmocka_unit_test(chunks_of_any_span_end_where_the_next_begins),
        cmocka_unit_test(chunk_with_a_long_last_record_keeps_its_messages),
        cmocka_unit_test(chunk_ends_with_its_bytes_in_a_block_that_is_longer),
        cmocka_unit_test(chunk_that_is_decoded_again_allocates_nothing),
        cmocka_unit_test(chunk_behind_a_later_clock_takes_its_order_from_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
