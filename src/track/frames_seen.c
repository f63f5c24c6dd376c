// The frames that came last.
#include "track/frames_seen.h"

#include "base/memory.h"

void frames_seen_init(struct frames_seen *f, uint32_t count)
{
    *f = (struct frames_seen){.count = count};
}

void frames_seen_fini(struct frames_seen *f)
{
    memory_free(f->sets);
    memory_free(f->used);
}

static struct frames_seen_set *set_of(struct frames_seen *f, uint32_t frame_set)
{
    if (__builtin_expect(!f->sets, 0)) {
        f->sets = memory_alloc(f->count * sizeof *f->sets);
        f->used = memory_zero((f->count + 63) / 64 * sizeof *f->used);
    }
    uint32_t at = frame_set % f->count;
    uint64_t bit = UINT64_C(1) << (at & 63);
    if (__builtin_expect(!(f->used[at / 64] & bit), 0)) {
        f->used[at / 64] |= bit;
        memset(&f->sets[at], 0, sizeof f->sets[at]);
    }
    return &f->sets[at];
}

struct frame_seen *frames_seen_ways(struct frames_seen *f, uint32_t frame_set)
{
    return set_of(f, frame_set)->ways;
}

struct frame_seen *frames_seen_note(struct frames_seen *f, uint64_t hash, uint32_t frame_set,
                                    int64_t time_ns)
{
    struct frames_seen_set *set = set_of(f, frame_set);
    for (int i = 0; i < FRAMES_SEEN_WAYS; i++) {
        int64_t age_ns = time_ns - set->ways[i].time_ns;
        if (set->ways[i].hash == hash && age_ns >= -CAPTURE_COPY_NS && age_ns <= CAPTURE_COPY_NS) {
            return NULL;
        }
    }
    struct frame_seen *seen = &set->ways[set->next];
    *seen = (struct frame_seen){hash, time_ns, NULL, frame_set};
    set->next = (uint8_t)((set->next + 1) % FRAMES_SEEN_WAYS);
    return seen;
}
