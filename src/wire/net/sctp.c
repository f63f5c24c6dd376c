// Walks the chunks of an SCTP packet.
//
// Common header: ports (2 + 2), verification tag (4), checksum (4). A chunk: type (1), flags (1),
// its length with these four bytes and without padding (2), contents, padding to 4 bytes. DATA: TSN
// (4), stream (2), number in the stream (2), payload protocol (4), data. I-DATA (RFC 8260 2.1): TSN
// (4), stream (2), reserved (2), message (4), payload protocol in the first fragment and number of
// the fragment in the others (4), data.
#include "wire/net/sctp.h"

#include "base/bytes.h"

enum {
    COMMON_HEADER = 12,
    CHUNK_HEADER = 4,
    DATA_HEADER = 16,
    IDATA_HEADER = 20,
};

enum chunk_type {
    CHUNK_DATA = 0,
    CHUNK_INIT = 1,
    CHUNK_INIT_ACK = 2,
    CHUNK_ABORT = 6,
    CHUNK_SHUTDOWN_COMPLETE = 14,
    CHUNK_IDATA = 64,
};

enum data_flag {
    DATA_ENDS = 0x01,
    DATA_BEGINS = 0x02,
    DATA_UNORDERED = 0x04,
};

bool sctp_begin(struct sctp_walk *w, const uint8_t *packet, uint32_t n)
{
    if (n < COMMON_HEADER) {
        return false;
    }
    *w = (struct sctp_walk){
        .at = packet + COMMON_HEADER, .left = n - COMMON_HEADER, .tag = be32(packet + 4)};
    return true;
}

// `length`: what the chunk says of itself; `there`: what there is of it. A chunk without data is
// against RFC 9260 3.3.1, and none.
static bool data_read(struct sctp_data *out, const uint8_t *p, uint32_t length, uint32_t there)
{
    bool is_interleaved = p[0] == CHUNK_IDATA;
    uint32_t header = is_interleaved ? IDATA_HEADER : DATA_HEADER;
    if (length <= header || there <= header) {
        return false;
    }
    *out = (struct sctp_data){
        .tsn = be32(p + 4),
        .stream = be16(p + 8),
        .begins = (p[1] & DATA_BEGINS) != 0,
        .ends = (p[1] & DATA_ENDS) != 0,
        .unordered = (p[1] & DATA_UNORDERED) != 0,
        .is_interleaved = is_interleaved,
        .is_cut = there < length,
        .bytes = p + header,
        .n = there - header,
    };
    uint32_t last = be32(p + header - 4);
    if (!is_interleaved) {
        out->ssn = be16(p + 10);
        out->ppid = last;
    } else {
        out->message = be32(p + 12);
        out->ppid = out->begins ? last : 0;
        out->fragment = out->begins ? 0 : last;
    }
    return true;
}

bool sctp_next(struct sctp_walk *w, struct sctp_data *out)
{
    while (w->left >= CHUNK_HEADER) {
        const uint8_t *p = w->at;
        uint32_t length = be16(p + 2);
        if (length < CHUNK_HEADER) {
            w->left = 0; // nothing behind it can be found
            return false;
        }
        uint32_t there = length < w->left ? length : w->left;
        uint32_t padded = (length + 3) & ~3u;
        uint32_t step = padded < w->left ? padded : w->left;
        w->at += step;
        w->left -= step;
        w->has_init |= p[0] == CHUNK_INIT || p[0] == CHUNK_INIT_ACK;
        w->has_end |= p[0] == CHUNK_ABORT || p[0] == CHUNK_SHUTDOWN_COMPLETE;
        if ((p[0] == CHUNK_DATA || p[0] == CHUNK_IDATA) && data_read(out, p, length, there)) {
            return true;
        }
    }
    return false;
}
