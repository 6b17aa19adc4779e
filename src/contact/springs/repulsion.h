/* Repulsion springs between colliding vertices and analytic obstacles (theory §5.12; Dinev, Liu, Kavan 2018, Eq. 38;
 * Liu, Bouaziz, Kavan 2017 in its first form; Dinev, Liu, Li, Thomaszewski, Kavan 2018; and one of ours): contact
 * that penetrates, at a fixed cost.
 *
 * When a step begins, a vertex at x_0 that is inside an obstacle, at the gap d_0 < 0, gets a spring to the tangent
 * plane of the nearest point of the surface. In the step it feels phi(x) = n . x - c with c = n . x_0 - d_0, in the
 * coordinates of the shape at rest where the obstacle moves, and E = k a f(phi): a, m^2, is the vertex's area (or 1),
 * and f the form's. A form that `follows` has for phi the gap itself, and springs for all vertices that may come
 * inside during the step. Which vertices have a spring, one bit for each obstacle, is state of the bodies; the
 * springs follow from it and from the positions at which they were made. */
#ifndef VV_CONTACT_SPRINGS_REPULSION_H
#define VV_CONTACT_SPRINGS_REPULSION_H

#include "contact/springs/presses.h"

#include <stdint.h>

/* A form of the springs' energy. */
typedef struct vv_repulsion_form {
    vvInfo info;
    /* f, f', f'' of phi, for k = 1. */
    void (*law)(double phi, double f[3]);
    /* The phi that minimises 1/2 (phi - free)^2 + a f(phi), a >= 0. */
    double (*rest)(double free, double a);
    bool keeps;    /* a spring stays until its vertex is outside and goes away */
    bool projects; /* vertices are first put on the surface */
    /* phi is the gap itself, not that to a tangent plane; whoever may come inside in a step has a spring */
    bool follows;
    /* so has everyone else: the energy is a function of positions alone, and none is missed however far a solver
     * tries to go */
    bool everywhere;
    double curvature; /* the largest f''; infinite: there is none */
} vv_repulsion_form;

const vv_repulsion_form *vv_repulsion_form_at(int index); /* NULL past the end */
const vvInfo *vv_repulsion_form_info(int index);
const vv_repulsion_form *vv_repulsion_form_find(const char *name); /* NULL: none */

typedef struct vv_repulsion_def {
    const vv_barrier_def *contact; /* vertices, obstacles, frames, filters; must outlive the energy */
    const vv_repulsion_form *form;
    double stiffness; /* k: N/m^3, cubic N/m^4; per vertex N/m, N/m^2 */
    bool per_vertex;
    /* per body, by the label of its vertices: bit o: it has a spring to obstacle o. Copied */
    uint64_t *const *held;
} vv_repulsion_def;

/* What the energy is, for the files of its functions. */
typedef struct vv_repulsion {
    vv_energy base;
    vv_repulsion_def def;
    uint64_t **held;
    vv_presses presses; /* the springs */
} vv_repulsion;

vvStatus vv_repulsion_create(const vv_repulsion_def *def, vv_energy **out, vvError *error);
static inline const vv_presses *vv_repulsion_presses(const vv_energy *e) { return &((const vv_repulsion *)e)->presses; }

/* The bits of vertex v. */
static inline uint64_t *vv_repulsion_bits(const vv_repulsion *r, int v)
{
    const vv_vertices *vs = r->def.contact->vertices;
    return r->held[vs->body[v]] + vs->label[v];
}

/* repulsion_make.c: which vertices have springs, and where. */

/* Says anew which vertices have a spring, from where they are and go in so many seconds. Returns whether there were
 * or are any. */
bool vv_repulsion_choose(vv_energy *e, const double *q, const double *v, double seconds);
/* Makes the springs of the vertices that have one, at the positions q. False: out of memory, and there are none. */
bool vv_repulsion_place(vv_energy *e, const double *q);
/* Whether the form wants vertices on the surface. Moves those that have springs and are inside towards there, in `q`,
 * by the nodes of which inverse_mass is not 0, one vertex after the other. */
bool vv_repulsion_projects(const vv_energy *e);
void vv_repulsion_project(const vv_energy *e, const double *inverse_mass, double *q);

size_t vv_repulsion_bytes(const vv_energy *e);
void vv_repulsion_save(const vv_energy *e, uint64_t *to);
void vv_repulsion_load(vv_energy *e, const uint64_t *from);

extern const vv_node_ops vv_repulsion_node_ops; /* repulsion_nodes.c: for block descent, and for xpbd */
vvStatus vv_repulsion_constraints(const vv_energy *e, vv_constraints **out, vvError *error);

#endif
