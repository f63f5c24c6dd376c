// A media stream as an observer sees it: one source, destination and SSRC (RFC 3550), folded packet
// by packet.
//
// Comes in: media records in capture order, and announcements between them. Goes out: counts, loss,
// reordering, duplicates, jitter, what a listener lacks, intervals, segments and digits. Memory:
// the bin's arena; a stream is 384 bytes and 16 bytes an interval. What few streams have is made
// when it comes: extras, silence, and what a listener lacks. One thread at a time.
//
// Sequence numbers are kept extended (RFC 3550 A.1): 64 bits that never wrap, from 65536 + the
// first number, so that packets before the first can lower the start. The last 1,024 numbers are
// known exactly, by a bitmap while one of them is missing.
#ifndef SIDETONE_TRACK_STREAM_H
#define SIDETONE_TRACK_STREAM_H

#include "track/announcement.h"
#include "track/stream_gap.h"
#include "track/stream_interval.h"
#include "track/stream_lacking.h"

#include <math.h>

// A jump forward of more is a restart (docs/json.md; MAX_DROPOUT of RFC 3550 A.1, which takes this
// one for a restart too).
#define STREAM_DROPOUT_MAX 3000
#define STREAM_BASE_SLACK  100 // a packet up to this many before the first lowers the start
#define STREAM_INTERVAL_NS INT64_C(5000000000)

// The jitter buffer of a listener, where nothing else is asked for (docs/json.md). Fixed: a delay
// that the media waits. Adaptive: see stream_playout.c.
#define STREAM_BUFFER_NS       INT64_C(60000000)
#define STREAM_BUFFER_ADAPTIVE INT64_C(-1)
// Packets in a row that come too late, after which the buffer has run empty and starts again. Not
// smaller: a burst of late packets is no new delay. Not larger: a step of the delay must not cost
// more than a third of a second.
#define STREAM_LATE_RUN 16
// Changes of payload type that are kept. Not smaller: a call changes codec a few times. Not larger:
// a sender that alternates with each packet must not grow memory. Later changes are counted in the
// last segment.
#define STREAM_SEGMENTS_MAX 64
// Digits kept of one stream. Not smaller: calling cards and PINs take some dozens. More are counted
// as odd.
#define STREAM_DIGITS_MAX 128

// Packets in a row whose numbers and timestamps go on as those of RTP do: without signalling fewer
// prove nothing. Not fewer: other protocols have counters too. Not more: calls may be short.
#define STREAM_PROOF_PACKETS 5
#define STREAM_PROOF_GAP     4 // numbers from one to the next at most
// Ticks of the fastest clock there is: timestamps that run ahead of it by more than a second are no
// such.
#define STREAM_PROOF_HZ 192000

// What the packets of a payload type do to jitter.
enum stream_role {
    ROLE_NONE,    // not looked up yet
    ROLE_MEDIA,   // clock known
    ROLE_GUESS,   // no announcement so far: jitter is kept for each likely clock
    ROLE_OTHER,   // not announced, beside payload types with a known clock: moves nothing
    ROLE_EVENT,   // RFC 4733
    ROLE_COMFORT, // RFC 3389
    ROLE_REPAIR,  // FEC, RFC 4588: not media
};

// Beside a payload type: it was found in the chain of RFC 2198, or the chain was broken. Equal to
// no type of a packet, so that the next one is looked up again.
#define STREAM_TYPE_INNER 0x80

struct stream_segment {
    const struct payload_map *map;
    uint32_t packets;
    uint8_t payload_type;
};

struct stream_next_segment {
    struct stream_segment segment;
    struct stream_next_segment *next;
};

// Clocks that are tried while the payload type is not announced.
#define STREAM_CLOCKS 4
extern const uint32_t STREAM_CLOCK_HZ[STREAM_CLOCKS];

// RFC 3550 A.8, in nanoseconds.
struct jitter {
    double now, sum, max;
    uint32_t count;
    uint32_t before; // of them before the open interval
};

// How many bytes a codec sends for the time that a packet stands for: SRTP gives itself away by
// what it adds.
enum stream_sizes {
    SIZES_VARY,
    SIZES_BYTE_A_TICK, // G.711, G.722
    SIZES_G729,        // 10 for 80 ticks; 2 for a silence descriptor
    SIZES_GSM,         // 33 for 160 ticks
};

// Packets in a row with the same tag that prove SRTP by its look. Not fewer: senders count a packet
// wrong now and then. Not more: announcements and calls of a second are SRTP too.
#define STREAM_LOOK_PROOF 16

struct stream_look {
    uint8_t tag;      // bytes more than the codec sends, of the newest packets; 0: none
    uint16_t packets; // of them, in a row
    uint32_t from_timestamp;
    int64_t from_ns;
};

// Of packets that are not silent, one of so many adds to the mean level: more cost time and tell no
// more. A stream of a second has a dozen.
#define STREAM_LEVEL_EVERY 4u

// Sound of G.711 in packets in order, whose codes of wire/rtp/level.h were judged.
struct stream_sound {
    uint32_t loud, silent; // packets
    uint32_t clipped;      // of the loud ones
    uint32_t longest_ticks;
    uint8_t peak[3];     // largest code, by enum level_law
    double power;        // sum over every STREAM_LEVEL_EVERY-th loud packet, by level_power
    uint64_t longest_at; // order.at of the first packet of the longest silence
    uint64_t clipped_at; // of the first clipped packet; 0: none
};

// What is not plainly loud of it. Made by the first such packet.
struct stream_quiet {
    uint32_t silent, clipped; // as in stream_sound
    uint32_t silence_ticks;   // length of the open silence; 0: none
    uint32_t longest_ticks;
    uint64_t silence_at; // order.at of the first packet of the open silence
    uint64_t longest_at, clipped_at;
};

// Numbers whose data came with later packets (RFC 2198): the last ones up to that of the newest
// packet with such, as a bitmap like that of the window. Made by the first such packet.
struct stream_redundancy {
    uint64_t max_ext;
    uint64_t carried[STREAM_WINDOW_WORDS];
};

// Of a recent packet, to know a copy that the capture made.
struct frame_mark {
    uint32_t time_us; // low bits
    uint32_t frame;   // its number, timestamp, IP identification, checksum and TTL, mixed
};
#define STREAM_MARKS 4
// Time in ticks (STREAM_TICK_NS) after which a number that comes again is taken for old: the first
// whole one that is longer than a second.
#define STREAM_OLD_TICKS 16

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

// What few streams have, or few packets need. Made when it comes.
struct stream_extras {
    // sequence numbers
    uint32_t offer_ext; // up to here first seen before the newest announcement; 0: none
    uint32_t duplicates, reordered, too_late;
    uint32_t capture_copies;
    int64_t end_ns; // of packets out of order, and before the clock stepped back; or TIME_NOT_SEEN
    struct stream_pending *pending;
    // timing
    int64_t last_ns;           // while is_apart: arrival of the newest packet that moved jitter
    uint32_t newest_timestamp; // likewise: of the newest packet in order, of any kind
    uint64_t more_numbers;     // that went by with judged packets, beyond one each; modulo 2^64
    struct jitter *guesses;    // STREAM_CLOCKS of them, or NULL
    double delay_mean_ns, delay_deviation_ns; // of an adaptive buffer, since the anchor
    // payload
    struct stream_look look;
    bool has_digit;
    uint8_t digit_event;
    uint16_t digit_duration;
    uint32_t digit_count, digit_timestamp;
    char *digits;
    uint64_t digits_cut_at; // order.at of the packet of the first digit that was not kept
    uint32_t redundant, recovered, repair; // as in struct sidetone_stream
    struct stream_redundancy *redundancy;  // NULL: none so far
    uint64_t payload_types[2];             // bitmap of those beside the first packet's
    struct stream_next_segment *segments, *last_segment; // behind the first
    // what it is
    int64_t first_ns;                 // order.time_ns of the first packet, where is_first_late
    const struct announcement *later; // the first of another call after it began
    struct stream_fax *fax;           // where is_fax
    struct icmp_seen icmp;
};
extern const struct stream_extras STREAM_NO_EXTRAS;

// No payload type: no packet is folded by the short way.
#define STREAM_NOT_USUAL 0x100

// First, 64 bytes by 64 bytes, what each packet in order touches: with many streams at once every
// line of them comes from memory.
struct stream {
    // what finds it
    struct address src_address, dst_address;
    uint16_t src_port, dst_port;
    uint32_t ssrc;
    uint64_t max_ext;        // the newest number
    int64_t last_arrival_ns; // of the newest packet in order, of any kind
    uint32_t unique;
    uint32_t last_timestamp; // of the newest packet that moved jitter
    // the second line
    uint32_t last_step;
    // Of packets that may be folded the short way: the next number, of this payload type. All that
    // has to be asked of the stream is answered by it.
    uint16_t usual_type;
    uint8_t law;   // enum level_law of the newest payload type; 0: its sound is not judged
    uint8_t sizes; // enum stream_sizes of it
    int64_t interval_end_ns;
    double ns_per_tick;
    int64_t delta_max_ns;
    struct jitter jitter;
    // the third line
    uint64_t bytes;       // payload octets, as RFC 3550 6.4.1 counts them
    double late_ns;       // of the newest packet in order: transit time since the anchor
    double late_limit_ns; // what is later needs a look
    double late_least_ns; // of the open interval; INFINITY: nothing was judged
    double interval_jitter_sum, interval_media_ns;
    double power; // of struct stream_sound, as the two that follow
    uint32_t loud;
    uint8_t peak[2];      // from LEVEL_MU_LAW on
    uint8_t payload_type; // of the newest packet that was looked up, with STREAM_TYPE_INNER
    uint8_t role;         // enum stream_role
    // the fourth line
    struct frame_mark marks[STREAM_MARKS];
    uint16_t passed[STREAM_OLD_TICKS]; // low bits of the newest number when a tick began
    // Cold
    uint32_t base_ext;
    uint32_t first_ext : 17;
    bool has_base : 1; // last_arrival_ns and last_timestamp can be compared with
    bool is_apart : 1; // the newest packet in order moved no jitter
    bool is_video : 1;
    bool is_gappy : 1;     // a number of the window is missing, or was lately
    bool is_silent : 1;    // the newest packet was, of those whose sound is judged
    bool is_adaptive : 1;  // the jitter buffer
    bool is_encrypted : 1; // SRTP by its look
    bool interval_comfort : 1;
    bool is_fax : 1;           // T.38 over UDPTL instead of RTP: no SSRC, no timestamps
    bool is_first_late : 1;    // its first packet is older than one before it in the capture
    bool restarted : 1;        // began because the numbers of its predecessor started again
    bool from_unannounced : 1; // its sender announced other addresses; set by the join
    bool is_replaced : 1;      // its numbers started again: packets of its key go to its successor
    uint8_t late_run;          // late packets in a row
    uint8_t proof;             // packets in a row that make sense, up to STREAM_PROOF_PACKETS
    uint8_t first_type;        // payload type of the first packet
    uint8_t segment_count;
    // cold: the open interval and segment
    uint32_t next_of_endpoint;      // place among the streams of the bin, from 1; 0: none
    uint32_t interval_from_packets; // stream_packets() when it began
    uint32_t interval_from_ext;     // low bits of the highest number then
    uint32_t segment_from;          // unique then, moved by what is not counted in
    uint32_t interval_count;
    struct interval_block *last_block;
    double media_ns;               // by timestamps, of closed intervals
    struct stream_segment segment; // the first
    // cold: what few have
    struct stream_extras *extras;
    struct stream_lacking *lacking; // NULL: nothing is
    struct stream_quiet *quiet;     // NULL: all sound is loud
    // cold: what it is
    uint64_t first_at; // order.at of the first packet
    int64_t start_ns;
    int64_t offered_ns; // newest offer or answer for dst before it began; TIME_NOT_SEEN: none
    const struct payload_map *map;           // newest announced for dst
    const struct announcement *announcement; // of the call that it belongs to; NULL: none so far
};
_Static_assert(sizeof(struct stream) == 384, "six cache lines: with many calls all of them count");

// Makes a stream of its first packet. `buffer_ns`: of the listener; 0: STREAM_BUFFER_NS.
void stream_begin(struct stream *s, struct arena *arena, const struct media_record *r,
                  int64_t buffer_ns, const struct announcement *announcement,
                  const struct payload_map *map);

// Lines that packets in order touch.
#define STREAM_HOT_LINES 4

// Asks for the memory of what each packet in order touches.
static inline void stream_prefetch(const struct stream *s)
{
    for (unsigned line = 0; line < STREAM_HOT_LINES; line++) {
        __builtin_prefetch((const char *)s + line * ARENA_LINE, 1);
    }
}

// Folds one packet. Returns false where this packet proves that the numbers started again: then the
// packets that belong to the new stream, s->extras->pending (in order) and r, were taken back from
// s.
bool stream_packet(struct stream *s, struct arena *arena, const struct media_record *r);

// What few streams have, to write.
struct stream_extras *stream_extras_of(struct stream *s, struct arena *arena);

// A new offer or answer for dst. `is_news`: not the same announcement once more (a retransmission,
// another hop).
void stream_announced(struct stream *s, struct arena *arena, const struct payload_map *map,
                      bool is_news);

// What is known of its receiver only after its last packet, or from its sender's announcement:
// names and clock of what no announcement for dst explained. What was measured with a guess at the
// clock is kept.
void stream_adopt(struct stream *s, const struct payload_map *map);

// Closes what is open: the newest numbers, the interval. Once, at the end.
void stream_finish(struct stream *s, struct arena *arena);

// Time in the small: 67 ms, which come round after 73 minutes.
#define STREAM_TICK_BITS 26

static inline uint16_t stream_tick(int64_t time_ns)
{
    return (uint16_t)((uint64_t)time_ns >> 26);
}

// What few streams have, to read.
static inline const struct stream_extras *stream_extras(const struct stream *s)
{
    return s->extras ? s->extras : &STREAM_NO_EXTRAS;
}

static inline struct endpoint stream_src(const struct stream *s)
{
    return (struct endpoint){s->src_address, s->src_port};
}

static inline struct endpoint stream_dst(const struct stream *s)
{
    return (struct endpoint){s->dst_address, s->dst_port};
}

static inline struct order stream_first(const struct stream *s)
{
    return (struct order){s->is_first_late ? s->extras->first_ns : s->start_ns, s->first_at};
}

static inline int64_t stream_end_ns(const struct stream *s)
{
    int64_t other_ns = stream_extras(s)->end_ns;
    return other_ns > s->last_arrival_ns ? other_ns : s->last_arrival_ns;
}

static inline uint64_t stream_packets(const struct stream *s)
{
    const struct stream_extras *x = stream_extras(s);
    return (uint64_t)s->unique + x->duplicates + x->too_late;
}

static inline uint64_t stream_expected(const struct stream *s)
{
    return s->max_ext - s->base_ext + 1;
}

static inline uint64_t stream_lost(const struct stream *s)
{
    return stream_expected(s) - s->unique;
}

static inline uint32_t stream_discarded(const struct stream *s)
{
    return s->lacking ? s->lacking->discarded : 0;
}

// NULL: none.
static inline const struct stream_gaps *stream_gaps(const struct stream *s)
{
    return s->lacking ? s->lacking->gaps : NULL;
}

// NULL: it is none.
static inline const struct stream_fax *stream_fax(const struct stream *s)
{
    return stream_extras(s)->fax;
}

// Payload types that it had, as a bitmap.
struct stream_types {
    uint64_t words[2];
};

static inline struct stream_types stream_types(const struct stream *s)
{
    const struct stream_extras *x = stream_extras(s);
    struct stream_types types = {{x->payload_types[0], x->payload_types[1]}};
    types.words[s->first_type >> 6 & 1] |= 1ull << (s->first_type & 63);
    return types;
}

static inline bool stream_has_type(const struct stream *s, uint8_t payload_type)
{
    return stream_types(s).words[payload_type >> 6 & 1] >> (payload_type & 63) & 1;
}

// Segments in order; NULL: no more.
static inline const struct stream_segment *stream_segments(const struct stream *s)
{
    return s->segment_count > 0 ? &s->segment : NULL;
}

static inline const struct stream_segment *stream_next_segment(const struct stream *s,
                                                               const struct stream_segment *g)
{
    const struct stream_next_segment *next = g == &s->segment
                                                 ? stream_extras(s)->segments
                                                 : ((const struct stream_next_segment *)g)->next;
    return next ? &next->segment : NULL;
}

// Was this number seen, of the last 1,024?
static inline bool stream_seen(const struct stream *s, uint64_t ext)
{
    if (!s->is_gappy) {
        return ext >= s->base_ext;
    }
    return s->lacking->window[ext / 64 % STREAM_WINDOW_WORDS] >> (ext % 64) & 1;
}

// Mean time of a packet by its timestamps, so far; NaN where the clock is not known.
static inline double stream_packet_ns(const struct stream *s)
{
    double media_ns = s->media_ns + s->interval_media_ns;
    uint64_t numbers = s->jitter.count + stream_extras(s)->more_numbers;
    return numbers > 0 && media_ns > 0 ? media_ns / (double)numbers : (double)NAN;
}

// How long the longest run of lacking numbers would have played; 0: nothing is lacking, or the
// clock is not known. Once the stream is finished.
int64_t stream_gap_max_ns(const struct stream *s);

// Did the data of a number that is missing, of the last 1,024, come with a later packet so far?
bool stream_recovered(const struct stream *s, uint64_t ext);

// Its sound so far.
struct stream_sound stream_sound_so_far(const struct stream *s);

static inline uint32_t stream_judged(const struct stream_sound *sound)
{
    return sound->loud + sound->silent;
}

// The longest silence: 8,000 ticks a second.
static inline int64_t stream_silence_ns(const struct stream_sound *sound)
{
    return (int64_t)sound->longest_ticks * 125000;
}

static inline bool stream_encrypted(const struct stream *s)
{
    return (s->map && s->map->encrypted) || s->is_encrypted;
}

// The codec that a payload type of this stream means: by the announced map, else the static table.
enum codec stream_codec(const struct payload_map *map, uint8_t payload_type, uint32_t *clock_hz,
                        struct slice *name);

#endif
