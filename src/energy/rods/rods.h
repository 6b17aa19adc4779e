/* Joints of rods: where an edge of a rod goes on as another one, it resists bending, and with directors twist (theory
 * §4.12). One batch holds all joints of one kind in the world. */
#ifndef VV_ENERGY_RODS_RODS_H
#define VV_ENERGY_RODS_RODS_H

#include "energy/elements.h"

/* X(kind, "name", "summary") */
#define VV_RODS(X)                                                                                              \
    X(VV_ROD_BENDING, "rod-bending", "bending of rods, EI/2 kappa^2 a length: a round section, nothing twists") \
    X(VV_ROD_TWISTING, "rod",                                                                                   \
      "bending and twist of rods, EI/2 |kappa - kappa_rest|^2 + GJ/2 twist^2 a length: a round section")

typedef enum vv_rod_kind {
    VV_ROD_BENDING,  /* nodes a, b, c: the edges a b and b c */
    VV_ROD_TWISTING, /* and d, e: their directors */
    VV_ROD_COUNT
} vv_rod_kind;

typedef struct vv_rod_joint {
    int nodes[5];
    double bend;       /* EI / l, N m */
    double length[2];  /* of the edges at rest, m */
    double square;     /* VV_ROD_BENDING: |kb|^2 at rest */
    double twist;      /* GJ / l, N m; the rest is for VV_ROD_TWISTING only */
    double rest[2][2]; /* kb at rest in the frame (m1, m2) of either edge */
    double rest_twist; /* in (-pi, pi] */
    double hold[2];    /* N/m, of this joint's share of the springs that hold the directors */
    double radius[2];  /* their distances from the edges at rest, m */
} vv_rod_joint;

/* part_start: part_count + 1, the joints of part p are [part_start[p], part_start[p + 1]); body: of each part, for
 * per_body sums. Arrays are read at creation only. *out is an energy to destroy through its table. */
vvStatus vv_rods_create(vv_rod_kind kind, int node_count, int part_count, const int *part_start,
                        const vv_rod_joint *joints, const int *body, vv_energy **out, vvError *error);

/* What the shape of a joint is, of nodes at x: |kb|^2, and with directors kb in both frames, the twist and the
 * directors' distances, as if these were at rest. False: an edge has no length, or the second one goes straight
 * back. */
bool vv_rod_measure(vv_rod_kind kind, const double *x, vv_rod_joint *joint);

extern const vv_element_kind vv_rod_kinds[VV_ROD_COUNT];

#endif
