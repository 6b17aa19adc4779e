/* Components: what the elastic energies hold together. A body is usually one; a body of grains has as many as grains,
 * and bodies that springs connect are one. A rigid motion is a component's, not a body's. */
#ifndef VV_STEP_BODIES_COMPONENTS_H
#define VV_STEP_BODIES_COMPONENTS_H

#include "step/bodies/rigid.h"

typedef struct vv_component {
    int begin, end; /* in vv_components.node */
    int lead;       /* its lowest free node */
    bool fixed;     /* some of its nodes are prescribed, or keep to rails */
} vv_component;

typedef struct vv_components {
    int count;
    vv_component *component;
    int *node; /* the nodes, one component after the other, ascending within each, prescribed ones too */
    int *of;   /* per node: its component; -1: none, as nothing free holds it */
} vv_components;

/* From the couplings by which the system's energies other than contact hold now. VV_ERROR_MEMORY. */
vvStatus vv_components_find(const vv_system *s, vv_components *out, vvError *error);
void vv_components_free(vv_components *p);
static inline vv_node_set vv_component_nodes(const vv_components *p, int i)
{
    return (vv_node_set){ p->node + p->component[i].begin, 0, p->component[i].end - p->component[i].begin };
}

#endif
