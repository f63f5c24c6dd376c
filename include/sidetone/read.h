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

// One SIP message, in capture order. Views are valid during the call.
struct sidetone_message {
    int64_t time;
    struct sidetone_endpoint src, dst;
    const char *transport;
    bool is_request;
    struct sidetone_text method, uri; // of requests
    uint16_t code;                    // of responses
    struct sidetone_text reason;
    struct sidetone_text call_id, cseq, from, to, from_tag, to_tag, branch;
    uint32_t length; // bytes of the message
    const struct sidetone_packet *packets;
    size_t packet_count;
    const char *const *oddities;
    size_t oddity_count;
    struct sidetone_text raw;                                 // start line to the end of the body
    const struct sidetone_text *header_names, *header_values; // as written, in order
    size_t header_count;
};

struct sidetone_progress {
    uint64_t bytes_read, bytes_total; // bytes_total 0: not known (standard input)
    uint64_t packets;
};

struct sidetone_read_options {
    unsigned cores; // 0: as many as the process may use. The report is the same for every number.
    // Called for each SIP message without capture duplicates, on the calling thread. NULL: none.
    void (*on_message)(void *context, const struct sidetone_message *message);
    // Called now and then on the calling thread. NULL: none.
    void (*on_progress)(void *context, const struct sidetone_progress *progress);
    void *context;
    // Looked at between pieces of work: when it is true, reading ends and the report covers what
    // was read.
    const volatile bool *stop;
    size_t chunk_bytes; // 0: chosen. For tests: any size gives the same report.
};

// `paths`: files, directories (their files by name), "-" for standard input. options may be NULL.
// Errors: SIDETONE_FAILED with a report that holds only warnings. *out is never NULL; free it with
// sidetone_report_free. Blocking; uses its own threads; any number of calls may run at once.
SIDETONE_API int sidetone_read(const char *const *paths, size_t count,
                               const struct sidetone_read_options *options,
                               struct sidetone_report **out);

#ifdef __cplusplus
}
#endif

#endif
