// Classes of characters 16 bytes at a time against one byte at a time: every byte, every length, at
// the end of a page.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guard.h"
#include "wire/sip/chars.h"

static void compare(struct slice s, unsigned classes)
{
    assert_int_equal(sip_chars_are(s, classes), sip_chars_are_plain(s, classes));
}

static void chars_each_byte_in_each_class_same_answer(void **arg)
{
    (void)arg;
    for (unsigned classes = 0; classes < 256; classes++) {
        for (int c = 0; c < 256; c++) {
            char bytes[32];
            memset(bytes, c, sizeof bytes);
            compare(slice_of(bytes, 5), classes);
            compare(slice_of(bytes, 9), classes);
            compare(slice_of(bytes, sizeof bytes), classes);
        }
    }
}

// One byte that is in no class, or only in another, at each place of each length; the slice ends
// with its page.
static void chars_one_stranger_at_each_place_same_answer(void **arg)
{
    (void)arg;
    static const char STRANGERS[] = " :\r\n\200\377@\0";
    for (size_t n = 1; n <= 70; n++) {
        char bytes[70];
        memset(bytes, 'a', n);
        uint8_t *copy = guard_copy(bytes, n);
        for (size_t at = 0; at < n; at++) {
            for (size_t k = 0; k < sizeof STRANGERS; k++) {
                copy[at] = (uint8_t)STRANGERS[k];
                for (unsigned bit = 0; bit < 8; bit++) {
                    compare(slice_of((const char *)copy, n), 1u << bit);
                }
                compare(slice_of((const char *)copy, n), SIP_CHAR_TOKEN | SIP_CHAR_LWS);
            }
            copy[at] = 'a';
        }
        assert_true(sip_is_token(slice_of((const char *)copy, n)));
        guard_free(copy, n);
    }
    assert_true(sip_chars_are(slice_of(NULL, 0), SIP_CHAR_TOKEN));
    assert_false(sip_is_token(slice_of(NULL, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chars_each_byte_in_each_class_same_answer),
        cmocka_unit_test(chars_one_stranger_at_each_place_same_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
