// Reading captures: files, directories and standard input become one report.
//
//     struct sidetone_report *report;
//     const char *paths[] = {"trunk.pcap"};
//     int status = sidetone_read(paths, 1, NULL, &report);
//
// Several inputs are one capture in time order. What can be read is always reported: a damaged or
// missing input gives warnings in the report, complete == false, and status SIDETONE_PARTIAL.
#ifndef SIDETONE_READ_H
#define SIDETONE_READ_H

#include "sidetone/report.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sidetone_status {
    SIDETONE_OK = 0,
    SIDETONE_PARTIAL = 1, // the report holds what could be read; its warnings say what could not
    SIDETONE_FAILED = -1, // nothing of any input could be read: the report has only warnings
};

// One SIP message, in capture order. Views are valid during the call. Texts that the message does
// not have, or that make no sense in it, are empty.
struct sidetone_message {
    int64_t time_ns;       // of its last byte, since 1970 UTC; SIDETONE_UNKNOWN
    int64_t first_time_ns; // of its first byte: another packet's, perhaps
    struct sidetone_endpoint src, dst;
    const char *transport; // "UDP", "TCP", "WS", "SCTP"
    // What stands around its IP packet, outermost first: "vlan 100", "vxlan 5", ...
    const struct sidetone_text *path;
    size_t path_count;
    struct sidetone_text correlation_id; // of the HEP envelope that it came in
    bool is_incomplete;                  // bytes of it were not captured
    bool is_request;
    struct sidetone_text method, uri;          // of requests
    uint16_t code;                             // of responses
    struct sidetone_text reason;               // of responses
    struct sidetone_text call_id, cseq;        // cseq: number and method
    struct sidetone_text from, to;             // the URIs, without names and parameters
    struct sidetone_text from_tag, to_tag;     // tags of From and To
    struct sidetone_text branch;               // of the topmost Via
    uint32_t length;                           // bytes of the message
    const struct sidetone_packet *packets;     // that carried it, in the order of its bytes
    size_t packet_count;                       // one or more
    const char *const *oddities;               // documented names (docs/json.md)
    size_t oddity_count;                       // 0: nothing odd
    struct sidetone_text raw;                  // start line to the end of the body
    const struct sidetone_text *header_names;  // as written, in order
    const struct sidetone_text *header_values; // as written, in order
    size_t header_count;                       // of both lists
};

struct sidetone_progress {
    uint64_t bytes_read;  // of all inputs so far; of compressed ones the compressed bytes
    uint64_t bytes_total; // of all inputs; 0: not known (standard input)
    uint64_t packets;     // decoded so far
};

// A jitter buffer that follows the delay and its variation, up to 500 ms.
#define SIDETONE_BUFFER_ADAPTIVE INT64_C(-1)

struct sidetone_read_options {
    unsigned cores; // 0: as many as the process may use. The report is the same for every number.
    // Called for each SIP message without capture duplicates, on the calling thread. NULL: none.
    void (*on_message)(void *context, const struct sidetone_message *message);
    // Called now and then on the calling thread. NULL: none.
    void (*on_progress)(void *context, const struct sidetone_progress *progress);
    // Messages without their header fields (header_count 0), which are read for on_message alone.
    bool without_headers;
    void *context; // handed to both
    // Looked at between pieces of work, on the calling thread: when it is true, reading ends and
    // the report covers what was read. To be set by a signal handler or by a callback. NULL: never.
    const volatile bool *stop;
    // Jitter buffer that `discarded` and `mos` assume: a fixed delay, or SIDETONE_BUFFER_ADAPTIVE.
    // 0: 60 ms.
    int64_t jitter_buffer_ns;
    bool strict_legs;   // legs by proof only: no "number_and_time"
    size_t chunk_bytes; // 0: chosen. For tests: any size gives the same report.
};

// `paths`: files, directories (their files by name), "-" for standard input. options may be NULL
// and are not needed after the call. Errors: SIDETONE_FAILED with a report that holds only
// warnings. *out is never NULL; free it with sidetone_report_free. Blocking; uses its own threads;
// any number of calls may run at once, each with its own options.
//
// Out of memory ends the process (exit status 1) with a sentence on standard error: what was read
// so far could not be reported without memory. The other functions of the library do the same.
SIDETONE_API int sidetone_read(const char *const *paths, size_t count,
                               const struct sidetone_read_options *options,
                               struct sidetone_report **out);

#ifdef __cplusplus
}
#endif

#endif
