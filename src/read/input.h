// An input: one capture file or a stream of it (standard input), opened, recognised and ready to be
// walked. A compressed file is a stream too: of what it decompresses to.
//
// Comes in: a path. Goes out: the format, where records begin, the time of the first one. Owns its
// file descriptor, which is open only while it is being read (sets of a thousand files are opened
// one after the other).
#ifndef SIDETONE_READ_INPUT_H
#define SIDETONE_READ_INPUT_H

#include "base/slice.h"
#include "read/unpack_stream.h"
#include "wire/cap/walk.h"
#include "wire/packet.h"

// Bytes read to recognise an input and find the time of its first packet.
#define INPUT_HEAD_BYTES 65536u
// How often somebody who waits for a stream looks whether he was asked to stop.
#define INPUT_WAIT_MS 100

struct input {
    const char *path; // "-": standard input; owned by the caller
    uint32_t index;   // place among the inputs
    int fd;           // -1: closed
    bool is_stream;   // cannot be read at an offset: a pipe, or compressed
    bool is_pipe;     // cannot be opened again
    struct cap_format format;
    struct pcapng *ng;   // state where records begin, NULL for pcap; owned
    uint64_t size;       // bytes of the file, as it lies; 0 for a pipe
    uint64_t records_at; // offset of the first record or block after those that open describes
    int64_t first_ns;    // of the first packet with a time; TIME_NOT_KNOWN_NS: none in the head
    uint8_t *head;       // streams: what was read to recognise it, still to be walked; owned
    size_t head_n;
    bool at_end; // streams: nothing more comes
    const volatile bool *stop;
    // compressed inputs
    enum unpack_kind packed;
    struct unpack_stream *unpacking; // owned; from its opening for reading to its end
    struct unpack_limits *limits;    // shared by inputs, set before it is read; may be NULL
    enum unpack_end unpack_end;
    uint64_t packed_bytes; // compressed bytes that were read
    const char *why;       // input_open failed: more than its error says; may be NULL
};

// Opens and recognises. Returns 0, or ERR_OPEN, ERR_READ (errno says why), ERR_EMPTY,
// ERR_NOT_A_CAPTURE, ERR_PACKED. A pipe stays open, a file is closed again: see input_reopen.
// `stop`: a stream ends when it is true; may be NULL.
int input_open(struct input *in, const char *path, uint32_t index, const volatile bool *stop);

// Opens a file that input_open has recognised, or one that rested; a compressed one begins at
// records_at, and can be opened once. Returns 0, ERR_OPEN or ERR_READ (errno says why).
int input_reopen(struct input *in);
// Gives up the descriptor, if input_reopen can go on without it: not of pipes, nor while a thread
// decompresses it.
void input_rest(struct input *in);
void input_close(struct input *in); // the descriptor, and what decompresses it
void input_fini(struct input *in);

// Reads up to n bytes at an offset; fewer only at the end of the file. Returns the count or
// ERR_READ.
int64_t input_read_at(const struct input *in, uint8_t *to, size_t n, uint64_t offset);

// Was he asked to stop?
bool input_is_stopped(const struct input *in);

// Reads up to n bytes of a stream: waits for the first, takes what is there of the rest. Returns
// the count (0 only at the end) or ERR_READ.
int64_t input_read_on(struct input *in, uint8_t *to, size_t n);

// Paths with directories replaced by their files, by name; hidden files and further directories are
// left out.
struct path_list {
    char **paths;
    bool *is_listed; // came from a directory: what is no capture there is left out without an error
    size_t count, room;
};
// Returns 0, or ERR_OPEN for a directory that cannot be listed (the others are listed).
int path_list_add(struct path_list *l, const char *path);
void path_list_fini(struct path_list *l);

#endif
