// The loop of the floor. Straight on purpose: what it costs is what others are measured by, so it
// is changed only with every recorded baseline.
#include "lab/floor.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#define FILE_HEADER_BYTES   24u
#define RECORD_HEADER_BYTES 16u
#define MAGIC               0xa1b2c3d4u
#define LINK_ETHERNET       1u
// Not smaller: a system call must cost next to nothing. Not larger: it should stay in a core's
// cache.
#define BUFFER_BYTES (512u * 1024)
// Places for streams. Not smaller: the largest captures that are measured have 40,000. Not larger:
// the table would cost more than the work. Packets of streams beyond count as no RTP.
#define STREAM_BITS     17
#define STREAM_PLACES   (1u << STREAM_BITS)
#define STREAMS_MAX     (STREAM_PLACES / 2)
#define TICKS_PER_US    8e-3 // of a clock of 8,000 Hz
#define RTP_FRAME_LEAST 54u  // Ethernet, IPv4, UDP and RTP without a payload

struct floor_stream {
    uint64_t addresses, ports_ssrc;
    double jitter;
    int64_t arrival_us;
    uint32_t timestamp, packets;
    uint16_t sequence, lost;
};

struct floor_work {
    struct floor_stream *streams;
    struct floor_answer answer;
};

static struct floor_stream *find(struct floor_work *w, uint64_t addresses, uint64_t ports_ssrc)
{
    uint64_t hash = (addresses ^ ports_ssrc * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
    uint32_t at = (uint32_t)(hash >> (64 - STREAM_BITS));
    struct floor_stream *s = &w->streams[at];
    while (s->packets > 0 && (s->addresses != addresses || s->ports_ssrc != ports_ssrc)) {
        at = (at + 1) % STREAM_PLACES;
        s = &w->streams[at];
    }
    if (s->packets == 0) {
        if (w->answer.streams == STREAMS_MAX) {
            return NULL;
        }
        w->answer.streams++;
        s->addresses = addresses;
        s->ports_ssrc = ports_ssrc;
    }
    return s;
}

static void take(struct floor_work *w, const uint8_t *p, uint32_t n, int64_t us)
{
    // Ethernet with IPv4 without options, UDP, version 2 of RTP.
    if (n < RTP_FRAME_LEAST || be16(p + 12) != 0x0800 || p[14] != 0x45 || p[23] != 17 ||
        p[42] >> 6 != 2) {
        return;
    }
    uint64_t addresses;
    uint32_t ports;
    memcpy(&addresses, p + 26, sizeof addresses);
    memcpy(&ports, p + 34, sizeof ports);
    struct floor_stream *s = find(w, addresses, (uint64_t)ports << 32 | be32(p + 50));
    if (!s) {
        return;
    }
    uint16_t sequence = be16(p + 44);
    uint32_t timestamp = be32(p + 46);
    if (s->packets++ > 0) {
        s->lost += (uint16_t)(sequence - s->sequence - 1);
        double late =
            (double)(us - s->arrival_us) * TICKS_PER_US - (int32_t)(timestamp - s->timestamp);
        s->jitter += (fabs(late) - s->jitter) / 16;
    }
    s->sequence = sequence;
    s->timestamp = timestamp;
    s->arrival_us = us;
    w->answer.rtp++;
}

// Takes the whole records of n bytes; returns the length of them.
static size_t walk(struct floor_work *w, const uint8_t *p, size_t n)
{
    size_t at = 0;
    while (n - at >= RECORD_HEADER_BYTES) {
        const uint8_t *head = p + at;
        uint32_t captured = le32(head + 8);
        if (n - at - RECORD_HEADER_BYTES < captured) {
            break;
        }
        int64_t us = le32(head) * INT64_C(1000000) + le32(head + 4);
        take(w, head + RECORD_HEADER_BYTES, captured, us);
        w->answer.packets++;
        at += RECORD_HEADER_BYTES + captured;
    }
    return at;
}

static bool is_ours(const uint8_t *header)
{
    return le32(header) == MAGIC && le32(header + 20) == LINK_ETHERNET;
}

static int read_all(int fd, struct floor_work *w, uint8_t *buffer)
{
    bool has_header = false;
    size_t have = 0;
    for (;;) {
        ssize_t got = read(fd, buffer + have, BUFFER_BYTES - have);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return ERR_READ;
        }
        if (got == 0) { // also where a record does not fit the buffer
            w->answer.is_cut = have > 0;
            return has_header ? 0 : ERR_NOT_A_CAPTURE;
        }
        have += (size_t)got;
        size_t used = 0;
        if (!has_header && have >= FILE_HEADER_BYTES) {
            if (!is_ours(buffer)) {
                return ERR_NOT_A_CAPTURE;
            }
            has_header = true;
            used = FILE_HEADER_BYTES;
        }
        if (has_header) {
            used += walk(w, buffer + used, have - used);
        }
        memmove(buffer, buffer + used, have - used);
        have -= used;
    }
}

int floor_read(int fd, struct floor_answer *out)
{
    struct floor_work w = {.streams = memory_zero(STREAM_PLACES * sizeof *w.streams)};
    uint8_t *buffer = memory_alloc(BUFFER_BYTES);
    int error = read_all(fd, &w, buffer);
    double jitter = 0;
    for (uint32_t i = 0; i < STREAM_PLACES; i++) {
        w.answer.lost += w.streams[i].lost;
        jitter += w.streams[i].jitter;
    }
    w.answer.jitter_ms = w.answer.streams > 0 ? jitter / (double)w.answer.streams / 8 : 0;
    memory_free(buffer);
    memory_free(w.streams);
    *out = w.answer;
    return error;
}
