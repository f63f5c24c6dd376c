// What the names of the ledger mean, in words for people.
#ifndef SIDETONE_SHOW_WORDS_H
#define SIDETONE_SHOW_WORDS_H

// A short explanation of a reason of capture.not_analysed; NULL where there is none.
const char *words_reason(const char *name);

// Likewise of an oddity.
const char *words_oddity(const char *name);

#endif
