/* From a surface to tets: what `visviva mesh` and `visviva new` share. */
#ifndef VV_CLI_MESHER_H
#define VV_CLI_MESHER_H

#include "cli.h"

/* The triangles of the surface stay / may be cut into smaller ones / are replaced. */
typedef enum vv_treatment { VV_SURFACE_KEPT, VV_SURFACE_CUT, VV_SURFACE_REPLACED } vv_treatment;

typedef struct vv_meshing {
    const char *path; /* the surface's file, for messages */
    const vvMesh *surface;
    const vvSurfaceCheck *check; /* sound */
    double edge;                 /* m */
    bool proposed;               /* the edge is a proposal: it may be made smaller where parts would be lost */
    const char *with;            /* "tetgen", "gmsh", "lattice"; NULL: what suits */
    bool keep;                   /* the surface's triangles stay as they are */
    double limit;                /* s, for another program */
    bool any_volume;             /* a lattice that loses most of the volume is no error: another one follows */
    double mean_edge;            /* of the surface, m; this and the next are set by vv_cli_mesh_surface */
    vv_treatment treatment;
} vv_meshing;

/* How the surface is filled. */
typedef enum vv_filler { VV_FILLER_TETGEN, VV_FILLER_GMSH, VV_FILLER_LATTICE } vv_filler;
/* VV_CLI_GO, or the exit code after a message: no such filler, not installed, or it cannot do what is asked. */
int vv_mesher_choose(const vv_meshing *m, vv_filler *filler);
vv_treatment vv_mesher_treatment(const vv_meshing *m, vv_filler filler);
/* Runs it; the exit code, after a message where it is not VV_CLI_GO. The result is finished; its volume is checked. */
int vv_mesher_fill(const vv_meshing *m, vv_filler filler, vvMesh *tets);

/* Reads and checks a surface and prints what it is; the faults go to stderr, and the offending triangles to `bad` (may
 * be NULL). VV_CLI_GO, or the exit code. The caller frees both, also after a failure. */
int vv_cli_read_surface(const char *path, const char *bad, vvMesh *surface, vvSurfaceCheck *check);
/* `surface` replaced by its outermost parts, checked anew. */
int vv_cli_drop_cavities(vvMesh *surface, vvSurfaceCheck *check);
/* Fills it, prints how and how good, and writes the file whole or not at all. */
int vv_cli_mesh_surface(vv_meshing *m, const char *output);
/* VV_CLI_GO where tets can be written to a file of this name; else the exit code, after a message. */
int vv_cli_check_mesh_output(const char *output);
/* The edge that is proposed where none is given, m. */
double vv_cli_propose_edge(const vvMesh *surface);

#endif
