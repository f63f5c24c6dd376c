// From where on a number is trouble: the limits of colours, of the summary and of the ranking
// (docs/read.md), each with its reason.
#ifndef SIDETONE_SHOW_THRESHOLDS_H
#define SIDETONE_SHOW_THRESHOLDS_H

#include <stdint.h>

// MOS by classes of G.107 Annex B: below R 80 (4.03) some users are dissatisfied, below R 70 (3.60)
// many, below R 60 (3.10) nearly all.
#define MOS_WORTH_RANKING 4.0
#define MOS_WARNING       3.6
#define MOS_BAD           3.1

// Five seconds are told where their MOS is that much below that of the whole: less is what any
// stream varies by.
#define MOS_DIFFERENCE 0.3

// Loss in percent, by what G.107 makes of G.711 with concealment (R 93.2 without loss, Bpl 25.1 of
// G.113): 1 % takes it below R 90, where not all are very satisfied any more; 5 % below R 80.
#define LOSS_WARNING_PERCENT 1.0
#define LOSS_BAD_PERCENT     5.0

// Mean jitter. A fixed buffer of 60 ms holds three times the first, which is also the time of one
// packet of most codecs; of the second it holds twice, and packets come too late.
#define JITTER_WORTH_COUNTING_MS 20.0
#define JITTER_WARNING_MS        30.0

// A hole that is told: concealment stretches what it has for some 60 ms and fades (G.711 Appendix
// I); beyond, words are missing.
#define HOLE_WORTH_SAYING_NS INT64_C(60000000)

// A silence that is told: who listens and talks in turns is silent for some seconds; in a
// conversation nobody says nothing for ten.
#define SILENCE_WORTH_SAYING_NS INT64_C(10000000000)

// Packets at the limit of the scale: single ones are loud syllables, one in a hundred is heard.
#define CLIPPED_WORTH_SAYING_PERCENT 1.0

// Post-dial delay: E.721 wants a mean of 3 s for local connections under normal load.
#define PDD_WARNING_NS INT64_C(3000000000)

#endif
