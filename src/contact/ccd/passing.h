/* Bodies that pass each other: whether the motion from a step's start to its end leads one through the other (theory
 * §5.15). Step filters see to it that the iterates of a solve go round what is in their way; that its end may be on
 * the other side they do not see. */
#ifndef VV_CONTACT_CCD_PASSING_H
#define VV_CONTACT_CCD_PASSING_H

#include "base/parallel.h"
#include "contact/surfaces/surface.h"

typedef struct vv_passing {
    int body[2];   /* ascending */
    double travel; /* m: how far the two move relative to each other, at most */
    double extent; /* m: the smaller of their smallest extents */
    int looked;    /* how many pairs were looked at, whether one passes or not */
} vv_passing;

typedef struct vv_passer vv_passer;

/* distance: d-hat, m. `surface`, which must outlive it, has its triangles, edges of rods, points and `rest`; a body's
 * extents are those at rest. */
vvStatus vv_passer_create(const vv_surface *surface, double distance, vv_passer **out, vvError *error);
void vv_passer_destroy(vv_passer *p); /* NULL is fine */

/* How much of a motion counts as a path through. */
typedef enum vv_passing_rule {
    VV_PASSING_THROUGH,  /* solids without their skins meet, or something ends on the other side of a sheet or a rod */
    VV_PASSING_ANYWHERE, /* the same, however little the two move */
    VV_PASSING_ASIDE,    /* of a motion that nothing hinders: compact solids meet in it, and in the motion that was
                            looked at last they go on past that place, by more than a quarter of their extent */
    /* as the first; and of pairs that are listed, solids come within d-hat while they move by more than a quarter of
     * their extent: what a part of a step that is made again must not do */
    VV_PASSING_MEETING
} vv_passing_rule;

/* A motion between two positions (node space), in which each body moves and turns evenly, and what is asked of it. */
typedef struct vv_passing_motion {
    const double *from, *to;
    vv_passing_rule rule;
    const vv_passing *listed; /* for VV_PASSING_MEETING */
    int count;
} vv_passing_motion;

/* Looks at pairs that move relative to each other by more than half of their smallest extent, until one passes:
 * *found, which *out then describes. VV_ERROR_MEMORY, VV_CANCELLED. */
vvStatus vv_passing_find(vv_passer *p, const vv_parallel *par, const vv_passing_motion *motion, vv_passing *out,
                         bool *found, vvError *error);

#endif
