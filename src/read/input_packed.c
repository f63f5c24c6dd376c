// Inputs that are compressed: their heads, what is said when they show no capture, reading on.
#include "read/input_packed.h"

#include "base/error.h"
#include "base/memory.h"

#include <unistd.h>

int64_t packed_head(struct input *in, size_t head_n, uint8_t *out)
{
    struct unpack_file f;
    size_t made = 0;
    unpack_file_init(&f, in->fd, in->packed, in->head, head_n);
    if (lseek(in->fd, (off_t)head_n, SEEK_SET) < 0) {
        f.end = UNPACK_READ_ERROR;
    }
    while (made < INPUT_HEAD_BYTES && f.end == UNPACK_GOES_ON) {
        made += unpack_file_step(&f, out + made, INPUT_HEAD_BYTES - made);
    }
    in->unpack_end = f.end;
    unpack_file_fini(&f);
    return f.end == UNPACK_READ_ERROR && made == 0 ? ERR_READ : (int64_t)made;
}

int packed_error(struct input *in, int error)
{
    if (error != ERR_EMPTY && error != ERR_NOT_A_CAPTURE) {
        return error;
    }
    switch (in->unpack_end) {
    case UNPACK_CUT:
    case UNPACK_DAMAGED:
        return ERR_PACKED;
    case UNPACK_WINDOW:
        in->why = UNPACK_WINDOW_TEXT;
        return ERR_PACKED;
    case UNPACK_GOES_ON:
    case UNPACK_WHOLE:
    case UNPACK_TRAILED:
    case UNPACK_READ_ERROR:
        break;
    }
    in->why = error == ERR_EMPTY
                  ? "it decompresses to nothing"
                  : "what it decompresses to is no capture (neither pcap nor pcapng)";
    return error;
}

// Of a file all n bytes, since its writer is never slow.
int64_t packed_read(struct input *in, uint8_t *to, size_t n, size_t have)
{
    while (have < n && !in->at_end) {
        int timeout_ms = have > 0 && in->is_pipe ? 0 : INPUT_WAIT_MS;
        size_t got = unpack_stream_read(in->unpacking, in->limits, to + have, n - have, timeout_ms,
                                        &in->unpack_end, &in->packed_bytes);
        have += got;
        if (in->unpack_end == UNPACK_READ_ERROR) {
            return have > 0 ? (int64_t)have : ERR_READ; // the error comes again
        }
        if (got == 0 && timeout_ms == 0) {
            break;
        }
        in->at_end = got == 0 && (in->unpack_end != UNPACK_GOES_ON || input_is_stopped(in));
    }
    return (int64_t)have;
}

// Passes over what describes the records.
static int begin(struct input *in)
{
    uint8_t passed[4096];
    uint64_t left = in->records_at;
    in->unpack_end = UNPACK_GOES_ON;
    in->unpacking = unpack_stream_new(in->fd, in->packed, NULL, 0);
    while (left > 0 && !in->at_end) {
        size_t n = left < sizeof passed ? (size_t)left : sizeof passed;
        int64_t got = input_read_on(in, passed, n);
        if (got < 0) {
            return ERR_READ;
        }
        left -= (uint64_t)got;
    }
    return 0;
}

int packed_reopen(struct input *in)
{
    if (!in->unpacking) {
        return begin(in);
    }
    unpack_stream_resume(in->unpacking, in->fd);
    return 0;
}
