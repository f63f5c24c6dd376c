// The one walk over captures of every format: it finds the same packets in each, and what it says
// of a border before it is reached is what the step over it finds.
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "guard.h"
#include "own_captures.h"
#include "wire/cap/walk.h"

// A pcap file and a pcapng file in both byte orders, with the same datagrams.
static struct cap_format open_row(int row, struct bytes *b, size_t *at)
{
    struct cap_format f = {.kind = row == 0 ? CAP_PCAP : CAP_PCAPNG};
    *at = 0;
    if (row == 0) {
        own_pcap(b, LINK_ETHERNET);
        *at = (size_t)pcap_open(&f.pcap, b->p, b->n);
    } else {
        own_pcapng(b, row == 2);
    }
    return f;
}

static void walk_finds_the_same_packets_in_every_format(void **state)
{
    (void)state;
    uint64_t lengths[3] = {0};
    for (int row = 0; row < 3; row++) {
        struct bytes b = {0};
        size_t at;
        struct cap_format f = open_row(row, &b, &at);
        static struct pcapng ng;
        ng = (struct pcapng){0};
        int packets = 0;
        int64_t near_ns = 0;
        while (at < b.n) {
            uint8_t *p = guard_copy(b.p + at, b.n - at);
            size_t n = b.n - at;
            struct cap_record record;
            struct cap_block block;
            uint64_t size = 0;
            uint64_t said = cap_walk_size(&f, &ng, p, n);
            bool is_plausible = packets == 0 || cap_walk_plausible(&f, &ng, p, n, near_ns);
            enum cap_step step = cap_walk_next(&f, &ng, p, n, &record, &size, &block);
            assert_true(step == CAP_RECORD || (step == CAP_SKIP && f.kind == CAP_PCAPNG));
            assert_true(is_plausible);
            assert_int_equal(said, size);
            assert_int_equal(at % cap_walk_alignment(&f), 0);
            if (step == CAP_RECORD) {
                packets++;
                near_ns = record.has_time ? record.time_ns : near_ns;
                lengths[row] += record.length;
            } else {
                assert_true(block.body >= p && block.body_n <= n);
            }
            guard_free(p, n);
            at += (size_t)size;
        }
        assert_int_equal(packets, 41);
        if (row == 2) { // the pcap file has other link types than these
            assert_int_equal(lengths[2], lengths[1]);
        }
        bytes_free(&b);
    }
}

static void walk_size_of_too_few_bytes_is_what_is_needed_or_nothing(void **state)
{
    (void)state;
    for (int row = 0; row < 3; row++) {
        struct bytes b = {0};
        size_t at;
        struct cap_format f = open_row(row, &b, &at);
        static struct pcapng ng;
        ng = (struct pcapng){0};
        uint64_t whole = cap_walk_size(&f, &ng, b.p + at, b.n - at);
        for (size_t n = 0; n < whole; n++) {
            uint8_t *p = guard_copy(b.p + at, n);
            uint64_t said = cap_walk_size(&f, &ng, p, n);
            assert_true(row == 0 ? said > n && said <= whole : said == (n < 12 ? 0 : whole));
            guard_free(p, n);
        }
        bytes_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walk_finds_the_same_packets_in_every_format),
        cmocka_unit_test(walk_size_of_too_few_bytes_is_what_is_needed_or_nothing),
    };
    return cmocka_run_group_tests_name("cap_walk", tests, NULL, NULL);
}
