/* Elements as constraints: storage and dispatch; the arithmetic is in kernel.c and shell_kernel.c. */
#include "energy/relax/relax.h"

#include "base/error.h"
#include "base/memory.h"
#include "energy/relax/apart.h"

typedef struct relax {
    vv_constraints base;
    const vv_elements *of;
    vv_apart apart;
    double *shape;
} relax;

typedef struct relax_job {
    const relax *r;
    const vv_sweep *sweep;
    int numbers;
} relax_job;

static size_t room(const vv_constraints *c, bool exact)
{
    const relax *r = (const relax *)c;
    return (size_t)r->apart.batch.group_count * VV_LANES * (size_t)(exact ? r->of->frame->relax_numbers : 1);
}

static void run_block(void *arg, int j)
{
    const relax_job *job = arg;
    const relax *r = job->r;
    const vv_batch *batch = &r->apart.batch;
    const size_t first = (size_t)batch->block_group[j];
    const vv_element_frame *frame = r->of->frame;
    vv_relax_block b = { .groups = batch->block_group[j + 1] - batch->block_group[j],
                         .shape = r->shape + first * (size_t)frame->shape * VV_LANES,
                         .nodes = batch->nodes + first * (size_t)batch->k * VV_LANES,
                         .lanes = r->apart.lanes + first,
                         .law = r->of->law + batch->block_part[j] * frame->law,
                         .beta = job->sweep->beta,
                         .scale = job->sweep->scale,
                         .z = job->sweep->z,
                         .x = job->sweep->x,
                         .memory = job->sweep->memory + first * (size_t)job->numbers * VV_LANES };
    r->of->kernels.relax[job->sweep->exact](&b);
}

static void sweep(const vv_constraints *c, const vv_sweep *s)
{
    const relax *r = (const relax *)c;
    relax_job job = { r, s, s->exact ? r->of->frame->relax_numbers : 1 };
    vv_batch_colored(&r->apart.batch, s->par, r->of->frame->relax, run_block, &job);
}

static void destroy(vv_constraints *c)
{
    relax *r = (relax *)c;
    vv_apart_free(&r->apart);
    vv_free(r->shape);
    vv_free(r);
}

static const vv_constraints_ops ops = { room, sweep, destroy };

vvStatus vv_elements_constraints(const vv_energy *e, vv_constraints **out, vvError *error)
{
    const vv_elements *s = (const vv_elements *)e;
    *out = NULL;
    for (int p = 0; s->frame->law >= 2 && p < s->part_count; p++)
        if (!(s->law[p * s->frame->law + 1] >= 0))
            return VV_OK;
    if (!s->kernels.relax[0])
        return VV_OK;
    relax *r = vv_alloc(1, sizeof *r);
    if (!r)
        return vv_fail_memory(error, "constraints");
    *r = (relax){ .base.ops = &ops, .of = s };
    vvStatus status = vv_apart_create(&r->apart, &s->batch, s->node_count, error);
    if (status == VV_OK && !(r->shape = vv_apart_shape(&r->apart, s->shape, s->frame->shape)))
        status = vv_fail_memory(error, "constraints");
    if (status == VV_OK)
        *out = &r->base;
    else
        destroy(&r->base);
    return status;
}
