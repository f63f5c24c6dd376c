// Tests of what a call notes of other calls: each once, within its limits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call_script.h"
#include "slice_assert.h"

static struct script s;

static int begin(void **state)
{
    (void)state;
    script_begin(&s);
    return 0;
}

static int end(void **state)
{
    (void)state;
    script_end(&s);
    return 0;
}

// A message as in call_script.h, with one header that ties it to others.
static void say_link(const char *line, enum sip_link_kind kind, const char *value)
{
    struct sip_link link = {NULL, kind, slice_str(value)};
    script_message(&s, slice_of(line + 1, strlen(line + 1)), line[0] == '>');
    s.now_ms += 10;
    s.ip_id++;
    s.last.links = &link;
    script_give(&s);
    s.last.links = NULL;
}

static void say_origin(const char *line, const char *origin)
{
    char body[200];
    snprintf(body, sizeof body, "v=0\r\no=%s\r\nm=audio 4000 RTP/AVP 0\r\n", origin);
    script_message(&s, slice_of(line + 1, strlen(line + 1)), line[0] == '>');
    s.now_ms += 10;
    s.ip_id++;
    s.last.body = slice_str(body);
    s.last.has_sdp = true;
    script_give(&s);
}

static const struct call_links *links(void)
{
    return s.bin.calls[0]->links;
}

static void call_without_evidence_keeps_nothing(void **state)
{
    (void)state;
    script_run(&s, ">INVITE 1\n<200 1\n>ACK 1\n");
    assert_null(links());
}

static void call_ids_are_noted_once_and_not_its_own(void **state)
{
    (void)state;
    say_link(">INVITE 1 c=1", SIP_LINK_CALL_ID, " 2@x , 1,2@x;p=1,3@x");
    say_link("<200 1", SIP_LINK_CALL_ID, "3@x");
    assert_int_equal(links()->link_count, 2);
    assert_slice(links()->links->part[0], "2@x");
    assert_slice(links()->links->next->part[0], "3@x");
}

static void links_beyond_their_limits_are_not_kept(void **state)
{
    char many[1000] = "", text[CALL_LINK_TEXT_MAX + 2];
    size_t n = 0;
    (void)state;
    for (int i = 0; i < CALL_LINKS_MAX + 5; i++) {
        n += (size_t)snprintf(many + n, sizeof many - n, "%d@y,", i);
    }
    memset(text, 'a', sizeof text);
    text[CALL_LINK_TEXT_MAX + 1] = '\0';
    say_link(">INVITE 1 b=1", SIP_LINK_CALL_ID, text);
    assert_null(links());
    text[CALL_LINK_TEXT_MAX] = '\0';
    say_link(">INVITE 1 b=2", SIP_LINK_CALL_ID, text);
    assert_int_equal(links()->link_count, 1);
    say_link(">INVITE 1 b=3", SIP_LINK_CALL_ID, many);
    assert_int_equal(links()->link_count, CALL_LINKS_MAX);
}

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define N "00000000000000000000000000000000"

static void session_of_both_sides_is_one_pair(void **state)
{
    (void)state;
    say_link(">INVITE 1", SIP_LINK_SESSION, B ";remote=" A);
    say_link("<200 1", SIP_LINK_SESSION, A ";remote=" B);
    say_link(">ACK 1", SIP_LINK_SESSION, N ";remote=" N);
    assert_int_equal(links()->link_count, 1);
    assert_memory_equal(links()->links->part[0].p, "\xaa\xaa\xaa\xaa\xaa\xaa", 6);
    assert_memory_equal(links()->links->part[1].p, "\xbb\xbb\xbb\xbb\xbb\xbb", 6);
}

static void session_without_peer_has_one_uuid(void **state)
{
    (void)state;
    say_link(">INVITE 1", SIP_LINK_SESSION, N ";remote=" B);
    assert_int_equal(links()->links->part[0].n, SIP_UUID_BYTES);
    assert_int_equal(links()->links->part[1].n, 0);
}

static void diversion_to_its_own_target_is_none(void **state)
{
    (void)state;
    say_link(">INVITE 1", SIP_LINK_DIVERSION, "<sip:bob@y>;index=1,<sip:carol@y>,<tel:+4420;x=1>");
    assert_int_equal(links()->link_count, 2);
    assert_slice(links()->links->part[0], "carol");
    assert_slice(links()->links->next->part[0], "+4420");
}

static void replaces_inside_a_dialog_is_none(void **state)
{
    (void)state;
    say_link(">INVITE 1", SIP_LINK_SESSION, A);
    say_link(">INVITE 2 t=b", SIP_LINK_REPLACES, "9@x;to-tag=1;from-tag=2");
    assert_int_equal(links()->link_count, 1);
}

static void origin_is_noted_without_its_version(void **state)
{
    (void)state;
    say_origin(">INVITE 1", "gw 77 1 IN IP4 192.0.2.1");
    say_origin("<200 1", "gw 78 1 IN IP4 192.0.2.1");
    say_origin(">INVITE 2 t=b", "gw 77 2 IN IP4 192.0.2.1");
    assert_int_equal(links()->origin_count, 2);
    assert_int_equal(links()->origin_by_caller, 1);
    assert_true(links()->origins[0] != links()->origins[1]);
}

static void origin_that_tells_nothing_is_not_noted(void **state)
{
    static const char *const ORIGINS[] = {"- 0 0 IN IP4 192.0.2.1",
                                          "- 1 1 IN IP4 192.0.2.1",
                                          "gw 1 5 IN IP4 192.0.2.1",
                                          "gw 77",
                                          "gw",
                                          "",
                                          " ",
                                          "gw  77 1"};
    (void)state;
    for (size_t i = 0; i < sizeof ORIGINS / sizeof *ORIGINS; i++) {
        char line[40];
        snprintf(line, sizeof line, ">INVITE 1 b=%zu", i);
        say_origin(line, ORIGINS[i]);
        assert_null(links());
    }
}

static void origins_beyond_their_limit_are_not_kept(void **state)
{
    (void)state;
    for (int i = 0; i < CALL_ORIGINS_MAX + 3; i++) {
        char line[40], origin[60];
        snprintf(line, sizeof line, ">INVITE 1 b=%d", i);
        snprintf(origin, sizeof origin, "gw %d 1 IN IP4 192.0.2.1", 100 + i);
        say_origin(line, origin);
    }
    assert_int_equal(links()->origin_count, CALL_ORIGINS_MAX);
}

static void other_kinds_than_calls_keep_nothing(void **state)
{
    (void)state;
    say_link(">OPTIONS 1", SIP_LINK_CALL_ID, "2@x");
    say_link(">OPTIONS 1 b=2", SIP_LINK_SESSION, A);
    assert_null(links());
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(call_without_evidence_keeps_nothing),    TEST(call_ids_are_noted_once_and_not_its_own),
        TEST(links_beyond_their_limits_are_not_kept), TEST(session_of_both_sides_is_one_pair),
        TEST(session_without_peer_has_one_uuid),      TEST(diversion_to_its_own_target_is_none),
        TEST(replaces_inside_a_dialog_is_none),       TEST(origin_is_noted_without_its_version),
        TEST(origin_that_tells_nothing_is_not_noted), TEST(origins_beyond_their_limit_are_not_kept),
        TEST(other_kinds_than_calls_keep_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
