/* From a surface to tets: what `visviva mesh` and `visviva new` share. */
#ifndef VV_CLI_MESHER_H
#define VV_CLI_MESHER_H

#include "json.h"

/* The triangles of the surface stay / may be subdivided / are replaced. */
typedef enum vv_treatment { VV_SURFACE_KEPT, VV_SURFACE_CUT, VV_SURFACE_REPLACED } vv_treatment;

/* How the surface is filled. */
typedef enum vv_filler { VV_FILLER_TETGEN, VV_FILLER_GMSH, VV_FILLER_LATTICE, VV_FILLER_WRAP, VV_FILLERS } vv_filler;

typedef struct vv_meshing {
    const char *path; /* the surface's file, for messages */
    const vvMesh *surface;
    const vvSurfaceCheck *check; /* one that is not sound is wrapped */
    double edge;                 /* m */
    bool proposed;               /* the edge is a proposal: it may be made smaller if parts would be lost */
    const char *with;            /* the name of a filler; NULL: the one that suits, then the next */
    bool keep;                   /* the surface's triangles stay as they are */
    double limit;                /* s, time limit for another program */
    json_t *json;                /* takes what was made; may be NULL */
    double mean_edge;            /* of the surface, m; this and the next are set by vv_cli_mesh_surface */
    vv_treatment treatment;
    vv_filler filler;   /* set by vv_cli_mesh_surface */
    unsigned tried;     /* fillers that have failed, as bits */
    bool has_next;      /* another filler is tried after this one */
    vvFillNotes filled; /* set by a lattice and a wrap, as is `edge` then */
    bool may_retry;     /* finer tets are tried next if these are too large: a failure for that says nothing */
    bool too_large;     /* set by a failure: thin parts of the surface do not hold tets of this edge */
} vv_meshing;

/* VV_CLI_GO, or the exit code after a message: no such filler, not installed, or it cannot do what is asked. */
int vv_mesher_choose(vv_meshing *m, vv_filler *filler);
/* Whether another one is left, should this one fail. */
bool vv_mesher_has_next(const vv_meshing *m, vv_filler filler);
const char *vv_mesher_name(vv_filler filler);
const char *vv_mesher_title(vv_filler filler); /* "TetGen", "the lattice" */
vv_treatment vv_mesher_treatment(const vv_meshing *m, vv_filler filler);
/* Runs the filler. Returns VV_CLI_GO, or the exit code after a message. The result is finished; its volume is
 * checked. */
int vv_mesher_fill(vv_meshing *m, vv_filler filler, vvMesh *tets);

typedef struct vv_surface_source {
    const char *path;
    const char *bad; /* where faulty triangles go; may be NULL */
    /* the width up to which holes are closed, m; 0: none are; below 0: small ones, a tenth of the diagonal */
    double holes;
    bool wrap;    /* one that bounds no volume will be wrapped: it is no error, and one line says what is wrong */
    bool placed;  /* the caller scales it into a scene, and asks about units itself */
    json_t *json; /* takes what is found as "surface"; may be NULL */
} vv_surface_source;
/* Reads, mends and checks a surface and describes it. The faults go to stderr. Returns VV_CLI_GO or the exit code.
 * The caller frees both results, also after a failure. */
int vv_cli_read_surface(const vv_surface_source *from, vvMesh *surface, vvSurfaceCheck *check);
/* Replaces `surface` by its outermost parts, and checks it again. */
int vv_cli_drop_cavities(vvMesh *surface, vvSurfaceCheck *check);
/* Fills the surface, prints how this was done and the quality of the tets, and writes the file completely or not at
 * all. */
int vv_cli_mesh_surface(vv_meshing *m, const char *output);
/* Writes the file completely or not at all. Returns VV_CLI_GO or the exit code. */
int vv_cli_write_mesh(const vvMesh *mesh, const char *output);
/* VV_CLI_GO if tets can be written to a file of this name; otherwise the exit code, after a message. */
int vv_cli_check_mesh_output(const char *output);

#endif
