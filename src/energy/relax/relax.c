/* Constraints of springs, tets, membranes and hinges: storage and dispatch; the arithmetic is in kernel.c and
 * shell_kernel.c. */
#include "energy/relax/relax.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd/variant.h"
#include "energy/relax/apart.h"
#include "energy/tets/materials.h"
#include "energy/shells/membrane_kernels.h"
#include "energy/springs/springs.h"
#include "energy/tets/kernels.h"

#include <string.h>

_Static_assert((int)VV_SPRING_COUNT == (int)VV_RELAX_SPRINGS && (int)VV_MATERIAL_COUNT == (int)VV_RELAX_MATERIALS &&
                   (int)VV_MEMBRANE_COUNT == (int)VV_RELAX_MEMBRANES,
               "a table is too short");

enum { SPRING = 10, TET = 50, MEMBRANE = 30, HINGE = 40 }; /* a visit, roughly, ns */

typedef struct relax {
    vv_constraints base;
    vv_apart apart;
    int rows, exact_numbers, cost; /* of shape; of an impulse; of a visit */
    double *shape, *moduli;        /* moduli: NULL: none */
    vv_relax_fn *const *kernel;
} relax;

typedef struct relax_job {
    const relax *r;
    const vv_sweep *sweep;
    int numbers;
} relax_job;

static size_t room(const vv_constraints *c, bool exact)
{
    const relax *r = (const relax *)c;
    return (size_t)r->apart.batch.group_count * VV_LANES * (size_t)(exact ? r->exact_numbers : 1);
}

static void run_block(void *arg, int j)
{
    const relax_job *job = arg;
    const relax *r = job->r;
    const vv_batch *batch = &r->apart.batch;
    const size_t first = (size_t)batch->block_group[j];
    const double *moduli = r->moduli ? r->moduli + 2 * batch->block_part[j] : (const double[]){ 0, 0 };
    vv_relax_block b = { .groups = batch->block_group[j + 1] - batch->block_group[j],
                         .shape = r->shape + first * (size_t)r->rows * VV_LANES,
                         .nodes = batch->nodes + first * (size_t)batch->k * VV_LANES,
                         .lanes = r->apart.lanes + first,
                         .mu = moduli[0],
                         .lambda = moduli[1],
                         .beta = job->sweep->beta,
                         .scale = job->sweep->scale,
                         .z = job->sweep->z,
                         .x = job->sweep->x,
                         .memory = job->sweep->memory + first * (size_t)job->numbers * VV_LANES };
    r->kernel[job->sweep->exact](&b);
}

static void sweep(const vv_constraints *c, const vv_sweep *s)
{
    const relax *r = (const relax *)c;
    relax_job job = { r, s, s->exact ? r->exact_numbers : 1 };
    vv_batch_colored(&r->apart.batch, s->par, r->cost, run_block, &job);
}

static void destroy(vv_constraints *c)
{
    relax *r = (relax *)c;
    vv_apart_free(&r->apart);
    vv_free(r->shape);
    vv_free(r->moduli);
    vv_free(r);
}

static const vv_constraints_ops ops = { room, sweep, destroy };

static vvStatus create(const relax *like, int node_count, const vv_batch *batch, const double *shape,
                       const double *moduli, int part_count, vv_constraints **out, vvError *error)
{
    relax *r = vv_alloc(1, sizeof *r);
    if (!r)
        return vv_fail_memory(error, "constraints");
    *r = *like;
    r->base.ops = &ops;
    vvStatus status = vv_apart_create(&r->apart, batch, node_count, error);
    if (status == VV_OK) {
        r->shape = vv_apart_shape(&r->apart, shape, r->rows);
        r->moduli = moduli ? vv_alloc(2 * (size_t)part_count, sizeof *moduli) : NULL;
        if (!r->shape || (moduli && !r->moduli))
            status = vv_fail_memory(error, "constraints");
        else if (moduli && part_count > 0)
            memcpy(r->moduli, moduli, 2 * (size_t)part_count * sizeof *moduli);
    }
    if (status == VV_OK)
        *out = &r->base;
    else
        destroy(&r->base);
    return status;
}

vvStatus vv_springs_constraints(int kind, int node_count, const vv_batch *batch, const double *shape,
                                vv_constraints **out, vvError *error)
{
    relax like = {
        .rows = 2, .exact_numbers = 3, .cost = SPRING, .kernel = VV_VARIANT_HERE(vv_relax_kernels)->spring[kind]
    };
    *out = NULL;
    return like.kernel[0] ? create(&like, node_count, batch, shape, NULL, 0, out, error) : VV_OK;
}

/* With a negative lambda some materials have no least energy at rest: psi is no square. */
static vvStatus with_moduli(const relax *like, int node_count, const vv_batch *batch, const double *shape,
                            const double *moduli, int part_count, vv_constraints **out, vvError *error)
{
    bool positive = true;
    for (int p = 0; p < part_count; p++)
        positive = positive && moduli[2 * p + 1] >= 0;
    *out = NULL;
    return like->kernel[0] && positive ? create(like, node_count, batch, shape, moduli, part_count, out, error) : VV_OK;
}

vvStatus vv_tets_constraints(int model, int node_count, const vv_batch *batch, const double *shape,
                             const double *moduli, int part_count, vv_constraints **out, vvError *error)
{
    relax like = {
        .rows = VV_TET_SHAPE, .exact_numbers = 9, .cost = TET, .kernel = VV_VARIANT_HERE(vv_relax_kernels)->tet[model]
    };
    return with_moduli(&like, node_count, batch, shape, moduli, part_count, out, error);
}

vvStatus vv_membrane_constraints(int model, int node_count, const vv_batch *batch, const double *shape,
                                 const double *moduli, int part_count, vv_constraints **out, vvError *error)
{
    relax like = { .rows = VV_MEMBRANE_SHAPE,
                   .exact_numbers = 6,
                   .cost = MEMBRANE,
                   .kernel = VV_VARIANT_HERE(vv_relax_shell_kernels)->membrane[model] };
    return with_moduli(&like, node_count, batch, shape, moduli, part_count, out, error);
}

vvStatus vv_hinge_constraints(int node_count, const vv_batch *batch, const double *shape, vv_constraints **out,
                              vvError *error)
{
    relax like = {
        .rows = 2, .exact_numbers = 12, .cost = HINGE, .kernel = VV_VARIANT_HERE(vv_relax_shell_kernels)->hinge
    };
    return create(&like, node_count, batch, shape, NULL, 0, out, error);
}
