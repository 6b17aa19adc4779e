/* The passes of the second level of solve/pcg/ssor.c (solve/pcg/second_level.h), once per instruction set. */
#ifndef VV_SOLVE_PCG_SECOND_KERNEL_H
#define VV_SOLVE_PCG_SECOND_KERNEL_H

#include "solve/pcg/ssor_kernel.h"

enum { VV_WIDE = 24 };
enum { VV_MODES = 6, VV_MODE_ROW = 8, VV_MODE_BLOCK = 6 * VV_MODE_ROW }; /* rows of six numbers are padded to eight */

/* The rigid modes of an aggregate: three translations, and rotations about axes through its centre. An axis is divided
 * by the mean distance of the nodes from it, and is 0 where all nodes lie on it. */
typedef struct vv_second_frame {
    double centre[3], axis[3][3];
} vv_second_frame;

/* W^ = (1 + L^T) Z~, Z~ = C^T Z, of the rows in the order of the sweeps: row i has entries for its own aggregate, which
 * comes first, and for those of the later rows that it is coupled to. */
typedef struct vv_second {
    const double *place;    /* 3 a row of A: where the nodes are, m */
    vv_second_frame *frame; /* of each aggregate */
    int *of;                /* the aggregate of each row, in the order of the sweeps, */
    int *first;             /* and where each aggregate's begin in the */
    int *member;            /* rows of A by aggregates */
    int *new_row;           /* of each row of A: its place in the order of the sweeps */
    int *start;             /* n + 1: entries of each row */
    int *aggregate;         /* of each entry */
    int *slot;              /* of each entry: its block of `block`, */
    int *near_start;        /* of which each aggregate has a range */
    double *block;          /* Z~^T W^ - Z~^T Z~ / 2: VV_MODE_BLOCK a pair of aggregates that meet, by rows */
    float *z;               /* Z~: three rows of VV_MODE_ROW numbers a row of the matrix */
    float *w;               /* W^: 18 an entry, column-major, and 8 more */
    int *list_start;        /* of each aggregate: a range of the */
    int (*list)[2];         /* entries that are of it, and their rows */
    double *c;              /* VV_MODES an aggregate: W^T r, then E^-1 W^T r */
    double *wide;           /* VV_WIDE an aggregate: the latter, laid out as two columns of w side by side are */
} vv_second;

typedef struct vv_second_kernels {
    void (*modes)(const vv_ssor *s, int begin, int end); /* Z~ of the rows [begin, end) */
    void (*products)(const vv_ssor *s, int aggregate);   /* W^ of its rows, and its blocks */
    void (*gather)(const vv_ssor *s, int aggregate);     /* its part of c = W^T r */
    void (*widen)(const vv_ssor *s, int aggregate);      /* c -> wide */
    /* as vv_ssor_kernels.backward, with v = r + W^ c + beta v */
    double (*backward)(const vv_ssor *s, int begin, int end);
} vv_second_kernels;

VV_VARIANTS(const vv_second_kernels, vv_second_kernels);

#endif
