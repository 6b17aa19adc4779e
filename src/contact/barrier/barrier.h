/* Contact of the colliding vertices with analytic obstacles: barrier energy, lagged friction, gaps. */
#ifndef VV_CONTACT_BARRIER_BARRIER_H
#define VV_CONTACT_BARRIER_BARRIER_H

#include "contact/obstacles/frame.h"
#include "contact/friction/stick.h"
#include "contact/surfaces/vertices.h"
#include "energy/energy.h"

typedef struct vv_barrier_def {
    const vv_vertices *vertices; /* must outlive the energy, like the obstacles */
    const vv_obstacle *obstacles;
    int obstacle_count;
    double distance;  /* d-hat, m */
    double stiffness; /* kappa, Pa */
    double friction, friction_speed;
    int body_count;               /* bodies that the vertices belong to */
    const unsigned char *touches; /* body x obstacle: 1 where the filters let them touch; NULL: all may */
    vv_frame *frames;             /* one per obstacle, where they were placed last; NULL: all stand still */
    int *near; /* scratch for vv_reach, one per obstacle; NULL: every vertex is tested against every obstacle */
    const double *speeds;    /* per body, m/s, in place of friction_speed; NULL: it is that for all */
    vv_stick *stick;         /* what friction remembers; NULL: nothing */
    const double *parts;     /* of the stiffness, per body; NULL: all of it for each */
    const double *distances; /* body x obstacle, m: where they differ, none above `distance`; NULL: all alike */
} vv_barrier_def;

/* The speed below which friction on a body is smoothed, m/s. */
static inline double vv_barrier_slow(const vv_barrier_def *def, int body)
{
    return def->speeds ? def->speeds[body] : def->friction_speed;
}

/* kappa with which vertex v touches obstacles, Pa. */
static inline double vv_contact_stiffness(const vv_barrier_def *def, int v)
{
    return def->parts ? def->stiffness * def->parts[def->vertices->body[v]] : def->stiffness;
}

/* Places the frames of obstacles that move at the node positions q, for the functions below. False: one is flat
 * there. */
static inline bool vv_contact_place(const vv_barrier_def *def, const double *q)
{
    bool solid = true;
    for (int o = 0; def->frames && o < def->obstacle_count; o++)
        solid = (def->frames[o].node < 0 || vv_frame_place(def->frames + o, q)) && solid;
    return solid;
}

/* The frame of obstacle o; NULL: it stands still. */
static inline const vv_frame *vv_contact_frame(const vv_barrier_def *def, int o)
{
    return def->frames && def->frames[o].node >= 0 ? def->frames + o : NULL;
}

/* The same where its nodes are at beta x + z, in *own, which is a copy: x has four numbers a node; z three, and may
 * be NULL. solid (may be NULL): whether it is not flat there. */
static inline const vv_frame *vv_contact_frame_at(const vv_barrier_def *def, int o, double beta, const double *x,
                                                  const double *z, vv_frame *own, bool *solid)
{
    return vv_frame_at(vv_contact_frame(def, o), beta, x, z, own, solid);
}

/* Whether the filters let vertex v and obstacle o touch. */
static inline bool vv_contact_touches(const vv_barrier_def *def, int v, int o)
{
    return !def->touches || def->touches[(size_t)def->vertices->body[v] * (size_t)def->obstacle_count + (size_t)o];
}

/* The activation distance of vertex v and obstacle o, m. */
static inline double vv_contact_distance(const vv_barrier_def *def, int v, int o)
{
    return def->distances ? def->distances[(size_t)def->vertices->body[v] * (size_t)def->obstacle_count + (size_t)o]
                          : def->distance;
}

/* The gap between vertex v at x and obstacle o in that frame (NULL: it stands still), m; n, c (may be NULL): its
 * gradient and second derivatives by x. */
static inline double vv_contact_gap_in(const vv_barrier_def *def, int v, int o, const vv_frame *frame,
                                       const double x[3], double n[3], double c[9])
{
    const vv_obstacle *obstacle = def->obstacles + o;
    if (frame)
        return vv_frame_distance(frame, obstacle, x, n, c) - def->vertices->radius[v];
    return vv_obstacle_distance(obstacle, x, n, c) - def->vertices->radius[v];
}

/* The same with the frames as placed last. */
static inline double vv_contact_gap(const vv_barrier_def *def, int v, int o, const double x[3], double n[3],
                                    double c[9])
{
    return vv_contact_gap_in(def, v, o, vv_contact_frame(def, o), x, n, c);
}

/* The same without derivatives, or anything from `most` (m) on where the gap is at least that. */
static inline double vv_contact_gap_below(const vv_barrier_def *def, int v, int o, const double x[3], double most)
{
    const vv_frame *frame = vv_contact_frame(def, o);
    const double radius = def->vertices->radius[v];
    double y[3];
    if (!frame)
        return vv_obstacle_distance_below(def->obstacles + o, x, most + radius) - radius;
    vv_frame_to_rest(frame, x, y);
    return vv_obstacle_distance_below(def->obstacles + o, y, most + radius) - radius;
}

/* What the barrier of one vertex against one obstacle is at a position (sum.c), per unit of kappa times
 * area. */
typedef struct vv_barrier_sum {
    double value; /* sum of +-b(s); INFINITY where the vertex is inside, and then all else is 0 */
    /* slope n: the gradient of value d-hat by x. n: the obstacle's normal or, of several pieces, what their forces
     * add up to */
    double slope, n[3];
    double press;    /* what presses, for friction: of several pieces, the sum of their forces' sizes */
    double block[9]; /* the second derivatives, 1/m */
} vv_barrier_sum;
/* What is asked for; each includes those before it. */
typedef enum vv_barrier_part { VV_SUM_VALUE, VV_SUM_SLOPE, VV_SUM_PROJECTED, VV_SUM_EXACT } vv_barrier_part;
/* False: the vertex is d-hat away or more. */
bool vv_barrier_at(const vv_barrier_def *def, int v, int o, const vv_frame *frame, const double x[3],
                   vv_barrier_part part, vv_barrier_sum *out);

/* The obstacles that vertices can reach, run by run of vertices (near.c); frames as placed last. */
typedef struct vv_reach {
    const vv_barrier_def *def;
    const double *q, *p;
    double reach;
    int end, count;
    const int *list;
    int vertex, obstacle, at; /* of vv_reach_pair: of the list's */
    double x[3];
} vv_reach;

/* Those nearer than `reach` (m) at q or, if p is given, those that may stop a vertex along the path q + s p, s <= 1.
 * One at a time. */
vv_reach vv_reach_of(const vv_barrier_def *def, const double *q, const double *p, double reach);
void vv_reach_next(vv_reach *reach, int v);
/* To be asked of all vertices in their order: whether there are any for vertex v. */
static inline bool vv_reach_at(vv_reach *reach, int v)
{
    if (v >= reach->end)
        vv_reach_next(reach, v);
    return reach->count > 0;
}
/* Obstacle i of `count`. */
static inline int vv_reach_obstacle(const vv_reach *reach, int i) { return reach->list ? reach->list[i] : i; }
/* The next vertex and obstacle that touch each other, and the vertex's place x; false after the last of them. Whoever
 * sets `reach` anew does so for the next vertices. */
static inline bool vv_reach_pair(vv_reach *r)
{
    for (;;) {
        while (++r->at < r->count) {
            r->obstacle = vv_reach_obstacle(r, r->at);
            if (vv_contact_touches(r->def, r->vertex, r->obstacle))
                return true;
        }
        do
            if (++r->vertex >= r->def->vertices->count)
                return false;
        while (!vv_reach_at(r, r->vertex));
        vv_vertex_position(r->def->vertices, r->vertex, r->q, r->x);
        r->at = -1;
    }
}

/* Barrier: E = sum over vertices and obstacles closer than d-hat of kappa d-hat A b(d / d-hat), b(s) = -(s-1)^2 ln s
 * (theory §5.1). Infinite where d <= 0. */
vvStatus vv_barrier_create(const vv_barrier_def *def, vv_energy **out, vvError *error);
struct vv_barrier_energy {
    vv_energy base;
    vv_barrier_def def;
};
static inline const vv_barrier_def *vv_barrier_def_of(const vv_energy *e)
{
    return &((const struct vv_barrier_energy *)e)->def;
}
/* Another kappa, Pa; likewise for its friction, from the next lag on. */
void vv_barrier_set_stiffness(vv_energy *barrier, double stiffness);
void vv_friction_set_stiffness(vv_energy *friction, double stiffness);

/* Smoothed Coulomb friction as a potential of the velocity, R(v) = sum mu lambda f0(|v_t|), with normal forces lambda
 * and normals lagged from the positions given to `lag` (IPC, Li et al. 2020 §5). */
struct vv_presses; /* NULL: the normal forces are the barrier's */
vvStatus vv_friction_create(const vv_barrier_def *def, const struct vv_presses *presses, vv_energy **out,
                            vvError *error);
extern const vv_node_ops vv_barrier_node_ops; /* nodes.c: for block descent */

/* Divides what obstacles that move do along the path from q_a to q_b, with the forces that act at q, among the bodies
 * that they push: `part` of it is taken from work[frame_body[o]] and given to the vertices' bodies, J. */
void vv_barrier_pushed(const vv_barrier_def *def, const int *frame_body, const double *q, const double *q_a,
                       const double *q_b, double part, double *work);

/* Largest t in [0, 1] for which no vertex comes closer to an obstacle than a tenth of its gap along the path q + s p, s
 * <= t. */
double vv_barrier_max_step(const vv_barrier_def *def, const double *q, const double *p);
/* Lowers part[node] so that nodes may go any parts up to these of their own p, in any combination, and half of each
 * gap is left. */
void vv_barrier_bounds(const vv_barrier_def *def, const double *q, const double *p, double *part);
/* Whether a vertex comes closer to an obstacle than 1.5 thousandths of its gap (or of d-hat, if less) along the path
 * from q to q + p: a long step may lead through an obstacle and end outside. */
bool vv_barrier_crosses(const vv_barrier_def *def, const double *q, const double *p);
/* How far, at most `limit`, vertex v may go from x along p until a tenth of its gap to obstacle o is left, which
 * stands still meanwhile, in that frame or without one (NULL). 0: there is no gap. */
double vv_barrier_free_part(const vv_barrier_def *def, int v, int o, const vv_frame *frame, const double x[3],
                            const double p[3], double limit);

/* b, b', b'' at s in (0, 1); zero from s = 1 on. */
void vv_barrier(double s, double b[3]);

/* Smallest gap over vertices and obstacles (m, negative inside), +infinity if there are none; *vertex and *obstacle
 * (may be NULL) say where. near (may be NULL), body x obstacle: 1 where a vertex is closer than d-hat, else 0. */
double vv_contact_min_gap(const vv_barrier_def *def, const double *q, int *vertex, int *obstacle, unsigned char *near);
/* How deep each body is in obstacles (m; 0: nowhere), by its deepest vertex, and in which (may be left as it was). */
void vv_contact_depths(const vv_barrier_def *def, const double *q, double *depth, int *obstacle);
/* The smallest gap as a part of its activation distance. */
double vv_contact_least_part(const vv_barrier_def *def, const double *q);

#endif
