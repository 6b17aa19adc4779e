/* Repulsion springs for the solvers that go node by node, block descent (energy/nodes.h), and constraint by
 * constraint, xpbd (energy/constraints.h). Where phi is affine a spring's impulse has one direction, and where it
 * follows the surface that of the place: one number is all that a sweep remembers, and the step of a constraint is
 * exact, min 1/2 (phi - phi_free)^2 + s beta^2 W k f(phi). */
#include "contact/springs/repulsion.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/barrier/vertex_nodes.h"

/* ---- block descent ---- */

static vvStatus prepare(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    return vv_vertex_items_create(((const vv_repulsion *)e)->def.contact->vertices, order, data, error);
}

/* Calls `add` for each spring of each node of the batch. */
typedef void add_fn(const vv_repulsion *r, const vv_press *s, const vv_frame *frame, const vv_vertex_place *p,
                    const vv_node_batch *b, int group, int lane);

static void each(const vv_repulsion *r, const vv_node_items *items, const vv_node_batch *b, add_fn *add)
{
    const vv_barrier_def *contact = r->def.contact;
    for (int j = b->begin; r->presses.count > 0 && j < b->end; j++)
        for (int i = items->start[j]; i < items->start[j + 1]; i++) {
            const int v = vv_vertex_of_entry(contact->vertices, items->item[i]);
            if (r->presses.first[v] < 0 || vv_vertex_again(b, items, i))
                continue;
            const vv_vertex_place p = vv_vertex_place_of(contact->vertices, items, b, i);
            for (int k = r->presses.first[v]; k < r->presses.count && r->presses.pair[k].vertex == v; k++) {
                vv_frame own;
                const vv_frame *frame =
                    vv_contact_frame_at(contact, r->presses.pair[k].obstacle, 1, b->x, NULL, &own, NULL);
                add(r, r->presses.pair + k, frame, &p, b, j, items->lane[i]);
            }
        }
}

static void add_block(const vv_repulsion *r, const vv_press *s, const vv_frame *frame, const vv_vertex_place *p,
                      const vv_node_batch *b, int group, int lane)
{
    double n[3], f[3], g[3], h[9];
    r->def.form->law(vv_press_phi(&r->presses, s, frame, p->x, n, NULL), f);
    for (int k = 0; k < 3; k++)
        g[k] = p->weight * s->k * f[1] * n[k];
    for (int k = 0; k < 9; k++)
        h[k] = p->weight * p->weight * s->k * f[2] * n[k / 3] * n[k % 3];
    vv_vertex_add(r->def.contact->vertices, b, group, lane, p->vertex, g, h);
}

static void add_value(const vv_repulsion *r, const vv_press *s, const vv_frame *frame, const vv_vertex_place *p,
                      const vv_node_batch *b, int group, int lane)
{
    double f[3];
    r->def.form->law(vv_press_phi(&r->presses, s, frame, p->x, NULL, NULL), f);
    b->values[8 * (group - b->begin) + lane] += b->value * s->k * f[0];
}

static void blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    each((const vv_repulsion *)e, data, b, add_block);
}

static void values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    each((const vv_repulsion *)e, data, b, add_value);
}

const vv_node_ops vv_repulsion_node_ops = { prepare, NULL, blocks, values, NULL };

/* ---- xpbd ---- */

typedef struct constraints {
    vv_constraints base;
    const vv_repulsion *r;
} constraints;

/* Springs are numbered as they stand. Room for one at each vertex is there from the beginning, so that the step in
 * which the first appear takes no memory. */
static size_t room(const vv_constraints *c, bool exact)
{
    const vv_repulsion *r = ((const constraints *)c)->r;
    (void)exact;
    return (r->presses.capacity + 7) / 8 * 8;
}

/* A spring's constraint: the impulse lambda dphi for which lambda = -s beta k f'(phi) holds. */
static void relax(const vv_repulsion *r, const vv_press *s, const vv_frame *frame, const vv_sweep *w, double *lambda)
{
    const vv_vertices *vs = r->def.contact->vertices;
    double x[3] = { 0 }, n[3], give = 0;
    for (int i = vs->start[s->vertex]; i < vs->start[s->vertex + 1]; i++) {
        const double *at = w->x + 4 * (size_t)vs->node[i];
        for (size_t k = 0; k < 3; k++)
            x[k] += vs->weight[i] * (w->beta * at[k] + (w->z ? w->z[3 * (size_t)vs->node[i] + k] : 0));
        give += vs->weight[i] * vs->weight[i] * at[3];
    }
    /* of phi by lambda */
    const double phi = vv_press_phi(&r->presses, s, frame, x, n, NULL), each = give * vv_dot(n, n) * w->beta;
    if (!(each != 0))
        return;
    const double free = phi - each * *lambda, to = r->def.form->rest(free, w->scale * w->beta * each * s->k);
    const double change = (to - free) / each - *lambda;
    *lambda += change;
    for (int i = vs->start[s->vertex]; i < vs->start[s->vertex + 1]; i++) {
        double *at = w->x + 4 * (size_t)vs->node[i];
        for (size_t k = 0; k < 3; k++)
            at[k] += vs->weight[i] * at[3] * change * n[k];
    }
}

static void sweep(const vv_constraints *c, const vv_sweep *w)
{
    const vv_repulsion *r = ((const constraints *)c)->r;
    for (int i = 0; i < r->presses.count; i++) {
        vv_frame own;
        const vv_frame *frame =
            vv_contact_frame_at(r->def.contact, r->presses.pair[i].obstacle, w->beta, w->x, w->z, &own, NULL);
        relax(r, r->presses.pair + i, frame, w, w->memory + i);
    }
}

static void destroy(vv_constraints *c) { vv_free(c); }

static const vv_constraints_ops ops = { room, sweep, destroy, true };

vvStatus vv_repulsion_constraints(const vv_energy *e, vv_constraints **out, vvError *error)
{
    constraints *c = vv_alloc(1, sizeof *c);
    *out = NULL;
    if (!c)
        return vv_fail_memory(error, "the constraints of repulsion springs");
    c->base.ops = &ops;
    c->r = (const vv_repulsion *)e;
    *out = &c->base;
    return VV_OK;
}
