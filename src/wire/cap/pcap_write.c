// Formats pcap headers.
#include "wire/cap/pcap_write.h"

#include "base/bytes.h"

#include <assert.h>

#define NS_PER_S 1000000000

void pcap_write_file(uint8_t out[PCAP_WRITE_FILE_BYTES], uint32_t linktype, uint32_t snaplen,
                     bool nanoseconds)
{
    put_le32(out, nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4);
    put_le16(out + 4, 2); // version 2.4
    put_le16(out + 6, 4);
    put_le32(out + 8, 0); // time zone: always UTC
    put_le32(out + 12, 0);
    put_le32(out + 16, snaplen);
    put_le32(out + 20, linktype);
}

void pcap_write_record(uint8_t out[PCAP_WRITE_RECORD_BYTES], int64_t time_ns, uint32_t captured,
                       uint32_t length, bool nanoseconds)
{
    assert(time_ns >= 0 && time_ns / NS_PER_S <= UINT32_MAX && captured <= length);
    uint32_t fraction = (uint32_t)(time_ns % NS_PER_S);
    put_le32(out, (uint32_t)(time_ns / NS_PER_S));
    put_le32(out + 4, nanoseconds ? fraction : fraction / 1000);
    put_le32(out + 8, captured);
    put_le32(out + 12, length);
}
