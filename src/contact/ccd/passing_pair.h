/* What the files of passing.h share: its object, and the test of one pair. */
#ifndef VV_CONTACT_CCD_PASSING_PAIR_H
#define VV_CONTACT_CCD_PASSING_PAIR_H

#include "base/geometry/bvh.h"
#include "contact/pairs/distance.h"
#include "contact/ccd/passing.h"

/* A triangle, a rod's edge (the third is -1) or a point; contact vertices. */
typedef struct vv_passing_element {
    int vertex[3];
    unsigned char own; /* bits of the corners that no earlier element has */
} vv_passing_element;

typedef struct vv_passing_body {
    int first, count; /* elements */
    bool solid;       /* closed triangles around a volume */
    double skin;      /* m: what is taken off a solid */
    double extent;    /* m */
    double size;      /* m: twice how far a vertex is from the centre at rest */
    /* of the motion in question */
    double mean[3], most; /* displacement in the mean, and how far a vertex's differs from that */
    double moved[3];      /* in the mean, in the last motion that is no free one */
    vv_box start, end;
    vv_bvh tree; /* of its elements, made when it is first near another, and fitted anew */
} vv_passing_body;

/* One of a pair: a body's vertices relative to its centre, without its skin, at the start and, turned back, at the
 * end; and between two times. */
typedef struct vv_passing_side {
    vv_passing_body *body;
    int first, count; /* contact vertices */
    double from[3], to[3], axis[3], angle;
    double *begin, *end, *now, *next; /* 3 per vertex */
    double radius;                    /* m: farthest from the centre */
    signed char *net;                 /* per vertex, per element: crossings of the other's triangles or rods, by sign */
    vv_box *boxes;
} vv_passing_side;

struct vv_passer {
    const vv_surface *surface;
    double distance;
    vv_passing_element *elements;
    vv_passing_body *bodies;
    double *from, *to; /* 3 per vertex */
    double *taken;     /* the last `to` that is not that of a free motion */
    vv_box *swept;     /* per body, and their tree, which is fitted anew */
    vv_bvh tree;
    /* of a pair, grown where one is near */
    vv_passing_side side[2];
    double *room;
    signed char *net;
    vv_box *boxes;
    size_t room_capacity, net_capacity, box_capacity;
};

/* Whether bodies a and b pass; positions are in p->from and p->to. */
vvStatus vv_passing_pair(vv_passer *p, const vv_parallel *par, int a, int b, double travel, vv_passing_rule rule,
                         bool *passes, vvError *error);

/* passing_cross.c: how often, by sign, a point goes through a triangle (VT), or an edge through an edge (EE), while
 * their points move evenly from x to y. */
int vv_passing_crossings(vv_stencil kind, const double x[4][3], const double y[4][3]);

#endif
