/* Springs from points to moving points as constraints of position-based solvers (energy/constraints.h, theory §6.12):
 * where all points are nodes, the springs join the masses instead.
 *
 * The impulse on corner i is p_i = w_i P. Its equation, P = -s beta k d, is linear in P, so that a sweep solves it
 * exactly; P itself is remembered in either kind of sweep, as the weights do not change. */
#include "energy/points/attachments.h"

#include "base/error.h"
#include "base/memory.h"

typedef struct sweeps {
    vv_constraints base;
    const vv_attachments *s;
} sweeps;

enum { ROOM = 8 };

static size_t room(const vv_constraints *c, bool exact)
{
    (void)exact;
    return (size_t)((const sweeps *)c)->s->count * ROOM;
}

/* d at beta q + z, without what P adds to it now; *mass: how far P moves the point. */
static void without(const vv_attachments *s, int spring, const vv_sweep *sweep, const double *impulse, double d[3],
                    double *mass)
{
    *mass = 0;
    for (size_t k = 0; k < 3; k++)
        d[k] = -s->targets[3 * (size_t)spring + k];
    for (int c = s->start[spring]; c < s->start[spring + 1]; c++) {
        const size_t node = (size_t)s->node[c];
        const double w = s->weight[c];
        for (size_t k = 0; k < 3; k++)
            d[k] += w * (sweep->beta * sweep->x[4 * node + k] + (sweep->z ? sweep->z[3 * node + k] : 0));
        *mass += w * w * sweep->x[4 * node + 3];
    }
    for (int k = 0; k < 3; k++)
        d[k] -= sweep->beta * *mass * impulse[k];
}

static void sweep(const vv_constraints *c, const vv_sweep *to)
{
    const vv_attachments *s = ((const sweeps *)c)->s;
    for (int i = 0; i < s->count; i++) {
        double d[3], mass, *impulse = to->memory + ROOM * (size_t)i, change[3];
        without(s, i, to, impulse, d, &mass);
        const double k = to->scale * to->beta * s->stiffness[i];
        for (int j = 0; j < 3; j++) {
            const double now = -k * d[j] / (1 + k * to->beta * mass);
            change[j] = now - impulse[j];
            impulse[j] = now;
        }
        for (int corner = s->start[i]; corner < s->start[i + 1]; corner++) {
            double *q = to->x + 4 * (size_t)s->node[corner];
            for (int j = 0; j < 3; j++)
                q[j] += q[3] * s->weight[corner] * change[j];
        }
    }
}

static void destroy(vv_constraints *c) { vv_free(c); }

vvStatus vv_attachment_constraints(const vv_energy *e, vv_constraints **out, vvError *error)
{
    static const vv_constraints_ops ops = { room, sweep, destroy, true };
    sweeps *made = vv_alloc(1, sizeof *made);
    *out = NULL;
    if (!made)
        return vv_fail_memory(error, "constraints");
    *made = (sweeps){ { &ops }, (const vv_attachments *)e };
    *out = &made->base;
    return VV_OK;
}
