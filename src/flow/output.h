// What a bin of flows puts out: batches of records, beside those of the chunks.
//
// A fold of the bin begins a batch and ends it; a batch with records joins the queue, from where it
// comes back when all of it is folded. One thread at a time.
#ifndef SIDETONE_FLOW_OUTPUT_H
#define SIDETONE_FLOW_OUTPUT_H

#include "decode/records.h"

struct flow_output {
    struct record_queue queue;
    struct records *pool;
    struct records *batch;       // the one being filled, between begin and end
    struct record_counts counts; // of all that were filled
};

void flow_output_init(struct flow_output *o);
void flow_output_fini(struct flow_output *o);
void flow_output_begin(struct flow_output *o);
void flow_output_end(struct flow_output *o);

// Takes back what stands before `bound`.
void flow_output_recycle(struct flow_output *o, struct order bound);

#endif
