// Tests of the carrier capture: counts, order, checksums, pools, and that the same options give the
// same bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/slice.h"
#include "gen/carrier.h"
#include "gen/carrier_call.h"
#include "gen/frame.h"
#include "gen/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define HEADERS   FRAME_HEADERS_BYTES
#define CALLS_MAX 2000

static struct carrier_options small_options(void)
{
    struct carrier_options o = CARRIER_DEFAULTS;
    o.calls = 300;
    o.concurrency = 10;
    o.call_ids = 12;
    o.stream_pairs = 10;
    o.rtp_per_call = 20;
    return o;
}

// --- Plain readers, written apart from the code under test ---

static uint16_t plain_checksum(const uint8_t *p, size_t n, uint32_t sum)
{
    for (size_t i = 0; i < n; i++) {
        sum += i % 2 == 0 ? (uint32_t)p[i] << 8 : p[i];
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return (uint16_t)~sum;
}

static bool is_sip(const uint8_t *frame)
{
    return be16(frame + 34) == 5060;
}

// The value of the first line that begins with `name`.
static struct slice header(const uint8_t *frame, size_t n, const char *name)
{
    struct slice rest = slice_of((const char *)frame + HEADERS, n - HEADERS), line;
    size_t name_n = strlen(name);
    while (slice_cut(rest, '\n', &line, &rest)) {
        if (line.n > name_n && memcmp(line.p, name, name_n) == 0) {
            return slice_trim(slice_of(line.p + name_n, line.n - name_n));
        }
    }
    return slice_of(NULL, 0);
}

static bool starts_with(const uint8_t *frame, size_t n, const char *text)
{
    size_t text_n = strlen(text);
    return n >= HEADERS + text_n && memcmp(frame + HEADERS, text, text_n) == 0;
}

static bool is_bye_answer(const uint8_t *frame, size_t n)
{
    struct slice cseq = header(frame, n, "CSeq:");
    return starts_with(frame, n, "SIP/2.0 200") && cseq.n > 4 &&
           memcmp(cseq.p + cseq.n - 3, "BYE", 3) == 0;
}

// FNV-1a over times and frames.
static uint64_t digest(const struct carrier_options *o)
{
    struct carrier *c = carrier_new(o);
    uint8_t frame[8 + CARRIER_FRAME_BYTES];
    int64_t at;
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t n; (n = carrier_next(c, frame + 8, &at)) > 0;) {
        memcpy(frame, &at, 8);
        for (size_t i = 0; i < n + 8; i++) {
            sum = (sum ^ frame[i]) * 0x100000001b3u;
        }
    }
    carrier_free(c);
    return sum;
}

// --- Tests ---

static void carrier_defaults_give_535000_packets(void **state)
{
    (void)state;
    struct carrier_options o = CARRIER_DEFAULTS;
    struct carrier *c = carrier_new(&o);
    uint8_t frame[CARRIER_FRAME_BYTES];
    int64_t at, last = 0;
    unsigned sip = 0, rtp = 0, backwards = 0, odd_time = 0;
    uint64_t bytes = 24;
    for (size_t n; (n = carrier_next(c, frame, &at)) > 0;) {
        *(is_sip(frame) ? &sip : &rtp) += 1;
        backwards += at < last;
        odd_time += at % 1000 != 0;
        last = at;
        bytes += n + 16;
    }
    carrier_free(c);
    assert_int_equal(sip, 35000);
    assert_int_equal(rtp, 500000);
    assert_int_equal(carrier_total(&o), 535000);
    assert_int_equal(backwards, 0);
    assert_int_equal(odd_time, 0);
    assert_in_range(bytes, 120000000, 140000000);
}

static void carrier_same_options_give_same_bytes(void **state)
{
    (void)state;
    struct carrier_options o = small_options();
    uint64_t first = digest(&o);
    assert_true(first == digest(&o));
    // A capture that somebody keeps the arguments of stays the same from release to release.
    print_message("# digest %016llx\n", (unsigned long long)first);
    assert_true(first == 0x63e67954159dbc7c);
    o.seed = 2;
    assert_true(first != digest(&o));
}

static void carrier_frames_have_right_lengths_and_checksums(void **state)
{
    (void)state;
    struct carrier_options o = small_options();
    struct carrier *c = carrier_new(&o);
    uint8_t frame[CARRIER_FRAME_BYTES];
    int64_t at;
    for (size_t n; (n = carrier_next(c, frame, &at)) > 0;) {
        assert_true(n <= CARRIER_FRAME_BYTES);
        assert_int_equal(be16(frame + 12), 0x0800);
        assert_int_equal(be16(frame + 16), n - 14);
        assert_int_equal(be16(frame + 38), n - 34);
        assert_int_equal(plain_checksum(frame + 14, 20, 0), 0);
        uint8_t pseudo[12];
        memcpy(pseudo, frame + 26, 8);
        put_be16(pseudo + 8, 17);
        put_be16(pseudo + 10, be16(frame + 38));
        uint32_t sum = (uint16_t)~plain_checksum(pseudo, 12, 0);
        assert_int_not_equal(be16(frame + 40), 0);
        assert_int_equal(plain_checksum(frame + 34, n - 34, sum), 0);
    }
    carrier_free(c);
}

static void carrier_messages_are_whole(void **state)
{
    (void)state;
    struct carrier_options o = small_options();
    struct carrier *c = carrier_new(&o);
    uint8_t frame[CARRIER_FRAME_BYTES];
    int64_t at;
    for (size_t n; (n = carrier_next(c, frame, &at)) > 0;) {
        if (!is_sip(frame)) {
            continue;
        }
        struct slice length = header(frame, n, "Content-Length:");
        uint64_t body_n;
        assert_true(slice_u64(length, 2000, &body_n));
        const char *end = memmem(frame + HEADERS, n - HEADERS, "\r\n\r\n", 4);
        assert_non_null(end);
        assert_int_equal((size_t)((const char *)frame + n - (end + 4)), body_n);
        assert_true(header(frame, n, "Via:").n > 0 && header(frame, n, "From:").n > 0);
        assert_true(header(frame, n, "To:").n > 0 && header(frame, n, "Call-ID:").n > 0);
    }
    carrier_free(c);
}

struct use {
    uint64_t id;
    bool busy;
    unsigned calls;
};

static struct use *use_of(struct use *uses, size_t *count, uint64_t id)
{
    for (size_t i = 0; i < *count; i++) {
        if (uses[i].id == id) {
            return &uses[i];
        }
    }
    assert_true(*count < CALLS_MAX);
    uses[*count] = (struct use){.id = id};
    return &uses[(*count)++];
}

static uint64_t slice_id(struct slice s)
{
    return hash_bytes(s.p, s.n, 7);
}

static void carrier_call_ids_serve_one_call_at_a_time_with_new_tags(void **state)
{
    (void)state;
    static struct use ids[CALLS_MAX], tags[CALLS_MAX];
    size_t id_count = 0, tag_count = 0;
    struct carrier_options o = small_options();
    struct carrier *c = carrier_new(&o);
    uint8_t frame[CARRIER_FRAME_BYTES];
    int64_t at;
    unsigned busy = 0, most = 0, full = 0, packets = 0;
    for (size_t n; (n = carrier_next(c, frame, &at)) > 0; packets++) {
        full += busy >= o.concurrency - 1;
        if (starts_with(frame, n, "INVITE ")) {
            struct use *id = use_of(ids, &id_count, slice_id(header(frame, n, "Call-ID:")));
            assert_false(id->busy);
            id->busy = true;
            id->calls++;
            assert_int_equal(use_of(tags, &tag_count, slice_id(header(frame, n, "From:")))->calls++,
                             0);
            most = ++busy > most ? busy : most;
        } else if (is_sip(frame) && is_bye_answer(frame, n)) {
            struct use *id = use_of(ids, &id_count, slice_id(header(frame, n, "Call-ID:")));
            assert_true(id->busy);
            id->busy = false;
            busy--;
        }
    }
    carrier_free(c);
    assert_int_equal(id_count, o.call_ids);
    assert_int_equal(tag_count, o.calls);
    assert_int_equal(most, o.concurrency);
    assert_int_equal(busy, 0);
    assert_true(full * 100 > packets * 80); // nearly always as many calls as asked for
    for (size_t i = 0; i < id_count; i++) {
        assert_in_range(ids[i].calls, o.calls / o.call_ids - 3, o.calls / o.call_ids + 3);
    }
}

struct heard {
    uint64_t id;
    uint32_t count, timestamp, first_timestamp;
    uint16_t sequence, first_sequence;
    int64_t at, first_at;
};

static struct heard *heard_of(struct heard *all, size_t *count, const uint8_t *frame)
{
    uint64_t id = hash_bytes(frame + 26, 12, be32(frame + HEADERS + 8));
    for (size_t i = 0; i < *count; i++) {
        if (all[i].id == id) {
            return &all[i];
        }
    }
    assert_true(*count < CALLS_MAX);
    all[*count] = (struct heard){.id = id};
    return &all[(*count)++];
}

static void carrier_reused_pair_starts_its_numbers_again(void **state)
{
    (void)state;
    static struct heard heard[CALLS_MAX];
    size_t count = 0;
    struct carrier_options o = small_options();
    struct carrier *c = carrier_new(&o);
    uint8_t frame[CARRIER_FRAME_BYTES];
    int64_t at;
    for (size_t n; (n = carrier_next(c, frame, &at)) > 0;) {
        if (is_sip(frame)) {
            continue;
        }
        struct heard *h = heard_of(heard, &count, frame);
        const uint8_t *rtp = frame + HEADERS;
        uint16_t sequence = be16(rtp + 2);
        uint32_t timestamp = be32(rtp + 4);
        assert_int_equal(n, HEADERS + 12 + 160);
        bool first = h->count % (o.rtp_per_call / 2) == 0;
        assert_int_equal(rtp[1], first ? 0x80 : 0x00);
        if (h->count == 0) {
            h->first_sequence = sequence;
            h->first_timestamp = timestamp;
        } else if (first) {
            assert_int_equal(sequence, h->first_sequence);
            assert_int_equal(timestamp, h->first_timestamp);
        } else {
            assert_int_equal(sequence, (uint16_t)(h->sequence + 1));
            assert_int_equal(timestamp, h->timestamp + 160);
            assert_in_range(at - h->at, 16000000, 24000000);
        }
        *h = (struct heard){h->id,    h->count + 1,      timestamp, h->first_timestamp,
                            sequence, h->first_sequence, at,        h->first_at};
    }
    carrier_free(c);
    assert_int_equal(count, 2 * o.stream_pairs);
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += heard[i].count;
    }
    assert_int_equal(total, (uint64_t)o.calls * o.rtp_per_call);
}

static void carrier_media_stays_inside_its_call(void **state)
{
    (void)state;
    struct carrier_options o = small_options();
    o.concurrency = 1;
    o.calls = 40;
    struct carrier *c = carrier_new(&o);
    uint8_t frame[CARRIER_FRAME_BYTES];
    int64_t at;
    bool up = false;
    for (size_t n; (n = carrier_next(c, frame, &at)) > 0;) {
        if (!is_sip(frame)) {
            assert_true(up);
        } else if (starts_with(frame, n, "SIP/2.0 200")) {
            up = !up; // the answer to INVITE, then the answer to BYE
        }
    }
    assert_false(up);
    carrier_free(c);
}

static void carrier_without_pools_gives_each_call_its_own(void **state)
{
    (void)state;
    static struct use ids[CALLS_MAX];
    static struct heard heard[CALLS_MAX];
    size_t id_count = 0, heard_count = 0;
    struct carrier_options o = small_options();
    o.call_ids = 0;
    o.stream_pairs = 0;
    o.rtp_per_call = 3; // two from the caller, one from the callee
    struct carrier *c = carrier_new(&o);
    uint8_t frame[CARRIER_FRAME_BYTES];
    int64_t at;
    for (size_t n; (n = carrier_next(c, frame, &at)) > 0;) {
        if (is_sip(frame)) {
            use_of(ids, &id_count, slice_id(header(frame, n, "Call-ID:")));
        } else {
            heard_of(heard, &heard_count, frame)->count++;
        }
    }
    carrier_free(c);
    assert_int_equal(id_count, o.calls);
    assert_int_equal(heard_count, 2 * o.calls);
    unsigned ones = 0, twos = 0;
    for (size_t i = 0; i < heard_count; i++) {
        ones += heard[i].count == 1;
        twos += heard[i].count == 2;
    }
    assert_int_equal(ones, o.calls);
    assert_int_equal(twos, o.calls);
}

static void carrier_check_refuses_what_cannot_be(void **state)
{
    (void)state;
    static const struct {
        uint32_t calls, rtp, call_ids, pairs, concurrency;
        enum carrier_fault fault;
    } cases[] = {
        {5000, 100, 100, 100, 100, CARRIER_GOOD},
        {1, 0, 0, 0, 1, CARRIER_GOOD},
        {5000, 100, 0, 0, 20000, CARRIER_GOOD},
        {5000, 100, 99, 100, 100, CARRIER_CALL_IDS_FEW},
        {5000, 100, 100, 99, 100, CARRIER_PAIRS_FEW},
        {5, 100, 10, 10, 100,
         CARRIER_CALL_IDS_FEW}, // said of the pool and the concurrency, however few the calls
        {0, 100, 0, 0, 1, CARRIER_CALLS_RANGE},
        {5000, 100, 0, 0, 0, CARRIER_CONCURRENCY_RANGE},
        {CARRIER_CALLS_MAX + 1, 100, 0, 0, 100000, CARRIER_CALLS_RANGE},
        {5000, CARRIER_RTP_MAX + 1, 0, 0, 1, CARRIER_RTP_RANGE},
        {5000, 100, 0, 0, CARRIER_CONCURRENCY_MAX + 1, CARRIER_CONCURRENCY_RANGE},
        {5000, 100, CARRIER_POOL_MAX + 1, 0, 1, CARRIER_POOL_RANGE},
        {CARRIER_CALLS_MAX, 100, 0, 0, 1, CARRIER_TOO_LONG}, // 50 years
        {1000000, CARRIER_RTP_MAX, 0, 0, 1, CARRIER_TOO_LONG},
    };
    struct carrier_options tagged = CARRIER_DEFAULTS;
    tagged.shape.vlan = CARRIER_VLAN_MAX;
    assert_int_equal(carrier_check(&tagged), CARRIER_GOOD);
    tagged.shape.vlan++;
    assert_int_equal(carrier_check(&tagged), CARRIER_VLAN_RANGE);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct carrier_options o = {.seed = 1,
                                    .calls = cases[i].calls,
                                    .rtp_per_call = cases[i].rtp,
                                    .call_ids = cases[i].call_ids,
                                    .stream_pairs = cases[i].pairs,
                                    .concurrency = cases[i].concurrency};
        print_message("# case %zu\n", i);
        assert_int_equal(carrier_check(&o), cases[i].fault);
    }
}

static void carrier_message_of_largest_numbers_fits_a_frame(void **state)
{
    (void)state;
    const struct carrier_options o = {
        .seed = UINT64_MAX, .shape = {CARRIER_VLAN_MAX, true}, .tcp = true};
    struct carrier_call call = {.index = UINT32_MAX, .call_id = UINT32_MAX, .pair = UINT32_MAX};
    carrier_pair(&o, call.pair, call.flow);
    call.flow[0].ssrc = call.flow[1].ssrc = UINT32_MAX;
    call.flow[0].path.src = call.flow[1].path.src = 0xfffefdfc;
    for (int step = 0; step < CARRIER_STEPS; step++) {
        char text[1400];
        assert_in_range(carrier_message(&o, &call, (enum carrier_step)step, text, sizeof text), 200,
                        1399);
    }
}

static void carrier_write_gives_a_pcap_file_of_all_packets(void **state)
{
    (void)state;
    struct carrier_options o = small_options();
    FILE *file = tmpfile();
    assert_non_null(file);
    struct carrier_written written;
    assert_int_equal(carrier_write(fileno(file), &o, NULL, &written), 0);
    assert_int_equal(written.packets, carrier_total(&o));
    uint8_t *bytes = malloc(written.bytes);
    assert_non_null(bytes);
    rewind(file);
    assert_int_equal(fread(bytes, 1, written.bytes, file), written.bytes);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    assert_int_equal(le32(bytes), 0xa1b2c3d4);
    assert_int_equal(le32(bytes + 20), 1);
    uint64_t records = 0, at = 24;
    for (; at + 16 <= written.bytes; records++) {
        assert_int_equal(le32(bytes + at + 8), le32(bytes + at + 12));
        assert_true(le32(bytes + at + 4) < 1000000);
        at += 16 + le32(bytes + at + 8);
    }
    assert_int_equal(at, written.bytes);
    assert_int_equal(records, written.packets);
    free(bytes);
}

static void carrier_write_to_full_disk_fails(void **state)
{
    (void)state;
    int fd = open("/dev/full", O_WRONLY);
    if (fd < 0) {
        skip();
    }
    struct carrier_options o = small_options();
    struct carrier_written written;
    assert_int_equal(carrier_write(fd, &o, NULL, &written), ERR_WRITE);
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(written.packets, 0);
    close(fd);
}

static void stop_now(void *context, const struct carrier_written *so_far)
{
    (void)so_far;
    *(bool *)context = true;
}

static void carrier_write_asked_to_stop_ends_after_whole_records(void **state)
{
    (void)state;
    struct carrier_options o = CARRIER_DEFAULTS;
    int fd = open("/dev/null", O_WRONLY);
    assert_true(fd >= 0);
    volatile bool stop = false;
    struct carrier_watch watch = {.progress = stop_now, .context = (void *)&stop, .stop = &stop};
    struct carrier_written written;
    assert_int_equal(carrier_write(fd, &o, &watch, &written), ERR_INTERRUPTED);
    assert_in_range(written.packets, 1000, 10000); // one buffer
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carrier_defaults_give_535000_packets),
        cmocka_unit_test(carrier_same_options_give_same_bytes),
        cmocka_unit_test(carrier_frames_have_right_lengths_and_checksums),
        cmocka_unit_test(carrier_messages_are_whole),
        cmocka_unit_test(carrier_call_ids_serve_one_call_at_a_time_with_new_tags),
        cmocka_unit_test(carrier_reused_pair_starts_its_numbers_again),
        cmocka_unit_test(carrier_media_stays_inside_its_call),
        cmocka_unit_test(carrier_without_pools_gives_each_call_its_own),
        cmocka_unit_test(carrier_check_refuses_what_cannot_be),
        cmocka_unit_test(carrier_message_of_largest_numbers_fits_a_frame),
        cmocka_unit_test(carrier_write_gives_a_pcap_file_of_all_packets),
        cmocka_unit_test(carrier_write_to_full_disk_fails),
        cmocka_unit_test(carrier_write_asked_to_stop_ends_after_whole_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
