// Tests that what follows from offers and answers (faxes, holds, NAT, forks) does not depend on how
// a capture is read, and that its reports keep the rules.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mixed.h"
#include "read_dump.h"
#include "report_rules.h"

// A message of one call; `body`: its media lines behind the address that `by` announces, or NULL.
static void say(struct mixed *m, uint32_t id, int64_t time_ns, int by, const char *start,
                const char *to_tag, unsigned cseq, const char *method, uint8_t host,
                const char *body)
{
    char sdp[400] = "";
    struct frame_path path =
        by ? capture_path(100, 5060, 1, 5060) : capture_path(1, 5060, 100, 5060);
    struct mixed_packet *p = mixed_add(m, time_ns, &path);
    int sdp_n = !body ? 0
                      : snprintf(sdp, sizeof sdp,
                                 "v=0\r\no=- 1 1 IN IP4 192.0.2.%u\r\ns=-\r\n"
                                 "c=IN IP4 192.0.2.%u\r\nt=0 0\r\n%s",
                                 host, host, body);
    int n = snprintf((char *)p->payload, sizeof p->payload,
                     "%s\r\nVia: SIP/2.0/UDP h;branch=z9hG4bK%u%u%s\r\nFrom: <sip:a@x>;tag=f%u\r\n"
                     "To: <sip:b@x>%s\r\nCall-ID: id%u@x\r\nCSeq: %u %s\r\n"
                     "Content-Type: application/sdp\r\nContent-Length: %d\r\n\r\n%s",
                     start, id, cseq, method, id, to_tag, id, cseq, method, sdp_n, sdp);
    assert(n > 0 && (size_t)n < sizeof p->payload);
    p->n = (uint16_t)n;
}

static void sound(struct mixed *m, struct frame_path path, int64_t time_ns, uint8_t payload_type,
                  size_t count)
{
    uint32_t ssrc = (uint32_t)random_u64(&m->rng);
    for (size_t i = 0; i < count; i++) {
        if (random_below(&m->rng, 30) == 0) {
            continue;
        }
        int64_t at_ns = time_ns + (int64_t)i * 20 * MS + (int64_t)random_below(&m->rng, 25 * MS);
        struct mixed_packet *p = mixed_add(m, at_ns, &path);
        p->n = (uint16_t)capture_rtp(p->payload, payload_type, i == 0, (uint16_t)i,
                                     (uint32_t)i * 960, ssrc, 40);
    }
}

static void fax(struct mixed *m, struct frame_path path, int64_t time_ns, size_t count)
{
    uint16_t first = random_below(&m->rng, 3) == 0 ? (uint16_t)random_below(&m->rng, 20000) : 0;
    for (size_t i = 0; i < count; i++) {
        if (random_below(&m->rng, 10) == 0) {
            continue;
        }
        int64_t at_ns = time_ns + (int64_t)i * 20 * MS + (int64_t)random_below(&m->rng, 30 * MS);
        struct mixed_packet *p = mixed_add(m, at_ns, &path);
        uint8_t redundancy = (uint8_t)random_below(&m->rng, 4);
        uint8_t head[] = {(uint8_t)((first + i) >> 8),
                          (uint8_t)(first + i),
                          1,
                          (uint8_t)(i / 7 % 16 << 1),
                          0,
                          redundancy};
        memcpy(p->payload, head, sizeof head);
        p->n = sizeof head;
        for (uint8_t k = 0; k < redundancy; k++) {
            p->payload[p->n++] = 1;
            p->payload[p->n++] = 4;
        }
    }
}

// A call that forks, holds, and sends a fax, with a caller behind a NAT or not.
static void talk(struct mixed *m, uint32_t id, int64_t at)
{
    char a_line[100], b_line[2][100], line[200];
    uint16_t a_port = (uint16_t)(10000 + id * 4), b_port = (uint16_t)(30000 + id * 4);
    bool has_nat = random_below(&m->rng, 2) == 0;
    uint8_t near = has_nat ? 200 : 1;
    uint16_t near_port = has_nat ? (uint16_t)(50000 + id) : a_port;
    struct frame_path there = capture_path(near, near_port, 100, b_port);
    struct frame_path back = capture_path(100, b_port, near, near_port);
    snprintf(a_line, sizeof a_line, "m=audio %u RTP/AVP 111\r\na=rtpmap:111 opus/48000/2\r\n",
             a_port);
    for (int i = 0; i < 2; i++) {
        snprintf(b_line[i], sizeof b_line[i],
                 "m=audio %u RTP/AVP 96\r\na=rtpmap:96 opus/48000/2\r\n", b_port + 2 * i);
    }
    say(m, id, at, 0, "INVITE sip:b@x SIP/2.0", "", 1, "INVITE", 1, a_line);
    say(m, id, at + 50 * MS, 1, "SIP/2.0 183 Progress", ";tag=s", 1, "INVITE", 100, b_line[1]);
    say(m, id, at + 300 * MS, 1, "SIP/2.0 200 OK", ";tag=t", 1, "INVITE", 100, b_line[0]);
    say(m, id, at + 310 * MS, 0, "ACK sip:b@x SIP/2.0", ";tag=t", 1, "ACK", 1, NULL);
    sound(m, there, at + 100 * MS, 96, 100);
    sound(m, back, at + 330 * MS, 111, 100);
    sound(m, capture_path(100, (uint16_t)(b_port + 2), 1, a_port), at + 60 * MS, 111, 10);
    snprintf(line, sizeof line, "%sa=%s\r\n", a_line,
             random_below(&m->rng, 2) ? "sendonly" : "inactive");
    say(m, id, at + 3000 * MS, 0, "INVITE sip:b@x SIP/2.0", ";tag=t", 2, "INVITE", 1, line);
    say(m, id, at + 3010 * MS, 1, "SIP/2.0 200 OK", ";tag=t", 2, "INVITE", 100, b_line[0]);
    snprintf(line, sizeof line, "m=image %u udptl t38\r\n", a_port);
    say(m, id, at + 4000 * MS, 0, "INVITE sip:b@x SIP/2.0", ";tag=t", 3, "INVITE", 1, line);
    if (random_below(&m->rng, 3) > 0) {
        snprintf(line, sizeof line, "m=image %u udptl t38\r\n", b_port);
        say(m, id, at + 4010 * MS, 1, "SIP/2.0 200 OK", ";tag=t", 3, "INVITE", 100, line);
    }
    fax(m, there, at + 4005 * MS, 100);
    fax(m, back, at + 4020 * MS, random_below(&m->rng, 30));
    if (random_below(&m->rng, 2) == 0) {
        say(m, id, at + 7000 * MS, 0, "BYE sip:b@x SIP/2.0", ";tag=t", 4, "BYE", 1, NULL);
    }
}

static void make(struct mixed *m, uint64_t seed)
{
    *m = (struct mixed){0};
    random_init(&m->rng, seed);
    for (uint32_t i = 0; i < 12; i++) {
        talk(m, i, CAPTURE_START_NS + (int64_t)random_below(&m->rng, 20000 * MS));
        fax(m, capture_path(7, (uint16_t)(i + 1), 8, (uint16_t)(i + 1)), // nobody announced it
            CAPTURE_START_NS + (int64_t)random_below(&m->rng, 20000 * MS), i * 3);
        mixed_noise(m, CAPTURE_START_NS + (int64_t)random_below(&m->rng, 20000 * MS));
    }
    qsort(m->packets, m->n, sizeof m->packets[0], mixed_compare);
}

static void must_not(const char *what)
{
    print_error("%s\n", what);
}

static void check(const char *const *paths, size_t count)
{
    static const unsigned CORES[] = {1, 2, 3, 8};
    static const size_t CHUNKS[] = {300, 4096, 0};
    char *want = dump_of(paths, count, 1, 0);
    assert_non_null(strstr(want, "kind=fax"));
    assert_non_null(strstr(want, " hold="));
    assert_non_null(strstr(want, "media_from_unannounced"));
    assert_non_null(strstr(want, "branch=0"));
    assert_non_null(strstr(want, "codec=opus"));
    for (size_t i = 0; i < 4; i++) {
        for (size_t k = 0; k < 3; k++) {
            char name[64];
            snprintf(name, sizeof name, "%u cores, chunks of %zu", CORES[i], CHUNKS[k]);
            assert_same(dump_of(paths, count, CORES[i], CHUNKS[k]), want, name);
        }
    }
    free(want);
    struct sidetone_report *report;
    struct sidetone_scratch *scratch = sidetone_scratch_new();
    sidetone_read(paths, count, NULL, &report);
    rules_tell = must_not;
    rules_faults = 0;
    rules_check(report, scratch);
    assert_int_equal(rules_faults, 0);
    sidetone_report_free(report);
    sidetone_scratch_free(scratch);
}

static void report_of_faxes_holds_and_forks_is_the_same_for_all_cores(void **state)
{
    (void)state;
    uint64_t seed = capture_seed("listen_announce", 60);
    for (size_t i = 0; i < capture_rounds(3); i++) {
        struct mixed m;
        struct bytes b = {0};
        make(&m, seed + i);
        mixed_pcap(&m, &b, LINK_ETHERNET);
        struct capture_file file = capture_file(b.p, b.n);
        const char *path = file.path;
        check(&path, 1);
        capture_file_close(&file);
        bytes_free(&b);
        mixed_free(&m);
    }
}

static void report_of_faxes_holds_and_forks_in_files_is_the_same_for_all_cores(void **state)
{
    (void)state;
    struct mixed m;
    struct bytes parts[3] = {{0}};
    struct capture_file files[3];
    const char *paths[3];
    make(&m, capture_seed("listen_announce_files", 70));
    for (size_t i = 0; i < 3; i++) {
        pcap_begin(&parts[i], LINK_ETHERNET);
    }
    for (size_t i = 0; i < m.n; i++) {
        mixed_put(&parts[random_below(&m.rng, 3)], &m.packets[i], LINK_ETHERNET);
    }
    for (size_t i = 0; i < 3; i++) {
        files[i] = capture_file(parts[i].p, parts[i].n);
        paths[i] = files[i].path;
        bytes_free(&parts[i]);
    }
    check(paths, 3);
    for (size_t i = 0; i < 3; i++) {
        capture_file_close(&files[i]);
    }
    mixed_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(report_of_faxes_holds_and_forks_is_the_same_for_all_cores),
        cmocka_unit_test(report_of_faxes_holds_and_forks_in_files_is_the_same_for_all_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
