/* Patches of a surface that the search within one body may pass over (theory §5.8).
 *
 * A stencil of one body acts only below min' + act' <= 3/4 (without thickness 1/2) of its distance d_0 in the rest
 * shape. So nothing acts within a piece of surface that is only moved, turned and somewhat strained. A patch is a
 * group of the body's tree, on level 0 (4 triangles) or 1 (16). On a path its points are at F(s) X + c(s) + e, with an
 * affine map F fitted at each end and |e| <= stray. */
#ifndef VV_CONTACT_BROAD_PATCHES_H
#define VV_CONTACT_BROAD_PATCHES_H

#include "contact/broad/broad.h"

typedef struct vv_patch {
    /* at rest */
    double centre[3];     /* mean vertex, m */
    double tangent[2][3]; /* the larger two principal axes of its vertices; the normal is the third */
    double inverse[9];    /* m^-2: of the Gram matrix about the centre, with the normal added */
    double lift[3];       /* that matrix times the normal and its weight: F = moments inverse + n lift^T */
    double radius;        /* m: of its vertices around the centre */
} vv_patch;

/* The map that is fitted to the patch along the path, at its beginning and its end. */
typedef struct vv_patch_way {
    double at[2][3], map[2][9]; /* the mean vertex; F */
    double stray;               /* m; infinite: it cannot sleep */
    double least;               /* lower bound of F's singular values */
} vv_patch_way;

struct vv_patches {
    vv_patch *patch; /* per group of levels 0 and 1 */
    vv_patch_way *way;
    _Atomic unsigned char *state; /* of the path of those of level 0 */
    int count;
    int *first, *vertex;    /* the vertices of patch i: vertex[first[i]] .. vertex[first[i + 1] - 1], each once */
    int *body;              /* the one that it belongs to */
    int *parent;            /* the patch of level 1 that holds it, or -1 */
    _Atomic float *nearest; /* m: lower bound of the rest distances of its stencils, those with other patches too */
};

/* The patches and their rest distances. To be called before the path is taken, as it uses the boxes. False: out of
 * memory, or stopped. */
bool vv_patches_make(vv_broad *broad, const vv_parallel *par);
void vv_patches_free(vv_broad *broad);
/* To be called on each new path: fits the maps of the patches of level 1; those of level 0 are fitted when they are
 * asked for. */
void vv_patches_fit(vv_broad *broad, const vv_parallel *par);
/* Lessens the margins of bodies of which more patches sleep then. */
void vv_patches_choose_margins(vv_broad *broad);
/* Whether no stencil between two groups (or within one) of the same body and level can act along the path. */
bool vv_patches_sleep(const vv_broad_body_pair *pair, int group_a, int group_b);

#endif
