// The bytes of a pcap file: its header and the headers of its records, in little-endian order.
//
// Only formats: the caller owns the buffer and writes it to where it belongs.
#ifndef SIDETONE_WIRE_CAP_PCAP_WRITE_H
#define SIDETONE_WIRE_CAP_PCAP_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#define PCAP_WRITE_FILE_BYTES   24
#define PCAP_WRITE_RECORD_BYTES 16

// `linktype`: LINKTYPE_* of the tcpdump registry. Times of the records are nanoseconds or else
// microseconds.
void pcap_write_file(uint8_t out[PCAP_WRITE_FILE_BYTES], uint32_t linktype, uint32_t snaplen,
                     bool nanoseconds);

// `time_ns`: since 1970 UTC, from 0 to the year 2106 (the format's seconds have 32 bits);
// microsecond files keep the part that fits.
void pcap_write_record(uint8_t out[PCAP_WRITE_RECORD_BYTES], int64_t time_ns, uint32_t captured,
                       uint32_t length, bool nanoseconds);

#endif
