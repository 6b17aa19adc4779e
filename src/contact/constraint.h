/* Contact with obstacles as constraints on positions (theory §5.14; Gast, Schroeder 2014, §3.2): the feasible set of
 * nodes that are colliding vertices, each outside of all obstacles that it may touch, with its radius. */
#ifndef VV_CONTACT_CONSTRAINT_H
#define VV_CONTACT_CONSTRAINT_H

#include "contact/repulsion.h"
#include "energy/feasible.h"

/* What pairs of vertices and obstacles there are, and the forces between them, are those of a repulsion of the form
 * vv_repulsion_constraint, which must outlive it. Vertices of several nodes are not in it. rest: of all nodes. */
vvStatus vv_constraint_create(vv_energy *repulsion, int node_count, const double *rest, vv_feasible **out,
                              vvError *error);
/* The values of contact.constraint.when; the first is the default. */
const vvInfo *vv_constraint_when(int index); /* NULL past the end */
void vv_constraint_destroy(vv_feasible *f);  /* NULL is fine */

#endif
