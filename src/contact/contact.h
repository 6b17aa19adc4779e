/* Contact as one object: the collision mesh, what may touch what, the active pairs, and the queries of the layers
 * above.
 *
 * It is made once, when a world is baked. The energies of contact and its friction (contact/barrier/barrier.h,
 * contact/pairs/collisions.h) are made from its parts and belong to whoever makes them. Where a function takes a
 * contact that may be NULL, NULL means no contact: nothing is near, nothing crosses, nothing fails. */
#ifndef VV_CONTACT_CONTACT_H
#define VV_CONTACT_CONTACT_H

#include "contact/barrier/barrier.h"
#include "contact/pairs/collisions.h"
#include "contact/springs/constraint.h"
#include "contact/surfaces/gaps.h"
#include "contact/surfaces/mesh.h"
#include "contact/models.h"
#include "contact/ccd/passing.h"
#include "contact/springs/repulsion.h"
#include "base/memory.h"

/* Two bodies that touch, a < b. The lowest bit of its mark, and of those in `near`, is set; the other bits are free
 * for the reader. */
typedef struct vv_near {
    int a, b;
    unsigned mark;
    unsigned terms; /* active pairs of these two */
} vv_near;

typedef struct vv_contact_def {
    const vv_contact_body *bodies;
    const int (*apart)[2]; /* pairs of bodies that do not touch, whatever their filters say: joined ones */
    int apart_count;
    int body_count, node_count;
    const double *rest;           /* of all nodes */
    const double *placed;         /* of all nodes: at which gaps are measured; NULL: at rest */
    const vv_obstacle *obstacles; /* must outlive the contact */
    int obstacle_count;
    double distance, stiffness; /* d-hat, the largest of any body, m; kappa, Pa */
    double least;               /* d-hat, the smallest of any body; 0: that of all */
    double friction, friction_speed;
    bool convergent;
    bool follow;    /* d-hat of two that begin with a smaller gap follows it (contact/surfaces/gaps.h) */
    bool exact;     /* see vv_contact_accept */
    bool mesh_only; /* only vertices and surface, for vv_intersections_find */
    const vv_contact_model *model;
    bool per_vertex;                                 /* the stiffness of overlaps is a vertex's, not a square metre's */
    double penetration_stiffness;                    /* N/m^4, or N/m^2 */
    const char *(*name)(const void *user, int body); /* for messages */
    const void *user;
} vv_contact_def;

typedef struct vv_contact {
    vv_contact_def def;          /* except `bodies`, `rest`, `placed` and `apart`, which are not kept */
    uint64_t rigid_bodies;       /* the world's mark of those that counted as rigid */
    uint64_t places;             /* and of the places at which gaps were measured */
    vv_vertices vertices, bound; /* bound: with the nodes within bodies that obstacles keep out; the same lists,
                                   and count has the inner ones, too */
    vv_surface surface;
    /* body x body, body x obstacle: what the filters allow; NULL where all may touch */
    unsigned char *body_touches, *obstacle_touches;
    vv_barrier_def barrier; /* against the obstacles */
    vv_frame *frames;       /* of all obstacles, if any moves, else NULL */
    int *frame_body;        /* the same: whose nodes they are */
    int *obstacle_near;     /* scratch of the barrier */
    /* body x obstacle, m (contact/surfaces/gaps.h); NULL: there are none, all are alike */
    double *obstacle_gap, *obstacle_distance;
    vv_feasible *feasible;     /* of constraints, once it is made; NULL: none */
    vv_energy *repulsion;      /* its springs, once it is made; the system's. NULL: none */
    const vv_presses *presses; /* of either */
    bool rubs_after;           /* friction of presses and overlaps acts on velocities, when the solve is over */
    vv_collisions *collisions; /* between the surfaces; NULL: no two may touch */
    vv_passer *passer;         /* NULL: nothing keeps surfaces from going through each other */
    double *speeds;            /* of bodies, m/s: below these friction is smoothed */
    double *depths;            /* of bodies, m, and in which obstacle: scratch of vv_contact_depths */
    int *depth_in;
    double *parts; /* of bodies: with what part of the stiffness they touch, 1 as it is made */
    vv_stick stick;
    int *coupled, *groups; /* bodies, as in base/groups.h: coupled by energies; scratch */
    /* what touched at the last vv_contact_measure */
    unsigned char *near; /* body x obstacle */
    vv_near *touching;   /* pairs of bodies, sorted */
    size_t touching_count, touching_capacity;
    bool short_of_springs; /* memory was short for them */
    bool missed;           /* memory was short: the touching bodies are unknown */
} vv_contact;

static inline bool vv_contact_def_presses(const vv_contact_def *def)
{
    return def->model && vv_contact_presses(def->model);
}

/* Whether what friction within the solve goes by at the start of a step is not what ended the last one: springs made
 * anew, and constraints. */
static inline bool vv_contact_presses_anew(const vv_contact *c)
{
    return c && !c->rubs_after &&
           (c->feasible || (c->repulsion && !((const vv_repulsion *)c->repulsion)->def.form->everywhere));
}

vvStatus vv_contact_create(const vv_contact_def *def, vv_contact **out, vvError *error);
void vv_contact_destroy(vv_contact *c); /* NULL is fine */
/* Other obstacles, while all that is of the bodies stays: a definition as contact was made from, but for these.
 * Energies that were made of the obstacles must have gone. After a failure there are none. */
vvStatus vv_contact_set_obstacles(vv_contact *c, const vv_contact_def *def, vvError *error);
void vv_contact_drop_obstacles(vv_contact *c); /* there are none: those it was made with need no longer live */

/* The smallest gap at q, m: to obstacles at any distance, between surfaces if below d-hat; infinity if there is none.
 * Notes what touches there. c may be NULL. */
double vv_contact_measure(vv_contact *c, const vv_parallel *par, const double *q);
/* The smallest gap at q as a part of the distance below which it acts; infinity if nothing does. Positions are those
 * of the last vv_contact_measure. */
double vv_contact_closeness(const vv_contact *c, const double *q);
/* Another kappa, Pa; energies that were made of the obstacles' barrier have their own copy. */
void vv_contact_set_stiffness(vv_contact *c, double stiffness);
/* The entry of two bodies, a < b; NULL: they did not touch. */
vv_near *vv_contact_find_near(vv_contact *c, int a, int b);
/* Whether surfaces pass through each other or an obstacle, or come closer than about a hundredth of their gap, on the
 * straight path between two positions: for motions that no step filter guards. c may be NULL. */
bool vv_contact_crosses(vv_contact *c, const vv_parallel *par, vv_arena *scratch, const double *from, const double *to);
/* Whether two bodies pass each other in a motion (contact/ccd/passing.h): *found. c may be NULL. */
vvStatus vv_contact_passes(vv_contact *c, const vv_parallel *par, const vv_passing_motion *motion, vv_passing *out,
                           bool *found, vvError *error);
/* Where `exact` is set, what a step that was taken is tested for: that none pass, however little they move;
 * VV_ERROR_SOLVER. c may be NULL. */
vvStatus vv_contact_accept_motion(vv_contact *c, const vv_parallel *par, const double *from, const double *to,
                                  vvError *error);
/* The exact test at a position: fails with `failure` and names the elements that intersect. */
vvStatus vv_contact_test(const vv_contact *c, const vv_parallel *par, const double *q, vvStatus failure,
                         vvError *error);
/* A last check of a step's end before it is taken: that test, if `exact` is set; VV_ERROR_SOLVER. c may be NULL. */
vvStatus vv_contact_accept(const vv_contact *c, const vv_parallel *par, const double *q, vvError *error);
/* Notes that memory was short, for vv_contact_status. */
void vv_contact_failed(vv_contact *c, bool failed);
/* VV_ERROR_MEMORY if contact ran out of memory since the last call: what was computed with it is void. c may be
 * NULL. */
vvStatus vv_contact_status(vv_contact *c, vvError *error);
/* Time spent in contact so far. c may be NULL. */
double vv_contact_seconds(const vv_contact *c);

/* Declares no bodies coupled; or two, by an energy, whatever touches. */
void vv_contact_uncouple(vv_contact *c);
void vv_contact_couple(vv_contact *c, int a, int b);
/* Which bodies are in touch at q_a or at q_b (NULL: at q_a alone), or coupled, transitively: group[body] is the
 * lowest body of its group. Kinematic bodies and obstacles join no groups: group[body] of a kinematic one is -1.
 * outside[body] (may be NULL): 1 if anything in the body's group touches a kinematic body or an obstacle. It
 * overwrites what energies cache of a position (vv_energy_update), as vv_contact_measure does. c is not NULL.
 * VV_ERROR_MEMORY, which vv_contact_status reports too: the outputs are void. */
vvStatus vv_contact_groups(vv_contact *c, const vv_parallel *par, const double *q_a, const double *q_b, int *group,
                           unsigned char *outside);

/* Divides the work that kinematic bodies do along the path from q_a to q_b among the bodies that they push: on entry
 * work[body] is that of each body's prescribed nodes; on return a kinematic body's is 0 but for rounding. Overwrites
 * what energies cache of a position. c may be NULL. */
void vv_contact_pushed(vv_contact *c, const vv_parallel *par, const double *q_a, const double *q_b, double *work);

/* `vertex 3 of "cube"`, `triangle (3, 4, 5) of the surface of "ball"`: contact vertices v, 1 to 3 of them. */
void vv_contact_describe(const vv_contact *c, const int *v, int count, char *out, size_t size);

/* filter.c: body x obstacle, 1 where the two may touch. NULL where all may. */
vvStatus vv_filter_obstacles(const vv_contact_body *bodies, int count, const vv_obstacle *obstacles, int obstacle_count,
                             unsigned char **touches, vvError *error);

#endif
