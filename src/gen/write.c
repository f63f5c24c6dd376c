// Writes the carrier capture: frames go straight into one large buffer behind their record headers,
// and the buffer to the file when it is full.
//
// Budget: 300 MB/s on one core (a page of the kernel's cache is written once; nothing is copied in
// between).
#include "gen/write.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/write_all.h"
#include "wire/cap/pcap_write.h"
#include "wire/cap/pcapng_write.h"

#define BUFFER_BYTES      (1 << 20)
#define RECORD_BYTES_MAX  (PCAPNG_WRITE_AROUND_MAX + CARRIER_FRAME_BYTES)
#define LINKTYPE_ETHERNET 1

_Static_assert(PCAP_WRITE_RECORD_BYTES <= PCAPNG_WRITE_AROUND_MAX, "RECORD_BYTES_MAX");

static size_t put_beginning(uint8_t *out, enum carrier_format format)
{
    if (format == CARRIER_PCAPNG) {
        pcapng_write_file(out, LINKTYPE_ETHERNET, 65535);
        return PCAPNG_WRITE_FILE_BYTES;
    }
    pcap_write_file(out, LINKTYPE_ETHERNET, 65535, false);
    return PCAP_WRITE_FILE_BYTES;
}

// Returns the bytes of the record, 0 when there is no further packet.
static size_t put_packet(struct carrier *c, uint8_t *out, enum carrier_format format)
{
    size_t before = format == CARRIER_PCAPNG ? PCAPNG_WRITE_FRAME_AT : PCAP_WRITE_RECORD_BYTES;
    int64_t time_ns;
    size_t n = carrier_next(c, out + before, &time_ns);
    if (n == 0) {
        return 0;
    }
    if (format == CARRIER_PCAPNG) {
        return pcapng_write_packet(out, time_ns, (uint32_t)n, (uint32_t)n);
    }
    pcap_write_record(out, time_ns, (uint32_t)n, (uint32_t)n, false);
    return before + n;
}

// Fills the buffer with whole records behind the `used` bytes that are there. Returns the bytes
// used then.
static size_t fill(struct carrier *c, uint8_t *buffer, size_t used, enum carrier_format format,
                   uint64_t *packets)
{
    while (used + RECORD_BYTES_MAX <= BUFFER_BYTES) {
        size_t n = put_packet(c, buffer + used, format);
        if (n == 0) {
            break;
        }
        used += n;
        (*packets)++;
    }
    return used;
}

static int write_buffers(int fd, struct carrier *c, uint8_t *buffer,
                         const struct carrier_watch *watch, struct carrier_written *written)
{
    size_t used = put_beginning(buffer, watch->format);
    for (;;) {
        if (watch->stop && *watch->stop) {
            return ERR_INTERRUPTED;
        }
        uint64_t packets = 0;
        used = fill(c, buffer, used, watch->format, &packets);
        if (used == 0) {
            return 0;
        }
        int error = write_all(fd, buffer, used);
        if (error) {
            return error;
        }
        written->packets += packets;
        written->bytes += used;
        used = 0;
        if (watch->progress) {
            watch->progress(watch->context, written);
        }
    }
}

int carrier_write(int fd, const struct carrier_options *options, const struct carrier_watch *watch,
                  struct carrier_written *written)
{
    static const struct carrier_watch nobody;
    *written = (struct carrier_written){0};
    struct carrier *c = carrier_new(options);
    uint8_t *buffer = memory_alloc(BUFFER_BYTES);
    int error = write_buffers(fd, c, buffer, watch ? watch : &nobody, written);
    memory_free(buffer);
    carrier_free(c);
    return error;
}
