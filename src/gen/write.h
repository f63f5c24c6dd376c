// Writes the carrier capture to a file descriptor as pcap or pcapng.
#ifndef SIDETONE_GEN_WRITE_H
#define SIDETONE_GEN_WRITE_H

#include "gen/carrier.h"

enum carrier_format {
    CARRIER_PCAP,
    CARRIER_PCAPNG,
};

struct carrier_written {
    uint64_t packets, bytes;
};

struct carrier_watch {
    // Called after each written buffer (1 MiB). NULL: not called.
    void (*progress)(void *context, const struct carrier_written *so_far);
    void *context;
    // Looked at before each buffer: true ends the capture after whole records. NULL: never.
    const volatile bool *stop;
    enum carrier_format format;
};

// Writes to `fd`, which is not closed. The options must have passed carrier_check. Returns 0,
// ERR_WRITE (errno says why) or ERR_INTERRUPTED; *written always tells what was written.
int carrier_write(int fd, const struct carrier_options *options, const struct carrier_watch *watch,
                  struct carrier_written *written);

#endif
