// Tests of SCTP messages: from fragments in any order, sent again, of associations that change, and
// what is given up.
#include "base/memory.h"
#include "sctp_ear.h"

// --- chunks ---

static void sctp_bundled_chunks_are_handed_on_where_they_stand(void **state)
{
    (void)state;
    struct ear e;
    begin(&e);
    sctp_head(&e.packet, 1);
    sctp_chunk(&e.packet, SACK, 0, "0123456789ab", 12);
    sctp_data_chunk(&e.packet, B | E, 10, 1, "one");
    sctp_data_chunk(&e.packet, B | E | U, 11, 2, "twotwo");
    sctp_chunk(&e.packet, 200, 0, "unknown", 7);
    sctp_data_chunk(&e.packet, B | E, 12, 1, "three");
    struct packet_ref from = {1, 0};
    uint64_t calls = memory_calls();
    assert_true(
        sctp_side_packet(e.side, e.packet.p, (uint32_t)e.packet.n, from, 0, &e.sink, e.odd));
    assert_int_equal(memory_calls(), calls);
    assert_int_equal(e.heard.borrowed, 3);
    assert_int_equal(e.heard.ppid, 9);
    assert_int_equal(sctp_side_held(e.side), 0);
    assert_heard(&e, "one@1 twotwo@1 three@1 ");
    end(&e);
}

static void sctp_lengths_that_lie_end_or_cut(void **state)
{
    (void)state;
    static const struct {
        uint16_t length;
        const char *log;
    } ROWS[] = {
        {0, "a@1 "},                        // nothing behind it can be found
        {3, "a@1 "},           {4, "a@1 "}, // no DATA; what follows is not where a chunk begins
        {16, "a@1 "},                       // without data: none
        {100, "a@1 bbbb~@1 "},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct ear e;
        begin(&e);
        sctp_head(&e.packet, 1);
        sctp_data_chunk(&e.packet, B | E, 1, 1, "a");
        size_t at = e.packet.n;
        sctp_data_chunk(&e.packet, B | E, 2, 1, "bbbb");
        put_be16(e.packet.p + at + 2, ROWS[i].length);
        assert_true(give(&e));
        assert_heard(&e, ROWS[i].log);
        end(&e);
    }
}

// --- messages ---

struct piece {
    uint8_t flags;
    uint32_t tsn;
    const char *text;
};

static void sctp_every_order_of_fragments_gives_each_message_once(void **state)
{
    (void)state;
    static const struct piece PIECES[] = {
        {B, 0xfffffffd, "a"}, {0, 0xfffffffe, "b"}, {0, 0xffffffff, "c"}, {E, 0, "d"},
        {B | E, 1, "whole"},  {B, 2, "x"},          {E, 3, "y"},
    };
    size_t orders = 0;
    for (uint32_t code = 0; code < 5040; code++) {
        struct ear e;
        uint32_t left = code;
        uint8_t order[7] = {0, 1, 2, 3, 4, 5, 6};
        begin(&e);
        for (size_t i = 0; i < 7; i++) {
            size_t at = i + left % (7 - i);
            left /= (uint32_t)(7 - i);
            uint8_t swap = order[i];
            order[i] = order[at];
            order[at] = swap;
            const struct piece *p = &PIECES[order[i]];
            assert_true(give_data(&e, p->flags, p->tsn, p->text));
        }
        assert_int_equal(e.heard.count, 3);
        assert_non_null(strstr(e.heard.log, "abcd@"));
        assert_non_null(strstr(e.heard.log, "whole@"));
        assert_non_null(strstr(e.heard.log, "xy@"));
        assert_null(strchr(e.heard.log, '~'));
        assert_int_equal(sctp_side_held(e.side), 0);
        assert_int_equal(e.odd[FLOW_SCTP_INCOMPLETE], 0);
        orders++;
        end(&e);
    }
    assert_int_equal(orders, 5040);
}

static void sctp_frames_stand_in_the_order_of_bytes(void **state)
{
    (void)state;
    struct ear e;
    begin(&e);
    give_data(&e, E, 13, "d");
    give_data(&e, B, 10, "a");
    sctp_head(&e.packet, 1);
    sctp_data_chunk(&e.packet, 0, 11, 3, "b");
    sctp_data_chunk(&e.packet, 0, 12, 3, "c");
    assert_true(give(&e));
    assert_heard(&e, "abcd@2,3,1 ");
    assert_int_equal(e.heard.borrowed, 0);
    end(&e);
}

static void sctp_retransmission_is_told_and_gives_nothing(void **state)
{
    (void)state;
    struct ear e;
    begin(&e);
    assert_true(give_data(&e, B | E, 5, "one"));
    assert_false(give_data(&e, B | E, 5, "one"));
    assert_true(give_data(&e, B, 6, "a"));
    assert_false(give_data(&e, B, 6, "A"));
    assert_true(give_data(&e, E, 7, "b"));
    assert_false(give_data(&e, B, 6, "a"));
    assert_false(give_data(&e, E, 7, "b"));
    sctp_head(&e.packet, 1);
    sctp_data_chunk(&e.packet, B | E, 5, 3, "one");
    sctp_data_chunk(&e.packet, B | E, 8, 3, "new"); // bundled with something new
    assert_true(give(&e));
    assert_heard(&e, "one@1 ab@3,5 new@8 ");
    assert_int_equal(sctp_side_held(e.side), 0);
    end(&e);
}

static void sctp_window_remembers_4096_tsns_over_the_wrap(void **state)
{
    (void)state;
    static const uint32_t FIRST[] = {1, 0xfffff800, 0x7ffff800, 63, 64};
    static const uint32_t STEPS[] = {1, 7, 63, 64, 65, 1000, 4095};
    for (size_t i = 0; i < 5; i++) {
        for (size_t j = 0; j < 7; j++) {
            struct ear e;
            begin(&e);
            uint32_t tsn = FIRST[i];
            for (uint32_t k = 0; k < 30; k++, tsn += STEPS[j]) {
                assert_true(give_data(&e, B | E, tsn, "x"));
                assert_false(give_data(&e, B | E, tsn, "x"));
                if (k > 0) {
                    assert_false(give_data(&e, B | E, tsn - STEPS[j], "x"));
                    // what was left out is still new, once
                    bool was_left_out = STEPS[j] > 1;
                    assert_int_equal(give_data(&e, B | E, tsn - 1, "x"), was_left_out);
                    assert_false(give_data(&e, B | E, tsn - 1, "x"));
                }
            }
            end(&e);
        }
    }
}

static void sctp_tsn_from_far_begins_anew(void **state)
{
    (void)state;
    struct ear e;
    begin(&e);
    assert_true(give_data(&e, B, 100, "a"));
    assert_true(give_data(&e, B | E, 100 + 4096, "far"));
    assert_heard(&e, "a~@1 far@2 ");
    assert_int_equal(e.odd[FLOW_SCTP_INCOMPLETE], 1);
    assert_true(give_data(&e, B | E, 100, "back")); // 4096 behind
    assert_true(give_data(&e, B | E, 101, "on"));
    assert_heard(&e, "back@3 on@4 ");
    end(&e);
}

static void sctp_other_association_forgets_the_old_one(void **state)
{
    (void)state;
    struct ear e;
    begin(&e);
    give_data(&e, B | E, 5, "one");
    give_data(&e, B, 6, "a");
    sctp_head(&e.packet, 2);
    sctp_data_chunk(&e.packet, B | E, 5, 3, "other tag");
    assert_true(give(&e));
    assert_heard(&e, "one@1 a~@2 other tag@3 ");
    sctp_head(&e.packet, 0);
    sctp_chunk(&e.packet, INIT, 0, "0123456789abcdef", 16);
    assert_true(give(&e));
    sctp_head(&e.packet, 2);
    sctp_data_chunk(&e.packet, B | E, 5, 3, "after INIT");
    assert_true(give(&e));
    assert_heard(&e, "after INIT@5 ");
    sctp_head(&e.packet, 2);
    sctp_chunk(&e.packet, INIT_ACK, 0, "0123456789abcdef", 16);
    assert_true(give(&e)); // sent again: of the association that is there
    sctp_head(&e.packet, 2);
    sctp_data_chunk(&e.packet, B | E, 5, 3, "again");
    assert_false(give(&e));
    assert_heard(&e, "");
    end(&e);
}

static void sctp_end_of_the_association_gives_up_what_waits(void **state)
{
    (void)state;
    struct ear e;
    begin(&e);
    give_data(&e, B, 6, "a");
    sctp_head(&e.packet, 1);
    sctp_chunk(&e.packet, ABORT, 0, NULL, 0);
    assert_true(give(&e));
    assert_heard(&e, "a~@1 ");
    assert_int_equal(sctp_side_held(e.side), 0);
    assert_false(give_data(&e, B, 6, "a")); // a late copy
    end(&e);
}

static void sctp_interleaved_messages_are_told_by_their_numbers(void **state)
{
    (void)state;
    static const struct {
        uint8_t flags;
        uint16_t stream;
        uint32_t message, last;
        const char *text;
    } ROWS[] = {
        {E, 1, 1, 2, "c"},     {B, 2, 1, 9, "x"},         {B, 1, 1, 9, "a"},
        {E | U, 1, 1, 1, "v"}, {E, 2, 1, 1, "y"},         {B | U, 1, 1, 9, "u"},
        {0, 1, 1, 1, "b"},     {B | E, 3, 5, 9, "whole"}, {0, 1, 1, 1, "B"},
    };
    struct ear e;
    begin(&e);
    for (uint32_t i = 0; i < 9; i++) {
        sctp_head(&e.packet, 1);
        sctp_idata_chunk(&e.packet, ROWS[i].flags, 50 + i, ROWS[i].stream, ROWS[i].message,
                         ROWS[i].last, ROWS[i].text);
        assert_true(give(&e));
    }
    assert_heard(&e, "xy@2,5 uv@6,4 abc@3,7,1 whole@8 ");
    assert_int_equal(e.heard.ppid, 9);
    end(&e);
}

// --- giving up ---

static void sctp_fragments_wait_for_ten_seconds(void **state)
{
    (void)state;
    struct ear e;
    begin(&e);
    e.clock_ns = 5;
    give_data(&e, B, 6, "a");
    give_data(&e, 0, 7, "b");
    e.clock_ns = 6;
    give_data(&e, 0, 20, "nothing before it");
    tick(&e, INT64_C(10000000005));
    assert_heard(&e, "");
    tick(&e, INT64_C(10000000006));
    assert_heard(&e, "ab~@1,2 ");
    assert_true(sctp_side_held(e.side) > 0);
    tick(&e, INT64_MAX);
    assert_heard(&e, "");
    assert_int_equal(sctp_side_held(e.side), 0);
    end(&e);
}

static void sctp_pieces_of_one_message_count_once(void **state)
{
    (void)state;
    static const struct {
        struct piece pieces[4];
        uint64_t incomplete;
        const char *log;
    } ROWS[] = {
        {{{B, 1, "a"}, {E, 3, "c"}}, 1, "a~@1 "},
        {{{B, 1, "a"}, {0, 3, "c"}, {E, 5, "e"}}, 1, "a~@1 "},
        {{{E, 3, "c"}}, 1, ""},
        {{{0, 3, "c"}, {0, 5, "e"}}, 1, ""},
        {{{E, 3, "c"}, {E, 5, "e"}}, 2, ""},
        {{{B, 1, "a"}, {B, 3, "c"}}, 2, "a~@1 c~@2 "},
        {{{B, 1, "a"}, {B, 2, "b"}, {E, 3, "c"}}, 1, "bc@2,3 a~@1 "},
        {{{B, 1, "a"}, {E, 3, "c"}, {B | E, 2, "whole"}}, 1, "whole@3 a~@1 "},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct ear e;
        begin(&e);
        for (size_t j = 0; j < 4 && ROWS[i].pieces[j].text; j++) {
            const struct piece *p = &ROWS[i].pieces[j];
            assert_true(give_data(&e, p->flags, p->tsn, p->text));
        }
        tick(&e, INT64_MAX);
        assert_heard(&e, ROWS[i].log);
        assert_int_equal(e.odd[FLOW_SCTP_INCOMPLETE], ROWS[i].incomplete);
        end(&e);
    }
}

static void sctp_cut_fragment_ends_its_message(void **state)
{
    (void)state;
    struct ear e;
    begin(&e);
    sctp_head(&e.packet, 1);
    sctp_data_chunk(&e.packet, 0, 11, 3, "middle");
    assert_true(give_n(&e, e.packet.n - 2 - 3));
    give_data(&e, B, 10, "begin");
    give_data(&e, E, 12, "end");
    assert_heard(&e, "beginmid~@2,1 ");
    sctp_head(&e.packet, 1);
    sctp_data_chunk(&e.packet, B | E, 13, 3, "12345678");
    give_n(&e, e.packet.n - 1);
    assert_heard(&e, "1234567~@4 ");
    assert_int_equal(sctp_side_held(e.side), 0);
    end(&e);
}

static void sctp_what_waits_is_bounded_in_bytes_and_number(void **state)
{
    (void)state;
    struct ear e;
    begin(&e);
    char *text = malloc(60001);
    memset(text, 'x', 60000);
    text[60000] = '\0';
    for (uint32_t i = 0; i < 100; i++) { // one message without an end
        give_data(&e, i == 0 ? B : 0, i, text);
        assert_true(sctp_side_held(e.side) <= SCTP_HELD_MAX);
    }
    assert_int_equal(e.heard.count, 1);
    assert_int_equal(e.odd[FLOW_SCTP_INCOMPLETE], 1);
    text[1] = '\0';
    for (uint32_t i = 0; i < 20000; i++) { // pieces that never meet
        give_data(&e, 0, 100 + 2 * i, text);
    }
    assert_true(sctp_side_held(e.side) <= 4096 * 256);
    assert_true(sctp_side_memory(e.side) > sctp_side_held(e.side) + 4096 * sizeof(void *));
    tick(&e, INT64_MAX);
    assert_true(sctp_side_memory(e.side) <= 640); // an idle side is small
    assert_int_equal(sctp_side_held(e.side), 0);
    free(text);
    end(&e);
}

static void sctp_packets_without_data_are_no_copies(void **state)
{
    (void)state;
    struct ear e;
    begin(&e);
    sctp_head(&e.packet, 1);
    sctp_chunk(&e.packet, SACK, 0, "0123456789ab", 12);
    assert_true(give(&e));
    assert_true(give(&e));
    assert_true(give_n(&e, 12));
    assert_true(give_n(&e, 3));
    assert_heard(&e, "");
    end(&e);
}

// --- chance ---

#define TALK_MESSAGES 60

struct talk {
    struct piece pieces[TALK_MESSAGES * 6];
    char texts[TALK_MESSAGES * 6][16];
    size_t n;
};

// Messages of 1 to 6 chunks with consecutive TSNs; each text is the number of its message.
static void talk_make(struct talk *t, struct random *rng)
{
    uint32_t tsn = (uint32_t)random_u64(rng);
    t->n = 0;
    for (int m = 0; m < TALK_MESSAGES; m++) {
        size_t chunks = random_below(rng, 3) ? 1 : 1 + (size_t)random_below(rng, 6);
        for (size_t i = 0; i < chunks; i++) {
            snprintf(t->texts[t->n], 16, "%02d.", m);
            t->pieces[t->n] = (struct piece){
                (uint8_t)((i == 0 ? B : 0) | (i + 1 == chunks ? E : 0)), tsn++, t->texts[t->n]};
            t->n++;
        }
    }
}

static void sctp_random_order_and_copies_give_each_message_once(void **state)
{
    (void)state;
    struct random rng;
    random_init(&rng, capture_seed("chance", 1));
    size_t rounds = capture_rounds(300);
    for (size_t round = 0; round < rounds; round++) {
        static struct talk t;
        talk_make(&t, &rng);
        size_t reach = 1 + (size_t)random_below(&rng, t.n);
        for (size_t i = 0; i < t.n; i++) {
            size_t at = i + (size_t)random_below(&rng, t.n - i < reach ? t.n - i : reach);
            struct piece swap = t.pieces[i];
            t.pieces[i] = t.pieces[at];
            t.pieces[at] = swap;
        }
        struct ear e;
        begin(&e);
        for (size_t i = 0; i < t.n;) {
            size_t bundled = 1 + (size_t)random_below(&rng, 4);
            sctp_head(&e.packet, 1);
            for (size_t j = 0; j < bundled && i < t.n; j++, i++) {
                sctp_data_chunk(&e.packet, t.pieces[i].flags, t.pieces[i].tsn, 1, t.pieces[i].text);
            }
            assert_true(give(&e));
            assert_false(give(&e));
        }
        assert_int_equal(e.heard.count, TALK_MESSAGES);
        assert_int_equal(sctp_side_held(e.side), 0);
        for (int m = 0; m < TALK_MESSAGES; m++) {
            char text[16];
            snprintf(text, sizeof text, "%02d.@", m);
            assert_true(strstr(e.heard.log, text) || e.heard.n + 200 >= sizeof e.heard.log);
        }
        end(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sctp_bundled_chunks_are_handed_on_where_they_stand),
        cmocka_unit_test(sctp_lengths_that_lie_end_or_cut),
        cmocka_unit_test(sctp_every_order_of_fragments_gives_each_message_once),
        cmocka_unit_test(sctp_frames_stand_in_the_order_of_bytes),
        cmocka_unit_test(sctp_retransmission_is_told_and_gives_nothing),
        cmocka_unit_test(sctp_window_remembers_4096_tsns_over_the_wrap),
        cmocka_unit_test(sctp_tsn_from_far_begins_anew),
        cmocka_unit_test(sctp_other_association_forgets_the_old_one),
        cmocka_unit_test(sctp_end_of_the_association_gives_up_what_waits),
        cmocka_unit_test(sctp_interleaved_messages_are_told_by_their_numbers),
        cmocka_unit_test(sctp_fragments_wait_for_ten_seconds),
        cmocka_unit_test(sctp_pieces_of_one_message_count_once),
        cmocka_unit_test(sctp_cut_fragment_ends_its_message),
        cmocka_unit_test(sctp_what_waits_is_bounded_in_bytes_and_number),
        cmocka_unit_test(sctp_packets_without_data_are_no_copies),
        cmocka_unit_test(sctp_random_order_and_copies_give_each_message_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
