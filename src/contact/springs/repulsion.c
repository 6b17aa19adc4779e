/* Repulsion springs: their forms, and their energy with its derivatives (theory §5.12). Where phi is affine in a
 * vertex's position, d2E/dx2 = k a f'' n n^T: exact and semidefinite. Where it follows the surface there is k a f'
 * d2phi/dx2 besides, which only the exact Hessian has: of a convex obstacle it is negative. */
#include "contact/springs/repulsion.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "contact/pairs/scatter.h"

#include <string.h>

/* ---- forms ---- */

static void one_sided(double phi, double f[3])
{
    const bool inside = phi < 0;
    f[0] = inside ? 0.5 * phi * phi : 0;
    f[1] = inside ? phi : 0;
    f[2] = inside;
}

static double rest_one_sided(double free, double a) { return free < 0 ? free / (1 + a) : free; }

static void bilateral(double phi, double f[3])
{
    f[0] = phi * phi;
    f[1] = 2 * phi;
    f[2] = 2;
}

static double rest_bilateral(double free, double a) { return free / (1 + 2 * a); }

static void cubic(double phi, double f[3])
{
    const double inside = phi < 0 ? -phi : 0;
    f[0] = inside * inside * inside;
    f[1] = -3 * inside * inside;
    f[2] = 6 * inside;
}

/* 3 a phi^2 - phi + free = 0, the root below 0 */
static double rest_cubic(double free, double a) { return free < 0 ? 2 * free / (1 + sqrt(1 - 12 * a * free)) : free; }

static const vv_repulsion_form forms[] = {
    { { "one-sided", "1/2 k min(phi, 0)^2, recreated in every step" }, one_sided, rest_one_sided, .curvature = 1 },
    { { "bilateral", "k phi^2, kept until the vertex is outside and moving away" },
      bilateral,
      rest_bilateral,
      .keeps = true,
      .curvature = 2 },
    { { "cubic", "-k min(phi, 0)^3, after vertices are put on the surface" },
      cubic,
      rest_cubic,
      .projects = true,
      .curvature = INFINITY },
    { { "following", "1/2 k min(d, 0)^2 of the gap d itself, from the first touch on" },
      one_sided,
      rest_one_sided,
      .follows = true,
      .curvature = 1 },
    { { "penalty", "-k min(d, 0)^3 of the gap d itself, of every vertex at all times" },
      cubic,
      rest_cubic,
      .follows = true,
      .everywhere = true,
      .curvature = INFINITY },
};
enum { FORMS = sizeof forms / sizeof *forms };

const vv_repulsion_form *vv_repulsion_form_at(int index) { return index >= 0 && index < FORMS ? forms + index : NULL; }

const vvInfo *vv_repulsion_form_info(int index) { return index >= 0 && index < FORMS ? &forms[index].info : NULL; }

const vv_repulsion_form *vv_repulsion_form_find(const char *name)
{
    for (int i = 0; i < FORMS; i++)
        if (strcmp(forms[i].info.name, name) == 0)
            return forms + i;
    return NULL;
}

/* ---- energy ---- */

static double value(const vv_energy *e, const vv_parallel *par, const double *q, double *per_body)
{
    const vv_repulsion *r = (const vv_repulsion *)e;
    const vv_barrier_def *contact = r->def.contact;
    double sum = 0;
    (void)par;
    if (r->presses.count == 0)
        return 0;
    if (!vv_contact_place(contact, q))
        return INFINITY;
    for (int i = 0; i < r->presses.count; i++) {
        const vv_press *s = r->presses.pair + i;
        double x[3], f[3];
        vv_vertex_position(contact->vertices, s->vertex, q, x);
        r->def.form->law(vv_press_phi(&r->presses, s, vv_contact_frame(contact, s->obstacle), x, NULL, NULL), f);
        sum += s->k * f[0];
        if (per_body)
            per_body[contact->vertices->body[s->vertex]] += s->k * f[0];
    }
    return sum;
}

/* g += scale k f' n for the vertex's nodes, and what pushes back for those of the obstacle's frame. */
static void add_gradient(const vv_repulsion *r, const vv_press *s, const double x[3], double pull, const double n[3],
                         double *g)
{
    const vv_frame *frame = vv_contact_frame(r->def.contact, s->obstacle);
    double f[3] = { pull * n[0], pull * n[1], pull * n[2] }, w[4];
    vv_scatter_force(r->def.contact->vertices, s->vertex, f, g);
    if (frame)
        vv_frame_weights(frame, x, w);
    for (size_t i = 0; frame && i < 4; i++)
        for (size_t k = 0; k < 3; k++)
            g[3 * ((size_t)frame->node + i) + k] -= w[i] * f[k];
}

static void derivatives(const vv_energy *e, const vv_parallel *par, const double *q, double scale, vv_hessian_mode mode,
                        double *g, const vv_block_target *to)
{
    const vv_repulsion *r = (const vv_repulsion *)e;
    const vv_barrier_def *contact = r->def.contact;
    (void)par;
    if (mode == VV_HESSIAN_REST || r->presses.count == 0 || !vv_contact_place(contact, q))
        return;
    for (int i = 0; i < r->presses.count; i++) {
        const vv_press *s = r->presses.pair + i;
        const bool bent = to && mode == VV_HESSIAN_EXACT;
        double x[3], n[3], f[3], c[9], block[9];
        vv_vertex_position(contact->vertices, s->vertex, q, x);
        r->def.form->law(vv_press_phi(&r->presses, s, vv_contact_frame(contact, s->obstacle), x, n, bent ? c : NULL),
                         f);
        if (g)
            add_gradient(r, s, x, scale * s->k * f[1], n, g);
        for (int k = 0; k < 9; k++)
            block[k] = scale * s->k * (f[2] * n[k / 3] * n[k % 3] + (bent ? f[1] * c[k] : 0));
        if (to)
            vv_scatter_block(contact->vertices, s->vertex, s->vertex, block, to);
    }
}

static void pattern(const vv_energy *e, const int *unknown, vv_pattern *p)
{
    const vv_vertices *vs = ((const vv_repulsion *)e)->def.contact->vertices;
    for (int v = 0; v < vs->count; v++) {
        int rows[VV_VERTEX_NODES], k = 0;
        for (int i = vs->start[v]; i < vs->start[v + 1]; i++)
            rows[k++] = unknown[vs->node[i]];
        if (k > 1)
            vv_pattern_clique(p, rows, k);
    }
}

/* k a f'' n n^T of a vertex x = sum w_i q_i is at most k a f'' |n|^2 sum |w_j| |w_i| of each node's own. |n| is 1 but
 * where a moving frame is not rigid, as on the chord of a turn. */
static bool bound_diagonal(const vv_energy *e, double scale, double *d)
{
    const vv_repulsion *r = (const vv_repulsion *)e;
    const vv_vertices *vs = r->def.contact->vertices;
    if (!(r->def.form->curvature < INFINITY))
        return false;
    for (int i = 0; d && i < r->presses.count; i++) {
        const vv_press *s = r->presses.pair + i;
        const vv_frame *frame = vv_contact_frame(r->def.contact, s->obstacle);
        const double growth = frame ? vv_frame_growth(frame) : 1;
        double sum = 0;
        for (int j = vs->start[s->vertex]; j < vs->start[s->vertex + 1]; j++)
            sum += fabs(vs->weight[j]);
        for (int j = vs->start[s->vertex]; j < vs->start[s->vertex + 1]; j++)
            d[vs->node[j]] += scale * s->k * r->def.form->curvature * growth * growth * sum * fabs(vs->weight[j]);
    }
    return true;
}

/* ---- creation ---- */

static void destroy(vv_energy *e)
{
    vv_repulsion *r = (vv_repulsion *)e;
    vv_free(r->held);
    vv_presses_free(&r->presses);
    vv_free(r);
}

static const vv_energy_ops ops = { .info = { "repulsion", "repulsion springs of vertices against analytic obstacles" },
                                   .row = VV_ROW_CONTACT,
                                   .instead = "take contact springs of a form with a largest stiffness "
                                              "(contact.springs.form one-sided, bilateral or following)",
                                   .value = value,
                                   .derivatives = derivatives,
                                   .pattern = pattern,
                                   .bound_diagonal = bound_diagonal,
                                   .constraints = vv_repulsion_constraints,
                                   .nodes = &vv_repulsion_node_ops,
                                   .destroy = destroy };

vvStatus vv_repulsion_create(const vv_repulsion_def *def, vv_energy **out, vvError *error)
{
    vv_repulsion *r = vv_alloc(1, sizeof *r);
    if (!r)
        return vv_fail_memory(error, "repulsion springs");
    r->base.ops = &ops;
    r->def = *def;
    r->held = vv_alloc_copy(def->held, (size_t)def->contact->body_count, sizeof *r->held);
    if (!vv_presses_init(&r->presses, def->contact, def->form->law, def->form->follows) || !r->held) {
        destroy(&r->base);
        return vv_fail_memory(error, "repulsion springs");
    }
    *out = &r->base;
    return VV_OK;
}
