// Tests of pcapng files: sections, interfaces, times of every resolution, blocks of every type, and
// input that lies. It is long because every block type and every way to lie has its row.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/error.h"
#include "cap_maker.h"
#include "guard.h"
#include "wire/cap/pcapng.h"

#include <stdlib.h>

#define SECOND INT64_C(1000000000)

static void set32(struct maker *m, size_t at, uint32_t v)
{
    size_t n = m->n;
    m->n = at;
    put32(m, v);
    m->n = n;
}

// begin and end frame a block.
static void begin(struct maker *m, uint32_t type)
{
    m->block = m->n;
    put32(m, type);
    put32(m, 0);
}

static void end(struct maker *m)
{
    while (m->n % 4 != 0) {
        m->bytes[m->n++] = 0;
    }
    uint32_t total = (uint32_t)(m->n - m->block + 4);
    put32(m, total);
    set32(m, m->block + 4, total);
}

static void put_section(struct maker *m)
{
    begin(m, 0x0a0d0d0a);
    put32(m, 0x1a2b3c4d);
    put16(m, 1);
    put16(m, 0);
    put32(m, UINT32_MAX); // section length: not known, and never believed
    put32(m, UINT32_MAX);
    end(m);
}

static void put_interface(struct maker *m, uint16_t link, uint32_t snaplen, uint8_t resolution,
                          int64_t offset_s)
{
    begin(m, 1);
    put16(m, link);
    put16(m, 0);
    put32(m, snaplen);
    put16(m, 2); // if_name, to be read past
    put16(m, 3);
    memcpy(m->bytes + m->n, "any", 4);
    m->n += 4;
    put16(m, 9);
    put16(m, 1);
    m->bytes[m->n] = resolution;
    memset(m->bytes + m->n + 1, 0, 3);
    m->n += 4;
    if (offset_s != 0) {
        put16(m, 14);
        put16(m, 8);
        uint32_t low = (uint32_t)offset_s;
        uint32_t high = (uint32_t)((uint64_t)offset_s >> 32);
        put32(m, m->big ? high : low);
        put32(m, m->big ? low : high);
    }
    put16(m, 0);
    put16(m, 0);
    end(m);
}

static void put_bytes(struct maker *m, uint32_t n)
{
    memset(m->bytes + m->n, 0xab, n);
    m->n += n;
}

static void put_enhanced(struct maker *m, uint32_t interface, uint64_t ticks, uint32_t captured,
                         uint32_t length)
{
    begin(m, 6);
    put32(m, interface);
    put32(m, (uint32_t)(ticks >> 32));
    put32(m, (uint32_t)ticks);
    put32(m, captured);
    put32(m, length);
    put_bytes(m, captured);
    end(m);
}

// What the last step gave.
struct step {
    enum cap_step kind;
    struct cap_record record;
    uint64_t size;
    struct cap_block block;
};

static struct step next(struct pcapng *f, const uint8_t *p, size_t n)
{
    struct step s = {0};
    s.kind = pcapng_next(f, p, n, &s.record, &s.size, &s.block);
    return s;
}

// Reads blocks until the first packet, from *at on.
static struct step next_packet(struct pcapng *f, const struct maker *m, size_t *at)
{
    struct step s = {.kind = CAP_SKIP};
    while (s.kind == CAP_SKIP) {
        assert_true(*at < m->n);
        s = next(f, m->bytes + *at, m->n - *at);
        assert_true(s.kind == CAP_SKIP || s.kind == CAP_RECORD);
        *at += s.size;
    }
    return s;
}

static void probe_knows_sections_of_both_orders(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct maker m = {.big = big};
        put_section(&m);
        for (size_t n = 0; n < 12; n++) {
            uint8_t *p = guard_copy(m.bytes, n);
            assert_int_equal(pcapng_probe(p, n), 0);
            guard_free(p, n);
        }
        assert_int_equal(pcapng_probe(m.bytes, 12), 1);
        m.bytes[9] ^= 1;
        assert_int_equal(pcapng_probe(m.bytes, 12), ERR_NOT_A_CAPTURE);
        m.bytes[0] ^= 1;
        assert_int_equal(pcapng_probe(m.bytes, 4), ERR_NOT_A_CAPTURE);
    }
}

static void time_of_every_resolution_is_rounded_down(void **state)
{
    (void)state;
    static const struct {
        uint8_t resolution;
        int64_t offset_s;
        uint64_t ticks;
        int64_t time_ns;
    } ROWS[] = {
        {6, 0, 1700000000123456, INT64_C(1700000000123456000)},
        {9, 0, 1700000000123456789, INT64_C(1700000000123456789)},
        {3, 0, 1700000000123, INT64_C(1700000000123000000)},
        {0, 0, 1700000000, INT64_C(1700000000000000000)},
        {7, 0, 17000000001234567, INT64_C(1700000000123456700)},
        {10, 0, 17000000001234567899u, INT64_C(1700000000123456789)},
        {12, 0, 1999, 1}, // 1.999 ns
        {18, 0, UINT64_MAX, INT64_C(18446744073)},
        {19, 0, UINT64_MAX, INT64_C(1844674407)},
        {28, 0, UINT64_MAX, 1}, // 10^19 ticks a nanosecond
        {29, 0, UINT64_MAX, 0},
        {127, 0, UINT64_MAX, 0},
        {0x80 | 0, 0, 1700000000, INT64_C(1700000000000000000)},
        {0x80 | 10, 0, 1025, SECOND + 976562}, // 1/1024 s = 976,562.5 ns
        {0x80 | 20, 0, (UINT64_C(1700000000) << 20) + 1, INT64_C(1700000000000000953)},
        {0x80 | 32, 0, (UINT64_C(1700000000) << 32) + 1, INT64_C(1700000000000000000)},
        {0x80 | 63, 0, UINT64_C(1) << 63, SECOND},
        {0x80 | 64, 0, UINT64_MAX, SECOND - 1},
        {0x80 | 127, 0, UINT64_MAX, 0},
        {6, 3600, 1700000000000000, INT64_C(1700003600000000000)},
        {6, -3600, 1700000000000000, INT64_C(1699996400000000000)},
        {9, -2, 1500000000, -500000000},
        {6, 0, UINT64_MAX, INT64_MAX},
        {0, 0, UINT64_MAX, INT64_MAX},
        {9, 0, UINT64_MAX, INT64_MAX},
        {6, INT64_MAX, 0, INT64_MAX},
        {6, INT64_MIN, 0, -INT64_MAX},
        {9, -9223372037, 854775807, INT64_C(-9223372036145224193)},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        for (int big = 0; big < 2; big++) {
            struct maker m = {.big = big};
            static struct pcapng f;
            f = (struct pcapng){0};
            put_section(&m);
            put_interface(&m, 1, 0, ROWS[i].resolution, ROWS[i].offset_s);
            put_enhanced(&m, 0, ROWS[i].ticks, 3, 3);
            size_t at = 0;
            struct step s = next_packet(&f, &m, &at);
            assert_true(s.record.has_time);
            if (s.record.time_ns != ROWS[i].time_ns) {
                fail_msg("row %zu: %lld, not %lld", i, (long long)s.record.time_ns,
                         (long long)ROWS[i].time_ns);
            }
        }
    }
}

static void interfaces_belong_to_their_section(void **state)
{
    (void)state;
    struct maker m = {0};
    static struct pcapng f;
    f = (struct pcapng){0};
    put_section(&m);
    put_interface(&m, 1, 0, 6, 0);
    put_interface(&m, 113, 0, 9, 0);
    put_enhanced(&m, 1, 7, 5, 60);
    m.big = true; // another section, of the other order
    put_section(&m);
    put_interface(&m, 276, 0, 3, 0);
    put_enhanced(&m, 0, 7, 6, 6);
    put_enhanced(&m, 1, 7, 6, 6);
    size_t at = 0;
    struct step s = next_packet(&f, &m, &at);
    assert_int_equal(s.block.kind, PCAPNG_PACKET);
    assert_int_equal(s.record.linktype, 113);
    assert_int_equal(s.record.time_ns, 7);
    assert_int_equal(s.record.captured, 5);
    assert_int_equal(s.record.length, 60);
    uint64_t version = f.version;
    s = next_packet(&f, &m, &at);
    assert_int_equal(s.record.linktype, 276);
    assert_int_equal(s.record.time_ns, 7000000);
    assert_true(f.version > version && f.swapped && f.interface_count == 1);
    s = next(&f, m.bytes + at, m.n - at);
    assert_int_equal(s.kind, CAP_SKIP);
    assert_int_equal(s.block.kind, PCAPNG_PACKET_NO_INTERFACE);
    assert_int_equal(at + s.size, m.n);
}

static void interfaces_beyond_the_table_are_not_known(void **state)
{
    (void)state;
    static struct pcapng f;
    f = (struct pcapng){0};
    struct maker m = {0};
    put_section(&m);
    assert_int_equal(next(&f, m.bytes, m.n).block.kind, PCAPNG_SECTION);
    m.n = 0;
    put_interface(&m, 1, 0, 6, 0);
    for (int i = 0; i < PCAPNG_INTERFACES_MAX + 3; i++) {
        assert_int_equal(next(&f, m.bytes, m.n).block.kind, PCAPNG_INTERFACE);
    }
    assert_int_equal(f.interface_count, PCAPNG_INTERFACES_MAX);
    m.n = 0;
    put_enhanced(&m, PCAPNG_INTERFACES_MAX, 1, 4, 4);
    assert_int_equal(next(&f, m.bytes, m.n).block.kind, PCAPNG_PACKET_NO_INTERFACE);
    m.n = 0;
    put_enhanced(&m, PCAPNG_INTERFACES_MAX - 1, 1, 4, 4);
    assert_int_equal(next(&f, m.bytes, m.n).block.kind, PCAPNG_PACKET);
}

static void simple_packets_end_with_snaplen_or_block(void **state)
{
    (void)state;
    static const struct {
        uint32_t snaplen, length, there, captured;
    } ROWS[] = {
        {0, 5, 5, 5}, {100, 5, 5, 5}, {4, 60, 4, 4}, {0, 60, 8, 8}, {3, 3, 3, 3}, {0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct maker m = {0};
        static struct pcapng f;
        f = (struct pcapng){0};
        put_section(&m);
        put_interface(&m, 1, ROWS[i].snaplen, 6, 0);
        put_interface(&m, 113, 0, 6, 0);
        begin(&m, 3);
        put32(&m, ROWS[i].length);
        put_bytes(&m, ROWS[i].there);
        end(&m);
        size_t at = 0;
        struct step s = next_packet(&f, &m, &at);
        assert_int_equal(s.block.kind, PCAPNG_PACKET);
        assert_int_equal(s.record.captured, ROWS[i].captured);
        assert_int_equal(s.record.length, ROWS[i].length);
        assert_int_equal(s.record.linktype, 1);
        assert_false(s.record.has_time);
    }
}

static void obsolete_packets_have_a_small_interface(void **state)
{
    (void)state;
    struct maker m = {.big = true};
    static struct pcapng f;
    f = (struct pcapng){0};
    put_section(&m);
    put_interface(&m, 1, 0, 6, 0);
    put_interface(&m, 101, 0, 6, 0);
    begin(&m, 2);
    put16(&m, 1);
    put16(&m, 0xffff); // drops: not known
    put32(&m, 0);
    put32(&m, 5);
    put32(&m, 2);
    put32(&m, 40);
    put_bytes(&m, 2);
    end(&m);
    size_t at = 0;
    struct step s = next_packet(&f, &m, &at);
    assert_int_equal(s.record.linktype, 101);
    assert_int_equal(s.record.time_ns, 5000);
    assert_int_equal(s.record.captured, 2);
    assert_int_equal(s.record.length, 40);
}

static void other_blocks_are_skipped_and_named(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        enum pcapng_block block;
    } ROWS[] = {{4, PCAPNG_NAMES}, {10, PCAPNG_SECRETS},      {5, PCAPNG_STATISTICS},
                {9, PCAPNG_OTHER}, {0x0bad, PCAPNG_OTHER},    {0x40000bad, PCAPNG_OTHER},
                {0, PCAPNG_OTHER}, {0x80000001, PCAPNG_OTHER}};
    static struct pcapng f;
    f = (struct pcapng){0};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        for (uint32_t n = 0; n < 9; n += 4) {
            struct maker m = {0};
            begin(&m, ROWS[i].type);
            put_bytes(&m, n);
            end(&m);
            struct step s = next(&f, m.bytes, m.n);
            assert_int_equal(s.kind, CAP_SKIP);
            assert_int_equal(s.block.kind, ROWS[i].block);
            assert_int_equal(s.size, 12 + n);
            assert_ptr_equal(s.block.body, m.bytes + 8);
            assert_int_equal(s.block.body_n, n);
        }
    }
    assert_int_equal(f.version, 0);
}

static void block_lengths_that_lie_are_broken_or_rounded(void **state)
{
    (void)state;
    static const struct {
        uint32_t leading, trailing;
        enum cap_step kind;
    } ROWS[] = {
        {20, 20, CAP_SKIP},          {20, 24, CAP_BROKEN}, {20, 0, CAP_BROKEN},
        {19, 19, CAP_SKIP},          {17, 20, CAP_SKIP}, // unpadded, in both ways that writers have
        {11, 11, CAP_BROKEN},        {0, 0, CAP_BROKEN},   {0x80000000, 0, CAP_BROKEN},
        {UINT32_MAX, 0, CAP_BROKEN},
    };
    static struct pcapng f;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct maker m = {0};
        put32(&m, 5);
        put32(&m, ROWS[i].leading);
        put_bytes(&m, 8);
        put32(&m, ROWS[i].trailing);
        struct step s = next(&f, m.bytes, m.n);
        assert_int_equal(s.kind, ROWS[i].kind);
        if (s.kind == CAP_SKIP) {
            assert_int_equal(s.size, 20);
        }
    }
}

static void packet_that_claims_more_than_its_block_is_cut(void **state)
{
    (void)state;
    struct maker m = {0};
    static struct pcapng f;
    f = (struct pcapng){0};
    put_section(&m);
    put_interface(&m, 1, 0, 6, 0);
    size_t packet = m.n;
    put_enhanced(&m, 0, 1, 8, 8);
    set32(&m, packet + 20, UINT32_MAX);
    size_t at = 0;
    struct step s = next_packet(&f, &m, &at);
    assert_int_equal(s.record.captured, 8);
    assert_int_equal(s.record.length, 8);
    assert_int_equal(at, m.n);
}

static void block_larger_than_the_buffer_is_skipped_unseen(void **state)
{
    (void)state;
    const uint32_t total = 1u << 24;
    const size_t seen = CAP_SNAPLEN_MAX + 32;
    uint8_t *bytes = calloc(1, seen);
    static struct pcapng f;
    f = (struct pcapng){.interface_count = 1};
    f.interfaces[0].resolution = 6;
    struct maker m = {0};
    put32(&m, 10);
    put32(&m, total);
    memcpy(bytes, m.bytes, m.n);
    struct step s = next(&f, bytes, seen - 1);
    assert_int_equal(s.kind, CAP_MORE);
    assert_int_equal(s.size, seen);
    s = next(&f, bytes, seen);
    assert_int_equal(s.kind, CAP_SKIP);
    assert_int_equal(s.block.kind, PCAPNG_SECRETS);
    assert_int_equal(s.size, total);
    assert_int_equal(s.block.body_n, seen - 8);
    m.n = 0; // the same as a packet: its first bytes count
    put32(&m, 6);
    put32(&m, total);
    put32(&m, 0);
    put32(&m, 0);
    put32(&m, 1);
    put32(&m, total - 32);
    put32(&m, total - 32);
    memcpy(bytes, m.bytes, m.n);
    s = next(&f, bytes, seen);
    assert_int_equal(s.kind, CAP_RECORD);
    assert_int_equal(s.size, total);
    assert_int_equal(s.record.captured, CAP_SNAPLEN_MAX);
    assert_int_equal(s.record.length, total - 32);
    free(bytes);
}

// A file with everything in it.
static struct maker sample(bool big)
{
    struct maker m = {.big = big};
    put_section(&m);
    put_interface(&m, 1, 0, 6, 0);
    put_interface(&m, 113, 96, 0x94, 3600);
    put_enhanced(&m, 0, 1700000000000000, 7, 60);
    put_enhanced(&m, 1, 1, 0, 0);
    begin(&m, 3);
    put32(&m, 8);
    put_bytes(&m, 8);
    end(&m);
    begin(&m, 4);
    put_bytes(&m, 12);
    end(&m);
    m.big = !big;
    put_section(&m);
    put_interface(&m, 276, 0, 9, 0);
    put_enhanced(&m, 0, 1, 3, 3);
    return m;
}

// Walks bytes that end at an unmapped page; a step that reads nothing leaves the state alone.
static int walk(const uint8_t *bytes, size_t n)
{
    uint8_t *p = guard_copy(bytes, n);
    static struct pcapng f, before;
    f = (struct pcapng){0};
    int records = 0;
    for (size_t at = 0; at < n;) {
        before = f;
        struct step s = next(&f, p + at, n - at);
        if (s.kind == CAP_MORE || s.kind == CAP_BROKEN) {
            assert_memory_equal(&f, &before, sizeof f);
            assert_true(s.kind == CAP_BROKEN || s.size > n - at);
            break;
        }
        assert_true(s.block.body >= p + at && s.block.body_n <= (size_t)(p + n - s.block.body));
        if (s.kind == CAP_RECORD) {
            const struct cap_record *r = &s.record;
            assert_true(r->bytes >= p + at && r->captured <= (size_t)(p + n - r->bytes));
            assert_true(r->length >= r->captured && r->captured <= CAP_SNAPLEN_MAX);
            records++;
        }
        assert_true(s.size >= 12 && s.size % 4 == 0);
        assert_int_equal(pcapng_size(&before, p + at, n - at), s.size);
        if (s.size > n - at) {
            break;
        }
        assert_true(f.interface_count <= PCAPNG_INTERFACES_MAX);
        at += s.size;
    }
    guard_free(p, n);
    return records;
}

static void walk_every_prefix_and_every_changed_byte_stays_inside(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        struct maker m = sample(big);
        assert_int_equal(walk(m.bytes, m.n), 4);
        for (size_t n = 0; n < m.n; n++) {
            walk(m.bytes, n);
        }
        for (size_t i = 0; i < m.n; i++) {
            static const uint8_t CHANGES[] = {0x01, 0x04, 0x7f, 0x80, 0xff};
            for (size_t c = 0; c < sizeof CHANGES; c++) {
                m.bytes[i] ^= CHANGES[c];
                walk(m.bytes, m.n);
                m.bytes[i] ^= CHANGES[c];
            }
        }
    }
}

static void plausible_holds_at_blocks_only(void **state)
{
    (void)state;
    struct maker m = sample(false);
    static struct pcapng f;
    f = (struct pcapng){0};
    bool is_block[sizeof m.bytes] = {false};
    for (size_t at = 0; at < m.n;) {
        is_block[at] = true;
        struct step s = next(&f, m.bytes + at, m.n - at);
        assert_true(pcapng_plausible(&f, m.bytes + at, m.n - at));
        at += s.size;
    }
    f.swapped = false;
    for (size_t at = 0; at < m.n; at += 4) {
        uint8_t *p = guard_copy(m.bytes + at, m.n - at);
        if (pcapng_plausible(&f, p, m.n - at)) {
            assert_true(is_block[at]);
        }
        guard_free(p, m.n - at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probe_knows_sections_of_both_orders),
        cmocka_unit_test(time_of_every_resolution_is_rounded_down),
        cmocka_unit_test(interfaces_belong_to_their_section),
        cmocka_unit_test(interfaces_beyond_the_table_are_not_known),
        cmocka_unit_test(simple_packets_end_with_snaplen_or_block),
        cmocka_unit_test(obsolete_packets_have_a_small_interface),
        cmocka_unit_test(other_blocks_are_skipped_and_named),
        cmocka_unit_test(block_lengths_that_lie_are_broken_or_rounded),
        cmocka_unit_test(packet_that_claims_more_than_its_block_is_cut),
        cmocka_unit_test(block_larger_than_the_buffer_is_skipped_unseen),
        cmocka_unit_test(walk_every_prefix_and_every_changed_byte_stays_inside),
        cmocka_unit_test(plausible_holds_at_blocks_only),
    };
    return cmocka_run_group_tests_name("cap_pcapng", tests, NULL, NULL);
}
