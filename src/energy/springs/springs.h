/* Edge springs: one batch holds all springs of one kind in the world. r is the rest length, l the present one. */
#ifndef VV_ENERGY_SPRINGS_SPRINGS_H
#define VV_ENERGY_SPRINGS_SPRINGS_H

#include "energy/elements.h"

typedef enum vv_spring_kind {
    VV_SPRING_HOOKE,           /* E = 1/2 k (l - r)^2, k in N/m */
    VV_SPRING_STVK,            /* E = 1/2 k (l^2 - r^2)^2, k in N/m^3: quartic in the positions */
    VV_SPRING_HOOKE_ROD,       /* as hooke; of a material, k = E A / r */
    VV_SPRING_NEO_HOOKEAN_ROD, /* E = 1/2 k r^2 (1/2 (F^2 - 1) - ln F), F = l / r; of a material, k = E A / r. Infinite
                                  at l = 0 */
    VV_SPRING_ROD_STRETCH,     /* as hooke; of a material with a thickness, k = E A / r with A from the diameter */
    VV_SPRING_COUNT
} vv_spring_kind;

/* edges: edge_count x 2 node indices; body: index >= 0 for per_body sums, of each edge. Arrays are read at creation
 * only. *out is an energy to destroy through its table. */
vvStatus vv_springs_create(int kind, int node_count, int edge_count, const int *edges, const double *stiffness,
                           const double *rest_length, const int *body, vv_energy **out, vvError *error);

/* The rows of springs along edges and, where a material has a bending stiffness, across hinges. */
extern const vv_element_kind vv_spring_kinds[VV_SPRING_COUNT];

#endif
