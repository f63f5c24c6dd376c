// Tests of batches of records: bins, sealing, queues, bounds, and that nothing is allocated twice.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "decode/decode.h"
#include "random_fill.h"

#include <stdlib.h>

static void push(struct records *r, enum record_kind kind, uint8_t bin, int64_t time_ns,
                 uint64_t at)
{
    struct order *o = records_push(r, kind, record_bytes[kind], bin);
    memset(o, 0, record_bytes[kind]);
    *o = (struct order){time_ns, at};
}

// Fills a batch with records whose number says their bin.
static void fill(struct records *r, struct random *rng, uint32_t count, uint32_t bins)
{
    for (uint32_t i = 0; i < count; i++) {
        enum record_kind kind = (enum record_kind)random_below(rng, RECORD_KINDS);
        uint8_t bin = (uint8_t)random_below(rng, bins);
        push(r, kind, bin, i, (uint64_t)bin << 32 | i);
    }
}

static void check_sealed(const struct record_list *list, enum record_kind kind)
{
    uint32_t seen = 0;
    assert_int_equal(list->begin[0], 0);
    assert_int_equal(list->begin[BINS], list->count);
    for (unsigned bin = 0; bin < BINS; bin++) {
        int64_t before_ns = -1;
        for (uint32_t i = list->begin[bin]; i < list->begin[bin + 1]; i++, seen++) {
            struct order o = *record_order(list, kind, list->sorted[i]);
            assert_int_equal(o.at >> 32, bin);
            assert_true(o.time_ns > before_ns);
            before_ns = o.time_ns;
        }
    }
    assert_int_equal(seen, list->count);
}

static void records_that_are_sealed_stand_in_their_bins_in_order(void **state)
{
    (void)state;
    static const uint32_t COUNTS[] = {0, 1, 15, 16, 17, 3000};
    struct random rng;
    struct records r;
    random_seeded(&rng, 1);
    records_init(&r);
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++) {
        for (uint32_t bins = 1; bins <= BINS; bins *= 2) {
            records_reset(&r);
            fill(&r, &rng, COUNTS[i], bins);
            records_seal(&r);
            for (int kind = 0; kind < RECORD_KINDS; kind++) {
                check_sealed(&r.lists[kind], (enum record_kind)kind);
            }
        }
    }
    records_fini(&r);
}

static void records_that_grow_keep_what_they_hold(void **state)
{
    (void)state;
    struct records r;
    records_init(&r);
    for (uint32_t i = 0; i < 5000; i++) {
        struct sip_record *m = RECORDS_PUSH(&r, SIP_RECORDS, struct sip_record, (uint8_t)(i % 5));
        memset(m, (int)(i & 0xff), sizeof *m);
        m->code = (uint16_t)i;
    }
    const struct sip_record *all = r.lists[SIP_RECORDS].items;
    for (uint32_t i = 0; i < 5000; i++) {
        assert_int_equal(all[i].code, (uint16_t)i);
        assert_int_equal(all[i].ttl, i & 0xff);
        assert_int_equal(r.lists[SIP_RECORDS].bins[i], i % 5);
    }
    records_fini(&r);
}

static void batch_that_is_used_again_allocates_nothing(void **state)
{
    (void)state;
    struct records r;
    struct path path = {0};
    records_init(&r);
    path_add(&path, PATH_VLAN, 100);
    for (int round = 0; round < 5; round++) {
        struct random rng;
        uint64_t calls = memory_calls();
        random_init(&rng, 7);
        records_reset(&r);
        assert_null(r.path);
        fill(&r, &rng, 2000, BINS);
        records_path(&r, &path);
        arena_alloc(&r.kept, 3000);
        records_seal(&r);
        if (round > 0) {
            assert_int_equal(memory_calls(), calls);
        }
    }
    records_fini(&r);
}

static void batch_that_is_reset_has_forgotten_everything(void **state)
{
    (void)state;
    struct records r;
    records_init(&r);
    push(&r, SIP_RECORDS, 3, 1, 1);
    records_seal(&r);
    r.lists[SIP_RECORDS].taken[3] = 1;
    r.emitted = 1;
    r.counts.rtcp = 5;
    r.counts.reasons[REASON_TRUNCATED] = 2;
    r.counts.unknown_linktype = 9;
    records_reset(&r);
    assert_int_equal(r.lists[SIP_RECORDS].count, 0);
    assert_int_equal(r.lists[SIP_RECORDS].taken[3], 0);
    assert_int_equal(r.emitted, 0);
    assert_int_equal(r.counts.rtcp, 0);
    assert_int_equal(r.counts.reasons[REASON_TRUNCATED], 0);
    assert_true(r.counts.unknown_linktype == UINT64_MAX);
    records_seal(&r);
    assert_int_equal(r.lists[SIP_RECORDS].begin[BINS], 0);
    records_fini(&r);
}

// Every field is filled with its own number, so that a forgotten one shows.
static void counts_that_are_added_sum_up_field_by_field(void **state)
{
    (void)state;
    struct record_counts sum, more;
    record_counts_init(&sum);
    record_counts_init(&more);
    record_counts_add(&sum, &more);
    assert_true(sum.unknown_linktype == UINT64_MAX);
    uint64_t *to = (uint64_t *)&sum;
    uint64_t *from = (uint64_t *)&more;
    size_t n = sizeof sum / sizeof *to;
    for (size_t i = 0; i < n; i++) {
        to[i] = 1000 + i;
        from[i] = i * i;
    }
    uint64_t linktype = more.unknown_linktype;
    record_counts_add(&sum, &more);
    assert_true(sum.unknown_linktype == linktype);
    sum.unknown_linktype = 1000 + (uint64_t)(&sum.unknown_linktype - to) + linktype;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(to[i], 1000 + i + i * i);
    }
}

static void path_that_is_the_same_is_kept_once(void **state)
{
    (void)state;
    struct records r;
    struct path none = {0}, a = {0}, b = {0};
    records_init(&r);
    path_add(&a, PATH_VLAN, 1);
    path_add(&b, PATH_VLAN, 2);
    assert_null(records_path(&r, &none));
    const struct path *kept = records_path(&r, &a);
    assert_true(path_eq(kept, &a));
    assert_ptr_equal(records_path(&r, &a), kept);
    assert_null(records_path(&r, &none));
    const struct path *other = records_path(&r, &b);
    assert_true(path_eq(other, &b));
    assert_true(path_eq(kept, &a)); // what records point to stays
    a.steps[0].id = 3;
    assert_int_equal(kept->steps[0].id, 1);
    records_fini(&r);
}

// Nobody can make one path look like another; and the bin is the same in every run.
static void piece_in_a_path_has_its_hash_with_the_secret(void **state)
{
    (void)state;
    static const uint8_t FRAME[] = "\2\0\0\0\0\1\2\0\0\0\0\2\x81\0\0\x64\x08\0"
                                   "\x45\0\0\x28\0\1\0\0\x40\6\0\0\xc0\0\2\1\xc0\0\2\2"
                                   "\x13\xc4\x13\xc5\0\0\0\1\0\0\0\0\x50\x10\0\0\0\0\0\0";
    struct records r;
    struct origin from = {.order = {1, 1}};
    hash_secret_init();
    records_init(&r);
    decode_frame(&r, 1, FRAME, sizeof FRAME - 1, &from);
    assert_int_equal(r.lists[SEGMENT_RECORDS].count, 1);
    const struct piece_record *p = r.lists[SEGMENT_RECORDS].items;
    assert_int_equal(p->path->count, 1);
    assert_int_equal(p->path_hash, path_hash(p->path, hash_secret));
    assert_int_equal(r.lists[SEGMENT_RECORDS].bins[0],
                     bin_of_connection(p->src, p->dst, path_hash(p->path, 0)));
    records_fini(&r);
}

// --- queues ---

#define BATCHES 6

static void batches_init(struct records *batches, struct record_queue *q)
{
    *q = (struct record_queue){0};
    for (uint32_t i = 0; i < BATCHES; i++) {
        records_init(&batches[i]);
        // Two records at the same time, of two kinds: 10, 11; 20, 21; ...
        push(&batches[i], SIP_RECORDS, 0, 10 * (i + 1), 2 * i);
        push(&batches[i], i % 2 ? MEDIA_RECORDS : SEGMENT_RECORDS, 0, 10 * (i + 1) + 1, 2 * i + 1);
        batches[i].first_order = (struct order){10 * (i + 1), 2 * i};
        batches[i].last_order = (struct order){10 * (i + 1) + 1, 2 * i + 1};
        records_seal(&batches[i]);
        record_queue_append(q, &batches[i]);
    }
}

static void batches_fini(struct records *batches)
{
    for (uint32_t i = 0; i < BATCHES; i++) {
        records_fini(&batches[i]);
    }
}

static void queue_gives_batches_that_stand_before_the_bound(void **state)
{
    (void)state;
    struct records batches[BATCHES];
    struct record_queue q;
    batches_init(batches, &q);
    assert_null(record_queue_take(&q, (struct order){11, 1})); // its last record is the bound
    assert_ptr_equal(record_queue_take(&q, (struct order){11, 2}), &batches[0]);
    assert_null(record_queue_take(&q, (struct order){21, 0}));
    for (uint32_t i = 1; i < BATCHES; i++) {
        assert_ptr_equal(record_queue_take(&q, ORDER_LAST), &batches[i]);
    }
    assert_null(record_queue_take(&q, ORDER_LAST));
    record_queue_append(&q, &batches[3]); // what was emptied is filled again
    record_queue_append(&q, &batches[1]);
    assert_ptr_equal(record_queue_take(&q, ORDER_LAST), &batches[3]);
    assert_ptr_equal(record_queue_take(&q, ORDER_LAST), &batches[1]);
    assert_null(q.last);
    batches_fini(batches);
}

// Against looking at every record.
static bool plainly_has(const struct records *batches, enum record_kind kind, struct order from,
                        struct order to)
{
    for (uint32_t i = 0; i < BATCHES; i++) {
        const struct record_list *list = &batches[i].lists[kind];
        for (uint32_t k = 0; k < list->count; k++) {
            struct order o = *record_order(list, kind, k);
            if (!order_before(o, from) && order_before(o, to)) {
                return true;
            }
        }
    }
    return false;
}

static void queue_knows_what_stands_between_two_bounds(void **state)
{
    (void)state;
    struct records batches[BATCHES];
    struct record_queue q;
    batches_init(batches, &q);
    for (int kind = 0; kind < RECORD_KINDS; kind++) {
        for (uint64_t i = 0; i < 70 * 70 * 4; i++) {
            struct order from = {(int64_t)(i % 70), i / 4900 % 2 ? 20 : 0};
            struct order to = {(int64_t)(i / 70 % 70), i / 9800 % 2 ? 20 : 0};
            assert_int_equal(record_queue_has(&q, (enum record_kind)kind, from, to),
                             plainly_has(batches, (enum record_kind)kind, from, to));
        }
    }
    batches_fini(batches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_that_are_sealed_stand_in_their_bins_in_order),
        cmocka_unit_test(records_that_grow_keep_what_they_hold),
        cmocka_unit_test(batch_that_is_used_again_allocates_nothing),
        cmocka_unit_test(batch_that_is_reset_has_forgotten_everything),
        cmocka_unit_test(counts_that_are_added_sum_up_field_by_field),
        cmocka_unit_test(path_that_is_the_same_is_kept_once),
        cmocka_unit_test(piece_in_a_path_has_its_hash_with_the_secret),
        cmocka_unit_test(queue_gives_batches_that_stand_before_the_bound),
        cmocka_unit_test(queue_knows_what_stands_between_two_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
