/* Internals of the broad phase (candidates.h): a tree of boxes per body over its elements, and the motion that the
 * boxes cover.
 *
 * An element is a triangle, an edge without triangles or a free point. Each vertex and each edge is owned by one
 * element, so that the pairs of elements whose boxes touch yield each stencil once. The trees' shape is made once, from
 * the rest shape.
 *
 * The list holds for all positions within a body's margin, per coordinate, of a point of the path x + s motion, s in
 * [0, 1]. If both ends of a motion are within the margin of the path, at any s each, which is the same for all bodies,
 * so is all of it: then the list covers it. Else only what bodies outside of their margins have in it is searched for
 * anew: these then follow the new path, the others the one that they had.
 *
 * Boxes are floats, rounded outwards, about the body's centre, and in a frame that moves with the body. For two bodies
 * the boxes of the first are swept along the relative motion of the frames. */
#ifndef VV_CONTACT_BROAD_BROAD_H
#define VV_CONTACT_BROAD_BROAD_H

#include "base/memory.h"
#include "base/parallel.h"
#include "contact/broad/candidates.h"

#include <stdatomic.h>

typedef float vv_f4 __attribute__((vector_size(16)));
typedef int vv_i4 __attribute__((vector_size(16)));

/* Four boxes, lane by lane; an empty one (low > high) touches nothing. */
typedef struct vv_boxes4 {
    vv_f4 low[3], high[3];
} vv_boxes4;
/* One box: x, y, z and a lane of zeros. */
typedef struct vv_box_f {
    vv_f4 low, high;
} vv_box_f;

typedef struct vv_element {
    int vertex[3], edge[3]; /* edge k: from corner k to the next. A missing corner repeats the last; edge -1: none */
    int index;              /* of the triangle, edge or vertex in the surface */
    unsigned char corners;  /* 3: triangle, 2: edge, 1: point, 0: nothing (padding) */
    unsigned char owns_vertex, owns_edge; /* bit k */
} vv_element;

/* Groups of four boxes on levels: group g of level 0 holds the boxes of elements 4 g .. 4 g + 3; box i of a higher
 * group g is around group child[g] + i. */
enum { VV_BROAD_LEVELS = 16 };
typedef struct vv_broad_body {
    int levels;                  /* 0: no elements */
    int first[VV_BROAD_LEVELS];  /* group; the last level has one */
    double cap;                  /* m: largest margin allowed */
    double margin;               /* m: of the present list, */
    double wide;                 /* m: and what the next one begins with */
    double away;                 /* how far it is from the path, in margins, when last looked at */
    int served;                  /* how many covers its part of the list served */
    bool stale;                  /* it is to be searched for anew */
    double centre[3], motion[3]; /* m: means over its vertices */
    double low[3], high[3];      /* about the centre, without motion of the frame */
    bool turns;                  /* its own elements are compared in a rotating frame: see frame.c */
    double turn[9], stretch;     /* A, sigma */
    double largest;              /* m: largest motion relative to the mean */
} vv_broad_body;

/* A run of vertices of one body, and what a loop over the run found. */
typedef struct vv_broad_run {
    int body, begin, end;
    bool moves;
    double sum[18];
    double dot[3];
    double away;    /* deviation, in margins */
    double largest; /* |coordinate| or motion */
} vv_broad_run;

/* Boxes to be compared: those of a group of body a with those of a group of body b, which is on the same level or the
 * top one of a lower tree; if both are the same group: with each other. */
typedef struct vv_broad_task {
    int a, b, group_a, group_b, level_a, level_b;
} vv_broad_task;

enum { VV_BROAD_BLOCK = 31 };
typedef struct vv_broad_block {
    vv_candidate list[VV_BROAD_BLOCK];
    int next;
} vv_broad_block;
/* What a chunk of tasks found: a chain of blocks per kind. */
typedef struct vv_broad_found {
    int first[4], last[4];
    int64_t count[4];
    int begin, end; /* tasks */
    int start[4];   /* in the list */
    int64_t considered, own;
} vv_broad_found;

typedef struct vv_patches vv_patches;
typedef struct vv_broad {
    const vv_surface *surface;
    double activation;
    /* the surface */
    vv_element *elements;           /* 4 per group of level 0 */
    int level_end[VV_BROAD_LEVELS]; /* groups are ordered by level */
    int *child;                     /* -1: an empty group (padding) */
    int *owner;                     /* of each group: its body */
    vv_broad_body *bodies;
    int run_count;
    vv_broad_run *runs;
    /* the motion: 3 per vertex, m */
    double *x, *motion;
    bool moves, good;
    double slack;              /* m, for rounding */
    vv_box_f *vertex_boxes[2]; /* 0: for other bodies; 1: for the body's own elements, where any frame rotates */
    vv_boxes4 *boxes[2];
    bool turns;
    size_t own_vertices, own_boxes; /* room */
    /* the search */
    int *order; /* bodies by where they begin along an axis */
    double (*hull)[6];
    vv_broad_task *tasks, *stack;
    size_t task_capacity, stack_capacity;
    int task_count;
    vv_broad_found *found;
    size_t found_capacity;
    vv_broad_block *blocks;
    size_t block_capacity;
    atomic_int blocks_used;
    vv_stop *stop; /* of the search in progress */
    size_t list_capacity, plane_capacity;
    /* statistics */
    int64_t covers, builds;
    int64_t considered;  /* stencils whose boxes touched, in the last search */
    int64_t own;         /* those of them within one body */
    vv_patches *patches; /* NULL: there was no use for them yet */
} vv_broad;

/* tree.c */
vvStatus vv_broad_create(const vv_surface *surface, double activation, vv_broad **broad, vvError *error);
void vv_broad_free(vv_broad *broad);

/* boxes.c: the motion and the boxes around it, of the bodies that are stale. */
void vv_broad_move(vv_broad *broad, const vv_parallel *par, const vv_way *way);
void vv_broad_refit(vv_broad *broad, const vv_parallel *par);
/* Whether the list holds for this motion. */
bool vv_broad_covers(vv_broad *broad, const vv_parallel *par, const vv_way *way);
/* Where it does not: which bodies are stale, so that for all others it holds if these follow the path from its
 * beginning to its end. */
void vv_broad_find_stale(vv_broad *broad, const vv_parallel *par, const vv_way *way);

/* frame.c: to be called between the two above. False: out of memory. */
bool vv_broad_frames(vv_broad *broad, const vv_parallel *par);
vv_box_f vv_broad_own_box(const vv_broad *broad, int vertex);

/* tasks.c: what is to be compared. False: out of memory. */
bool vv_broad_plan(vv_broad *broad);

/* stencils.c: the stencils of pairs of elements. */
typedef struct vv_broad_body_pair { /* of bodies */
    const vv_broad *broad;
    int a, b, set;       /* set: of boxes (vertex_boxes) */
    bool all;            /* every stencil whose boxes touch is wanted */
    vv_f4 low, high;     /* offset of a's frame in b's along the path: lower and upper bounds, widened for rounding */
    double min_distance; /* m: both radii */
    double activation;   /* m: of these two */
    double margin;       /* m: both margins */
} vv_broad_body_pair;
void vv_broad_body_pair_init(const vv_broad *broad, int a, int b, vv_broad_body_pair *pair);
typedef void vv_broad_emit_fn(void *arg, vv_stencil kind, const vv_candidate *candidate);
/* The stencils of a and each of four others that is in the mask. Returns how many had boxes that touched. */
int vv_broad_stencils(const vv_broad_body_pair *pair, const vv_element *a, const vv_element *others, int mask,
                      vv_broad_emit_fn *emit, void *arg);
double vv_broad_rest_distance(const vv_surface *surface, vv_stencil kind, const int vertex[4]);

/* walk.c: down two trees at once. */
typedef struct vv_broad_walk {
    vv_broad_body_pair pair;
    /* element and those of the group of level 0 that are in the mask have boxes that touch */
    void (*meet)(struct vv_broad_walk *walk, int element, int group, int mask);
    bool patches; /* those that sleep are passed over */
    vv_stop *stop;
    int until_asked;
    bool stopped;
} vv_broad_walk;
void vv_broad_walk_task(vv_broad_walk *walk, const vv_broad_task *task);

/* search.c: turns tasks into blocks of candidates, which it adds to the list. If these are more than `most` in all (0:
 * no limit) they are only counted. False: out of memory. */
bool vv_broad_search(vv_broad *broad, const vv_parallel *par, int64_t most, vv_candidates *candidates);

static const vv_f4 vv_zero4 = { 0, 0, 0, 0 };
/* Bit i set where lane i of a comparison is true. */
static inline int vv_mask4(vv_i4 m)
{
#ifdef __SSE__
    return __builtin_ia32_movmskps((vv_f4)m);
#else
    return (m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8);
#endif
}
static inline vv_f4 vv_min4(vv_f4 a, vv_f4 b)
{
#ifdef __SSE__
    return __builtin_ia32_minps(a, b);
#else
    vv_i4 m = a < b;
    return (vv_f4)((m & (vv_i4)a) | (~m & (vv_i4)b));
#endif
}
static inline vv_f4 vv_max4(vv_f4 a, vv_f4 b)
{
#ifdef __SSE__
    return __builtin_ia32_maxps(a, b);
#else
    vv_i4 m = a > b;
    return (vv_f4)((m & (vv_i4)a) | (~m & (vv_i4)b));
#endif
}
/* Which boxes of b touch box `lane` of a, when its corners are moved by `low` and `high`. */
static inline int vv_touch4(const vv_boxes4 *a, int lane, const vv_boxes4 *b, vv_f4 low, vv_f4 high)
{
    vv_i4 m = { -1, -1, -1, -1 };
    for (int k = 0; k < 3; k++) {
        float l = a->low[k][lane] + low[k], h = a->high[k][lane] + high[k];
        m &= ((vv_f4){ l, l, l, l } <= b->high[k]) & (b->low[k] <= (vv_f4){ h, h, h, h });
    }
    return vv_mask4(m);
}
/* v rounded to a float that is not above (below) it */
static inline float vv_float_below(double v) { return (float)(v - 1.2e-7 * (v < 0 ? -v : v) - 1e-37); }
static inline float vv_float_above(double v) { return (float)(v + 1.2e-7 * (v < 0 ? -v : v) + 1e-37); }

#endif
