/* visviva/material.h: materials of bodies: elasticity, density, thickness and damping. world.h assigns and settings.h
 * changes them. */
#ifndef VISVIVA_MATERIAL_H
#define VISVIVA_MATERIAL_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vvDampingDef {
    double drag;            /* 1/s: force -drag * m * v, solved with the step */
    double rayleigh;        /* s: stiffness-proportional, force -rayleigh * K(q_n) * v, lagged, solved with the step */
    double momentumRate;    /* 1/s: momentum-preserving, after the step, v -= (1-exp(-rate h)) (v - rigid part) */
    double momentumPerStep; /* 0 to 1: the papers' factor k per step, whatever h is; do not set both */
} vvDampingDef;

typedef struct vvMaterialDef {
    const char *model;     /* see vvMaterialInfo; "fixed-corotated" for tets, "hooke" or "stvk-spring" for springs,
                              "hooke-rod" or "rod-stretch" for rods along edges, "stvk-membrane" for shells, "affine"
                              for nearly rigid bodies, "free" for points */
    double young, poisson; /* Pa, 1; used unless lame is set */
    bool lame;             /* mu and lambda are given in place of young and poisson; false */
    double mu, lambda;     /* Pa; used when lame is set */
    /* tets of order 1, models with a part of lambda's of J alone (fixed-corotated, neo-hookean, stable-neo-hookean):
     * that part acts on the mean J of macro-cells of some tets each, so that nearly incompressible ones do not lock;
     * false */
    bool meanDilatation;
    const char *quadrature; /* tets of order 2: "degree-2" (four points) or "degree-5" (14: curved ones exactly, 3.5
                               times the work); "degree-2" */
    double density;         /* kg/m^3 for tets, and for shells and rods that have a thickness; kg/m^2 for triangles with
                               springs, kg/m for edges with springs, kg each for points */
    double totalMass;       /* kg; replaces density when > 0 */
    double springStiffness; /* springs: N/m (hooke: 1/2 k (l-r)^2) or N/m^3 (stvk-spring: 1/2 k (l^2-r^2)^2); rods: N,
                               Young's modulus times cross-section */
    /* springs along vvMesh.bends or, without, across each pair of triangles that share an edge; same unit; 0: none */
    double bendStiffness;
    double thickness;   /* m: of a shell, or the diameter of a rod; 0: vvBodyDef.thickness */
    double strainLimit; /* membranes: triangles never stretch by this fraction of their length (0.05 is 5%); from half
                           of it on they stiffen without bound. 0: no limit */
    double prestrain; /* membranes: the placed mesh is stretched by this fraction of its rest lengths in all directions,
                         so that a held one is taut (0.05 is 5%); below 0 it is compressed. Mass is that of the mesh as
                         placed. -0.9 to 10; 0 */
    /* bending: the rest shape is flat (a rod's: straight), whatever the shape of the mesh. false: it is the mesh's */
    bool flat;
    double restTwist; /* rad/m, model rod: twist at rest, in addition to the mesh's; positive for a right-handed screw.
                         A straight rod, or a ring, then tends to twist. 0 */
    vvDampingDef damping;   /* none */
    uint32_t internalValue; /* internal: vvDefaultMaterialDef() sets it */
} vvMaterialDef;

VV_API vvMaterialDef vvDefaultMaterialDef(void); /* fixed-corotated, E 1e5, nu 0.3, 1000 kg/m^3 */
/* The same with that model, and other numbers where it needs them: E 1e8 for "affine", nearly rigid bodies. An unknown
 * model is refused when a body is added. */
VV_API vvMaterialDef vvDefaultMaterialOf(const char *model);
/* The models, NULL past the end. */
VV_API const vvInfo *vvMaterialInfo(int index);

#ifdef __cplusplus
}
#endif
#endif
