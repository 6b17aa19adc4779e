/* Kinds of elements: what gives the cells of a body's mesh their elasticity.
 *
 * A kind is one row of the list in elements.c. The row says on which cells the energy acts, checks the numbers of a
 * material, and makes ONE energy for all bodies of the world that list the kind, with its lagged Rayleigh damping. A
 * body may list several: a membrane and its bending, say. No other code knows the kinds by name: a new one is a file
 * and a row. */
#ifndef VV_ENERGY_ELEMENTS_H
#define VV_ENERGY_ELEMENTS_H

#include "energy/energy.h"
#include "visviva/world.h"

typedef enum vv_cell {
    VV_CELL_TETS,
    VV_CELL_TRIANGLES, /* of tets: their boundary */
    VV_CELL_EDGES,     /* also those of triangles, each once; none of tets */
    VV_CELL_CURVES,    /* edges where there is nothing else */
    VV_CELL_HINGES,    /* two triangles that share an edge; none of tets */
    VV_CELL_POINTS,
    VV_CELL_TETS10, /* tets of order 2 */
    VV_CELL_COUNT
} vv_cell;

typedef struct vv_element_kind vv_element_kind;

/* One of a body's materials. */
typedef struct vv_material {
    const vv_element_kind *kind;
    vvMaterialDef def; /* model: the kind's own string */
    double mu, lambda; /* Pa, from def */
} vv_material;

/* A body's cells as world node indices, with the material on them. */
typedef struct vv_element_part {
    int body; /* index >= 0 for per_body sums */
    const vv_material *material;
    int tet_count, triangle_count, edge_count, hinge_count, point_count;
    const int *tets, *triangles, *edges;
    const int *hinges; /* a, b, c, d: triangle (a, b, c) as in the mesh, and the fourth vertex d of the triangle across
                          the edge (a, b). Those of one edge follow each other: it has one, or one per pair of its
                          triangles where it has more than two */
    const int *points;
    /* m: the material's, or the body's: how thick a shell is, the diameter of a rod; 0 if only triangle_thickness
     * says */
    double thickness;
    int bend_count;
    const int *bends; /* pairs of nodes that the mesh itself names for bend springs, in place of those across hinges */
    const double *triangle_thickness; /* m, of each triangle, in place of `thickness`; NULL: none */
    const double *triangle_stiffness; /* factors of Young's modulus, of each triangle; NULL: none */
    /* node of the first edge's director, those of the other edges follow in the order of the edges; -1: none */
    int director;
    /* rad, rest angles given, per hinge: NaN where none is; NULL: none is. The sign as in energy/shells/dihedral.h */
    const double *hinge_angles;
    double solid_volume; /* m^3, of the solid that an affine body is, in place of its tet's; 0: it is none */
    int tet10_count;     /* then the tets and triangles above are those of the mesh subdivided once */
    const int *tets10;
} vv_element_part;

/* What an energy is made from; read at creation only. */
typedef struct vv_element_input {
    int node_count;
    const double *rest; /* of all nodes, n x 3 */
    int part_count;
    const vv_element_part *parts; /* in ascending order of body */
} vv_element_input;

struct vv_element_kind {
    vvInfo info;
    vv_cell cell;
    bool inversion_free; /* infinite where det F <= 0 */
    /* Whether it can do with the material, whose numbers are in their ranges. NULL: with any. */
    vvStatus (*check)(const vvMaterialDef *material, vvError *error);
    /* One energy of all parts, to destroy through its table; *out is NULL if there is nothing to do. NULL: the kind
     * has no elasticity. */
    vvStatus (*create)(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out, vvError *error);
    /* Its lagged damping by the parts' damping.rayleigh; `e` was made by create() from an equal input and outlives
     * it. NULL: none. vv_rayleigh_of_parts (energy/batch/rayleigh.h) serves batches with one part each. */
    vvStatus (*rayleigh)(vv_energy *e, const vv_element_input *in, vv_energy **out, vvError *error);
    /* How many springs it makes of a part. NULL: it makes none. */
    int (*springs)(const vv_element_part *part);
    bool moduli;    /* it reads young and poisson, or mu and lambda */
    bool thick;     /* a shell or a rod: it needs a thickness, and its density is by volume */
    bool directors; /* it needs a director on each edge, a node of its own: see world/bodies/directors.h */
    bool angles;    /* it reads rest angles of hinges */
    bool taut;      /* it reads strainLimit and prestrain */
    bool winds;     /* it reads restTwist */
    double young;   /* Pa, where none is given; 0: as others, 1e5 */
    bool flat;      /* its bodies live in a plane */
    int rule;       /* of tets of order 2: of their points (mesh/tet10.h) */
    bool mean;      /* with mean dilatation: of tets in macro-cells (mesh/macro.h) */
    bool affine;    /* its body is one tet that carries its surface: see world/bodies/affine.h */
    /* it resists bending, in proportion to vv_plate_stiffness or vv_rod_stiffness; its energy has `each` */
    bool bending;
};

/* The list, in the order in which a world sums its energies, then those of order 2, then those with mean dilatation;
 * NULL past the end. */
const vv_element_kind *vv_element_kind_at(int index);
/* NULL: no kind of that name; never one of order 2 or with mean dilatation. */
const vv_element_kind *vv_element_kind_find(const char *name);
/* What is in a kind's place on a mesh of order 2 with that rule, a row of the same name; NULL: there is none. */
const vv_element_kind *vv_element_kind_order2(const vv_element_kind *kind, int rule);
/* What is in its place where a material asks for mean dilatation, likewise. */
const vv_element_kind *vv_element_kind_mean(const vv_element_kind *kind);

/* moduli.c: fails where the bulk modulus, 3 lambda + 2 mu, is not positive. */
vvStatus vv_check_moduli(const vvMaterialDef *material, vvError *error);
/* Young's modulus, Pa. */
double vv_young(const vv_material *material);
/* What a triangle of a shell resists bending with, E t^3/(12 (1 - nu^2)), N m, by its own thickness and stiffness. */
double vv_plate_stiffness(const vv_element_part *part, int triangle);
/* What a rod of a round section resists bending with, E pi d^4/64, N m^2. */
double vv_rod_stiffness(const vv_element_part *part);

/* free.c */
extern const vv_element_kind vv_free_points;

#endif
