// Tests of SIP on a stream: messages are the same however the bytes are cut, lengths that lie,
// keep-alives, limits, the frames of each message.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "carried_stream.h"
#include "flow/carried_parts.h"

struct sip_case {
    const char *stream;
    const char *heard;
    uint64_t skipped, incomplete, too_long;
};

#define LONGER "Content-Length: 9999999\r\n"

static const struct sip_case CASES[] = {
    {INVITE OPTIONS OK, "INVITE/29 OPTIONS/0 200/0 ", 0, 0, 0},
    {HELLO OPTIONS, "MESSAGE/5 OPTIONS/0 ", 0, 0, 0},
    // CRLFs: before, between, after; LF alone; never part of a message
    {"\r\n\r\n", "k4 ", 0, 0, 0},
    {"\r\n\r\n" OPTIONS "\r\n\r\n" OK "\r\n", "k4 OPTIONS/0 k4 200/0 k2 ", 0, 0, 0},
    {OPTIONS "\n" OK "\r", "OPTIONS/0 k1 200/0 k1 ", 0, 0, 0},
    {OPTIONS "  " OK, "OPTIONS/0 200/0 ", 2, 0, 0},
    {"OPTIONS sip:b@x SIP/2.0\nCall-ID: c\nl: 2\n\nhi" OK, "OPTIONS/2 200/0 ", 0, 0, 0},
    // no Content-Length: no body
    {"OPTIONS sip:b@x SIP/2.0\r\nCall-ID: c\r\n\r\n" OK, "OPTIONS/0 200/0 ", 0, 0, 0},
    {INVITE_WITH("", SDP) OK, "INVITE/0 200/0 ", 29, 0, 0},
    // none that can be used: the message ends with its headers
    {INVITE_WITH("Content-Length: -999\r\n", SDP) OK, "INVITE/0 200/0 ", 29, 0, 0},
    {INVITE_WITH("Content-Length: 99999999999999999999\r\n", SDP) OK, "INVITE/0 200/0 ", 29, 0, 0},
    {INVITE_WITH("Content-Length: abc\r\n", SDP) OK, "INVITE/0 200/0 ", 29, 0, 0},
    {INVITE_WITH("Content-Length: 29\r\nl: 28\r\n", SDP) OK, "INVITE/0 200/0 ", 29, 0, 0},
    {INVITE_WITH("Content-Length: 29\r\nl: 29\r\n", SDP) OK, "INVITE/29 200/0 ", 0, 0, 0},
    {INVITE_WITH("Content-Length: -1\r\n", "") OK, "INVITE/0 200/0 ", 0, 0, 0},
    // wrong ones: too small; too large in SDP, which holds no start line; beyond the limit
    {INVITE_WITH("Content-Length: 20\r\n", SDP) OK, "INVITE/20 200/0 ", 9, 0, 0},
    {INVITE_WITH("Content-Length: 200\r\n", SDP) OK OK, "INVITE/29! 200/0 200/0 ", 0, 1, 0},
    {TEXT_WITH(LONGER, "hi\r\n") OK OK, "MESSAGE/4! 200/0 200/0 ", 0, 0, 1},
    {TEXT_WITH("Content-Length: 127\r\n", OK) OK, "MESSAGE/127 200/0 ", 0, 0, 0},
    // no empty line
    {"OPTIONS sip:b@x SIP/2.0\r\nCall-ID: c\r\n" OK, "OPTIONS/0! 200/0 ", 0, 1, 0},
    {"OPTIONS sip:b@x SIP/2.0\r\nCall-ID: c\r\nl: 5\r\n" HELLO OK, "OPTIONS/0! MESSAGE/5 200/0 ", 0,
     1, 0},
    {"OPTIONS sip:b@x SIP/2.0\r\nSIP/2.0 200 OK\r\n\r\n" OK, "OPTIONS/0 200/0 ", 0, 0, 0},
    {"OPTIONS sip:b@x SIP/2.0\r\nno header\r\nx y: z\r\n\r\n" OK, "OPTIONS/0 200/0 ", 0, 0, 0},
    {"OPTIONS sip:b@x SIP/2.0\r\nX :y SIP/2.0\r\nl: 0\r\n\r\n" OK, "OPTIONS/0 200/0 ", 0, 0, 0},
    // what only looks like a start line while one is searched
    {TEXT_WITH("Content-Length: x\r\n", "SIP/2.0 100 Trying\r\n\r\n") OK, "MESSAGE/0 200/0 ", 22, 0,
     0},
    {TEXT_WITH("Content-Length: x\r\n", "ask INVITE sip:b@x SIP/2.0\r\nx: y\r\n") OK,
     "MESSAGE/0 200/0 ", 34, 0, 0},
    {TEXT_WITH("Content-Length: x\r\n", "A sip:b@x SIP/2.0 \r\nB: c\r\n") OK, "MESSAGE/0 200/0 ",
     26, 0, 0},
    {TEXT_WITH("Content-Length: x\r\n", "SIP/2.0 2x0 OK\r\nB: c\r\n") OK, "MESSAGE/0 200/0 ", 22, 0,
     0},
    // what is left of a start line after a body of the length that was said is no message
    {TEXT_WITH("Content-Length: 15\r\n", "hello") OPTIONS OK, "MESSAGE/15 200/0 ", 139, 0, 0},
    // the end of a body stands before a start line: only known methods end such a word
    {TEXT_WITH("Content-Length: 3\r\n", "hello") OPTIONS OK, "MESSAGE/3 OPTIONS/0 200/0 ", 2, 0, 0},
    {TEXT_WITH("Content-Length: 3\r\n", "hello--B") HELLO OK, "MESSAGE/3 MESSAGE/5 200/0 ", 5, 0,
     0},
    {TEXT_WITH("Content-Length: 3\r\n", "so this is") OPTIONS OK, "MESSAGE/3 OPTIONS/0 200/0 ", 7,
     0, 0},
    {TEXT_WITH("Content-Length: 3\r\n", "hello") OK OPTIONS, "MESSAGE/3 200/0 OPTIONS/0 ", 2, 0, 0},
    {TEXT_WITH("Content-Length: 3\r\n", "helUNSUBSCRIBE sip:b@x SIP/2.0\r\nl: 0\r\n\r\n") OK,
     "MESSAGE/3 UNSUBSCRIBE/0 200/0 ", 0, 0, 0},
    {OK "x-other sip:b@x SIP/2.0\r\nl: 0\r\n\r\n" OK, "200/0 x-other/0 200/0 ", 0, 0, 0},
    {OK "INVITE sip:xINVITE sip:b SIP/2.0\r\nl: 0\r\n\r\n" OK, "200/0 INVITE/0 200/0 ", 0, 0, 0},
    {OK "=\r\nhello" OPTIONS OK, "200/0 OPTIONS/0 200/0 ", 8, 0, 0},
    {"hello" OPTIONS OK, "OPTIONS/0 200/0 ", 5, 0, 0},
    // behind text in a line one place is looked at
    {OK "=xSIP/2.0 200 xSIP/2.0 200 OK\r\nVia: x\r\n\r\n" OK, "200/0 200/0 200/0 ", 2, 0, 0},
    {OK "=xSIP/2.0 200 xSIP/2.0 200 OK\r\nVia\r\n\r\n" OK, "200/0 200/0 ", 38, 0, 0},
    // the end inside a message
    {INVITE_WITH("Content-Length: 30\r\n", SDP), "INVITE/29! ", 0, 1, 0},
    {OK "OPTIONS sip:b@x SIP/2.0\r\nVia: SIP/2.0/TC", "200/0 OPTIONS/0! ", 0, 1, 0},
    {OK "OPTIONS sip:b@x SIP/2.0", "200/0 OPTIONS/0! ", 0, 1, 0},
    {OK "OPTIONS sip:b", "200/0 ", 13, 0, 0},
    {OK "garbage\r\nmore garbage", "200/0 ", 21, 0, 0},
};

static void sip_stream_however_cut_gives_the_same_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct sip_case *want = &CASES[i];
        struct stream s = {(uint8_t *)(uintptr_t)want->stream, strlen(want->stream), 0};
        uint64_t odd[FLOW_ODD_COUNT];
        stream_is(&s, want->heard, odd);
        assert_int_equal(odd[FLOW_TCP_SKIPPED], want->skipped);
        assert_int_equal(odd[FLOW_MESSAGE_INCOMPLETE], want->incomplete);
        assert_int_equal(odd[FLOW_MESSAGE_TOO_LONG], want->too_long);
    }
}

static void sip_three_messages_cut_twice_anywhere_are_three(void **state)
{
    (void)state;
    const char *stream = INVITE HELLO OK;
    size_t n = strlen(stream);
    for (size_t a = 1; a < n; a++) {
        for (size_t b = a + 1; b < n; b++) {
            struct heard h;
            heard_begin(&h);
            heard_feed(&h, stream, a);
            heard_feed(&h, stream + a, b - a);
            heard_feed(&h, stream + b, n - b);
            assert_string_equal(heard_end(&h), "INVITE/29 MESSAGE/5 200/0 ");
            assert_int_equal(h.bytes_n, n);
            assert_memory_equal(h.bytes, stream, n);
            // Each of two cuts makes at most one of three messages a copy.
            assert_true(h.borrowed >= 1);
            heard_free(&h);
        }
    }
}

static void sip_whole_messages_are_borrowed_without_allocation(void **state)
{
    (void)state;
    struct heard h;
    heard_begin(&h);
    heard_feed(&h, OPTIONS, strlen(OPTIONS));
    uint64_t calls = memory_calls();
    for (int i = 0; i < 5; i++) {
        heard_feed(&h, INVITE OK HELLO, strlen(INVITE OK HELLO));
    }
    assert_int_equal(memory_calls(), calls);
    assert_int_equal(h.pieces, 16);
    assert_int_equal(h.borrowed, 16);
    heard_end(&h);
    heard_free(&h);
}

// Feeds texts as segments; the frames are shown.
static void frames_are(const char *const *segments, const char *want)
{
    struct heard h;
    heard_begin(&h);
    h.shows_frames = true;
    for (size_t i = 0; segments[i]; i++) {
        heard_feed(&h, segments[i], strlen(segments[i]));
    }
    assert_string_equal(heard_end(&h), want);
    heard_free(&h);
}

#define HEAD_1 "INVITE sip:b@x SIP/2.0\r\nCall-ID: c\r\nContent-"
#define HEAD_2 "Length: 10\r\n\r\n01234"

static void sip_message_refers_to_the_frames_of_its_bytes(void **state)
{
    (void)state;
    frames_are((const char *[]){"INVITE", " sip:b@x SIP/2.0\r\nConte", "nt-Length: 5\r\n\r\n",
                                "hello", NULL},
               "INVITE/5@1,2,3,4 ");
    frames_are((const char *[]){OK HEAD_1, HEAD_2 "56789" OK, OK, NULL},
               "200/0@1 INVITE/10@1,2 200/0@2 200/0@3 ");
    frames_are((const char *[]){"\r", "\n\r\n", "\r\n" OK, "\r\n", NULL}, "k6@1,2,3 200/0@3 k2@4 ");
    frames_are((const char *[]){OK, "\r\n", "OPTIONS s", "ip:b@x SIP/2.0\r\nl:0\r\n\r\n\r\n", NULL},
               "200/0@1 k2@2 OPTIONS/0@3,4 k2@4 ");
}

static void sip_message_in_too_many_frames_keeps_the_last(void **state)
{
    (void)state;
    struct stream s = {0};
    stream_text(&s, "MESSAGE sip:b@x SIP/2.0\r\nl: 3000\r\n\r\n");
    stream_fill(&s, "x", 3000);
    struct heard h;
    heard_begin(&h);
    h.shows_frames = true;
    for (size_t i = 0; i < s.n; i++) {
        heard_feed(&h, s.p + i, 1);
    }
    heard_feed(&h, OK, strlen(OK));
    char want[64];
    snprintf(want, sizeof want, ",1023,%zu 200/0@%zu ", s.n, s.n + 1);
    const char *text = heard_end(&h);
    assert_string_equal(text + strlen(text) - strlen(want), want);
    heard_free(&h);
    free(s.p);
}

static void sip_keepalives_without_end_are_handed_on_in_parts(void **state)
{
    (void)state;
    struct stream s = {0};
    stream_text(&s, OK);
    stream_fill(&s, "\r\n\r\n", 600);
    stream_text(&s, OK);
    uint64_t odd[FLOW_ODD_COUNT];
    stream_is(&s, "200/0 k256 k256 k88 200/0 ", odd);
    struct stream first = {0};
    stream_fill(&first, "\r\n\r\n", 600);
    stream_text(&first, OK);
    stream_is(&first, "k256 k256 k88 200/0 ", odd);
    assert_int_equal(odd[FLOW_TCP_SKIPPED], 0);
    free(s.p);
    free(first.p);
}

// Plays a long stream whole and in pieces of some sizes.
static void long_stream_is(const struct stream *s, const char *want, uint64_t odd[FLOW_ODD_COUNT])
{
    struct heard whole, cut;
    stream_play(s, &whole, 0);
    stream_must(&whole, want, "whole", 0);
    static const size_t SIZES[] = {1, 1460, 65536, CARRIED_MESSAGE_MAX};
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        stream_play(s, &cut, SIZES[i]);
        stream_must(&cut, want, "pieces of", SIZES[i]);
        assert_true(heard_same(&whole, &cut));
        heard_free(&cut);
    }
    memcpy(odd, whole.odd, sizeof whole.odd);
    heard_free(&whole);
}

static void sip_message_of_the_largest_size_is_whole(void **state)
{
    (void)state;
    static const char HEAD[] = "MESSAGE sip:b@x SIP/2.0\r\nContent-Length: 1048524\r\n\r\n";
    struct stream s = {0};
    stream_text(&s, HEAD);
    assert_int_equal(strlen(HEAD) + 1048524, CARRIED_MESSAGE_MAX);
    stream_fill(&s, "line of text\r\n", 1048524);
    stream_text(&s, OK);
    uint64_t odd[FLOW_ODD_COUNT];
    long_stream_is(&s, "MESSAGE/1048524 200/0 ", odd);
    assert_int_equal(odd[FLOW_MESSAGE_TOO_LONG], 0);
    free(s.p);
}

static void sip_message_too_long_is_cut_and_its_rest_passed_over(void **state)
{
    (void)state;
    struct stream s = {0};
    stream_text(&s, "MESSAGE sip:b@x SIP/2.0\r\nContent-Length: 2000000\r\n\r\n");
    stream_fill(&s, "line of text\r\n", 2000000);
    stream_text(&s, OK);
    uint64_t odd[FLOW_ODD_COUNT];
    long_stream_is(&s, "MESSAGE/1048524! 200/0 ", odd);
    assert_int_equal(odd[FLOW_MESSAGE_TOO_LONG], 1);
    assert_int_equal(odd[FLOW_TCP_SKIPPED], 52 + 2000000 - CARRIED_MESSAGE_MAX);
    // A lie: the next message begins long before.
    struct stream lie = {0};
    stream_text(&lie, "MESSAGE sip:b@x SIP/2.0\r\nContent-Length: 60000000\r\n\r\n");
    stream_fill(&lie, "line of text\r\n", 1400000);
    stream_text(&lie, OK OPTIONS);
    long_stream_is(&lie, "MESSAGE/1048523! 200/0 OPTIONS/0 ", odd);
    free(s.p);
    free(lie.p);
}

static void sip_places_in_a_long_line_are_not_all_looked_at(void **state)
{
    (void)state;
    struct stream s = {0};
    stream_text(&s, OK);
    for (int i = 0; i < 100; i++) {
        stream_text(&s, "=");
        stream_fill(&s, "xSIP/2.0 200 ", 65013);
        stream_text(&s, "\r\nVia\r\n");
    }
    stream_text(&s, OK);
    uint64_t odd[FLOW_ODD_COUNT];
    long_stream_is(&s, "200/0 200/0 ", odd); // in seconds, were it all of them
    // A line longer than is looked at is cut at the same places.
    struct stream cut = {0};
    stream_text(&cut, OK "=");
    stream_fill(&cut, "x", CARRIED_LINE_MAX - 5);
    stream_text(&cut, OPTIONS OK);
    long_stream_is(&cut, "200/0 200/0 ", odd);
    free(s.p);
    free(cut.p);
}

static void sip_head_too_long_is_cut_and_the_next_start_line_found(void **state)
{
    (void)state;
    struct stream s = {0};
    stream_text(&s, "MESSAGE sip:b@x SIP/2.0\r\n");
    stream_fill(&s, "X: y\r\n", 1200000);
    stream_text(&s, "\r\n" OK);
    uint64_t odd[FLOW_ODD_COUNT];
    long_stream_is(&s, "MESSAGE/0! 200/0 ", odd);
    assert_int_equal(odd[FLOW_MESSAGE_TOO_LONG], 1);
    assert_int_equal(odd[FLOW_TCP_SKIPPED], 25 + 1200000 + 2 - CARRIED_MESSAGE_MAX);
    free(s.p);
}

static void sip_lines_without_end_stay_bounded(void **state)
{
    (void)state;
    struct stream s = {0};
    stream_text(&s, OK "INVITE ");
    stream_fill(&s, "x", 300000);
    stream_text(&s, "\r\n" OK);
    uint64_t odd[FLOW_ODD_COUNT];
    long_stream_is(&s, "200/0 200/0 ", odd);
    assert_int_equal(odd[FLOW_TCP_SKIPPED], 7 + 300000 + 2);
    // Start lines, each of which could be one but for what follows.
    struct stream lines = {0};
    stream_text(&lines, OK "x\r\n");
    stream_fill(&lines, "A sip:b SIP/2.0\r\n", 17 * 20000);
    stream_text(&lines, "\r\n" OK);
    long_stream_is(&lines, "200/0 200/0 ", odd);
    free(s.p);
    free(lines.p);
}

// The torture messages of RFC 4475 and RFC 5118 back to back. They are not part of the source (see
// tests/unit/sip_torture.c); each is followed by an OPTIONS that must be heard, too.
static size_t add_shared(struct stream *s, const char *folder, const char *name)
{
    char path[1024];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *in = n > 0 && (size_t)n < sizeof path ? fopen(path, "rb") : NULL;
    char bytes[65536];
    size_t length = in ? fread(bytes, 1, sizeof bytes, in) : 0;
    if (in) {
        fclose(in);
    }
    stream_add(s, bytes, length);
    return length;
}

static int is_message(const struct dirent *entry)
{
    return strstr(entry->d_name, "rfc4475-") != NULL;
}

static void sip_torture_messages_back_to_back_swallow_none(void **state)
{
    (void)state;
    char folder[512];
    const char *shared = getenv("SIDETONE_SHARED");
    snprintf(folder, sizeof folder, "%s/torture", shared ? shared : "../shared");
    struct dirent **entries;
    int count = scandir(folder, &entries, is_message, alphasort);
    if (count <= 0) {
        print_message("skipped: no messages in $SIDETONE_SHARED/torture or ../shared/torture\n");
        skip();
    }
    struct stream s = {0};
    stream_text(&s, OK);
    for (int i = 0; i < count; i++) {
        add_shared(&s, folder, entries[i]->d_name);
        stream_text(&s, "NEXT" OPTIONS);
        free(entries[i]);
    }
    free(entries);
    struct heard whole, cut;
    stream_play(&s, &whole, 0);
    stream_play(&s, &cut, 1);
    assert_true(heard_same(&whole, &cut));
    int next = 0;
    for (const char *p = whole.text; (p = strstr(p, "NEXTOPTIONS/0 ")) != NULL; p++) {
        next++;
    }
    assert_int_equal(next, count);
    heard_free(&whole);
    heard_free(&cut);
    free(s.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sip_stream_however_cut_gives_the_same_messages),
        cmocka_unit_test(sip_three_messages_cut_twice_anywhere_are_three),
        cmocka_unit_test(sip_whole_messages_are_borrowed_without_allocation),
        cmocka_unit_test(sip_message_refers_to_the_frames_of_its_bytes),
        cmocka_unit_test(sip_message_in_too_many_frames_keeps_the_last),
        cmocka_unit_test(sip_keepalives_without_end_are_handed_on_in_parts),
        cmocka_unit_test(sip_message_of_the_largest_size_is_whole),
        cmocka_unit_test(sip_message_too_long_is_cut_and_its_rest_passed_over),
        cmocka_unit_test(sip_places_in_a_long_line_are_not_all_looked_at),
        cmocka_unit_test(sip_head_too_long_is_cut_and_the_next_start_line_found),
        cmocka_unit_test(sip_lines_without_end_stay_bounded),
        cmocka_unit_test(sip_torture_messages_back_to_back_swallow_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
