// A sender of media to one announced endpoint, and the bin that folds it.
#ifndef SIDETONE_TESTS_STREAM_SENDER_H
#define SIDETONE_TESTS_STREAM_SENDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"
#include "map_of.h"
#include "track/media_bin.h"

#include <math.h>

#define STEP_NS (20 * MS)

// A bin with one announced endpoint, and a sender to it.
static struct {
    struct arena arena;
    struct media_bin bin;
    struct media_news announcement;
    struct media_record r; // the next packet
} t;

static inline void announce(const struct sdp_format *formats, uint8_t count)
{
    struct payload_map_table table = {.arena = &t.arena};
    struct sdp_media media = {.format_count = count};
    memcpy(media.formats, formats, count * sizeof *formats);
    t.announcement.what.map = map_of(&table, &media);
    payload_maps_fini(&table); // the map itself lies in the arena
    t.announcement.order = order_of(t.r.time_ns, 0, 1);
    t.announcement.what.time_ns = t.r.time_ns;
    t.announcement.what.cseq++;
    media_bin_announce(&t.bin, &t.announcement);
}

static inline void begin(uint16_t sequence, uint32_t timestamp)
{
    static const struct sdp_format FORMATS[] = {
        {.payload_type = 0, .codec = CODEC_PCMU, .clock_hz = 8000},
        {.payload_type = 8, .codec = CODEC_PCMA, .clock_hz = 8000},
        {.payload_type = 13, .codec = CODEC_CN, .clock_hz = 8000},
        {.payload_type = 101, .codec = CODEC_EVENT, .clock_hz = 8000},
    };
    memset(&t, 0, sizeof t);
    arena_init(&t.arena, 4096);
    media_bin_init(&t.bin);
    t.r = (struct media_record){
        .src = {{0, 1}, 4000},
        .dst = {{0, 2}, 5000},
        .time_ns = CAPTURE_START_NS,
        .ssrc = 7,
        .sequence = sequence,
        .timestamp = timestamp,
        .payload_n = 160,
        .ttl = 64,
    };
    t.announcement.endpoint = t.r.dst;
    announce(FORMATS, 4);
}

static inline void end(void)
{
    media_bin_fini(&t.bin);
    arena_fini(&t.arena);
}

static inline void packet(void)
{
    t.r.ip_id++;
    media_bin_packet(&t.bin, &t.r);
}

static inline void step(void)
{
    t.r.sequence++;
    t.r.timestamp += 160;
    t.r.time_ns += STEP_NS;
}

static inline void paced(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        packet();
        step();
    }
}

// A packet of the past: `behind` numbers before the next one, now.
static inline void earlier(uint16_t behind)
{
    struct media_record r = t.r;
    r.sequence = (uint16_t)(r.sequence - behind);
    r.timestamp -= behind * 160u;
    r.ip_id = (uint16_t)(40000 + behind);
    media_bin_packet(&t.bin, &r);
}

static inline const struct stream *only_stream(void)
{
    media_bin_finish(&t.bin);
    assert_int_equal(t.bin.stream_count, 1);
    return t.bin.streams[0];
}

// For a listener with this jitter buffer.
static inline void begin_with(int64_t buffer_ns)
{
    begin(1000, 5000);
    t.bin.jitter_buffer_ns = buffer_ns;
}

// The next packet, `delay_ns` after its time.
static inline void delayed(int64_t delay_ns)
{
    int64_t time_ns = t.r.time_ns;
    t.r.time_ns += delay_ns;
    packet();
    t.r.time_ns = time_ns;
    step();
}

// Numbers that were not played.
static inline uint64_t lacking(const struct stream *s)
{
    return s->lacking ? s->lacking->count : 0;
}

static inline double mean_ms(const struct stream *s)
{
    return s->jitter.count > 0 ? s->jitter.sum / (double)s->jitter.count / 1e6 : NAN;
}

#define COUNTS(s, packets, is_unique, is_lost, is_duplicates, is_reordered, is_late)               \
    do {                                                                                           \
        assert_int_equal(stream_packets(s), packets);                                              \
        assert_int_equal((s)->unique, is_unique);                                                  \
        assert_int_equal(stream_lost(s), is_lost);                                                 \
        assert_int_equal(stream_extras(s)->duplicates, is_duplicates);                             \
        assert_int_equal(stream_extras(s)->reordered, is_reordered);                               \
        assert_int_equal(stream_extras(s)->too_late, is_late);                                     \
    } while (0)

#endif
