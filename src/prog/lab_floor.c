// `sidetone lab floor FILE`: the least that reading a capture costs, as a program to be measured.
#include "base/error.h"
#include "lab/floor.h"
#include "prog/lab_parts.h"
#include "prog/prog.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define VERB "sidetone lab floor"

static const char HELP[] =
    "usage: sidetone lab floor FILE\n"
    "\n"
    "Reads a capture as `sidetone gen carrier` writes it, walks its records, finds the stream of\n"
    "each RTP packet and updates its sequence number, loss and jitter: the least that any reader\n"
    "of a capture does. `sidetone lab gate` measures others in multiples of its time; what it "
    "says\n"
    "of the capture is right only where nothing in it is odd.\n";

int lab_floor(int argc, char **argv)
{
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        return prog_print(HELP);
    }
    if (argc != 2) {
        fputs(VERB ": it wants one capture: " VERB " FILE\n", stderr);
        return PROG_USAGE;
    }
    int fd = open(argv[1], O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        fprintf(stderr, VERB ": %s cannot be opened: %s\n", argv[1], strerror(errno));
        return PROG_FAILED;
    }
    struct floor_answer a;
    int error = floor_read(fd, &a);
    close(fd);
    if (error) {
        fprintf(stderr, VERB ": %s: %s\n", argv[1],
                error == ERR_NOT_A_CAPTURE
                    ? "the floor reads pcap alone, little-endian with microseconds and Ethernet"
                    : error_text(error));
        return PROG_FAILED;
    }
    char text[200];
    snprintf(text, sizeof text,
             "%" PRIu64 " packets, %" PRIu64 " RTP, %" PRIu64 " streams, %" PRIu64
             " lost, jitter %.3f ms%s\n",
             a.packets, a.rtp, a.streams, a.lost, a.jitter_ms, a.is_cut ? ", cut" : "");
    return prog_print(text);
}
