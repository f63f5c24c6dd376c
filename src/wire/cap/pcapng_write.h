// The bytes of a pcapng file with one section and one interface: its first blocks and its packets,
// in little-endian order, times in microseconds (draft-ietf-opsawg-pcapng 4.1 to 4.3).
//
// Only formats: the caller owns the buffer and writes it to where it belongs.
#ifndef SIDETONE_WIRE_CAP_PCAPNG_WRITE_H
#define SIDETONE_WIRE_CAP_PCAPNG_WRITE_H

#include <stddef.h>
#include <stdint.h>

#define PCAPNG_WRITE_FILE_BYTES  48 // section header 28, interface description 20
#define PCAPNG_WRITE_FRAME_AT    28 // of an enhanced packet block, before its frame
#define PCAPNG_WRITE_AROUND_MAX  35 // bytes of such a block that are not its frame
#define PCAPNG_WRITE_ALIGN_BYTES 4

// `linktype`: LINKTYPE_* of the tcpdump registry.
void pcapng_write_file(uint8_t out[PCAPNG_WRITE_FILE_BYTES], uint16_t linktype, uint32_t snaplen);

// Writes the rest of a block around a frame of `captured` bytes, which stands at
// out + PCAPNG_WRITE_FRAME_AT already. `time_ns`: since 1970 UTC, not before. Returns the bytes of
// the block.
size_t pcapng_write_packet(uint8_t *out, int64_t time_ns, uint32_t captured, uint32_t length);

#endif
