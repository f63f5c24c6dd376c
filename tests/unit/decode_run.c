// Tests of decode_run() against decode_frame(): random ordinary frames and changed ones, cut at
// every length, from memory that ends at an unmapped page.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"
#include "decode/decode.h"
#include "decode/run.h"
#include "guard.h"
#include "random_fill.h"

#define FRAMES       40000
#define RECORD_ROOM  (CAPTURE_FRAME_ROOM + 64)
#define FIRST_NUMBER 7

// How the frames of a test are packed: a file that says so.
struct packing {
    struct cap_format format;
    struct pcapng state;
    bool is_nano;
};

static void pack_begin(struct packing *k, enum cap_kind kind, bool is_nano)
{
    memset(k, 0, sizeof *k);
    k->format.kind = kind;
    k->is_nano = is_nano;
    if (kind == CAP_PCAP) {
        uint8_t header[PCAP_WRITE_FILE_BYTES];
        pcap_write_file(header, LINK_ETHERNET, 65535, is_nano);
        assert_true(pcap_open(&k->format.pcap, header, sizeof header) > 0);
        return;
    }
    struct bytes b = {0};
    ng_section(&b, false);
    ng_interface(&b, false, LINK_ETHERNET, is_nano ? 9 : 6);
    for (size_t at = 0; at < b.n;) {
        struct cap_record record;
        struct cap_block block;
        uint64_t size = 0;
        assert_int_equal(pcapng_next(&k->state, b.p + at, b.n - at, &record, &size, &block),
                         CAP_SKIP);
        at += (size_t)size;
    }
    bytes_free(&b);
}

// The record of a frame. Returns where the frame begins in it.
static size_t pack(const struct packing *k, struct bytes *b, int64_t time_ns, const uint8_t *frame,
                   size_t n, size_t length)
{
    b->n = 0;
    if (k->format.kind == CAP_PCAP) {
        pcap_write_record(bytes_grow(b, 16), time_ns, (uint32_t)n, (uint32_t)length, k->is_nano);
        bytes_put(b, frame, n);
        return 16;
    }
    ng_packet(b, false, 0, (uint64_t)time_ns / (k->is_nano ? 1 : 1000), frame, n);
    put_le32(b->p + 24, (uint32_t)length);
    return 28;
}

// --- frames ---

static size_t put_udp(struct random *rng, uint8_t *p, size_t payload_n)
{
    static const uint8_t TYPES[] = {0, 0, 0, 8, 8, 9, 63, 72, 76, 101, 128, 136, 200, 223, 224};
    random_fill(rng, p, 8 + payload_n);
    put_be16(p + 4, (uint16_t)(8 + payload_n));
    uint8_t *rtp = p + 8;
    if (payload_n >= 2) {
        rtp[0] = 0x80;
        rtp[1] = TYPES[random_below(rng, sizeof TYPES)];
    }
    bool is_quiet = random_below(rng, 2) != 0; // no sample at the limit
    for (size_t i = 12; is_quiet && i < payload_n; i++) {
        rtp[i] |= 0x10;
    }
    return 8 + payload_n;
}

// An ordinary frame, mostly with 160 bytes of payload.
static size_t put_frame(struct random *rng, uint8_t *p)
{
    size_t payload_n = 12 + (random_below(rng, 3) ? 160 : random_below(rng, 300));
    bool has_tag = random_below(rng, 3) == 0;
    bool is_v6 = random_below(rng, 3) == 0;
    uint8_t *ip = p + (has_tag ? 18 : 14);
    random_fill(rng, p, 18 + 40);
    put_be16(p + 12, 0x8100);
    put_be16(ip - 2, is_v6 ? 0x86dd : 0x0800);
    size_t n = put_udp(rng, ip + (is_v6 ? 40 : 20), payload_n);
    if (is_v6) {
        ip[0] = (uint8_t)(0x60 | (ip[0] & 15));
        put_be16(ip + 4, (uint16_t)n);
        ip[6] = 17;
        return (size_t)(ip - p) + 40 + n;
    }
    ip[0] = 0x45;
    put_be16(ip + 2, (uint16_t)(20 + n));
    put_be16(ip + 6, (uint16_t)(random_below(rng, 2) << 14)); // don't fragment
    ip[9] = 17;
    return (size_t)(ip - p) + 20 + n;
}

// Changes some bytes of the headers, or lengths by a little. Returns the new length of the frame.
static size_t change(struct random *rng, uint8_t *p, size_t n)
{
    unsigned changes = (unsigned)random_below(rng, 4);
    for (unsigned i = 0; i < changes; i++) {
        size_t at = 12 + random_below(rng, 72);
        if (at < n) {
            uint8_t v = (uint8_t)random_u64(rng);
            p[at] = random_below(rng, 2) ? v : (uint8_t)(p[at] + (v & 2) - 1);
        }
    }
    size_t cut = random_below(rng, 4) == 0 ? random_below(rng, n + 1) : 0;
    size_t more = random_below(rng, 4) == 0 ? random_below(rng, 20) : 0; // padding of Ethernet
    random_fill(rng, p + n, more);
    return cut > 0 ? n - cut : n + more;
}

// --- both ways ---

static void assert_same_record(const struct media_record *a, const struct media_record *b)
{
    assert_int_equal(order_compare(a->order, b->order), 0);
    assert_int_equal(a->time_ns, b->time_ns);
    assert_true(endpoint_eq(a->src, b->src) && endpoint_eq(a->dst, b->dst));
    assert_int_equal(a->ssrc, b->ssrc);
    assert_int_equal(a->timestamp, b->timestamp);
    assert_int_equal(a->sequence, b->sequence);
    assert_int_equal(a->checksum, b->checksum);
    assert_int_equal(a->payload_n, b->payload_n);
    assert_int_equal(a->ip_id, b->ip_id);
    assert_int_equal(a->head, b->head);
    assert_int_equal(a->payload_type, b->payload_type);
    assert_int_equal(a->ttl, b->ttl);
    assert_int_equal(a->marker, b->marker);
    assert_int_equal(a->kind, b->kind);
}

typedef void run_function(struct records *r, const struct cap_format *f, const struct pcapng *state,
                          struct run *run);

// Runs over the record at p (n bytes are there, `size` are all of it). Was it taken? Then as
// decode_frame() does, else nothing has happened.
static bool check(run_function *decodes, const struct packing *k, const uint8_t *p, size_t n,
                  size_t size, size_t frame_at, size_t captured, size_t length, int64_t time_ns)
{
    struct records run_records, plain;
    records_init(&run_records);
    records_init(&plain);
    struct run run = {.at = p,
                      .stop = p + 1,
                      .end = p + n,
                      .running_ns = time_ns,
                      .packets = FIRST_NUMBER,
                      .bytes = 5};
    decodes(&run_records, &k->format, &k->state, &run);
    const struct record_list *list = &run_records.lists[MEDIA_RECORDS];
    bool is_taken = run.at != p;
    assert_int_equal(run.packets, FIRST_NUMBER + is_taken);
    assert_int_equal(list->count, is_taken);
    assert_int_equal(run_records.counts.reasons[REASON_NONE], is_taken);
    assert_int_equal(run.running_ns, time_ns);
    assert_int_equal(run.bytes, is_taken ? 5 + length : 5);
    if (is_taken) {
        assert_int_equal(run.at - p, size);
        struct origin from = {.order = {time_ns, FIRST_NUMBER}, .time_ns = time_ns};
        decode_frame(&plain, LINK_ETHERNET, p + frame_at, (uint32_t)captured, &from);
        assert_int_equal(plain.lists[MEDIA_RECORDS].count, 1);
        assert_memory_equal(&run_records.counts, &plain.counts, sizeof plain.counts);
        assert_same_record(list->items, plain.lists[MEDIA_RECORDS].items);
        assert_int_equal(list->bins[0], plain.lists[MEDIA_RECORDS].bins[0]);
        assert_memory_equal(list->begin, plain.lists[MEDIA_RECORDS].begin, sizeof list->begin);
    }
    records_fini(&run_records);
    records_fini(&plain);
    return is_taken;
}

static bool check_both(const struct packing *k, const struct bytes *record, size_t n,
                       size_t frame_at, size_t captured, size_t length, int64_t time_ns)
{
    uint8_t *p = guard_copy(record->p, n);
    bool is_taken = check(decode_run, k, p, n, record->n, frame_at, captured, length, time_ns);
    assert_int_equal(
        is_taken, check(decode_run_plain, k, p, n, record->n, frame_at, captured, length, time_ns));
    guard_free(p, n);
    return is_taken;
}

static void run_of_random_frames_gives_what_decode_frame_gives(void **state)
{
    (void)state;
    static struct packing packings[4];
    struct random rng;
    random_init(&rng, capture_seed("decode_run", 1));
    for (unsigned i = 0; i < 4; i++) {
        pack_begin(&packings[i], i & 1 ? CAP_PCAPNG : CAP_PCAP, i & 2);
    }
    struct bytes record = {0};
    size_t taken = 0;
    for (size_t i = 0; i < FRAMES; i++) {
        uint8_t frame[CAPTURE_FRAME_ROOM];
        const struct packing *k = &packings[random_below(&rng, 4)];
        size_t n = put_frame(&rng, frame);
        n = random_below(&rng, 3) == 0 ? n : change(&rng, frame, n);
        size_t length = n + random_below(&rng, 2);
        int64_t time_ns = CAPTURE_START_NS + (int64_t)random_below(&rng, 1000000) * 1000;
        size_t frame_at = pack(k, &record, time_ns, frame, n, length);
        taken += check_both(k, &record, record.n, frame_at, n, length, time_ns);
    }
    bytes_free(&record);
#ifdef __SSSE3__
    assert_in_range(taken, FRAMES / 3, FRAMES);
#endif
}

static void run_takes_no_record_that_is_not_whole(void **state)
{
    (void)state;
    static struct packing packings[2];
    struct random rng;
    random_init(&rng, capture_seed("decode_run", 2));
    struct bytes record = {0};
    for (unsigned i = 0; i < 200; i++) {
        struct packing *k = &packings[i & 1];
        pack_begin(k, i & 1 ? CAP_PCAPNG : CAP_PCAP, false);
        uint8_t frame[CAPTURE_FRAME_ROOM];
        size_t n = put_frame(&rng, frame);
        size_t frame_at = pack(k, &record, CAPTURE_START_NS, frame, n, n);
        for (size_t there = 0; there < record.n; there++) {
            assert_false(check_both(k, &record, there, frame_at, n, n, CAPTURE_START_NS));
        }
    }
    bytes_free(&record);
}

// Runs from many packets: where it stops, and that the lists grow.
static void run_ends_at_its_stop_at_a_step_back_and_at_other_frames(void **state)
{
    (void)state;
#ifdef __SSSE3__
    enum {
        COUNT = 1000
    };
    static struct packing k;
    pack_begin(&k, CAP_PCAP, false);
    struct random rng;
    random_init(&rng, capture_seed("decode_run", 3));
    struct bytes all = {0}, record = {0};
    size_t at[COUNT + 1];
    for (int i = 0; i < COUNT; i++) {
        uint8_t frame[CAPTURE_FRAME_ROOM];
        size_t n = put_frame(&rng, frame);
        uint8_t *ip = frame + (le16(frame + 12) == 0x0081 ? 18 : 14);
        uint8_t *rtp = ip + (ip[0] == 0x45 ? 28 : 48);
        rtp[1] = 0;
        rtp[2] = rtp[3] = 0x10; // never like a fax
        int64_t back_ns = i == 700 ? 1000000 : 0;
        if (n == (size_t)(rtp - frame) + 12 || n < 60) { // no payload, or no Ethernet frame
            i--;
            continue;
        }
        pack(&k, &record, CAPTURE_START_NS + i * 1000 - back_ns, frame, n, n);
        at[i] = all.n;
        bytes_put(&all, record.p, record.n);
    }
    at[COUNT] = all.n;
    all.p[at[900] + 16 + 12] = 0x08; // 0806 or 0800 of another kind
    all.p[at[900] + 16 + 13] = 0x06;
    for (size_t stop = 1; stop <= COUNT; stop += 37) {
        struct records r;
        records_init(&r);
        struct run run = {.at = all.p, .stop = all.p + at[stop], .end = all.p + all.n};
        decode_run(&r, &k.format, NULL, &run);
        assert_int_equal(run.packets, stop < 700 ? stop : 700);
        assert_ptr_equal(run.at, all.p + at[run.packets]);
        assert_int_equal(r.lists[MEDIA_RECORDS].count, run.packets);
        run = (struct run){.at = all.p + at[700], .stop = all.p + all.n, .end = all.p + all.n};
        decode_run(&r, &k.format, NULL, &run);
        assert_ptr_equal(run.at, all.p + at[900]);
        assert_int_equal(run.packets, 200);
        records_seal(&r);
        assert_int_equal(r.lists[MEDIA_RECORDS].begin[BINS], r.lists[MEDIA_RECORDS].count);
        records_fini(&r);
    }
    bytes_free(&all);
    bytes_free(&record);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_of_random_frames_gives_what_decode_frame_gives),
        cmocka_unit_test(run_takes_no_record_that_is_not_whole),
        cmocka_unit_test(run_ends_at_its_stop_at_a_step_back_and_at_other_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
