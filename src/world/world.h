/* Inside of a world: what the user created, and the stepper made from it at the first step ("baking"). */
#ifndef VV_WORLD_WORLD_H
#define VV_WORLD_WORLD_H

#include "contact/contact.h"
#include "step/stepper.h"
#include "visviva/world.h"

#include <stdatomic.h>

typedef struct vv_skin { /* a carried surface; see vvBodySurface */
    int vertex_count, triangle_count;
    int *triangles, *nodes;
    double *weights;
} vv_skin;

typedef struct vv_body {
    char name[128];
    int first, count; /* nodes */
    int tet_count, triangle_count, edge_count;
    int *tets, *triangles, *edges; /* world node indices */
    unsigned char *surface; /* per node: 1 on the boundary surface (all nodes of a body without triangles) */
    int bend_count;                /* springs across pairs of triangles */
    int (*bends)[2];
    vvMaterialDef material;
    int model;         /* tet material, or -1 */
    double mu, lambda; /* tets */
    double friction;
    vvFilter filter;
    vv_skin skin;
} vv_body;

typedef struct vv_attach {
    int body, count;
    int *nodes;
    vvAttachKind kind;
    double stiffness;
    vvMotionDef motion; /* owns its waypoints */
    vvWaypoint *waypoints;
} vv_attach;

typedef struct vv_mode_request { /* initial state "mode": needs the matrix, so it waits for baking */
    int body, number;
    double amplitude, speed;
} vv_mode_request;

struct vvWorld {
    vvWorldDef def; /* strings point into the tables, keys are owned */
    vvKey *keys;
    vvAllocator allocator; /* the thread's while a public function works on this world: vv_memory_use */
    vv_parallel par;
    atomic_bool cancel_asked; /* by vvWorldCancel, in any thread; an answer of VV_CANCELLED takes it back */
    bool (*cancel)(void *user);
    void *cancel_user;

    vv_body *bodies;
    size_t body_count, body_capacity;
    vv_obstacle *obstacles;
    size_t obstacle_count, obstacle_capacity;
    vv_attach *attaches;
    size_t attach_count, attach_capacity;
    vv_mode_request *modes;
    size_t mode_count, mode_capacity;

    int nodes;
    size_t node_capacity;
    double *rest, *x, *v; /* 3 per node; x, v: the start, until baked */
    double *mass;

    /* from baking */
    bool baked;
    int *unknown, *node;
    vv_vertices vertices;
    vv_barrier_def contact;
    unsigned char *touches; /* body x obstacle: the filters' verdict; NULL where all may touch */
    double *drag_rate;
    vv_after_damping *after;
    vv_energy *soft;                  /* the batch of soft attachments, or NULL */
    int tets_at[VV_MAX_ENERGIES];     /* which energies are tet batches */
    int tets_batches;
    vv_stepper stepper;
    double settle_seconds;
    uint64_t moved; /* goes up whenever positions change: what is derived from them is then out of date */
    struct vv_body_trees *trees; /* of queries, one a body (world/trees.c); NULL before the first */
    size_t tree_count;
    uint64_t random;
};

/* world/body.c */
void vv_body_free(vv_body *body);
/* Index of a live body or -1. */
int vv_body_index(const vvWorld *world, vvBodyId id);
/* The id of the obstacle at `index`. */
vvObstacleId vv_obstacle_id(const vvWorld *world, int index);
/* Checks that `world` can still be changed; VV_ERROR_UNSUPPORTED with a message after baking. */
vvStatus vv_world_open(const vvWorld *world, const char *what, vvError *error);

/* world/create.c: back to before baking, also from a half-finished one. */
void vv_world_unbake(vvWorld *world);

/* world/motion.c */
void vv_motion_position(const vvMotionDef *motion, double time, const double rest[3], double x[3]);
vvStatus vv_motion_check(const vvMotionDef *motion, vvError *error);

/* world/modes.c: applies the requested vibration modes to x and v of the baked stepper. */
vvStatus vv_apply_modes(vvWorld *world, vvError *error);

/* world/skin.c */
vvStatus vv_skin_build(const vvMesh *body, const vvMesh *surface, vv_skin *skin, vvError *error);
vvStatus vv_skin_copy(const vv_skin *from, vv_skin *to, vvError *error);
void vv_skin_free(vv_skin *skin);

/* world/surface.c: vertices of all surfaces with their areas. */
vvStatus vv_build_vertices(vvWorld *world, vvError *error);

/* world/filter.c: w->touches from the filters. */
vvStatus vv_build_touches(vvWorld *world, vvError *error);

/* world/random.c: uniform in [0, 1), a fixed sequence for a seed. */
double vv_random(uint64_t *state);

/* world/hooks.c */
vv_scene_hooks vv_world_hooks(vvWorld *world);

/* world/cancel.c: whether the host wants an end; the stepper's options ask. */
bool vv_world_cancelled(void *world);
/* The status of a call that may have been cancelled: the wish is fulfilled then. */
vvStatus vv_world_answer(vvWorld *world, vvStatus status);

/* world/start.c: feasibility of the start, ground energy, first ledger row. */
vvStatus vv_world_start(vvWorld *world, vvError *error);

#endif
