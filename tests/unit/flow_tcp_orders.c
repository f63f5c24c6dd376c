// Tests of one direction of TCP against a plain model: all cuts of a stream in all orders, and
// random segments.
#include "random_fill.h"
#include "tcp_sender.h"

#define STREAM_MOST 2000 // less than the side remembers of what it delivered

// --- a stream in three segments ---

static uint8_t stream[STREAM_MOST];

static const uint8_t ORDERS[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static void stream_fill(void)
{
    for (size_t i = 0; i < STREAM_MOST; i++) {
        stream[i] = (uint8_t)(i * 7 + i / 256);
    }
}

struct cuts {
    uint32_t at[4]; // three pieces lie between
    const uint8_t *order;
    uint32_t syns, copies; // copies: of each segment
};

// Frames are numbered as they are sent: the SYN is 1 where there is one.
static void check_three(const struct cuts *c)
{
    uint32_t n = c->at[3];
    uint32_t expected[600];
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t piece = c->order[i];
        uint32_t frame = c->syns + i * c->copies + 1;
        for (uint32_t at = c->at[piece]; at < c->at[piece + 1]; at++) {
            expected[at] = frame;
        }
        for (uint32_t k = 0; k < c->copies; k++) {
            uint32_t from = c->at[piece];
            enum tcp_result r = send_in_place(from, stream + from, c->at[piece + 1] - from);
            // The last byte alone looks like a probe where nothing of the kind is missing.
            bool is_single = c->at[piece + 1] - from == 1;
            assert_true(r == (k ? TCP_AGAIN : TCP_NEWS) || (is_single && r == TCP_NO_BYTES));
        }
    }
    send_finish();
    assert_int_equal(t.n, n);
    assert_memory_equal(t.bytes, stream, n);
    assert_memory_equal(t.frame_of, expected, n * sizeof *expected);
    assert_int_equal(t.gaps, 0);
}

static void stream_cut_in_three_in_every_order_comes_out_whole(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < 599; i++) {
        for (uint32_t j = i + 1; j < 600; j++) {
            for (uint32_t order = 0; order < 6; order++) {
                struct cuts c = {{0, i, j, 600}, ORDERS[order], 1, 1};
                sender_begin(0xffffff00u);
                send_syn();
                check_three(&c);
                static const uint32_t REORDERED[6] = {0, 1, 1, 1, 1, 2};
                assert_odd(0, REORDERED[order], 0, 0, 0);
                sender_end();
            }
        }
    }
}

static void stream_with_each_segment_doubled_comes_out_once(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < 599; i += 3) {
        for (uint32_t j = i + 1; j < 600; j += 5) {
            for (uint32_t order = 0; order < 6; order++) {
                struct cuts c = {{0, i, j, 600}, ORDERS[order], 1, 2};
                sender_begin(5000);
                send_syn();
                check_three(&c);
                assert_true(t.odd[FLOW_TCP_RETRANSMITTED] >= 2 || j - i == 1 || j == 599 || i == 1);
                assert_int_equal(t.odd[FLOW_TCP_CONFLICT], 0);
                sender_end();
            }
        }
    }
}

static void stream_without_syn_comes_out_whole_in_every_order(void **state)
{
    (void)state;
    for (uint32_t i = 2; i < 597; i += 3) { // a single first byte would be taken for a probe
        for (uint32_t j = i + 2; j < 599; j += 5) {
            for (uint32_t order = 0; order < 6; order++) {
                struct cuts c = {{0, i, j, 600}, ORDERS[order], 0, 1};
                sender_begin(0xfffffffeu);
                check_three(&c);
                assert_int_equal(t.unknown_gaps, 1);
                assert_int_equal(t.odd[FLOW_TCP_MID_STREAM], 1);
                sender_end();
            }
        }
    }
}

// --- random segments ---

enum known {
    KNOWN_NOT,
    KNOWN_MISSING, // cut by the capture
    KNOWN_BYTE
};

static struct {
    enum known known[STREAM_MOST];
    uint8_t bytes[STREAM_MOST];
    uint32_t frame[STREAM_MOST];
    uint32_t next;       // all before is settled
    uint32_t remembered; // what is settled from here on can be compared
    uint32_t end;        // behind the last one that is not KNOWN_NOT
    uint64_t again, conflicts;
} model;

static enum tcp_result model_take(uint32_t at, const uint8_t *bytes, uint32_t n, uint32_t length)
{
    bool is_new = false, differs = false;
    uint32_t frame = (uint32_t)t.frames + 1;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t p = at + i;
        bool was_byte = model.known[p] == KNOWN_BYTE;
        if (i < n && was_byte) {
            differs |= model.bytes[p] != bytes[i] && (p >= model.next || p >= model.remembered);
        } else if (p >= model.next && i < n) {
            model.known[p] = KNOWN_BYTE;
            model.bytes[p] = bytes[i];
            model.frame[p] = frame;
            is_new = true;
        } else if (p >= model.next && model.known[p] == KNOWN_NOT) {
            model.known[p] = KNOWN_MISSING;
            is_new = true;
        }
    }
    model.end = at + length > model.end ? at + length : model.end;
    for (; model.next < STREAM_MOST && model.known[model.next] != KNOWN_NOT; model.next++) {
        if (model.known[model.next] == KNOWN_MISSING) {
            model.remembered = model.next + 1;
        }
    }
    model.conflicts += differs;
    model.again += !is_new;
    return is_new ? TCP_NEWS : TCP_AGAIN;
}

static void model_compare(void)
{
    uint32_t gaps = 0;
    assert_int_equal(t.n, model.end);
    for (uint32_t i = 0; i < model.end; i++) {
        bool is_byte = model.known[i] == KNOWN_BYTE;
        assert_int_equal(t.frame_of[i], is_byte ? model.frame[i] : 0);
        assert_int_equal(t.bytes[i], is_byte ? model.bytes[i] : 0);
        gaps += !is_byte && (i == 0 || model.known[i - 1] == KNOWN_BYTE);
    }
    assert_int_equal(t.gaps, gaps);
    assert_int_equal(t.odd[FLOW_TCP_GAP], gaps);
    assert_int_equal(t.odd[FLOW_TCP_RETRANSMITTED], model.again);
    assert_int_equal(t.odd[FLOW_TCP_CONFLICT], model.conflicts);
}

static void random_round(struct random *r)
{
    uint32_t total = 100 + (uint32_t)random_below(r, STREAM_MOST - 100);
    uint32_t count = 1 + (uint32_t)random_below(r, 60);
    uint64_t cut_one_in = 2 + random_below(r, 20), change_one_in = 2 + random_below(r, 20);
    uint32_t longest = 2 + (uint32_t)random_below(r, random_below(r, 2) ? 20 : total - 2);
    memset(&model, 0, sizeof model);
    sender_begin((uint32_t)random_u64(r));
    send_syn();
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = 2 + (uint32_t)random_below(r, longest - 1);
        uint32_t at = (uint32_t)random_below(r, total - length + 1);
        at = random_below(r, 3) == 0 && model.next + length <= total ? model.next : at;
        uint32_t n = random_below(r, cut_one_in) ? length : (uint32_t)random_below(r, length);
        uint8_t bytes[STREAM_MOST];
        memcpy(bytes, stream + at, n);
        if (n > 0 && random_below(r, change_one_in) == 0) {
            bytes[random_below(r, n)] ^= 0x20;
        }
        enum tcp_result expected = model_take(at, bytes, n, length);
        assert_int_equal(send_cut(at, TCP_ACK, bytes, n, length), expected);
    }
    send_finish();
    model_compare();
    sender_end();
}

static void random_segments_come_out_as_the_model_says(void **state)
{
    (void)state;
    struct random r;
    random_seeded(&r, 20240611);
    for (int i = 0; i < 6000; i++) {
        random_round(&r);
    }
}

int main(void)
{
    stream_fill();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_cut_in_three_in_every_order_comes_out_whole),
        cmocka_unit_test(stream_with_each_segment_doubled_comes_out_once),
        cmocka_unit_test(stream_without_syn_comes_out_whole_in_every_order),
        cmocka_unit_test(random_segments_come_out_as_the_model_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
