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
#ifndef VV_CONTACT_REPULSION_H
#define VV_CONTACT_REPULSION_H

#include "base/vec.h"
#include "contact/barrier.h"

#include <stdint.h>

enum { VV_REPULSION_OBSTACLES = 64 }; /* most that springs act against: bits of a vertex's word */

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
    bool constrains; /* no energy: a constraint's force (contact/constraint.h) is what presses */
    /* so has everyone else: the energy is a function of positions alone, and none is missed however far a solver
     * tries to go */
    bool everywhere;
    double curvature; /* the largest f''; infinite: there is none */
} vv_repulsion_form;

extern const vv_repulsion_form vv_repulsion_constraint;   /* not in the table: no spring */
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

typedef struct vv_repulsion_spring {
    int vertex, obstacle;
    double n[3], c;             /* phi = n . y - c */
    double k;                   /* k a */
    const vv_obstacle *follows; /* NULL, or: phi is the gap to this, less radius */
    double radius;
    double pressed; /* N: of a form that constrains, the force that stands */
    double spent;   /* of the impulse that friction may do at the step's end, N s */
} vv_repulsion_spring;

/* What the energy is, for the files of its functions. */
typedef struct vv_repulsion {
    vv_energy base;
    vv_repulsion_def def;
    uint64_t **held;
    vv_repulsion_spring *springs; /* by vertex, then by obstacle */
    int count;
    size_t capacity;
    int *first; /* per vertex: of its springs, -1: none */
} vv_repulsion;

vvStatus vv_repulsion_create(const vv_repulsion_def *def, vv_energy **out, vvError *error);

/* The bits of vertex v. */
static inline uint64_t *vv_repulsion_bits(const vv_repulsion *r, int v)
{
    const vv_vertices *vs = r->def.contact->vertices;
    return r->held[vs->body[v]] + vs->label[v];
}

/* A spring at a place: phi, its gradient by x and second derivatives (both may be NULL). frame: of its obstacle,
 * placed; NULL: it stands still. */
static inline double vv_repulsion_phi(const vv_repulsion_spring *s, const vv_frame *frame, const double x[3],
                                      double n[3], double c[9])
{
    if (s->follows)
        return (frame ? vv_frame_distance(frame, s->follows, x, n, c) : vv_obstacle_distance(s->follows, x, n, c)) -
               s->radius;
    double y[3] = { x[0], x[1], x[2] };
    if (frame)
        vv_frame_to_rest(frame, x, y);
    if (n && frame)
        vv_frame_gradient(frame, s->n, n);
    for (int k = 0; n && !frame && k < 3; k++)
        n[k] = s->n[k];
    for (int k = 0; c && k < 9; k++)
        c[k] = 0;
    return s->n[0] * y[0] + s->n[1] * y[1] + s->n[2] * y[2] - s->c;
}

/* The force, N, with which it presses where the gap is phi, of length-1 gradients. */
static inline double vv_repulsion_press(const vv_repulsion *r, const vv_repulsion_spring *s, double phi)
{
    double f[3];
    if (r->def.form->constrains)
        return s->pressed;
    r->def.form->law(phi, f);
    return -s->k * f[1];
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

/* A spring's vertex that presses on its obstacle: at x, with the unit normal n; u: its velocity along the surface
 * relative to the obstacle's material, which has `wall`; give: what an impulse does to it, 1/kg; most: the
 * coefficient times the normal impulse, N s. */
typedef struct vv_slide {
    int vertex;
    double x[3], n[3], u[3], wall[3], give, most;
} vv_slide;
/* The part of a velocity along the surface, relative to the obstacle's material. */
static inline void vv_slide_along(const vv_slide *s, const double velocity[3], double u[3])
{
    vv_sub(velocity, s->wall, u);
    const double away = vv_dot(u, s->n);
    for (int k = 0; k < 3; k++)
        u[k] -= away * s->n[k];
}
/* Spring i. False: there is no friction. Frames as placed last. */
bool vv_repulsion_slides(const vv_energy *e, int i, const double *q, double seconds, const double *inverse_mass,
                         const double *v, vv_slide *out);
/* Friction on velocities: each spring's normal force at q, N, times seconds and the coefficient, less what is `spent`
 * of it, is the most impulse that slows its vertex down along the surface, relative to the obstacle's motion (Dinev,
 * Liu, Kavan Eq. 39, corrected: theory §5.12). One after the other. *lost and *work, J, are added to: what is lost,
 * and what the obstacles do. */
void vv_repulsion_rub(vv_energy *e, const double *q, double seconds, const double *inverse_mass, double *v,
                      double *lost, double *work);

/* Like vv_barrier_pushed. */
void vv_repulsion_pushed(const vv_energy *e, const int *frame_body, const double *q, const double *q_a,
                         const double *q_b, double part, double *work);
/* What obstacles do with constraints' forces on the way from q_a to q_b, J: those that move on the way of their
 * nodes, and all on that of vertices which are inside at q_a. */
double vv_repulsion_driven(const vv_energy *e, const double *q_a, const double *q_b);
/* The force (N) of vertex v's spring to obstacle o at its place x; 0: it has none. Frames as placed last. */
double vv_repulsion_force(const vv_energy *e, int v, int o, const double x[3]);

extern const vv_node_ops vv_repulsion_node_ops; /* repulsion_nodes.c: for block descent, and for xpbd */
vvStatus vv_repulsion_constraints(const vv_energy *e, vv_constraints **out, vvError *error);

#endif
