/* Contact between surfaces: what the barrier, the friction and the step filter of bodies against bodies share.
 *
 * The pairs that act at given positions are found from the candidates of the broad phase: stencils reduced to their
 * nearest features (a vertex over the edge between two triangles is one vertex-edge pair, not two), sorted, each
 * once. So their order, and every sum over them, does not depend on how the candidates were found. */
#ifndef VV_CONTACT_PAIRS_COLLISIONS_H
#define VV_CONTACT_PAIRS_COLLISIONS_H

#include "contact/broad/candidates.h"
#include "contact/friction/stick.h"
#include "energy/energy.h"

#include <math.h>
#include <stdatomic.h>

/* An active pair: the distance less min_distance is below the activation distance. Its points are those of a stencil
 * of its kind. */
typedef struct vv_pair {
    vv_stencil kind;
    int vertex[4];       /* contact vertices; -1 where there are fewer */
    double weight;       /* m^2; negative: a correction of the convergent sum */
    double activation;   /* distance, m */
    double min_distance; /* m */
    double eps;          /* m^4: mollifier of near-parallel edges; 0: none */
    unsigned mask;       /* with a mollifier: bits of the points that define the distance; all of them, or the ends */
    bool inner;          /* the triangle lies within the vertex's own body (contact/penetration/penetration.h) */
} vv_pair;

typedef struct vv_collisions_def {
    const vv_surface *surface; /* must outlive the collisions */
    double distance;           /* d-hat, m */
    double stiffness;          /* kappa, Pa */
    bool convergent;           /* sums that do not depend on the mesh */
    /* no barrier: pairs are vertices inside bodies (contact/penetration/penetration.h), who make `penetration`;
     * stiffness is theirs, N/m^4 */
    bool penetrates;
    const double *parts; /* of the stiffness, per body: a pair has the larger one; NULL: all of it for each */
} vv_collisions_def;

/* The pairs of a chunk of candidates, or of a run of vertices: where they begin, where they are to go. */
typedef struct vv_pair_chunk {
    size_t begin, count, to;
} vv_pair_chunk;

typedef struct vv_collisions {
    vv_collisions_def def;
    vv_candidates candidates;
    double *x, *dx; /* positions and motions of the contact vertices, 3 each; x of the inner ones, too */
    bool fresh;     /* `pairs` are valid at x */
    vv_pair *pairs; /* active at x */
    size_t count, capacity;
    vv_pair *sorted; /* scratch for sorting */
    size_t sorted_capacity;
    _Atomic size_t *first; /* scratch: one entry per vertex and one more */
    vv_pair_chunk *chunks; /* scratch */
    size_t chunk_capacity;
    unsigned char *hit; /* per candidate */
    size_t hit_capacity;
    double *slot; /* per chunk or pair: results of a parallel loop */
    size_t slot_capacity;
    double seconds; /* spent in contact so far: candidates, pairs, step filter */
    bool failed;    /* memory was short, or the host cancelled, since the flag was last cleared: results are void */
    bool cancelled; /* it was the host */
    /* what limited the last step filter; stencil < 0: nothing */
    int limit_kind, limit_vertex[4];
    double limit_min_distance; /* m */
    double limit;
    struct vv_penetration *penetration; /* NULL: a barrier. Its own */
    double expected;                    /* how far the next step filter looks first, */
    int64_t most; /* and at how many candidates at a time. They save work and memory, and do not affect results */
} vv_collisions;

vvStatus vv_collisions_create(const vv_collisions_def *def, vv_collisions **out, vvError *error);
void vv_collisions_destroy(vv_collisions *c);

/* The active pairs at node positions q. False if memory was short or the host cancelled: then there are none,
 * and `failed` is set. */
bool vv_collisions_update(vv_collisions *c, const vv_parallel *par, const double *q);
/* Smallest distance less min_distance over the active pairs at q, of penetrations the largest depth below 0, but for
 * inner ones; infinity if there are none. *least (may be NULL): which pair. */
double vv_collisions_gap(vv_collisions *c, const vv_parallel *par, const double *q, const vv_pair **least);
/* Smallest of such distances as a part of its pair's activation distance, over the active pairs of the last update;
 * infinity without. */
double vv_collisions_closeness(const vv_collisions *c);
/* Largest t in [0, 1] for which no stencil comes closer than a tenth of its gap (or of its activation distance, if
 * that is less) along the path q + s p, s <= t. */
double vv_collisions_max_step(vv_collisions *c, const vv_parallel *par, const double *q, const double *p);
/* Lowers part[node] of the vertices of each stencil that comes closer than a little more than that to how far it may
 * go. With these parts of p others may come closer; a filter of that path must follow. Nothing is lowered where the
 * path has too many candidates. */
void vv_collisions_bounds(vv_collisions *c, const vv_parallel *par, const double *q, const double *p, double *part);
/* Whether any stencil comes closer than a hundredth of that along the path from q to q + p (true also if memory was
 * short). */
bool vv_collisions_cross(vv_collisions *c, const vv_parallel *par, const double *q, const double *p);
/* vv_candidates_cover_way. False: out of memory, `failed` is set. */
bool vv_collisions_cover(vv_collisions *c, const vv_parallel *par, const vv_way *way, int64_t most);
/* The gap between the first primitive's points and the second's along a direction. */
static inline double vv_gap_along(vv_stencil kind, double x[4][3], const float n[4])
{
    double d[4];
    for (int i = 0, count = vv_stencil_points(kind); i < count; i++)
        d[i] = n[0] * x[i][0] + n[1] * x[i][1] + n[2] * x[i][2];
    switch (kind) {
    case VV_STENCIL_VV: return d[0] - d[1];
    case VV_STENCIL_VE: return d[0] - (d[1] > d[2] ? d[1] : d[2]);
    case VV_STENCIL_VT: return d[0] - fmax(d[1], fmax(d[2], d[3]));
    default: return (d[0] < d[1] ? d[0] : d[1]) - (d[2] > d[3] ? d[2] : d[3]);
    }
}
/* The direction of the nearest points, slightly shorter than 1, so that gaps along it are never overestimated. */
static inline void vv_plane_of(vv_stencil kind, double x[4][3], const double w[4], double distance, float n[4])
{
    double r[3] = { 0, 0, 0 };
    for (int i = 0, count = vv_stencil_points(kind); i < count; i++)
        for (int k = 0; k < 3; k++)
            r[k] += w[i] * x[i][k];
    for (int k = 0; k < 3; k++)
        n[k] = distance > 0 ? (float)(r[k] / distance * (1 - 1e-6)) : 0;
}
/* Positions of a pair's points. */
void vv_collisions_points(const vv_collisions *c, const int vertex[4], double x[4][3]);

/* The input of potential.h for a pair, at the positions of the last update. */
struct vv_pair_state;
void vv_pair_state_at(const vv_collisions *c, const vv_pair *pair, struct vv_pair_state *state);

/* The energy and its lagged friction; both use the collisions, which must outlive them and are not owned by them. */
vvStatus vv_pair_barrier_create(vv_collisions *c, vv_energy **out, vvError *error); /* or penalty */
typedef struct vv_pair_friction_def {
    vv_collisions *collisions;
    double (*coefficient)(void *user, int body_a, int body_b);
    void *user;
    double speed;         /* epsilon_v, m/s, */
    const double *speeds; /* or that of each body, of which a pair has the smaller one; NULL: `speed` for all */
    vv_stick *stick;      /* what friction remembers; NULL: nothing */
} vv_pair_friction_def;
vvStatus vv_pair_friction_create(const vv_pair_friction_def *def, vv_energy **out, vvError *error);

#endif
