// One record of a capture file, whatever the file's format.
#ifndef SIDETONE_WIRE_CAP_RECORD_H
#define SIDETONE_WIRE_CAP_RECORD_H

#include <stdbool.h>
#include <stdint.h>

// Bytes of a packet that are looked at; what a record holds beyond that is skipped (the record is
// still counted). Not smaller: libpcap writes up to 262,144. Not larger: a chunk's buffer must hold
// one whole record.
#define CAP_SNAPLEN_MAX 262144u

struct cap_record {
    int64_t time_ns;      // since 1970, UTC; 0 with has_time false
    const uint8_t *bytes; // borrowed from the walked buffer
    uint32_t captured;    // bytes that are there
    uint32_t length;      // bytes that were on the wire; never smaller than captured
    uint32_t linktype;    // LINKTYPE_* of the tcpdump registry
    bool has_time;        // false for pcapng simple packet blocks
};

#endif
