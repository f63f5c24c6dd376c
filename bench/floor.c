// The floor as a program: what reading a capture costs at least (see lab/floor.h). `sidetone read`
// is measured in multiples of its time.
//
// usage: bench_floor FILE.pcap. Prints packets, RTP packets, streams, lost packets and mean jitter.
#include "lab/floor.h"
#include "base/error.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) {
        fputs("usage: bench_floor FILE.pcap (that can be read)\n", stderr);
        return 2;
    }
    struct floor_answer a;
    int error = floor_read(fd, &a);
    close(fd);
    if (error) {
        fprintf(stderr, "%s: %s\n", argv[1], error_text(error));
        return 1;
    }
    printf("%llu packets, %llu RTP, %llu streams, %llu lost, jitter %.3f ms%s\n",
           (unsigned long long)a.packets, (unsigned long long)a.rtp, (unsigned long long)a.streams,
           (unsigned long long)a.lost, a.jitter_ms, a.is_cut ? ", cut" : "");
    return 0;
}
