// Tests of WebSocket streams: SIP in frames of every form and cut, what else comes in frames,
// frames that cannot be, gaps, streams met in the middle.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "carried_stream.h"

#define ASK    "GET /ws HTTP/1.1\r\nHost: x\r\nupgrade: foo, WebSocket\r\nConnection: Upgrade\r\n\r\n"
#define ANSWER "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"
#define MASK   "\x12\x34\x56\x78"

enum {
    FIN = 0x80,
    RSV1 = 0x40,
    TEXT = 1,
    BINARY = 2,
    CLOSE = 8,
    PING = 9,
    PONG = 10
};

struct frame {
    uint8_t first;
    const char *content;
    const char *mask;
};

// Plays frames after a head; the oddities are left in `odd`.
static void frames_are(const char *head, const struct frame *frames, size_t count, const char *want,
                       uint64_t odd[FLOW_ODD_COUNT])
{
    struct stream s = {0};
    stream_text(&s, head);
    for (size_t i = 0; i < count; i++) {
        stream_ws(&s, frames[i].first, frames[i].content, strlen(frames[i].content),
                  frames[i].mask);
    }
    stream_is(&s, want, odd);
    free(s.p);
}

#define FRAMES_ARE(head, want, ...)                                                                \
    do {                                                                                           \
        const struct frame frames[] = {__VA_ARGS__};                                               \
        frames_are(head, frames, sizeof frames / sizeof *frames, want, odd);                       \
    } while (0)

static void ws_message_in_every_kind_of_frame_is_heard(void **state)
{
    (void)state;
    uint64_t odd[FLOW_ODD_COUNT];
    FRAMES_ARE(ASK, "~INVITE/29 ~200/0 ~OPTIONS/0 ", {FIN | TEXT, INVITE, MASK},
               {FIN | BINARY, OK, MASK}, {FIN | TEXT, OPTIONS, MASK});
    FRAMES_ARE(ANSWER, "~INVITE/29 ~200/0 ", {FIN | TEXT, INVITE, NULL}, {FIN | BINARY, OK, NULL});
    // fewer than 126 bytes; no Content-Length: the frame says it
    FRAMES_ARE(ANSWER, "~200/0 ~MESSAGE/5 ",
               {FIN | TEXT, "SIP/2.0 200 OK\r\nCall-ID: c\r\n\r\n", NULL},
               {FIN | TEXT, "MESSAGE sip:b@x SIP/2.0\r\n\r\nhello", NULL});
    for (int i = 0; i < FLOW_ODD_COUNT; i++) {
        assert_int_equal(odd[i], 0);
    }
}

static void ws_fragments_with_control_frames_between_are_joined(void **state)
{
    (void)state;
    uint64_t odd[FLOW_ODD_COUNT];
    FRAMES_ARE(ASK, "~k10 ~k6 ~OPTIONS/0 ~200/0 ", {TEXT, "OPTIONS sip:b@x SIP/2.0\r\n", MASK},
               {FIN | PING, "ping", MASK}, {0, "", MASK}, {0, "Call-ID: c\r\n", MASK},
               {FIN | PONG, "", MASK}, {FIN, "\r\n", MASK}, {FIN | TEXT, OK, MASK});
    FRAMES_ARE(ANSWER, "~200/0 ", {BINARY, "SIP/2.0 200 ", NULL}, {FIN, "OK\r\n\r\n", NULL});
    assert_int_equal(odd[FLOW_WS_FRAME], 0);
}

static void ws_frames_without_sip_are_keepalives_or_nothing(void **state)
{
    (void)state;
    uint64_t odd[FLOW_ODD_COUNT];
    FRAMES_ARE(ASK, "~k4 ~k2 ~k2 ~k2 ", {FIN | TEXT, "\r\n\r\n", MASK}, {FIN | TEXT, "\r\n", NULL},
               {FIN | PING, "", NULL}, {FIN | PONG, "", NULL}, {FIN | CLOSE, "", NULL},
               {FIN | TEXT, "", NULL}, {FIN | TEXT, "", MASK}, {FIN | TEXT, "{\"a\": 1}", NULL},
               {FIN | BINARY, "\x01\x02", MASK});
    assert_int_equal(odd[FLOW_WS_FRAME], 0);
}

static void ws_several_messages_in_one_are_all_heard(void **state)
{
    (void)state;
    uint64_t odd[FLOW_ODD_COUNT];
    FRAMES_ARE(ASK, "~OPTIONS/0 ~200/0 ~INVITE/29 ", {FIN | TEXT, OPTIONS OK "tail", MASK},
               {FIN | TEXT, INVITE, MASK});
    assert_int_equal(odd[FLOW_WS_FRAME], 0);
}

static void ws_more_than_some_messages_in_one_are_counted_once(void **state)
{
    (void)state;
    uint64_t odd[FLOW_ODD_COUNT];
    const char *eight = OK OK OK OK OK OK OK OK;
    FRAMES_ARE(ANSWER, "~200/0 ~200/0 ~200/0 ~200/0 ~200/0 ~200/0 ~200/0 ~200/0 ~OPTIONS/0 ",
               {FIN | TEXT, eight, MASK}, {FIN | TEXT, OPTIONS, MASK});
    assert_int_equal(odd[FLOW_WS_FRAME], 0);
    FRAMES_ARE(ANSWER, "~200/0 ~200/0 ~200/0 ~200/0 ~200/0 ~200/0 ~200/0 ~200/0 ~OPTIONS/0 ",
               {FIN | TEXT, OK OK OK OK OK OK OK OK OK OK, MASK}, {FIN | TEXT, OPTIONS, MASK});
    assert_int_equal(odd[FLOW_WS_FRAME], 1);
}

static void ws_text_that_quotes_sip_is_none(void **state)
{
    (void)state;
    uint64_t odd[FLOW_ODD_COUNT];
    FRAMES_ARE(ASK, "~200/0 ", {FIN | TEXT, "{\"a\":\"" INVITE "\"}", MASK},
               {FIN | TEXT, "\r\n" OK, MASK});
}

static void ws_frames_that_cannot_be_are_counted(void **state)
{
    (void)state;
    uint64_t odd[FLOW_ODD_COUNT];
    // compressed, with its fragments; a continuation of nothing
    FRAMES_ARE(ANSWER, "~200/0 ~200/0 ", {FIN | RSV1 | TEXT, OPTIONS, NULL}, {FIN | TEXT, OK, NULL},
               {RSV1 | TEXT, OPTIONS, NULL}, {0, OPTIONS, NULL}, {FIN, OPTIONS, NULL},
               {FIN, OPTIONS, NULL}, {FIN | TEXT, OK, NULL});
    assert_int_equal(odd[FLOW_WS_FRAME], 3);
    // a new message before the last fragment of the one before
    FRAMES_ARE(ANSWER, "~OPTIONS/0! ~200/0 ", {TEXT, "OPTIONS sip:b@x SIP/2.0\r\nX: y\r\n", NULL},
               {FIN | TEXT, OK, NULL});
    assert_int_equal(odd[FLOW_WS_FRAME], 1);
    assert_int_equal(odd[FLOW_MESSAGE_INCOMPLETE], 1);
    // reserved opcodes, a long ping, a fragmented one, 2^63: the borders are lost
    static const char *const BAD[] = {"\x83\x02xx", "\x89\x7e\x01\x02xx", "\x09\x02xx",
                                      "\x82\x7f\xff\xff\xff"};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        struct stream s = {0};
        stream_text(&s, ANSWER);
        stream_text(&s, BAD[i]);
        stream_ws(&s, FIN | TEXT, OK, strlen(OK), MASK);
        stream_ws(&s, FIN | TEXT, OPTIONS, strlen(OPTIONS), NULL);
        stream_is(&s, "~200/0 ~OPTIONS/0 ", odd);
        assert_int_equal(odd[FLOW_WS_FRAME], 1);
        assert_int_equal(odd[FLOW_TCP_SKIPPED], strlen(BAD[i]));
        free(s.p);
    }
}

// A length in more bytes than it needs is odd and believed.
static void ws_padded_length_is_counted(void **state)
{
    (void)state;
    uint64_t odd[FLOW_ODD_COUNT];
    struct stream s = {0};
    stream_text(&s, ANSWER);
    stream_add(&s, "\x81\x7f\0\0\0\0\0\0\0\x7f" OK, 10 + strlen(OK));
    stream_is(&s, "~200/0 ", odd);
    assert_int_equal(odd[FLOW_WS_FRAME], 1);
    free(s.p);
}

static void play_sizes(const struct stream *s, const char *want, struct heard *h)
{
    static const size_t SIZES[] = {1460, 1, 70000, 0};
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
        stream_play(s, h, SIZES[i]);
        stream_must(h, want, "pieces of", SIZES[i]);
        if (SIZES[i] > 0) {
            heard_free(h);
        }
    }
}

static void ws_frame_too_long_is_passed_over(void **state)
{
    (void)state;
    struct stream big = {0}, s = {0};
    stream_fill(&big, "x", CARRIED_MESSAGE_MAX + 1);
    stream_text(&s, ANSWER);
    stream_ws(&s, FIN | BINARY, big.p, big.n, MASK);
    stream_ws(&s, FIN | TEXT, OK, strlen(OK), MASK);
    struct heard h;
    play_sizes(&s, "~200/0 ", &h);
    assert_int_equal(h.odd[FLOW_MESSAGE_TOO_LONG], 1);
    heard_free(&h);
    // Fragments that are too long together; with a message in the largest frame.
    struct stream f = {0};
    stream_text(&f, ANSWER);
    stream_ws(&f, TEXT, OPTIONS, strlen(OPTIONS), MASK);
    stream_ws(&f, 0, big.p, CARRIED_MESSAGE_MAX - strlen(OPTIONS) + 1, MASK);
    stream_ws(&f, FIN, big.p, 10, MASK);
    stream_ws(&f, FIN | TEXT, OK, strlen(OK), MASK);
    play_sizes(&f, "~OPTIONS/0! ~200/0 ", &h);
    assert_int_equal(h.odd[FLOW_MESSAGE_TOO_LONG], 1);
    assert_int_equal(h.odd[FLOW_WS_FRAME], 0);
    heard_free(&h);
    free(big.p);
    free(s.p);
    free(f.p);
}

static void ws_content_is_borrowed_where_it_is_not_masked(void **state)
{
    (void)state;
    struct stream s = {0};
    stream_text(&s, ANSWER);
    stream_ws(&s, FIN | TEXT, OK, strlen(OK), NULL);
    stream_ws(&s, FIN | TEXT, OK, strlen(OK), MASK);
    struct heard h;
    stream_play(&s, &h, 0);
    assert_string_equal(h.text, "~200/0 ~200/0 ");
    assert_int_equal(h.borrowed, 1);
    heard_free(&h);
    free(s.p);
}

static void ws_message_refers_to_the_frames_of_its_fragments(void **state)
{
    (void)state;
    struct stream s = {0};
    stream_ws(&s, TEXT, "OPTIONS sip:b@x SIP/2.0\r\n", 25, MASK);
    stream_ws(&s, FIN | PING, "", 0, MASK);
    stream_ws(&s, FIN, "X: y\r\n\r\n", 8, MASK);
    struct heard h;
    heard_begin(&h);
    h.shows_frames = true;
    heard_feed(&h, ASK, strlen(ASK));
    heard_feed(&h, s.p, 10);
    heard_feed(&h, s.p + 10, 21); // to the end of the first frame
    heard_feed(&h, s.p + 31, 6);  // the ping
    heard_feed(&h, s.p + 37, s.n - 37);
    assert_string_equal(heard_end(&h), "~k6@4 ~OPTIONS/0@2,3,5 ");
    heard_free(&h);
    free(s.p);
}

// Feeds [0, at), a gap of `gap` bytes, of which the stream knows `told`, and the rest.
static void play_gap(const struct stream *s, size_t at, size_t gap, size_t told, const char *want)
{
    for (size_t size = 1; size < 600; size = size * 3 / 2 + 1) {
        struct heard h;
        heard_begin(&h);
        for (size_t i = 0; i < s->n;) {
            size_t stop = i < at ? at : s->n;
            size_t n = size < stop - i ? size : stop - i;
            heard_feed(&h, s->p + i, n);
            i += n;
            if (i == at) {
                heard_gap(&h, told);
                i += gap;
            }
        }
        heard_end(&h);
        stream_must(&h, want, "gap at", at);
        heard_free(&h);
    }
}

static void ws_gap_breaks_only_the_message_it_falls_into(void **state)
{
    (void)state;
    struct stream s = {0};
    stream_text(&s, ASK);
    size_t first = s.n; // 8 + 127, 6 + 8
    stream_ws(&s, FIN | TEXT, OK, strlen(OK), MASK);
    size_t second = s.n;
    stream_ws(&s, FIN | TEXT, OPTIONS, strlen(OPTIONS), MASK);
    stream_ws(&s, FIN | PING, "", 0, MASK);
    stream_ws(&s, FIN | TEXT, INVITE, strlen(INVITE), MASK);
    // inside the first frame, to its end, beyond it, of unknown size, all of it
    play_gap(&s, first + 50, 20, 20, "~200/0! ~OPTIONS/0 ~k6 ~INVITE/29 ");
    play_gap(&s, first + 50, second - first - 50, second - first - 50,
             "~200/0! ~OPTIONS/0 ~k6 ~INVITE/29 ");
    play_gap(&s, first + 50, second - first - 40, second - first - 40, "~200/0! ~INVITE/29 ");
    play_gap(&s, first + 50, 20, 0, "~200/0! ~OPTIONS/0 ~k6 ~INVITE/29 ");
    play_gap(&s, first, second - first, second - first, "~OPTIONS/0 ~k6 ~INVITE/29 ");
    play_gap(&s, first + 3, 20, 20, "~OPTIONS/0 ~k6 ~INVITE/29 ");
    // the upgrade itself
    play_gap(&s, 20, 30, 30, "~200/0 ~OPTIONS/0 ~k6 ~INVITE/29 ");
    free(s.p);
}

static void ws_gap_in_a_fragment_gives_up_the_message(void **state)
{
    (void)state;
    struct stream s = {0};
    stream_text(&s, ASK);
    stream_ws(&s, TEXT, "OPTIONS sip:b@x SIP/2.0\r\nX: ", 28, MASK);
    size_t at = s.n;
    stream_ws(&s, 0, "0123456789", 10, MASK);
    stream_ws(&s, FIN, "\r\n\r\n", 4, MASK);
    stream_ws(&s, FIN | TEXT, OK, strlen(OK), MASK);
    play_gap(&s, at + 8, 4, 4, "~OPTIONS/0! ~200/0 ");
    free(s.p);
}

static void ws_stream_met_in_the_middle_is_told_by_its_content(void **state)
{
    (void)state;
    uint64_t odd[FLOW_ODD_COUNT];
    FRAMES_ARE("", "~200/0 ~INVITE/29 ", {FIN | TEXT, OK, MASK}, {FIN | BINARY, INVITE, MASK});
    assert_int_equal(odd[FLOW_TCP_SKIPPED], 0);
    FRAMES_ARE("rest of \x81\x81\x7e a frame\n", "~200/0 ~k2 ~INVITE/29 ", {FIN | TEXT, OK, NULL},
               {FIN | PING, "", NULL}, {FIN | BINARY, INVITE, NULL});
    assert_int_equal(odd[FLOW_TCP_SKIPPED], 20);
}

static void ws_upgrade_that_was_refused_is_asked_again(void **state)
{
    (void)state;
    uint64_t odd[FLOW_ODD_COUNT];
    FRAMES_ARE(ASK ASK, "~200/0 ", {FIN | TEXT, OK, MASK});
    assert_int_equal(odd[FLOW_WS_FRAME], 0);
    FRAMES_ARE("HTTP/1.1 401 No\r\nContent-Length: 5\r\n\r\nhello" ANSWER, "~200/0 ",
               {FIN | TEXT, OK, NULL});
    FRAMES_ARE(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n" ANSWER,
        "~200/0 ", {FIN | TEXT, OK, NULL});
    FRAMES_ARE("HTTP/1.1 304 Same\r\nContent-Length: 500\r\n\r\n" ANSWER, "~200/0 ",
               {FIN | TEXT, OK, NULL});
    FRAMES_ARE("GET / HTTP/1.1\r\n\r\nPOST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc" ASK,
               "~200/0 ", {FIN | TEXT, OK, MASK});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ws_message_in_every_kind_of_frame_is_heard),
        cmocka_unit_test(ws_fragments_with_control_frames_between_are_joined),
        cmocka_unit_test(ws_frames_without_sip_are_keepalives_or_nothing),
        cmocka_unit_test(ws_several_messages_in_one_are_all_heard),
        cmocka_unit_test(ws_more_than_some_messages_in_one_are_counted_once),
        cmocka_unit_test(ws_text_that_quotes_sip_is_none),
        cmocka_unit_test(ws_frames_that_cannot_be_are_counted),
        cmocka_unit_test(ws_padded_length_is_counted),
        cmocka_unit_test(ws_frame_too_long_is_passed_over),
        cmocka_unit_test(ws_content_is_borrowed_where_it_is_not_masked),
        cmocka_unit_test(ws_message_refers_to_the_frames_of_its_fragments),
        cmocka_unit_test(ws_gap_breaks_only_the_message_it_falls_into),
        cmocka_unit_test(ws_gap_in_a_fragment_gives_up_the_message),
        cmocka_unit_test(ws_stream_met_in_the_middle_is_told_by_its_content),
        cmocka_unit_test(ws_upgrade_that_was_refused_is_asked_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
