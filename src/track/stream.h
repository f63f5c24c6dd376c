// A media stream as an observer sees it: one source, destination and SSRC (RFC 3550), folded packet
// by packet.
//
// Comes in: media records in capture order, and announcements between them. Goes out: counts, loss,
// reordering, duplicates, jitter, intervals, segments and digits. Memory: the bin's arena; a stream
// is about 750 bytes and 20 bytes an interval, however long it lasts. One thread at a time.
//
// Sequence numbers are kept extended (RFC 3550 A.1): 64 bits that never wrap, from 65536 + the
// first number, so that packets before the first can lower the start. The last 1,024 numbers are
// known exactly, by a bitmap.
#ifndef SIDETONE_TRACK_STREAM_H
#define SIDETONE_TRACK_STREAM_H

#include "track/announcement.h"
#include "track/stream_gap.h"

#define STREAM_WINDOW       1024 // numbers known exactly (docs/json.md); a multiple of 64
#define STREAM_WINDOW_WORDS (STREAM_WINDOW / 64 + 1) // the oldest of them reach into one word more
#define STREAM_MARK_STEP    32 // the time of each such number is kept: how old a number is
#define STREAM_RECENT       32 // and of each of the newest ones
// A jump forward of more is a restart (docs/json.md; MAX_DROPOUT of RFC 3550 A.1, which takes this
// one for a restart too).
#define STREAM_DROPOUT_MAX 3000
#define STREAM_BASE_SLACK  100 // a packet up to this many before the first lowers the start
#define STREAM_INTERVAL_NS INT64_C(5000000000)
#define STREAM_GMIN        16 // RFC 3611 4.7.2: losses closer than this are one burst

// Changes of payload type that are kept. Not smaller: a call changes codec a few times. Not larger:
// a sender that alternates with each packet must not grow memory. Later changes are counted in the
// last segment.
#define STREAM_SEGMENTS_MAX 64
// Digits kept of one stream. Not smaller: calling cards and PINs take some dozens. More are counted
// as odd.
#define STREAM_DIGITS_MAX 128

// What the packets of a payload type do to jitter.
enum stream_role {
    ROLE_NONE,    // not looked up yet
    ROLE_MEDIA,   // clock known
    ROLE_GUESS,   // no announcement so far: jitter is kept for each likely clock
    ROLE_OTHER,   // not announced, beside payload types with a known clock: moves nothing
    ROLE_EVENT,   // RFC 4733
    ROLE_COMFORT, // RFC 3389
};

struct stream_segment {
    struct stream_segment *next;
    const struct payload_map *map;
    uint64_t packets;
    uint8_t payload_type;
};

enum {
    INTERVAL_COMFORT = 1,
    INTERVAL_ENOUGH = 2
};

struct stream_interval {
    uint32_t index : 26; // number of the interval since the start of the stream
    uint32_t flags : 6;
    uint32_t packets, lost;
    float jitter_ms;  // mean; NaN where nothing was measured
    uint32_t end_ext; // low bits of the highest number so far
};

struct interval_block {
    struct interval_block *next, *former;
    uint32_t count, room;
    struct stream_interval intervals[];
};

#define STREAM_CLOCKS 4
extern const uint32_t
    STREAM_CLOCK_HZ[STREAM_CLOCKS]; // clocks tried while the payload type is not announced

// RFC 3550 A.8, in nanoseconds.
struct jitter {
    double now, sum, max;
    uint64_t count;
};

struct frame_mark {   // of a recent packet, to know a copy that the capture made
    uint32_t time_us; // low bits
    uint32_t timestamp;
    uint16_t sequence, ip_id, checksum;
    uint8_t ttl;
};
#define STREAM_MARKS   4
#define COPY_WINDOW_US 50000 // a capture duplicate comes within 50 ms (docs/json.md)

// A packet that may begin another run of numbers: counted as what it seems, taken back when the run
// is proven.
enum pending_kind {
    PENDING_DUPLICATE,
    PENDING_FILL,
    PENDING_LATE,
    PENDING_JUMP
};
#define PENDING_MAX 6 // the two before the one that proves it, three times each
struct stream_pending {
    uint32_t count;   // with copies: a mirror port gives each packet twice
    uint32_t numbers; // different ones, each the next of the one before
    enum pending_kind kind[PENDING_MAX];
    struct media_record record[PENDING_MAX];
    // of the stream before the first of them
    int64_t end_ns;
    uint64_t payload_types[2];
};

struct stream {
    // what finds it
    struct endpoint src, dst;
    uint32_t ssrc, hash;
    // sequence numbers
    uint64_t max_ext, base_ext, first_ext;
    uint32_t
        offer_ext;     // numbers up to here were first seen before the newest announcement; 0: none
    uint32_t loss_run; // length of the open run of losses among settled numbers
    uint32_t unique, duplicates, reordered, too_late;
    uint64_t settled_lost; // among the numbers that left the window
    uint32_t loss_runs, bursts;
    uint64_t last_lost_ext;
    bool in_burst;
    // timing
    uint8_t payload_type; // of the newest packet that was looked up
    uint8_t role;         // enum stream_role
    bool has_base;        // last_ns and last_timestamp can be compared with
    bool is_video;
    uint32_t last_timestamp, last_step;
    int64_t last_ns;         // arrival of the newest packet that moved jitter
    int64_t last_arrival_ns; // of the newest packet in order, of any kind
    int64_t delta_max_ns;
    double ns_per_tick;
    struct jitter jitter;
    // the open interval
    int64_t interval_end_ns;
    uint32_t interval_index, interval_packets, interval_lost, interval_jitter_count;
    double interval_jitter_sum;
    int64_t interval_media_ns;
    uint64_t interval_from_ext; // highest number when it began
    bool interval_comfort;
    uint64_t window[STREAM_WINDOW_WORDS];
    uint16_t
        crossed[STREAM_WINDOW / STREAM_MARK_STEP]; // when each such number was passed, in ticks
    uint16_t recent[STREAM_RECENT];                // when each was seen, in ticks
    struct frame_mark marks[STREAM_MARKS];
    // cold
    struct order first;
    int64_t start_ns, end_ns;
    int64_t
        offered_ns; // of the newest offer or answer for dst before it began; TIME_NOT_SEEN: none
    uint64_t bytes; // payload octets, as RFC 3550 6.4.1 counts them
    uint32_t capture_copies;
    uint64_t payload_types[2]; // bitmap
    struct stream *next_of_endpoint;
    const struct payload_map *map;           // newest announced for dst
    const struct announcement *announcement; // of the call that it belongs to; NULL: none so far
    const struct announcement *later;        // the first of another call after it began
    struct jitter *guesses;                  // STREAM_CLOCKS of them, or NULL
    struct stream_segment *segments, *last_segment;
    uint32_t segment_count;
    uint32_t segment_packets; // of the open segment
    uint32_t digit_count, digit_timestamp;
    uint16_t digit_duration;
    uint8_t digit_event;
    bool has_digit;
    char *digits;
    uint64_t digits_cut_at; // order.at of the packet of the first digit that was not kept
    struct interval_block *intervals, *last_block;
    uint32_t interval_count;
    struct stream_pending *pending;
    struct stream_gaps *gaps; // NULL: none so far
    uint64_t icmp_at; // order.at of the first ICMP error that quotes one of its packets; 0: none
    uint8_t icmp_type, icmp_code;
    bool icmp_v6;
    bool restarted;   // began because the numbers of its predecessor started again
    bool is_replaced; // its numbers started again: packets of its key go to its successor
};

// Makes a stream of its first packet.
void stream_begin(struct stream *s, struct arena *arena, const struct media_record *r,
                  const struct announcement *announcement, const struct payload_map *map);

// Folds one packet. Returns false where this packet proves that the numbers started again: then the
// packets that belong to the new stream, s->pending (in order) and r, were taken back from s.
bool stream_packet(struct stream *s, struct arena *arena, const struct media_record *r);

// A new offer or answer for dst. `is_news`: not the same announcement once more (a retransmission,
// another hop).
void stream_announced(struct stream *s, const struct payload_map *map, bool is_news);

// Closes what is open: the window's losses, the interval. Once, at the end.
void stream_finish(struct stream *s, struct arena *arena);

// Time in the small: 67 ms, which come round after 73 minutes.
#define STREAM_TICK_NS (INT64_C(1) << 26)

static inline uint16_t stream_tick(int64_t time_ns)
{
    return (uint16_t)((uint64_t)time_ns >> 26);
}

static inline uint64_t stream_packets(const struct stream *s)
{
    return (uint64_t)s->unique + s->duplicates + s->too_late;
}

static inline uint64_t stream_expected(const struct stream *s)
{
    return s->max_ext - s->base_ext + 1;
}

static inline uint64_t stream_lost(const struct stream *s)
{
    return stream_expected(s) - s->unique;
}

// The codec that a payload type of this stream means: by the announced map, else the static table.
enum codec stream_codec(const struct payload_map *map, uint8_t payload_type, uint32_t *clock_hz,
                        struct slice *name);

#endif
