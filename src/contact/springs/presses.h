/* Pairs of a vertex and an analytic obstacle that presses it off: by a spring (contact/springs/repulsion.h), or with
 * the force of a constraint (contact/springs/constraint.h). Their friction, on velocities where a step ends, and what
 * obstacles do by them (theory §5.12, §5.14). */
#ifndef VV_CONTACT_SPRINGS_PRESSES_H
#define VV_CONTACT_SPRINGS_PRESSES_H

#include "base/vec.h"
#include "contact/barrier/barrier.h"

enum { VV_PRESSES_OBSTACLES = 64 }; /* most that there may be: bits of a vertex's word */

typedef struct vv_press {
    int vertex, obstacle;
    double k, n[3], c;    /* of a spring: its stiffness; of one that does not follow, phi = n . y - c */
    double force, before; /* of a constraint, N: what stands, and what did when that was last remembered */
    double spent;         /* of the impulse that friction may do at the step's end, N s */
} vv_press;

typedef struct vv_presses {
    const vv_barrier_def *contact;        /* vertices, obstacles, frames, filters */
    void (*law)(double phi, double f[3]); /* f, f', f'' of springs' energy for k = 1; NULL: constraints */
    bool follows;      /* phi is the gap itself; and friction that a vertex cannot take acts on what it is part of */
    vv_press *pair;    /* by vertex, then by obstacle */
    int count, *first; /* first: per vertex, of its pairs; -1: none */
    size_t capacity;
} vv_presses;

/* Room for a pair of each vertex. False: out of memory. */
bool vv_presses_init(vv_presses *p, const vv_barrier_def *contact, void (*law)(double, double *), bool follows);
void vv_presses_free(vv_presses *p);
void vv_presses_clear(vv_presses *p);
/* Behind all others; NULL: out of memory. */
vv_press *vv_presses_add(vv_presses *p, int vertex, int obstacle);

/* A pair at a place of its vertex: phi, its gradient by x and second derivatives (both may be NULL). frame: of its
 * obstacle, placed; NULL: it stands still. */
static inline double vv_press_phi(const vv_presses *p, const vv_press *s, const vv_frame *frame, const double x[3],
                                  double n[3], double c[9])
{
    if (p->follows)
        return vv_contact_gap_in(p->contact, s->vertex, s->obstacle, frame, x, n, c);
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

/* A pair's vertex that presses on its obstacle: at x, with the unit normal n; u: its velocity along the surface
 * relative to the obstacle's material, which has `wall`; give: what an impulse does to it, 1/kg; most: the coefficient
 * times the normal impulse, N s. */
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
/* The force of pair i at q, N, above 0 where it presses; x: its vertex, n: the unit normal. Frames as placed last. */
double vv_presses_normal(const vv_presses *p, int i, const double *q, double x[3], double n[3]);
/* Of friction between it and the obstacle. */
double vv_presses_coefficient(const vv_presses *p, int i);
/* Pair i. False: there is no friction. Frames as placed last. */
bool vv_presses_slide(const vv_presses *p, int i, const double *q, double seconds, const double *inverse_mass,
                      const double *v, vv_slide *out);
/* Friction on velocities: each pair's normal force at q, N, times seconds and the coefficient, less what is `spent`
 * of it, is the most impulse that slows its vertex down along the surface, relative to the obstacle's motion (Dinev,
 * Liu, Kavan Eq. 39, corrected: theory §5.12). One after the other. *lost and *work, J, are added to: what is lost,
 * and what the obstacles do. */
void vv_presses_rub(const vv_presses *p, const double *q, double seconds, const double *inverse_mass, double *v,
                    double *lost, double *work);

/* Like vv_barrier_pushed. */
void vv_presses_pushed(const vv_presses *p, const int *frame_body, const double *q, const double *q_a,
                       const double *q_b, double part, double *work);
/* What obstacles do with constraints' forces along the path from q_a to q_b, J: those that move along the path of their
 * nodes, and all on that of vertices which are inside at q_a. */
double vv_presses_driven(const vv_presses *p, const double *q_a, const double *q_b);
/* The force (N) between vertex v, at its place x, and obstacle o; 0: they are no pair. Frames as placed last. */
double vv_presses_force(const vv_presses *p, int v, int o, const double x[3]);

/* The velocity of the obstacle's material at x. */
void vv_frame_velocity(const vv_frame *frame, const double x[3], const double *v, double u[3]);
/* W M^-1 W^T of a vertex, 1/kg; 0: nothing moves it. */
double vv_vertex_yield(const vv_vertices *vs, int v, const double *inverse_mass);
/* Moves vertex v by p times its yield, each node by its part: the impulse p of a vector that nodes carry. */
void vv_vertex_push(const vv_vertices *vs, int v, const double *inverse_mass, const double p[3], double *of_nodes);

#endif
