// The parts of reassembly, shared by its files and nobody else.
//
// All that a stranger can make grow lies in cells of one size, taken from chunks that are asked for
// once and used again: no fragment costs an allocation after warm-up, and the limit is a number of
// cells. A cell is the head of a datagram in the making, a page of its bytes, more of its frames,
// or its path:
//
//     gathering ── pages[0] ── page: 512 bytes with a bit for each that came
//               ├─ pages[5] ── page                (what never came has no page)
//               ├─ first_frames ── frames ── frames
//               └─ path[0], path[1]
#ifndef SIDETONE_FLOW_FRAGMENTS_PARTS_H
#define SIDETONE_FLOW_FRAGMENTS_PARTS_H

#include "flow/fragments.h"

// A datagram's bytes, and one more than may be: offsets are 13 bits of eight bytes each.
#define DATAGRAM_BYTES_MAX 65535u
#define DATAGRAM_ROOM      65536u

// Bytes of a page. Not smaller: an ordinary INVITE should need a handful. Not larger: a single
// fragment of eight bytes takes a whole one.
#define PAGE_BYTES 512u
#define PAGE_WORDS (PAGE_BYTES / 64)
#define PAGES      (DATAGRAM_ROOM / PAGE_BYTES)

// Frames that are listed for one datagram. Not smaller: all pieces of eight bytes of the longest
// datagram, and a copy of each. Not larger: the list is copied when the datagram is given out. A
// fragment beyond is dropped.
#define FRAGMENT_FRAMES_MAX 16384u
#define FRAMES_INLINE       8u
#define FRAMES_OF_CELL      40u
#define STEPS_OF_CELL       16u

// Completed datagrams that are remembered for their copies. Not smaller: a bin of a busy trunk
// completes some thousand in FRAGMENT_COPY_NS. Not larger: a sixteenth of the memory goes here.
#define RECENT_MAX 4096u

// Chains of the two hash tables: about one for each datagram that fits.
#define CHAINS 4096u

// An index of a cell; none has the index 0.
typedef uint16_t cell_index;

struct fragment_key {
    struct address src, dst;
    uint64_t path_hash; // 64 bits with a secret stand for the whole path
    uint32_t id;
    uint8_t protocol; // IPv6: 0, the first fragment alone says it (RFC 8200 4.5)
    bool is_v4;
};

struct page {
    uint64_t taken[PAGE_WORDS];    // a fragment brought this byte, captured or not
    uint64_t captured[PAGE_WORDS]; // and here it is
    uint64_t starts;               // a fragment begins with these eight bytes
    uint8_t bytes[PAGE_BYTES];
};

struct frames {
    struct packet_ref refs[FRAMES_OF_CELL];
    cell_index next;
};

struct steps {
    struct path_step steps[STEPS_OF_CELL];
};

// A datagram in the making.
struct gathering {
    struct piece_record head; // without pointers
    struct fragment_key key;
    int64_t started_ns;
    cell_index older, newer; // in the order of their first fragments
    cell_index chain_next;
    uint16_t chain;
    uint32_t end;         // of the datagram; DATAGRAM_ROOM: not known yet
    uint32_t low, high;   // all bytes that came lie in [low, high)
    uint32_t taken_count; // of bytes, up to the end where it is known
    uint32_t frame_count;
    uint16_t cell_count; // that it holds, this one too
    uint8_t path_count;
    bool has_path;
    bool is_dropped;   // IPv6 overlap: no bytes any more
    bool is_retired;   // to be given up: no fragment finds it any more
    bool is_forgotten; // because memory was short
    bool has_conflict, is_tiny, has_first;
    cell_index path[(PATH_STEPS_MAX + STEPS_OF_CELL - 1) / STEPS_OF_CELL];
    cell_index first_frames, last_frames;
    cell_index pages[PAGES];
    struct packet_ref begin; // the frame with the first byte
    struct packet_ref refs[FRAMES_INLINE];
};

union cell {
    cell_index next_free;
    struct gathering gathering;
    struct page page;
    struct frames frames;
    struct steps steps;
};

#define CELLS_OF_CHUNK 64u
#define CHUNKS_MAX     86u
#define CELLS_MAX      (CHUNKS_MAX * CELLS_OF_CHUNK)

// What one fragment can take: all pages, a head, its path, and two cells of frames. One that came
// in fragments itself takes more cells of frames.
#define CELLS_OF_FRAGMENT (PAGES + 5)

struct cells {
    union cell *chunks[CHUNKS_MAX];
    uint32_t fresh; // indices from here on were never used
    uint32_t free_count;
    cell_index free_first;
};

// A completed datagram.
struct recent {
    struct fragment_key key;
    int64_t completed_ns;
    int verdict;
    uint16_t chain;
    uint16_t chain_next; // place + 1; 0: none
};

// A ring: they leave in the order in which they came.
struct recents {
    struct recent ring[RECENT_MAX];
    uint16_t chains[CHAINS]; // place + 1 of the newest; 0: none
    uint32_t first, count;
};

struct fragments {
    struct cells cells;
    struct recents recents;
    int64_t now_ns; // capture time of the newest fragment
    cell_index oldest, newest;
    cell_index oldest_open; // the first of them that is not retired
    uint32_t retired_cells; // held by those that are
    uint32_t settled;       // place + 1 of the datagram given last; 0: forgotten already
    int copy_verdict;       // of the copy seen last
    cell_index chains[CHAINS];
    // What was given out last.
    struct path path;
    struct packet_ref frames[FRAGMENT_FRAMES_MAX];
    uint8_t bytes[DATAGRAM_ROOM];
};

_Static_assert(sizeof(union cell) == sizeof(struct page), "nothing else makes cells larger");
_Static_assert(CELLS_MAX <= UINT16_MAX, "indices have 16 bits");
_Static_assert(sizeof(struct fragments) + CELLS_MAX * sizeof(union cell) <= FRAGMENT_BYTES_MAX,
               "all that it can ever hold");

// --- Cells (fragments_cells.c) ---

void cells_init(struct cells *c);
void cells_fini(struct cells *c);
// Its content means nothing. There must be one.
cell_index cells_take(struct cells *c);
void cells_release(struct cells *c, cell_index i);

static inline union cell *cells_at(const struct cells *c, cell_index i)
{
    return &c->chunks[i / CELLS_OF_CHUNK][i % CELLS_OF_CHUNK];
}

// Cells that can still be taken.
static inline uint32_t cells_left(const struct cells *c)
{
    return c->free_count + CELLS_MAX - c->fresh;
}

// Bytes of the system that `f` holds: at most FRAGMENT_BYTES_MAX.
size_t fragments_memory(const struct fragments *f);

// --- Bytes of a datagram (fragments_bytes.c): [begin, end) lies inside DATAGRAM_ROOM ---

// How many bytes of it came already.
uint32_t bytes_count(const struct cells *c, const struct gathering *g, uint32_t begin,
                     uint32_t end);
// Is one of those at hand another one than in p (n bytes from `begin` on)?
bool bytes_differ(const struct cells *c, const struct gathering *g, uint32_t begin,
                  const uint8_t *p, uint32_t n);
// Takes bytes of which none came yet; only the first n of them were captured.
void bytes_put(struct cells *c, struct gathering *g, uint32_t begin, uint32_t end, const uint8_t *p,
               uint32_t n);
// The same where some came: those stay.
void bytes_fill(struct cells *c, struct gathering *g, uint32_t begin, uint32_t end,
                const uint8_t *p, uint32_t n);
// Where the fragments do not overlap: is [begin, end) exactly what one of them brought?
bool bytes_are_fragment(const struct cells *c, const struct gathering *g, uint32_t begin,
                        uint32_t end);
// Notes that a fragment begins there.
void bytes_mark_start(const struct cells *c, const struct gathering *g, uint32_t begin);
// Copies what is at hand from offset 0 on, up to the first gap; returns how many bytes.
uint32_t bytes_copy(const struct cells *c, const struct gathering *g, uint8_t *out);
void bytes_release(struct cells *c, struct gathering *g);

// --- Datagrams in the making (fragments_gathering.c) ---

static inline struct gathering *gathering_at(const struct fragments *f, cell_index i)
{
    return &cells_at(&f->cells, i)->gathering;
}

// 0: none is open.
cell_index gathering_find(const struct fragments *f, const struct fragment_key *key,
                          uint32_t chain);
cell_index gathering_begin(struct fragments *f, const struct piece_record *r,
                           const struct fragment_key *key, uint32_t chain);
// Lists all frames of the fragment; false: the list has no room for them, and none is listed.
bool gathering_list_frame(struct fragments *f, struct gathering *g, const struct piece_record *r);
// No fragment finds it any more.
void gathering_unchain(struct fragments *f, cell_index i);
// Takes the oldest open one out of reach. It stays in the list until it is given up.
void gathering_retire_oldest(struct fragments *f, bool is_forgotten);
// Hands one that is unchained out and releases it: *out stands in what `f` keeps for that.
void gathering_give(struct fragments *f, cell_index i, bool is_whole, struct defragmented *out);

// --- Completed datagrams (fragments_recent.c) ---

bool fragment_key_eq(const struct fragment_key *a, const struct fragment_key *b);

// Remembers one; returns its place + 1.
uint32_t recents_add(struct recents *r, const struct fragment_key *key, uint32_t chain,
                     int64_t now_ns);
// Forgets those that are too old.
void recents_forget(struct recents *r, int64_t now_ns);
// NULL: none.
struct recent *recents_find(struct recents *r, const struct fragment_key *key, uint32_t chain);

#endif
