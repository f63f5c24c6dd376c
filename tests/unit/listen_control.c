// Tests of the join of RTCP: against a plain search through all streams, and what a whole reading
// shows.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "listen/report.h"
#include "mixed.h"
#include "read_dump.h"

#define STREAMS  60
#define ACCOUNTS 80

static struct engine engine; // only its control bins are looked at
static struct random rng;
static struct stream streams[STREAMS];
static struct report_stream joined[STREAMS];
static struct control_sender senders[ACCOUNTS], *sender_list[ACCOUNTS];
static struct control_about abouts[ACCOUNTS], *about_list[ACCOUNTS];

// Few addresses, ports and SSRCs: much is alike.
static struct endpoint end_any(uint16_t first_port)
{
    return (struct endpoint){{0, 1 + random_below(&rng, 3)},
                             (uint16_t)(first_port + random_below(&rng, 5))};
}

static uint32_t ssrc_any(void)
{
    return (uint32_t)random_below(&rng, 3);
}

static struct order order_any(uint64_t record)
{
    return order_of((int64_t)random_below(&rng, 50), 0, record);
}

static int compare_streams(const void *left, const void *right)
{
    const struct stream *a = left;
    const struct stream *b = right;
    return order_before(stream_first(a), stream_first(b))
               ? -1
               : order_before(stream_first(b), stream_first(a));
}

static void make(void)
{
    for (uint64_t i = 0; i < STREAMS; i++) {
        struct endpoint src = end_any(5000);
        struct endpoint dst = end_any(5000);
        uint32_t ssrc = ssrc_any();
        struct order first = order_any(i + 1);
        streams[i] = (struct stream){.src_address = src.addr,
                                     .src_port = src.port,
                                     .dst_address = dst.addr,
                                     .dst_port = dst.port,
                                     .ssrc = ssrc,
                                     .start_ns = first.time_ns,
                                     .first_at = first.at};
    }
    qsort(streams, STREAMS, sizeof streams[0], compare_streams);
    for (uint64_t i = 0; i < ACCOUNTS; i++) {
        senders[i] = (struct control_sender){.src = end_any(5000),
                                             .dst = end_any(5000),
                                             .ssrc = ssrc_any(),
                                             .first = order_of((int64_t)i, 0, i + 1),
                                             .last = order_any(1000 + i),
                                             .is_sealed = random_below(&rng, 10) == 0};
        abouts[i] = (struct control_about){.src = end_any(5000),
                                           .dst = end_any(5000),
                                           .ssrc = ssrc_any(),
                                           .reporter = ssrc_any(),
                                           .first = order_of((int64_t)i, 0, i + 1),
                                           .last = order_any(1000 + i)};
        sender_list[i] = &senders[i];
        about_list[i] = &abouts[i];
    }
    for (size_t i = 0; i < STREAMS; i++) {
        joined[i] = (struct report_stream){.stream = &streams[i], .call = -1};
    }
    engine.control[3].senders = sender_list;
    engine.control[3].sender_count = ACCOUNTS;
    engine.control[3].abouts = about_list;
    engine.control[3].about_count = ACCOUNTS;
}

static bool fits(const struct stream *s, int how, uint32_t ssrc, struct endpoint src,
                 struct endpoint dst)
{
    bool from = address_eq(s->src_address, src.addr);
    bool to = address_eq(s->dst_address, dst.addr);
    if (s->ssrc != ssrc) {
        return false;
    }
    switch (how) {
    case 0:
        return from && to && s->src_port == src.port && s->dst_port == dst.port;
    case 1:
        return from && to && s->src_port + 1 == src.port && s->dst_port + 1 == dst.port;
    case 2:
        return from && to && s->dst_port == dst.port;
    case 3:
        return from && to && s->dst_port + 1 == dst.port;
    case 4:
        return from && to;
    case 5:
        return from;
    }
    return to;
}

// The last that fits and had begun, else the first that fits; -1: none. Beside both addresses only
// where all that fit have the same ends.
static int search(int first, int end, uint32_t ssrc, struct endpoint src, struct endpoint dst,
                  struct order last)
{
    for (int how = first; how < end; how++) {
        int found = -1;
        int any = -1;
        bool is_mixed = false;
        for (int i = 0; i < STREAMS; i++) {
            if (fits(&streams[i], how, ssrc, src, dst)) {
                any = any < 0 ? i : any;
                found = order_before(last, stream_first(&streams[i])) ? found : i;
                is_mixed = is_mixed ||
                           !endpoint_eq(stream_src(&streams[i]), stream_src(&streams[any])) ||
                           !endpoint_eq(stream_dst(&streams[i]), stream_dst(&streams[any]));
            }
        }
        if (any >= 0 && (how < 5 || !is_mixed)) {
            return found >= 0 ? found : any;
        }
    }
    return -1;
}

static bool has_sender(const struct report_stream *r, const struct control_sender *s)
{
    const struct control_sender *at = r->control.senders;
    while (at && at != s) {
        at = at->of_stream;
    }
    return at != NULL;
}

static bool has_report(const struct report_stream *r, const struct control_about *a)
{
    const struct control_about *at = r->control.reports;
    while (at && at != a) {
        at = at->of_stream;
    }
    return at != NULL;
}

static bool has_reply(const struct report_stream *r, const struct control_about *a)
{
    const struct control_about *at = r->control.replies;
    while (at && at != a) {
        at = at->by_stream;
    }
    return at != NULL;
}

static void check_between(int i)
{
    const struct control_sender *s = &senders[i];
    const struct control_about *a = &abouts[i];
    int sender = search(0, 5, s->ssrc, s->src, s->dst, s->last);
    int report = search(0, 5, a->ssrc, a->dst, a->src, a->last);
    int reply = search(0, 5, a->reporter, a->src, a->dst, a->last);
    for (int k = 0; k < STREAMS; k++) {
        if (sender >= 0) {
            assert_int_equal(has_sender(&joined[k], s), k == sender);
        }
        if (report >= 0) {
            assert_int_equal(has_report(&joined[k], a), k == report);
        }
        if (reply >= 0) {
            assert_int_equal(has_reply(&joined[k], a), k == reply);
        }
    }
    assert_true(sender < 0 || (joined[sender].control.is_named &&
                               joined[sender].control.is_sealed >= s->is_sealed));
    assert_true(report < 0 || joined[report].control.is_named);
}

// Is there an account of the stream from between both of its addresses, or between other ends than
// those of this one?
static bool is_sender_taken(int k, const struct control_sender *s)
{
    for (int i = 0; i < ACCOUNTS; i++) {
        if (search(0, 5, senders[i].ssrc, senders[i].src, senders[i].dst, senders[i].last) == k) {
            return true;
        }
    }
    const struct control_sender *head = joined[k].control.senders;
    return head && !(endpoint_eq(head->src, s->src) && endpoint_eq(head->dst, s->dst));
}

static uint64_t check_beside(int i)
{
    const struct control_sender *s = &senders[i];
    if (search(0, 5, s->ssrc, s->src, s->dst, s->last) >= 0) {
        return 0;
    }
    int beside = search(5, 7, s->ssrc, s->src, s->dst, s->last);
    for (int k = 0; k < STREAMS; k++) {
        bool wanted = k == beside && !is_sender_taken(k, s);
        assert_int_equal(has_sender(&joined[k], s), wanted);
    }
    return beside >= 0;
}

static void accounts_find_the_streams_of_a_plain_search(void **state)
{
    (void)state;
    uint64_t beside = 0;
    random_init(&rng, capture_seed("listen_control", 7));
    hash_secret_init();
    for (size_t round = 0; round < capture_rounds(60); round++) {
        make();
        report_join_control(&engine, joined, STREAMS);
        for (int i = 0; i < ACCOUNTS; i++) {
            check_between(i);
            beside += check_beside(i);
        }
    }
    assert_true(beside > 0);
}

static void lists_are_in_capture_order(void **state)
{
    (void)state;
    random_init(&rng, capture_seed("listen_control_order", 8));
    make();
    report_join_control(&engine, joined, STREAMS);
    for (size_t k = 0; k < STREAMS; k++) {
        const struct control_about *a = joined[k].control.reports;
        for (; a && a->of_stream; a = a->of_stream) {
            assert_true(order_before(a->first, a->of_stream->first));
        }
    }
}

// What the tests of sameness compare has to be there.
static void mixed_traffic_has_rtcp_of_all_kinds(void **state)
{
    (void)state;
    static const char *const WANTED[] = {" rtcp packets=", "cname=somebody@example", "by=srtcp",
                                         " bye=1", "finding loss_not_captured"};
    struct mixed m;
    struct bytes b = {0};
    mixed_make(&m, capture_seed("listen_control_mixed", 1), 40);
    mixed_pcap(&m, &b, LINK_ETHERNET);
    struct capture_file file = capture_file(b.p, b.n);
    const char *path = file.path;
    char *text = dump_of(&path, 1, 1, 0);
    for (size_t i = 0; i < sizeof WANTED / sizeof *WANTED; i++) {
        if (!strstr(text, WANTED[i])) {
            fail_msg("%s is missing", WANTED[i]);
        }
    }
    free(text);
    capture_file_close(&file);
    bytes_free(&b);
    mixed_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accounts_find_the_streams_of_a_plain_search),
        cmocka_unit_test(lists_are_in_capture_order),
        cmocka_unit_test(mixed_traffic_has_rtcp_of_all_kinds),
    };
    return cmocka_run_group_tests_name("listen_control", tests, NULL, NULL);
}
