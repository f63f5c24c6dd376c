// Tests of SCTP chunks: their fields, and every prefix of a packet before an unmapped page.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "guard.h"
#include "sctp_maker.h"
#include "wire/net/sctp.h"

static void sctp_chunk_fields_are_read(void **state)
{
    (void)state;
    struct bytes b = {0};
    struct sctp_walk w;
    struct sctp_data d;
    sctp_head(&b, 0x12345678);
    sctp_data_chunk(&b, B | U, 0xfffffffe, 5, "abc");
    sctp_idata_chunk(&b, B, 7, 6, 8, 9, "x");
    sctp_idata_chunk(&b, E, 8, 6, 8, 3, "y");
    sctp_chunk(&b, ABORT, 0, NULL, 0);
    assert_true(sctp_begin(&w, b.p, (uint32_t)b.n));
    assert_int_equal(w.tag, 0x12345678);
    assert_true(sctp_next(&w, &d));
    assert_int_equal(d.tsn, 0xfffffffe);
    assert_true(d.stream == 5 && d.ssn == 7 && d.ppid == 9 && d.n == 3);
    assert_true(d.begins && !d.ends && d.unordered && !d.is_cut && !d.is_interleaved);
    assert_memory_equal(d.bytes, "abc", 3);
    assert_true(sctp_next(&w, &d));
    assert_true(d.tsn == 7 && d.stream == 6 && d.message == 8 && d.ppid == 9 && d.fragment == 0);
    assert_true(sctp_next(&w, &d));
    assert_true(d.is_interleaved && d.ends && d.fragment == 3 && d.ppid == 0);
    assert_false(w.has_end);
    assert_false(sctp_next(&w, &d));
    assert_true(w.has_end && !w.has_init);
    assert_false(sctp_begin(&w, b.p, 11));
    bytes_free(&b);
}

static void sctp_prefix_gives_whole_chunks_and_one_cut(void **state)
{
    (void)state;
    struct bytes b = {0};
    sctp_head(&b, 1);
    sctp_data_chunk(&b, B | E, 1, 1, "12345");
    sctp_data_chunk(&b, B | E, 2, 1, "678");
    for (size_t n = 0; n <= b.n; n++) {
        uint8_t *p = guard_copy(b.p, n);
        struct sctp_walk w;
        struct sctp_data d;
        size_t whole = 0, cut = 0;
        if (sctp_begin(&w, p, (uint32_t)n)) {
            while (sctp_next(&w, &d)) {
                assert_true(d.n > 0 && d.bytes >= p && d.bytes + d.n <= p + n);
                whole += !d.is_cut;
                cut += d.is_cut;
            }
        }
        // 12 + 16 + 5 + 3 of padding, 16 + 3 + 1 of padding
        assert_int_equal(whole, (n >= 33) + (n >= 55));
        assert_int_equal(cut, (n > 28 && n < 33) || (n > 52 && n < 55));
        guard_free(p, n);
    }
    bytes_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sctp_chunk_fields_are_read),
        cmocka_unit_test(sctp_prefix_gives_whole_chunks_and_one_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
