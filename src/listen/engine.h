// The engine of listening: inputs are decoded chunk by chunk and folded bin by bin, in capture
// order, on every core.
//
// It works in rounds. A round decodes a window of chunks of the sources that are furthest behind
// while the media bins fold what the round before had made ready; then the chunks are proven. What
// takes several packets is put together: the bins of fragments give datagrams, the bins of streams
// messages, both as batches of records beside the chunks. Then the call bins fold their messages,
// whose announcements the media bins take up in the next round. Only records before every source's
// frontier are folded, so each bin sees them in the one order that all inputs have together,
// whatever the number of cores or the size of chunks. Owns sources, chunks, bins and threads.
#ifndef SIDETONE_LISTEN_ENGINE_H
#define SIDETONE_LISTEN_ENGINE_H

#include "base/team.h"
#include "flow/fragment_bin.h"
#include "flow/stream_bin.h"
#include "listen/message.h"
#include "listen/source.h"
#include "sidetone/read.h"
#include "track/call_bin.h"
#include "track/control_bin.h"
#include "track/media_bin.h"

// Bytes that a chunk answers for. Not smaller: rounds cost some microseconds. Not larger: a chunk
// and its records are to stay in the second-level cache until they are folded.
#define CHUNK_BYTES 262144u
// Chunks of a round for each core. Not one: the cores would wait for the slowest. Not more: they
// wait in memory, with their records, until they are folded.
#define CHUNKS_PER_CORE 2
#define WINDOW_MAX      64 // of all cores, for the same reason
// Bytes of all chunks of a round: more cores have smaller ones. Not smaller: eight cores have some
// hundred microseconds of work in a round. Not larger: what is read does not fit into a cache
// then, and memory is not to grow with the cores.
#define WINDOW_BYTES (2u << 20)
// Sources that are read at the same time with full chunks; more share the memory of so many.
#define SOURCES_WIDE 16
// Files that stay open while others are read. Not smaller: files that overlap take turns with every
// window. Not larger: a process may have 1,024 descriptors and the caller needs some.
#define SOURCES_OPEN_MAX 32

// Sources of a round, where the first has little. Not smaller: a round looks at every source that
// has records. Not larger: they are open at the same time.
#define SOURCES_ROUND (SOURCES_OPEN_MAX / 2)

struct announcement_queue {
    struct media_news *items;
    uint32_t count, room;
};

// Where the bytes of a chunk were that needs them no more, for the next one.
struct spare_buffer {
    uint8_t *bytes;
    size_t room;
};

struct totals {
    uint64_t packets, bytes, undescribed, absurd_times;
    uint64_t media; // records of datagrams that look like RTP, each a packet
    struct record_counts counts;
    int64_t first_ns, last_ns;
};

struct engine {
    const struct sidetone_read_options *options;
    struct source *sources;
    uint32_t source_count;
    struct source **behind; // those not done, as a heap: nothing can be folded beyond the first's
    uint32_t behind_count;
    struct source **buffered; // those with chunks in their queue
    uint32_t buffered_count;
    struct source **open; // those that were opened since files were closed last
    uint32_t open_count;
    struct team *team;
    unsigned window;
    struct fragment_bin fragments[BINS];
    struct stream_bin connections[BINS];
    struct call_bin calls[BINS];
    struct media_bin media[BINS];
    struct control_bin control[BINS];
    struct announcement_queue announcements[BINS];
    struct records *pool; // chunks
    struct spare_buffer *spares;
    uint32_t spare_count, spare_room;
    struct record_queue **waiting; // those with something for the fold at hand
    uint32_t waiting_count;
    struct record_queue **to_emit; // those with messages to be shown, before emit_bound
    uint32_t to_emit_count;
    struct order emit_bound;
    struct source *planned[SOURCES_ROUND]; // whose chunks are being decoded
    unsigned planned_count;
    struct chunk *decoding[WINDOW_MAX];
    struct source *decoding_of[WINDOW_MAX]; // likewise
    unsigned decoding_count;
    struct order call_bound, media_bound; // everything before them is ready to be folded
    struct totals totals;
    struct message_view view;           // of the message that is shown at the moment
    struct unpack_limits unpack_limits; // of all compressed sources
    uint64_t bytes_done, bytes_total;   // of all inputs as they lie; no total of pipes
    bool has_pipe;
    bool is_last; // the round in which flows give what they still hold
    bool is_interrupted;
};

// Reads all sources to their end (or until options->stop). e->sources, source_count and options are
// set.
void engine_run(struct engine *e);
// Ends its threads, which may join and judge what was read: before a report is handed out.
void engine_dismiss(struct engine *e);
void engine_fini(struct engine *e);

#endif
