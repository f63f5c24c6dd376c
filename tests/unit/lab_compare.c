// Tests of reading what other programs say: their tables as they are, cut at every length, and with
// any byte in any place.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "guard.h"
#include "lab/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *said;
    struct compare_facts facts;
} CASES[] = {
    {"sidetone",
     "{\"schema_version\":1,\n\"capture\":{\"files\":1,\"packets\":107},\n\"calls\":[\n"
     "{\"call_id\":\"a\",\"state\":\"ended\"},\n{\"call_id\":\"b\",\"state\":\"failed\"}],"
     "\n\"streams\":[\n"
     "{\"kind\":\"audio\",\"ssrc\":\"0x1\",\"lost\":3,\"jitter_ms\":1.5,\"mos\":4.0},\n"
     "{\"kind\":\"audio\",\"ssrc\":\"0x2\",\"lost\":4,\"jitter_ms\":2.5}]}\n",
     {107, 2, 2, 7, 2.0, 4.0}},
    {"sngrep",
     "\rDialog count: 0\rDialog count: 17",
     {COMPARE_NOT_TOLD, 17, COMPARE_NOT_TOLD, COMPARE_NOT_TOLD, NAN, NAN}},
    {"tshark",
     "========================= RTP Streams ========================\n"
     "   Start time      End time     Src IP addr  Port    Lost   Min Delta(ms)\n"
     " 0.4 8.9 10.32.0.5 16384 10.48.0.5 16384 0x7DB647B8 g711U 300 -1 (-0.3%) 17.1 20.0 22.6 0.1 "
     "24.0 9 X\n"
     " 0.4 8.9 10.32.0.5 16386 10.48.0.5 16384 0x7DB647B9 RTPType 96 100 3 (3.0%) 17.1 20.0 22.6 "
     "0.1 26.0 9\n"
     "==============================================================\n x 5 (5.0%) 1 2 3 4 5 6\n",
     {COMPARE_NOT_TOLD, COMPARE_NOT_TOLD, 2, 2, 25.0, NAN}},
    {"sipgrep",
     "---\nDialog finished: [a]\nx\n\nDialog finished: [b]\n",
     {COMPARE_NOT_TOLD, 2, COMPARE_NOT_TOLD, COMPARE_NOT_TOLD, NAN, NAN}},
    {"sipnab",
     "Call-ID   From   To\n-------\na@b  1 2 Completed\nb@b  1 2 Failed\n\nRTP Streams:\nSSRC "
     "PT\n-----\n"
     "0x5bbf0705 0 PCMU 8000 10.48.0.4:16384 10.32.0.4:16384 250 5 2.0% 6ms 7s 44\n"
     "0x5bbf0706 0 PCMU 8000 10.48.0.4:16384 10.32.0.4:16386 250 0 0.0% 8ms 7s 44\n",
     {COMPARE_NOT_TOLD, 2, 2, 5, 7.0, NAN}},
};

static const struct compare_peer *peer(const char *name)
{
    for (size_t i = 0; i < COMPARE_PEERS; i++) {
        if (strcmp(compare_peers[i].name, name) == 0) {
            return &compare_peers[i];
        }
    }
    return NULL;
}

static void assert_same(double a, double b)
{
    assert_true((isnan(a) && isnan(b)) || fabs(a - b) < 1e-9);
}

static void tables_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct compare_facts f = compare_facts_none();
        const struct compare_facts *want = &CASES[i].facts;
        peer(CASES[i].name)->read(&f, slice_str(CASES[i].said));
        assert_int_equal(f.packets, want->packets);
        assert_int_equal(f.calls, want->calls);
        assert_int_equal(f.streams, want->streams);
        assert_int_equal(f.lost, want->lost);
        assert_same(f.jitter_ms, want->jitter_ms);
        assert_same(f.mos, want->mos);
    }
}

static void tables_that_are_cut_or_odd_do_no_harm(void **state)
{
    (void)state;
    static const char BYTES[] = {0, '\n', ' ', '(', '%', ')', '-', '{', '"', '9', (char)0xff};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct compare_peer *p = peer(CASES[i].name);
        size_t n = strlen(CASES[i].said);
        struct compare_facts f = compare_facts_none();
        for (size_t cut = 0; cut <= n; cut++) {
            uint8_t *copy = guard_copy(CASES[i].said, cut);
            p->read(&f, slice_of((const char *)copy, cut));
            guard_free(copy, cut);
        }
        uint8_t *changed = guard_copy(CASES[i].said, n);
        for (size_t at = 0; at < n; at++) {
            uint8_t was = changed[at];
            for (size_t b = 0; b < sizeof BYTES; b++) {
                changed[at] = (uint8_t)BYTES[b];
                p->read(&f, slice_of((const char *)changed, n));
            }
            changed[at] = was;
        }
        guard_free(changed, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_read),
        cmocka_unit_test(tables_that_are_cut_or_odd_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
