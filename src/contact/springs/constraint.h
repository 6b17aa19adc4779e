/* Contact with obstacles as constraints on positions (theory §5.14; Gast, Schroeder 2014, §3.2): the feasible set of
 * nodes that are colliding vertices, each outside of all obstacles that it may touch, with its radius. */
#ifndef VV_CONTACT_SPRINGS_CONSTRAINT_H
#define VV_CONTACT_SPRINGS_CONSTRAINT_H

#include "contact/springs/presses.h"
#include "energy/feasible.h"

/* Vertices of several nodes are not in it. rest: of all nodes. The contact must outlive it. */
vvStatus vv_constraint_create(const vv_barrier_def *contact, int node_count, const double *rest, bool after,
                              vv_feasible **out, vvError *error);
const vv_presses *vv_constraint_presses(const vv_feasible *f);
/* The values of contact.constraint.when; the first is the default. */
const vvInfo *vv_constraint_when(int index); /* NULL past the end */
void vv_constraint_destroy(vv_feasible *f);  /* NULL is fine */

#endif
