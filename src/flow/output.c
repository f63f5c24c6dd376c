// The batches of a bin of flows on their way round.
#include "flow/output.h"

#include "base/memory.h"

void flow_output_init(struct flow_output *o)
{
    *o = (struct flow_output){0};
    record_counts_init(&o->counts);
}

static void give(struct flow_output *o, struct records *r)
{
    records_reset(r);
    r->next = o->pool;
    o->pool = r;
}

void flow_output_fini(struct flow_output *o)
{
    flow_output_recycle(o, ORDER_LAST);
    while (o->pool) {
        struct records *r = o->pool;
        o->pool = r->next;
        records_fini(r);
        memory_free(r);
    }
}

void flow_output_begin(struct flow_output *o)
{
    o->batch = o->pool;
    if (o->batch) {
        o->pool = o->batch->next;
        return;
    }
    o->batch = memory_alloc(sizeof *o->batch);
    records_init(o->batch);
}

// The orders of its first and last record; false: it has none.
static bool note_orders(struct records *r)
{
    bool has_any = false;
    for (int kind = 0; kind < RECORD_KINDS; kind++) {
        const struct record_list *list = &r->lists[kind];
        if (list->count > 0) {
            struct order first = *record_order(list, (enum record_kind)kind, 0);
            struct order last = *record_order(list, (enum record_kind)kind, list->count - 1);
            r->first_order =
                has_any && order_before(r->first_order, first) ? r->first_order : first;
            r->last_order = has_any && order_before(last, r->last_order) ? r->last_order : last;
            has_any = true;
        }
    }
    return has_any;
}

void flow_output_end(struct flow_output *o)
{
    struct records *r = o->batch;
    o->batch = NULL;
    record_counts_add(&o->counts, &r->counts);
    if (note_orders(r)) {
        records_seal(r);
        record_queue_append(&o->queue, r);
    } else {
        give(o, r);
    }
}

void flow_output_recycle(struct flow_output *o, struct order bound)
{
    struct records *r;
    while ((r = record_queue_take(&o->queue, bound)) != NULL) {
        give(o, r);
    }
}
