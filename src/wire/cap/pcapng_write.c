// Formats pcapng blocks.
#include "wire/cap/pcapng_write.h"

#include "base/bytes.h"

#include <assert.h>
#include <string.h>

#define SECTION_HEADER        0x0a0d0d0au
#define INTERFACE_DESCRIPTION 1
#define ENHANCED_PACKET       6

static void put_frame(uint8_t *out, uint32_t type, uint32_t size)
{
    put_le32(out, type);
    put_le32(out + 4, size);
    put_le32(out + size - 4, size);
}

void pcapng_write_file(uint8_t out[PCAPNG_WRITE_FILE_BYTES], uint16_t linktype, uint32_t snaplen)
{
    put_frame(out, SECTION_HEADER, 28);
    put_le32(out + 8, 0x1a2b3c4d);
    put_le16(out + 12, 1); // version 1.0
    put_le16(out + 14, 0);
    memset(out + 16, 0xff, 8); // length of the section: not told
    put_frame(out + 28, INTERFACE_DESCRIPTION, 20);
    put_le16(out + 36, linktype);
    put_le16(out + 38, 0);
    put_le32(out + 40, snaplen);
}

size_t pcapng_write_packet(uint8_t *out, int64_t time_ns, uint32_t captured, uint32_t length)
{
    assert(time_ns >= 0 && captured <= length);
    uint64_t time_us = (uint64_t)time_ns / 1000;
    uint32_t padding = -captured & (PCAPNG_WRITE_ALIGN_BYTES - 1);
    uint32_t size = PCAPNG_WRITE_FRAME_AT + captured + padding + 4;
    memset(out + PCAPNG_WRITE_FRAME_AT + captured, 0, padding);
    put_frame(out, ENHANCED_PACKET, size);
    put_le32(out + 8, 0); // the interface
    put_le32(out + 12, (uint32_t)(time_us >> 32));
    put_le32(out + 16, (uint32_t)time_us);
    put_le32(out + 20, captured);
    put_le32(out + 24, length);
    return size;
}
