// Texts of the error list.
#include "base/error.h"

const char *error_text(int code)
{
    switch ((enum error)code) {
    case ERR_NONE:
        return "no error";
    case ERR_OPEN:
        return "cannot open";
    case ERR_READ:
        return "cannot read";
    case ERR_WRITE:
        return "cannot write";
    case ERR_NOT_A_CAPTURE:
        return "not a capture file (neither pcap nor pcapng)";
    case ERR_EMPTY:
        return "the file is empty";
    case ERR_INTERRUPTED:
        return "interrupted";
    case ERR_PACKED:
        return "the compressed data is cut or damaged at its beginning";
    }
    return "unknown error";
}
