// Tests of compressed captures as a report shows them: what follows them, what is not read of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "outcome.h"
#include "own_captures.h"
#include "pack.h"

// gzip ignores it too.
static void input_with_something_behind_its_gzip_member_is_complete_with_a_warning(void **state)
{
    (void)state;
    static const char *const BEHIND[] = {"\0\0\0", "\0\0junk", "junk"};
    for (size_t i = 0; i < 3; i++) {
        struct bytes b = {0}, packed = {0};
        own_pcap(&b, LINK_ETHERNET);
        pack_gzip(&packed, b.p, b.n);
        bytes_put(&packed, BEHIND[i], i == 1 ? 6 : 3);
        struct outcome o = read_bytes(packed.p, packed.n);
        assert_int_equal(o.status, SIDETONE_OK);
        assert_true(o.capture->complete);
        assert_int_equal(o.capture->packets, 41);
        assert_int_equal(o.capture->warning_count, i == 0 ? 0 : 1);
        assert_true(i == 0 || warns(o.capture, "follows the compressed data"));
        sidetone_report_free(o.report);
        bytes_free(&b);
        bytes_free(&packed);
    }
}

// What came before a frame that needs too large a window is read.
static void input_with_a_later_frame_of_a_large_window_is_read_up_to_it(void **state)
{
    (void)state;
    struct bytes b = {0}, packed = {0};
    own_pcap(&b, LINK_ETHERNET);
    pack_zstd(&packed, b.p, b.n);
    bytes_put(&packed, "\x28\xb5\x2f\xfd\0\xa8\1\0\0", 9);
    struct outcome o = read_bytes(packed.p, packed.n);
    assert_int_equal(o.status, SIDETONE_PARTIAL);
    assert_int_equal(o.capture->packets, 41);
    assert_true(warns(o.capture, "after packet 41 its zstd window is larger than 128 MiB"));
    sidetone_report_free(o.report);
    bytes_free(&b);
    bytes_free(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(input_with_something_behind_its_gzip_member_is_complete_with_a_warning),
        cmocka_unit_test(input_with_a_later_frame_of_a_large_window_is_read_up_to_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
