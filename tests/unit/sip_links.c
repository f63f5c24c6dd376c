// Tests of the header values that tie dialogs together: what is read, what is refused, and input
// that ends anywhere.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "guard.h"
#include "links_inside.h"
#include "slice_assert.h"

#define A "ab30317f1a784dc48ff824d0d3715d86"
#define B "47755a9de7794ba387653f2099600ef2"
#define N "00000000000000000000000000000000"

static void session_id_table(void **state)
{
    static const struct {
        const char *text;
        bool ok, has_local, has_remote;
    } rows[] = {
        {A ";remote=" B, true, true, true},
        {A " ; remote = " B " ;x", true, true, true},
        {A ";logme;Remote=\"" B "\"", true, true, true},
        {A ";remote=" N, true, true, false},
        {N ";remote=" A, true, false, true},
        {N ";remote=" N, true, false, false},
        {A, true, true, false},
        {"AB30317F-1A78-4DC4-8FF8-24D0D3715D86", true, true, false},
        {A ";remote=12", true, true, false},
        {A "0", false, false, false},
        {"-" A, false, false, false},
        {"ab30317f1a784dc48ff824d0d3715d8", false, false, false},
        {"ab30317f1a784dc48ff824d0d3715d8g;remote=" B, false, false, false},
        {";remote=" B, false, false, false},
        {"", false, false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sip_session_id id;
        bool ok = sip_session_id(slice_str(rows[i].text), &id);
        if (ok != rows[i].ok || id.has_local != rows[i].has_local ||
            id.has_remote != rows[i].has_remote) {
            fail_msg("%s: %d %d %d", rows[i].text, ok, id.has_local, id.has_remote);
        }
    }
    struct sip_session_id id;
    sip_session_id(SLICE("0123456789abcdefFEDCBA9876543210;remote=" B), &id);
    static const uint8_t local[] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
                                    0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10};
    assert_memory_equal(id.local, local, sizeof local);
    assert_int_equal(id.remote[0], 0x47);
    assert_int_equal(id.remote[15], 0xf2);
}

static void dialog_name_table(void **state)
{
    static const struct {
        const char *text, *call_id, *to_tag, *from_tag;
    } rows[] = {
        // RFC 3891 6.1
        {"98732@sip.example.com;from-tag=r33th4x0r;to-tag=ff87ff", "98732@sip.example.com",
         "ff87ff", "r33th4x0r"},
        {" 12adf2f34456gs5 ;to-tag=12345; from-tag=54321;early-only", "12adf2f34456gs5", "12345",
         "54321"},
        {"a@b;TO-TAG=1;to-tag=2;x;from-tag=", "a@b", "1", ""},
        {"a@b", "a@b", "", ""},
        {";to-tag=1", "", "1", ""},
        {"", "", "", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sip_dialog_name d;
        bool ok = sip_dialog_name(slice_str(rows[i].text), &d);
        assert_int_equal(ok, rows[i].call_id[0] != '\0');
        assert_slice(d.call_id, rows[i].call_id);
        assert_slice(d.to_tag, rows[i].to_tag);
        assert_slice(d.from_tag, rows[i].from_tag);
    }
}

static void diversion_table(void **state)
{
    static const struct {
        const char *text;
        const char *uris[4];
    } rows[] = {
        {"<sip:bob@ex.com>;reason=no-answer, \"B, C\" <tel:+4420>;counter=1",
         {"sip:bob@ex.com", "tel:+4420"}},
        {"<sip:bob@ex.com?Reason=SIP%3Bcause%3D302>;index=1,<sip:x@y>;index=1.1",
         {"sip:bob@ex.com", "sip:x@y"}},
        {"sip:bob@ex.com;reason=busy,,nothing,<sips:c@d>", {"sip:bob@ex.com", "sips:c@d"}},
        {"\"unclosed <sip:a@b>", {"sip:a@b"}},
        {"<>, ,;", {NULL}},
        {"", {NULL}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct slice rest = slice_str(rows[i].text), uri;
        for (size_t k = 0; rows[i].uris[k]; k++) {
            assert_true(sip_diversion_next(&rest, &uri));
            assert_slice(uri, rows[i].uris[k]);
        }
        assert_false(sip_diversion_next(&rest, &uri));
    }
}

static void uri_header_table(void **state)
{
    static const struct {
        const char *text, *value;
    } rows[] = {
        {"Replaces=a%40b%3Bto-tag%3D1%3bfrom-tag%3D2", "a@b;to-tag=1;from-tag=2"},
        {"x=1&rEPLACES=abc&Replaces=d", "abc"},
        {"Replaces=%", "%"},
        {"Replaces=%4", "%4"},
        {"Replaces=%4g%41", "%4gA"},
        {"Replaces=a=b", "a=b"},
        {"Replaces", ""},
        {"Replaces=", ""},
        {"XReplaces=1&&=&", ""},
        {"", ""},
    };
    char out[64];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = sip_uri_header(slice_str(rows[i].text), SLICE("Replaces"), out, sizeof out);
        assert_slice(slice_of(out, n), rows[i].value);
    }
}

static void number_table(void **state)
{
    static const struct {
        const char *text, *digits;
    } rows[] = {
        {"+44 20", ""},
        {"+44-20-7946.0123", "442079460123"},
        {"+1(202)5550199;phone-context=x", "12025550199"},
        {"12345678901234567890123456789012", "12345678901234567890123456789012"},
        {"123456789012345678901234567890123", ""},
        {"0", "0"},
        {"4+4", ""},
        {"*97", ""},
        {"bob", ""},
        {"4420b", ""},
        {"+", ""},
        {"", ""},
    };
    char digits[SIP_NUMBER_DIGITS_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = sip_number(slice_str(rows[i].text), digits);
        assert_slice(slice_of(digits, n), rows[i].digits);
    }
}

static const char *const VALUES[] = {
    A ";remote=" B,
    "98732@sip.example.com;from-tag=r33th4x0r;to-tag=ff87ff;early-only",
    "<sip:bob@ex.com?Reason=SIP%3Bcause%3D302>;index=1, \"C, \\\"D\" <tel:+44-20;ext=1>;index=1.1",
    "x=1&Replaces=a%40b%3Bto-tag%3D1%3Bfrom-tag%3D2&Require=replaces",
    "+1(202)555-0199;phone-context=+1",
};

static void values_that_end_at_an_unmapped_page_are_read_inside(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
        for (size_t n = 0; n <= strlen(VALUES[i]); n++) {
            uint8_t *p = guard_copy(VALUES[i], n);
            links_check_all((const char *)p, n);
            guard_free(p, n);
        }
    }
}

static void values_with_each_byte_changed_are_read_inside(void **state)
{
    static const char bytes[] = {'\0', ' ', '"', '\\', '%', '&', '<',       '>',
                                 ',',  ';', '=', '?',  'f', '0', (char)0xff};
    (void)state;
    for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
        size_t n = strlen(VALUES[i]);
        uint8_t *p = guard_copy(VALUES[i], n);
        for (size_t at = 0; at < n; at++) {
            for (size_t k = 0; k < sizeof bytes; k++) {
                p[at] = (uint8_t)bytes[k];
                links_check_all((const char *)p, n);
            }
            p[at] = (uint8_t)VALUES[i][at];
        }
        guard_free(p, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(session_id_table),
        cmocka_unit_test(dialog_name_table),
        cmocka_unit_test(diversion_table),
        cmocka_unit_test(uri_header_table),
        cmocka_unit_test(number_table),
        cmocka_unit_test(values_that_end_at_an_unmapped_page_are_read_inside),
        cmocka_unit_test(values_with_each_byte_changed_are_read_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
