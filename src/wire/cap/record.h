// One record of a capture file, and one step to it, whatever the file's format.
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

// What stands where a step of a walk looked.
enum cap_step {
    CAP_RECORD, // *record is filled, *size bytes were used
    CAP_SKIP,   // no packet (pcapng: another block), *size bytes were used
    CAP_MORE,   // the record goes on past the buffer: *size bytes are needed from p
    CAP_BROKEN, // this is no record: the file is damaged here
};

#endif
