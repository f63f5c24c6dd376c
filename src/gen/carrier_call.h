// One call of the carrier capture: who calls whom, over which media endpoints, and the SIP messages
// they say.
#ifndef SIDETONE_GEN_CARRIER_CALL_H
#define SIDETONE_GEN_CARRIER_CALL_H

#include "gen/carrier.h"

// The messages of a call in their order.
enum carrier_step {
    CARRIER_INVITE,
    CARRIER_TRYING,
    CARRIER_RINGING,
    CARRIER_OK,
    CARRIER_ACK,
    CARRIER_BYE,
    CARRIER_BYE_OK,
    CARRIER_STEPS,
};

// One direction of media: 0 from the caller, 1 from the callee.
struct carrier_flow {
    struct frame_path path;
    uint32_t ssrc;
    uint32_t first_timestamp;
    uint16_t first_sequence;
    uint32_t packets; // to send
    uint32_t sent;
    int64_t start_ns; // nominal time of the first packet
    int64_t next_ns;  // time of the next one
};

struct carrier_call {
    uint32_t index;         // of the call
    uint32_t call_id, pair; // members of the pools
    uint32_t connection;    // of signalling over TCP
    bool callee_ends;
    enum carrier_step step; // the next message
    int64_t at_ns[CARRIER_STEPS];
    struct carrier_flow flow[2];
};

// Where the messages of the trunk travel.
struct frame_path carrier_sip_path(const struct carrier_options *options,
                                   const struct carrier_call *call, enum carrier_step step);
// Where the packets of a connection travel.
struct frame_path carrier_connection_path(uint32_t connection, bool from_callee);

// Fills path, SSRC and first numbers of both flows of a pair: functions of the options and the pair
// alone.
void carrier_pair(const struct carrier_options *options, uint32_t pair,
                  struct carrier_flow flow[2]);

// Writes the text of a message; returns its length, below `room` (1,400 is enough for each).
size_t carrier_message(const struct carrier_options *options, const struct carrier_call *call,
                       enum carrier_step step, char *out, size_t room);

#endif
