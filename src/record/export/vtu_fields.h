/* What VTU files hold besides motion: strains, curvature, bending energy, normals, texture coordinates. */
#ifndef VV_RECORD_EXPORT_VTU_FIELDS_H
#define VV_RECORD_EXPORT_VTU_FIELDS_H

#include "record/cells.h"

struct vv_bending;

/* An array is NULL where the run has nothing of the kind. Arrays by node continue with the vertices of carried
 * surfaces, as in the run. */
typedef struct vv_vtu_fields {
    double *rest;                  /* 3 a node, m; as strain */
    double *strain, *least_strain; /* a cell: largest and smallest principal strain; not in runs of older versions */
    double *curvature;             /* a node, 1/m; only if there are shells or rods */
    double *rest_curvature;        /* the same of the rest shape; not in runs of older versions */
    float *normal;                 /* 3 a node; only if there are shells; 0 of nodes of other bodies */
    float *uv;                     /* 2 a node: at a seam those of one side */
    float *corner_uv;              /* 6 a cell; 0 of cells without */
    double *bending;               /* a cell, J/m^2 of triangles, J/m of edges; only if the run knows it */
    bool all_shells;               /* no body but shells */
    struct vv_bending *energies;   /* record/bending.h */
    double *of_triangle, *of_edge; /* bending, of all triangles and edges of bodies */
} vv_vtu_fields;

/* What does not change, and room for the rest. */
vvStatus vv_vtu_fields_make(vv_vtu_fields *fields, const vvRun *run, const vv_cells *cells, vvError *error);
/* Of these positions (vertexCount x 3). */
vvStatus vv_vtu_fields_find(vv_vtu_fields *fields, const vvRun *run, const vv_cells *cells, const double *x,
                            vvError *error);
void vv_vtu_fields_free(vv_vtu_fields *fields);

#endif
