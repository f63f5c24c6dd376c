// A naive model of a stream, written from the definitions of docs/json.md: sets of numbers, kept
// whole. Slow, and free of the fold's tricks, so that the fold is compared with it.
//
// A list of packets of one source, destination and SSRC goes in; streams come out, each with its
// own list: packets that began another run of numbers are taken out of the list of the one before.
#ifndef SIDETONE_TESTS_STREAM_MODEL_H
#define SIDETONE_TESTS_STREAM_MODEL_H

#include "stream_model_buffer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define MODEL_PACKETS_MAX   8192
#define MODEL_STREAMS_MAX   16
#define MODEL_INTERVALS_MAX 2048
#define MODEL_NUMBERS       300000
#define MODEL_SLACK         2000 // numbers kept below the first one

struct model_packet {
    struct media_record r;
    bool is_offer; // no packet: a new offer for the destination was seen here
};

struct model_interval {
    uint64_t index, packets, lost, discarded;
};

struct model_gap { // numbers in a row that were missing when the packet behind them came
    int64_t from_ns, to_ns;
    size_t end, span, lost;
};

struct model_stream {
    struct model_packet list[MODEL_PACKETS_MAX];
    size_t count;
    // what evaluate makes of the list
    uint64_t expected, unique, duplicates, reordered, too_late, bytes, lost;
    uint64_t discarded, lacking, runs, run_max, run_max_at; // lacking: lost or discarded
    uint64_t bursts, burst_lacking, burst_numbers;
    bool begins_with_burst, ends_with_burst;
    struct model_gap gaps[MODEL_PACKETS_MAX];
    size_t gap_count;
    int64_t end_ns, delta_max_ns;
    double jitter, jitter_max;
    uint64_t jitter_count;
    struct model_interval intervals[MODEL_INTERVALS_MAX];
    size_t interval_count;
    struct {
        uint8_t payload_type;
        uint64_t packets;
    } segments[STREAM_SEGMENTS_MAX];
    size_t segment_count;
};

enum model_kind {
    MODEL_NEXT,
    MODEL_REPEAT,
    MODEL_FILL,
    MODEL_LATE,
    MODEL_JUMP
};

// Which numbers were seen, and when first; index 0 stands for MODEL_SLACK below the first number.
struct model_numbers {
    int64_t seen_ns[MODEL_NUMBERS];
    bool seen[MODEL_NUMBERS];
    bool before_offer[MODEL_NUMBERS];
    bool played[MODEL_NUMBERS];
    uint64_t at[MODEL_NUMBERS];        // order of the packet that brought it
    size_t in_interval[MODEL_NUMBERS]; // of the packet that ended the gap
    size_t base, max;
    uint16_t max_sequence;
};

static inline void model_numbers_begin(struct model_numbers *k, const struct media_record *r)
{
    memset(k->seen, 0, sizeof k->seen);
    memset(k->before_offer, 0, sizeof k->before_offer);
    memset(k->played, 0, sizeof k->played);
    k->played[MODEL_SLACK] = true;
    k->at[MODEL_SLACK] = r->order.at;
    k->base = k->max = MODEL_SLACK;
    k->seen[k->max] = true;
    k->seen_ns[k->max] = r->time_ns;
    k->in_interval[k->max] = 0;
    k->max_sequence = r->sequence;
}

static inline enum model_kind model_classify(const struct model_numbers *k,
                                             const struct media_record *r, size_t *number)
{
    uint16_t ahead = (uint16_t)(r->sequence - k->max_sequence);
    uint16_t behind = (uint16_t)(k->max_sequence - r->sequence);
    if (ahead > 0 && ahead <= 3000) {
        *number = k->max + ahead;
        return MODEL_NEXT;
    }
    if (behind >= 1024) {
        return ahead < 32768 ? MODEL_JUMP : MODEL_LATE;
    }
    *number = k->max - behind;
    if (k->seen[*number]) {
        return MODEL_REPEAT;
    }
    return *number + 100 < MODEL_SLACK ? MODEL_LATE : MODEL_FILL; // before the first one
}

static inline void model_see(struct model_numbers *k, const struct media_record *r, size_t number)
{
    assert(number < MODEL_NUMBERS);
    k->seen[number] = true;
    k->seen_ns[number] = r->time_ns;
    k->at[number] = r->order.at;
    if (number > k->max) {
        k->max = number;
        k->max_sequence = r->sequence;
    }
    k->base = number < k->base ? number : k->base;
}

// --- counts of a list that is one stream ---

static inline bool model_is_media(uint8_t payload_type)
{
    return payload_type != 101 && payload_type != 13;
}

static inline void model_count_segment(struct model_stream *m, const struct media_record *r,
                                       bool in_order)
{
    size_t n = m->segment_count;
    if (in_order) {
        if (!model_is_media(r->payload_type)) {
            return;
        }
        if (n == 0 || m->segments[n - 1].payload_type != r->payload_type) {
            assert(n < STREAM_SEGMENTS_MAX);
            m->segments[n].payload_type = r->payload_type;
            m->segments[n].packets = 0;
            n = ++m->segment_count;
        }
        m->segments[n - 1].packets++;
        return;
    }
    for (size_t i = n; i-- > 0;) {
        if (m->segments[i].payload_type == r->payload_type) {
            m->segments[i].packets++;
            return;
        }
    }
}

// RFC 3550 A.8 over the media packets in order. After a silence (a marker, or a step of the
// timestamp of more than three packets that took as long as it says) or timestamps set anew there
// is nothing to compare with.
struct model_jitter {
    bool has_base;
    int64_t last_ns;
    uint32_t last_timestamp, step;
    double now, sum;
};

static inline bool model_is_silence(const struct model_jitter *j, const struct media_record *r,
                                    bool next, double arrival_ns, double media_ns)
{
    int32_t ticks = (int32_t)(r->timestamp - j->last_timestamp);
    bool set_anew = media_ns > arrival_ns + 5e9 || media_ns < -1e9;
    bool pause = next && j->step > 0 && ticks > 3 * (int64_t)j->step &&
                 fabs(arrival_ns - media_ns) < media_ns / 4;
    return r->marker || set_anew || pause;
}

// Returns false where there is nothing to compare with.
static inline bool model_jitter(struct model_stream *m, struct model_jitter *j,
                                const struct media_record *r, bool next, double hz)
{
    int32_t ticks = (int32_t)(r->timestamp - j->last_timestamp);
    double arrival_ns = (double)(r->time_ns - j->last_ns);
    double media_ns = ticks * (1e9 / hz);
    bool compares = j->has_base && !model_is_silence(j, r, next, arrival_ns, media_ns);
    if (compares) {
        j->now += (fabs(arrival_ns - media_ns) - j->now) / 16;
        j->sum += j->now;
        m->jitter_count++;
        m->jitter_max = j->now > m->jitter_max ? j->now : m->jitter_max;
        j->step = ticks > 0 && next ? (uint32_t)ticks : j->step;
    }
    j->has_base = true;
    j->last_ns = r->time_ns;
    j->last_timestamp = r->timestamp;
    return compares;
}

static inline void model_losses(struct model_stream *m, const struct model_numbers *k)
{
    for (size_t at = k->base; at <= k->max; at++) {
        struct model_interval *i = &m->intervals[at < MODEL_SLACK ? 0 : k->in_interval[at]];
        m->lost += !k->seen[at];
        m->discarded += k->seen[at] && !k->played[at];
        m->lacking += !k->played[at];
        i->lost += !k->seen[at];
        i->discarded += k->seen[at] && !k->played[at];
    }
    for (size_t g = 0; g < m->gap_count; g++) {
        struct model_gap *gap = &m->gaps[g];
        for (size_t at = gap->end - gap->span; at < gap->end; at++) {
            gap->lost += !k->seen[at];
        }
    }
}

// Runs of what is lacking; the longest is the first of equal ones, but for those before the first
// packet. It is ended by the packet behind it, or is at the end of the stream.
static inline void model_runs(struct model_stream *m, const struct model_numbers *k, size_t from,
                              size_t to)
{
    for (size_t at = from; at < to; at++) {
        size_t length = 0;
        while (at + length < to && !k->played[at + length]) {
            length++;
        }
        m->runs += length > 0;
        if (length > m->run_max) {
            size_t end = at + length <= k->max ? at + length : k->max;
            m->run_max = length;
            m->run_max_at = from < MODEL_SLACK ? m->list[0].r.order.at : k->at[end];
        }
        at += length;
    }
}

// RFC 3611 4.7.2: a burst begins and ends with a number that is lacking, and fewer than Gmin lie
// between two such.
static inline void model_bursts(struct model_stream *m, const struct model_numbers *k)
{
    for (size_t at = k->base; at <= k->max; at++) {
        if (k->played[at]) {
            continue;
        }
        size_t last = at, count = 1;
        for (size_t next = at + 1; next <= k->max && next - last - 1 < 16; next++) {
            last = k->played[next] ? last : next;
            count += !k->played[next];
        }
        if (count > 1) {
            m->bursts++;
            m->burst_lacking += count;
            m->burst_numbers += last - at + 1;
            m->begins_with_burst = m->begins_with_burst || at == k->base;
            m->ends_with_burst = last == k->max;
        }
        at = last;
    }
}

static inline void model_interval_at(struct model_stream *m, int64_t start_ns, int64_t now_ns)
{
    struct model_interval *last = &m->intervals[m->interval_count - 1];
    if (now_ns - start_ns >= (int64_t)(last->index + 1) * STREAM_INTERVAL_NS) {
        assert(m->interval_count < MODEL_INTERVALS_MAX);
        m->intervals[m->interval_count++] =
            (struct model_interval){(uint64_t)((now_ns - start_ns) / STREAM_INTERVAL_NS), 0, 0, 0};
    }
}

// A packet of the past; judged where it is of the codec that was last heard.
static inline bool model_in_time(const struct model_stream *m, struct model_buffer *b,
                                 const struct media_record *r)
{
    return m->segment_count == 0 ||
           m->segments[m->segment_count - 1].payload_type != r->payload_type ||
           model_plays(b, model_transit(b, r));
}

static inline void model_evaluate(struct model_stream *m, double hz, int64_t buffer_ns)
{
    static struct model_numbers k;
    struct model_jitter j = {0};
    struct model_buffer b = {.buffer_ns = buffer_ns, .hz = hz};
    const struct media_record *first = &m->list[0].r;
    int64_t last_ns = first->time_ns;
    model_numbers_begin(&k, first);
    m->unique = m->interval_count = 1;
    m->intervals[0] = (struct model_interval){0, 1, 0, 0};
    m->bytes = first->payload_n;
    m->end_ns = first->time_ns;
    model_count_segment(m, first, true);
    if (model_is_media(first->payload_type)) {
        model_jitter(m, &j, first, false, hz);
        model_buffer_next(&b, first, false);
    }
    for (size_t i = 1; i < m->count; i++) {
        const struct media_record *r = &m->list[i].r;
        size_t number = 0, before = k.max, intervals = m->interval_count;
        if (m->list[i].is_offer) {
            continue;
        }
        m->bytes += r->payload_n;
        m->end_ns = r->time_ns > m->end_ns ? r->time_ns : m->end_ns;
        model_interval_at(m, first->time_ns, r->time_ns);
        if (m->interval_count != intervals) {
            model_buffer_follow(&b);
        }
        m->intervals[m->interval_count - 1].packets++;
        switch (model_classify(&k, r, &number)) {
        case MODEL_NEXT:
            model_see(&k, r, number);
            for (size_t at = before + 1; at <= number; at++) {
                k.in_interval[at] = m->interval_count - 1;
            }
            m->unique++;
            m->delta_max_ns =
                r->time_ns - last_ns > m->delta_max_ns ? r->time_ns - last_ns : m->delta_max_ns;
            if (number > before + 1) {
                m->gaps[m->gap_count++] =
                    (struct model_gap){last_ns, r->time_ns, number, number - before - 1, 0};
            }
            last_ns = r->time_ns;
            model_count_segment(m, r, true);
            k.played[number] = true;
            if (model_is_media(r->payload_type)) {
                bool compares = model_jitter(m, &j, r, number == before + 1, hz);
                k.played[number] = model_buffer_next(&b, r, compares);
            }
            break;
        case MODEL_FILL:
            model_see(&k, r, number);
            m->unique++;
            m->reordered++;
            k.played[number] = model_in_time(m, &b, r) && k.max - number < 64;
            model_count_segment(m, r, false);
            break;
        case MODEL_REPEAT:
            m->duplicates++;
            break;
        case MODEL_LATE:
        case MODEL_JUMP:
            m->too_late++;
            break;
        }
    }
    m->expected = k.max - k.base + 1;
    m->jitter = m->jitter_count > 0 ? j.sum / (double)m->jitter_count : 0;
    model_losses(m, &k);
    model_runs(m, &k, MODEL_SLACK, k.max + 1);
    model_runs(m, &k, k.base, MODEL_SLACK);
    model_bursts(m, &k);
}

// --- finding where numbers start again ---

// Does this packet take part in a run that may be a restart?
static inline bool model_may_restart(const struct model_numbers *k, const struct media_record *r,
                                     enum model_kind kind, size_t number, uint32_t last_timestamp,
                                     bool after_repeat)
{
    bool is_old = k->before_offer[number] || r->time_ns - k->seen_ns[number] > 1000000000;
    switch (kind) {
    case MODEL_JUMP:
    case MODEL_LATE:
        return true;
    case MODEL_REPEAT:
        return (int32_t)(r->timestamp - last_timestamp) < 0 && is_old;
    case MODEL_FILL:
        return after_repeat && (int32_t)(r->timestamp - last_timestamp) < 0;
    case MODEL_NEXT:
        break;
    }
    return false;
}

// Cuts the list of streams[0] into streams; returns their number.
static inline size_t model_split(struct model_stream *streams)
{
    static struct model_numbers k;
    static struct model_packet all[MODEL_PACKETS_MAX];
    size_t total = streams[0].count, count = 1;
    size_t run = 0, run_packets = 0; // different numbers; with copies of the newest one
    struct model_stream *m = &streams[0];
    uint32_t last_timestamp = 0;
    bool begins = true, run_repeats = false;
    memcpy(all, m->list, total * sizeof *all);
    m->count = 0;
    for (size_t i = 0; i < total; i++) {
        const struct media_record *r = &all[i].r;
        size_t number = 0;
        if (all[i].is_offer) {
            for (size_t at = 0; !begins && at <= k.max; at++) {
                k.before_offer[at] = k.before_offer[at] || k.seen[at];
            }
            continue;
        }
        m->list[m->count++] = all[i];
        if (begins) {
            model_numbers_begin(&k, r);
            last_timestamp = r->timestamp;
            begins = false;
            continue;
        }
        enum model_kind kind = model_classify(&k, r, &number);
        const struct media_record *before = &all[0].r;
        if (m->count >= 2) {
            before = &m->list[m->count - 2].r;
        }
        if (run > 0 && before->sequence == r->sequence && before->timestamp == r->timestamp) {
            run_packets++; // a copy says nothing for or against
            continue;
        }
        bool follows = run > 0 && (uint16_t)(before->sequence + 1) == r->sequence;
        if (!model_may_restart(&k, r, kind, number, last_timestamp,
                               follows && run == 1 && run_repeats)) {
            run = 0;
            if (kind == MODEL_NEXT || kind == MODEL_FILL) {
                model_see(&k, r, number);
            }
            if (kind == MODEL_NEXT && model_is_media(r->payload_type)) {
                last_timestamp = r->timestamp;
            }
            continue;
        }
        if (kind == MODEL_FILL) {
            model_see(&k, r, number);
        }
        run_repeats = follows ? run_repeats : kind == MODEL_REPEAT;
        run = follows ? run + 1 : 1;
        run_packets = follows ? run_packets + 1 : 1;
        if (run < (kind == MODEL_JUMP ? 2u : 3u)) {
            continue;
        }
        // The run is another stream: its packets go there.
        assert(count < MODEL_STREAMS_MAX);
        struct model_stream *next = &streams[count++];
        next->count = run_packets;
        m->count -= run_packets;
        memcpy(next->list, &m->list[m->count], run_packets * sizeof *next->list);
        m = next;
        model_numbers_begin(&k, &m->list[0].r);
        for (size_t p = 1; p < run_packets; p++) {
            uint16_t ahead = (uint16_t)(m->list[p].r.sequence - m->list[0].r.sequence);
            if (m->list[p].r.sequence != m->list[p - 1].r.sequence) {
                model_see(&k, &m->list[p].r, MODEL_SLACK + ahead);
            }
        }
        last_timestamp = r->timestamp;
        run = 0;
    }
    return count;
}

#endif
