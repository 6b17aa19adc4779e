/* Analytic potentials of single points (theory §4.8): wells about a centre and walls along a plane, which attachments
 * of the kind "potential" put on the nodes of a body.
 *
 * Each is a function of one number: the distance r = |x - c| from a centre, or the height s = n . (x - p) over a
 * plane. A row of the table (potential.c) gives that function; gradient, Hessian, projection and step filter are
 * written once. */
#ifndef VV_ENERGY_POINTS_POTENTIAL_H
#define VV_ENERGY_POINTS_POTENTIAL_H

#include "energy/energy.h"
#include "visviva/world.h"

enum { VV_POTENTIAL_VALUES = 8 }; /* most numbers in a potential's parameters */

typedef struct vv_potential_ops vv_potential_ops;

typedef struct vv_potential {
    const vv_potential_ops *ops;        /* NULL: none */
    double values[VV_POTENTIAL_VALUES]; /* as the user gave them */
    double normal[3];                   /* of a wall: of unit length */
} vv_potential;

const vvInfo *vv_potential_info(int index); /* NULL past the end */
/* The potential of that name with these of its parameters, checked; VV_ERROR_INPUT with what is wrong. */
vvStatus vv_potential_make(const char *name, const vvSetting *settings, int count, vv_potential *potential,
                           vvError *error);
const char *vv_potential_name(const vv_potential *potential);
bool vv_potential_is_wall(const vv_potential *potential); /* else a well */
int vv_potential_value_count(const vv_potential *potential);
/* E of a node at x, J; +infinity behind a wall that nothing passes. */
double vv_potential_at(const vv_potential *potential, const double x[3]);

/* Nodes that feel a potential. */
typedef struct vv_potential_part {
    const vv_potential *potential;
    int count;
    const int *nodes;
} vv_potential_part;

/* The sum over all parts; a node may be in several. The parts are copied; body[node]: to which body a node's energy
 * belongs, read in place. */
vvStatus vv_potentials_create(int part_count, const vv_potential_part *parts, const int *body, vv_energy **out,
                              vvError *error);
/* The nodes that feel one; NULL, and 0 of them, for any other energy. */
const int *vv_potentials_nodes(const vv_energy *e, int *count);
/* Of such an energy, of the index-th of these nodes: the centre of its well, the normal of its wall; NULL: it feels
 * the other. */
const double *vv_potentials_centre(const vv_energy *e, int index);
const double *vv_potentials_normal(const vv_energy *e, int index);
/* Whether the index-th of them feels its potential at x. A well is felt everywhere, a wall only behind it or near
 * it. */
bool vv_potentials_act(const vv_energy *e, int index, const double *x);

#endif
