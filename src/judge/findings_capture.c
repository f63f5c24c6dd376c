// Findings about the capture itself, on what they make doubtful.
#include "judge/findings_parts.h"

void findings_of_capture(const char *text, uint64_t at, struct finding_list *out)
{
    findings_add(out, "capture_loss_suspected", SIDETONE_WARNING, text, at);
}
