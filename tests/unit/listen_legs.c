// Tests of conversations in whole captures: what holds for any of them, limits, and that nothing
// depends on how a capture is read or on what hashes are seeded with.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "listen/report.h"
#include "mixed.h"
#include "report_dump.h"

#define LEGS_MAX 64

static struct mixed m;
static struct sidetone_scratch *scratch;

static int begin(void **state)
{
    (void)state;
    m = (struct mixed){0};
    scratch = sidetone_scratch_new();
    return 0;
}

static int end(void **state)
{
    (void)state;
    mixed_free(&m);
    sidetone_scratch_free(scratch);
    return 0;
}

struct leg {
    unsigned id;
    int64_t at_ms;
    uint8_t from, to;
    const char *caller, *called, *headers;
    unsigned origin; // session of o=; 0: no body
};

static void say(const struct leg *l, int64_t at_ms, bool by_caller, const char *start,
                const char *cseq, const char *headers, unsigned origin)
{
    char sdp[200] = "";
    uint8_t from = by_caller ? l->from : l->to;
    struct frame_path path = capture_path(from, 5060, by_caller ? l->to : l->from, 5060);
    struct mixed_packet *p = mixed_add(&m, CAPTURE_START_NS + at_ms * MS, &path);
    int sdp_n = origin == 0 ? 0
                            : snprintf(sdp, sizeof sdp,
                                       "v=0\r\no=gw %u 1 IN IP4 192.0.2.1\r\ns=-\r\n"
                                       "c=IN IP4 192.0.2.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n",
                                       origin);
    bool is_first = strncmp(start, "INVITE", 6) == 0;
    bool of_callee = !by_caller && strncmp(start, "SIP/2.0", 7) != 0;
    char parties[2][100];
    snprintf(parties[of_callee], sizeof parties[0], "<sip:%s>;tag=f%u", l->caller, l->id);
    snprintf(parties[!of_callee], sizeof parties[0], "<sip:%s>%s", l->called,
             is_first ? "" : ";tag=t");
    int n =
        snprintf((char *)p->payload, sizeof p->payload,
                 "%s\r\nVia: SIP/2.0/UDP h;branch=z9hG4bK%u%c\r\nFrom: %s\r\n"
                 "To: %s\r\nCall-ID: c%u\r\nCSeq: %s\r\n%s"
                 "Content-Type: application/sdp\r\nContent-Length: %d\r\n\r\n%s",
                 start, l->id, cseq[0], parties[0], parties[1], l->id, cseq, headers, sdp_n, sdp);
    assert(n > 0 && (size_t)n < sizeof p->payload);
    p->n = (uint16_t)n;
}

// A call of `length_ms`.
static void add_leg(const struct leg *l, int64_t length_ms)
{
    char start[100];
    snprintf(start, sizeof start, "INVITE sip:%s SIP/2.0", l->called);
    say(l, l->at_ms, true, start, "1 INVITE", l->headers, l->origin);
    say(l, l->at_ms + 20, false, "SIP/2.0 200 OK", "1 INVITE", "", l->origin ? l->origin + 1 : 0);
    say(l, l->at_ms + length_ms, true, "BYE sip:x SIP/2.0", "9 BYE", "", 0);
}

static void write_pcap(struct bytes *b)
{
    qsort(m.packets, m.n, sizeof m.packets[0], mixed_compare);
    mixed_pcap(&m, b, LINK_ETHERNET);
}

static struct sidetone_report *read_bytes(const struct bytes *b, unsigned cores, size_t chunk,
                                          bool strict)
{
    struct sidetone_report *report;
    struct sidetone_read_options options = {
        .cores = cores, .chunk_bytes = chunk, .strict_legs = strict};
    struct capture_file file = capture_file(b->p, b->n);
    const char *path = file.path;
    assert_int_equal(sidetone_read(&path, 1, &options, &report), SIDETONE_OK);
    capture_file_close(&file);
    return report;
}

static struct sidetone_report *read_all(void)
{
    struct bytes b = {0};
    write_pcap(&b);
    struct sidetone_report *report = read_bytes(&b, 2, 4096, false);
    bytes_free(&b);
    return report;
}

// --- any capture ---

static const char *pick(struct random *rng, const char *const *from, size_t count)
{
    return from[random_below(rng, count)];
}

static const char *random_headers(struct random *rng, unsigned calls)
{
    static char text[300];
    unsigned other = (unsigned)random_below(rng, calls + 2);
    unsigned uuid = (unsigned)random_below(rng, calls / 2 + 1);
    switch (random_below(rng, 8)) {
    case 0:
        snprintf(text, sizeof text, "X-CID: c%u\r\n", other);
        break;
    case 1:
        snprintf(text, sizeof text, "X-Call-ID: c%u, c%u\r\n", other, other / 2);
        break;
    case 2:
        snprintf(text, sizeof text, "Session-ID: %032x;remote=%032x\r\n", uuid, uuid / 2);
        break;
    case 3:
        snprintf(text, sizeof text, "Replaces: c%u;to-tag=t;from-tag=f%u\r\n", other, other);
        break;
    case 4:
        snprintf(text, sizeof text, "Diversion: <sip:12025550101@x>\r\n");
        break;
    default:
        text[0] = '\0';
        break;
    }
    return text;
}

static void random_capture(uint64_t seed, unsigned calls)
{
    static const char *const CALLERS[] = {"442079460100@x", "442079460101@x", "alice@x"};
    static const char *const CALLED[] = {"12025550100@x", "12025550101@x", "bob@x"};
    random_init(&m.rng, seed);
    m.n = 0;
    for (unsigned i = 0; i < calls; i++) {
        uint8_t from = (uint8_t)(1 + random_below(&m.rng, 4));
        struct leg l = {
            .id = random_below(&m.rng, 10) == 0 ? i / 2 : i,
            .at_ms = (int64_t)random_below(&m.rng, 20000),
            .from = from,
            .to = (uint8_t)(1 + (from + random_below(&m.rng, 3)) % 4),
            .caller = pick(&m.rng, CALLERS, 3),
            .called = pick(&m.rng, CALLED, 3),
            .origin = random_below(&m.rng, 4) == 0 ? 100 + (unsigned)random_below(&m.rng, 9) : 0,
        };
        l.headers = random_headers(&m.rng, calls);
        add_leg(&l, 50 + (int64_t)random_below(&m.rng, 4000));
        if (random_below(&m.rng, 6) == 0) {
            say(&l, l.at_ms + 30, false, "REFER sip:x SIP/2.0", "5 REFER",
                "Refer-To: <sip:12025550100@x>\r\n", 0);
        }
    }
}

static bool has_leg(const struct sidetone_report *report, size_t index, uint32_t other)
{
    struct sidetone_call c;
    bool found = false;
    sidetone_report_call(report, index, scratch, &c);
    for (size_t i = 0; i < c.leg_count; i++) {
        found = found || c.legs[i].call == other;
    }
    return found;
}

// Each leg once, tied to the call itself or to a leg before it, and of a conversation that is shown
// whole each leg has the others. Returns how many legs there are.
static size_t check_legs(const struct sidetone_report *report, size_t index)
{
    struct sidetone_call c;
    struct sidetone_scratch *mine = sidetone_scratch_new();
    sidetone_report_call(report, index, mine, &c);
    assert_true(c.leg_count <= LEGS_MAX);
    for (size_t i = 0; i < c.leg_count; i++) {
        const struct sidetone_leg *leg = &c.legs[i];
        bool is_tied = leg->via == index;
        assert_true(leg->call < sidetone_report_calls(report) && leg->call != index);
        assert_true(leg->is_guess == (strcmp(leg->by, "number_and_time") == 0));
        for (size_t k = 0; k < i; k++) {
            assert_true(c.legs[k].call != leg->call);
            is_tied = is_tied || c.legs[k].call == leg->via;
        }
        assert_true(is_tied);
        assert_true(c.leg_count == LEGS_MAX || has_leg(report, leg->call, (uint32_t)index));
    }
    size_t count = c.leg_count;
    sidetone_scratch_free(mine);
    return count;
}

static void conversations_of_any_capture_are_consistent(void **state)
{
    (void)state;
    uint64_t seed = capture_seed("listen_legs_any", 1);
    size_t rounds = capture_rounds(20);
    size_t legs = 0;
    for (size_t i = 0; i < rounds; i++) {
        random_capture(seed + i, 10 + (unsigned)(i * 6));
        struct sidetone_report *report = read_all();
        for (size_t k = 0; k < sidetone_report_calls(report); k++) {
            legs += check_legs(report, k);
        }
        sidetone_report_free(report);
    }
    assert_true(legs > rounds);
}

// The secret differs between runs of the program, and nothing that is shown may follow it.
static void conversations_are_the_same_for_all_cores_chunks_and_secrets(void **state)
{
    static const unsigned CORES[] = {1, 2, 3, 8};
    static const size_t CHUNKS[] = {600, 4096, 65536, 0};
    (void)state;
    uint64_t seed = capture_seed("listen_legs_same", 40);
    uint64_t secret = hash_secret;
    for (size_t i = 0; i < 6; i++) {
        struct bytes b = {0};
        random_capture(seed + i, 40);
        write_pcap(&b);
        char *want = NULL;
        for (int k = 0; k < 4; k++) {
            hash_secret = secret + (uint64_t)k * UINT64_C(0x9e3779b97f4a7c15);
            struct sidetone_report *report = read_bytes(&b, CORES[k], CHUNKS[k], false);
            char *got = report_dump(report);
            sidetone_report_free(report);
            if (want) {
                assert_string_equal(got, want);
                free(got);
            } else {
                want = got;
            }
        }
        assert_non_null(strstr(want, " leg="));
        free(want);
        bytes_free(&b);
    }
    hash_secret = secret;
}

// --- limits ---

static void call_that_all_name_shows_the_first_legs_of_them(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        struct leg l = {i, i, 1, 2, "alice@x", "bob@x", i == 0 ? "" : "X-CID: c0\r\n", 0};
        add_leg(&l, 1000);
    }
    struct sidetone_report *report = read_all();
    struct sidetone_call c;
    sidetone_report_call(report, 0, scratch, &c);
    assert_int_equal(c.leg_count, LEGS_MAX);
    assert_int_equal(c.legs[63].call, 64);
    sidetone_report_call(report, 99, scratch, &c);
    assert_int_equal(c.leg_count, LEGS_MAX);
    assert_int_equal(c.legs[0].call, 0);
    assert_int_equal(c.legs[1].call, 1);
    assert_int_equal(c.legs[63].call, 63);
    sidetone_report_free(report);
}

// Thousands of calls that say the same in everything: through a B2BUA, from one load generator.
static void load_of_equal_calls_has_no_proven_legs_and_pairs_at_most(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2000; i++) {
        struct leg in = {2 * i, 10 * i, 1, 2, "442079460100@x", "12025550100@x", "", 53655765};
        struct leg out = {2 * i + 1,        10 * i + 33,     2,  3,
                          "442079460100@x", "12025550100@x", "", 53655765};
        add_leg(&in, 3000);
        add_leg(&out, 2900);
    }
    struct sidetone_report *report = read_all();
    assert_int_equal(sidetone_report_calls(report), 4000);
    for (size_t i = 0; i < 4000; i++) {
        struct sidetone_call c;
        sidetone_report_call(report, i, scratch, &c);
        assert_int_equal(c.leg_count, 1);
        assert_true(c.legs[0].is_guess);
        unsigned id = (unsigned)strtoul(c.call_id.p + 1, NULL, 10);
        unsigned other = (unsigned)strtoul(c.legs[0].call_id.p + 1, NULL, 10);
        assert_int_equal(other, id ^ 1); // in the order of time: of each pair the other
    }
    sidetone_report_free(report);
}

static void strict_legs_leave_guesses_out_and_nothing_else(void **state)
{
    (void)state;
    struct bytes b = {0};
    struct leg legs[] = {
        {1, 0, 1, 2, "442079460100@x", "12025550100@x", "", 0},
        {2, 50, 2, 3, "442079460100@x", "12025550100@x", "", 0},
        {3, 90, 3, 4, "442079460100@x", "12025550100@x", "X-CID: c2\r\n", 0},
    };
    for (size_t i = 0; i < 3; i++) {
        add_leg(&legs[i], 1000);
    }
    write_pcap(&b);
    for (int strict = 0; strict < 2; strict++) {
        struct sidetone_report *report = read_bytes(&b, 1, 0, strict);
        struct sidetone_call c;
        sidetone_report_call(report, 2, scratch, &c);
        assert_int_equal(c.leg_count, strict ? 1 : 2);
        assert_string_equal(c.legs[0].by, "x_call_id");
        sidetone_report_call(report, 0, scratch, &c);
        assert_int_equal(c.leg_count, strict ? 0 : 2);
        sidetone_report_free(report);
    }
    bytes_free(&b);
}

static void call_of_a_refer_is_that_of_its_transfer(void **state)
{
    (void)state;
    struct leg first = {1, 0, 1, 2, "alice@x", "bob@x", "", 0};
    struct leg second = {2, 500, 1, 3, "alice@x", "carol@x", "", 0};
    add_leg(&first, 1000);
    say(&first, 100, false, "REFER sip:x SIP/2.0", "5 REFER", "Refer-To: <sip:dave@x>\r\n", 0);
    say(&first, 200, false, "REFER sip:x SIP/2.0", "6 REFER", "Refer-To: <sip:carol@x>\r\n", 0);
    add_leg(&second, 1000);
    struct sidetone_report *report = read_all();
    struct sidetone_call c;
    sidetone_report_call(report, 0, scratch, &c);
    assert_int_equal(c.transfer_count, 2);
    assert_int_equal(c.transfers[0].call, -1);
    assert_int_equal(c.transfers[1].call, 1);
    sidetone_report_call(report, 1, scratch, &c);
    assert_int_equal(c.transfer_count, 0);
    sidetone_report_free(report);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(conversations_of_any_capture_are_consistent),
        TEST(conversations_are_the_same_for_all_cores_chunks_and_secrets),
        TEST(call_that_all_name_shows_the_first_legs_of_them),
        TEST(load_of_equal_calls_has_no_proven_legs_and_pairs_at_most),
        TEST(strict_legs_leave_guesses_out_and_nothing_else),
        TEST(call_of_a_refer_is_that_of_its_transfer),
    };
    hash_secret_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
