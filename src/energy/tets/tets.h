/* Elastic tetrahedra: one batch holds all tets of the world with the same material model; each body has its own moduli.
 * Linear shape functions, F = D_s D_m^-1, E = sum of V psi(F) (theory §4.1). */
#ifndef VV_ENERGY_TETS_TETS_H
#define VV_ENERGY_TETS_TETS_H

#include "energy/elements.h"

/* What the batch is made from; arrays are read at creation only. */
typedef struct vv_tets_body {
    int body; /* index for per_body sums */
    int tet_count;
    const int *tets;   /* tet_count x 4, world node indices */
    double mu, lambda; /* Pa */
} vv_tets_body;

/* model: index into the material table (vvMaterialInfo). rest: rest positions of all nodes (n x 3). Reorders elements
 * for locality. *out is an energy to destroy through its table. */
vvStatus vv_tets_create(int model, int node_count, const double *rest, int body_count, const vv_tets_body *bodies,
                        vv_energy **out, vvError *error);

/* The same of St. Venant and Kirchhoff's material, for affine bodies (energy/affine.c). */
vvStatus vv_tets_create_affine(int node_count, const double *rest, int body_count, const vv_tets_body *bodies,
                               vv_energy **out, vvError *error);

/* w of a material's constant model w/2 |F - F_0|^2, Pa; 0: it has none of that kind. */
double vv_tets_weight(int model, vv_quadratic_kind kind, double mu, double lambda);

/* Index of the model in the material table, -1 when the name is no tet material. */
int vv_tets_model(const char *name);

/* The materials' rows, by model. */
extern const vv_element_kind vv_tet_kinds[];

#endif
