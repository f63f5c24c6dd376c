// Fuzz target of reassembly: the first byte chooses between few datagrams, compared with the model,
// and floods, whose memory must stay bounded; each further eight bytes are fragments.
#include "../unit/fragments_same.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    if (n > 0) {
        (bytes[0] & 1 ? fragments_flood : fragments_same)(bytes + 1, n - 1);
    }
    return 0;
}
