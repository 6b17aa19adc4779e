/* Patches of a surface that the search within one body may pass over (theory §5.8).
 *
 * A stencil of one body acts only below min' + act' <= 3/4 (without thickness 1/2) of its distance d_0 in the rest shape. So nothing acts
 * within a piece of surface that is only moved, turned and somewhat strained. A patch is a group of the body's tree, on level 0 (4
 * triangles) or 1 (16). On a way its points are at F(s) X + c(s) + e, with an affine map F fitted at each end and |e| <= stray. */
#ifndef VV_CONTACT_BROAD_PATCHES_H
#define VV_CONTACT_BROAD_PATCHES_H

#include "contact/broad.h"

typedef struct vv_patch {
    /* at rest */
    double centre[3], normal[3], inverse[9]; /* mean vertex, mean unit normal, inverse of the Gram matrix */
    double weight;                           /* m^2: of the normal in that matrix */
    double radius;                           /* m: of its vertices around the centre */
    /* on the way, at its beginning and its end */
    double at[2][3], map[2][9];
    double stray; /* m; infinite: it cannot sleep */
    double least; /* lower bound of F's singular values */
} vv_patch;

struct vv_patches {
    vv_patch *patch;       /* per group of levels 0 and 1 */
    int count;
    int *first, *vertex;   /* the vertices of patch i: vertex[first[i]] .. vertex[first[i + 1] - 1], each once */
    int *body;             /* the one that it belongs to */
    int *parent;           /* the patch of level 1 that holds it, or -1 */
    _Atomic float *nearest; /* m: lower bound of the rest distances of its stencils, those with other patches too */
};

/* The patches and their rest distances. To be called before the way is taken, as it uses the boxes. False: out of memory, or
 * stopped. */
bool vv_patches_make(vv_broad *broad, const vv_parallel *par);
void vv_patches_free(vv_broad *broad);
/* The elements under a patch; returns how many. */
int vv_patch_elements(const vv_broad *broad, int patch, const vv_element **elements);
/* At an end of the way (0, 1): the mean vertex, and the mean normal of the triangles, of length 1 if they lie in a plane. */
void vv_patch_place(const vv_broad *broad, int patch, int end, double centre[3], double normal[3]);
/* Fits the maps to the present way. */
void vv_patches_fit(vv_broad *broad, const vv_parallel *par);
/* Lessens the margins of bodies of which more patches sleep then. */
void vv_patches_choose_margins(vv_broad *broad);
/* Whether no stencil between two groups (or within one) of the same body and level can act on the way. */
bool vv_patches_sleep(const vv_broad_body_pair *pair, int group_a, int group_b);

#endif
