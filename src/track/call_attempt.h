// The attempts of a call and their branches: shared by the files that fold a call.
//
// A caller may send an INVITE once more with another CSeq or tag: refused for its credentials,
// redirected, or beside one that was answered. One attempt counts at a time, c->current.
#ifndef SIDETONE_TRACK_CALL_ATTEMPT_H
#define SIDETONE_TRACK_CALL_ATTEMPT_H

#include "track/call.h"

// Of the branch of its topmost Via.
uint32_t call_via_mark(const struct sip_record *m);

// The branch with this To tag; made where there is none and `make` says so. NULL: none, or they are
// too many.
struct call_branch *call_branch_of(struct call *c, struct arena *arena, struct slice to_tag,
                                   bool make);

// The attempt beside the current one that m is of; NULL: none.
struct call_attempt *call_attempt_other(const struct call *c, const struct sip_record *m);

// m is the first that is seen of an attempt: its INVITE, or a response where that was not captured.
void call_attempt_make_current(struct call *c, struct arena *arena, const struct sip_record *m);

// An INVITE of the caller outside a dialog.
void call_attempt_begin(struct call *c, struct arena *arena, const struct sip_record *m);

#endif
