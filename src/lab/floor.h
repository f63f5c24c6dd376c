// The floor: what any reader of a capture has to do at least, so that times can be told in
// multiples of it on any machine.
//
// Comes in: a classic pcap file (little-endian, microseconds, Ethernet), as `sidetone gen carrier`
// writes it. Goes out: how many packets, and of their RTP how many streams and lost packets. Walks
// the records, goes to the UDP payload, finds the stream of each packet and updates its sequence
// number, loss and jitter (RFC 3550 A.1, A.8). No SIP, no report, none of the care that strangers'
// packets need: the figures are right only for captures in which nothing is odd. Hostile bytes give
// wrong figures and nothing worse. Memory: 7 MB. One core.
#ifndef SIDETONE_LAB_FLOOR_H
#define SIDETONE_LAB_FLOOR_H

#include <stdbool.h>
#include <stdint.h>

struct floor_answer {
    uint64_t packets, rtp, streams, lost;
    double jitter_ms; // mean over the streams, for a clock of 8,000 Hz
    bool is_cut;      // the file ends inside a record, or has one that is longer than any should be
};

// Reads from the descriptor's place to the end of the file. Returns 0, ERR_READ (errno says why) or
// ERR_NOT_A_CAPTURE: anything but the format above.
int floor_read(int fd, struct floor_answer *out);

#endif
