/* Which forces a step's velocities go by: each quantity of the scheme's stages is followed as a sum of forces, in units
 * of h^2 F / M. The rest of a two-step row is of earlier steps, and not counted. */
#include "step/schemes/scheme.h"

#include <string.h>

enum { MOST_FORCES = sizeof(vv_force_shares) / sizeof(double) };

typedef double forces[MOST_FORCES];

static void add(double by, const double *from, double *to)
{
    for (int k = 0; k < MOST_FORCES; k++)
        to[k] += by * from[k];
}

/* Where a share is in the list of them. */
static size_t number(const vv_force_shares *all, const double *share) { return (size_t)(share - &all->begin); }

static void combine(const vv_combination by, forces term[VV_TERMS], double *out)
{
    memset(out, 0, sizeof(forces));
    for (int t = 0; t < VV_TERMS; t++)
        add(by[t], term[t], out);
}

void vv_scheme_force_shares(const vv_scheme *row, vv_force_shares *out)
{
    forces term[VV_TERMS] = { 0 }, hv = { 0 };
    double sum = 0;
    term[VV_H2AN][number(out, &out->begin)] = 1;
    for (int i = 0; i < row->stages; i++) {
        const vv_stage *stage = row->stage + i;
        combine(stage->y, term, term[VV_Q]);
        for (int k = 0; k < stage->samples; k++)
            term[VV_Q][number(out, &out->sample[i][k])] += stage->sample[k].w * stage->sample[k].beta;
        memset(term[VV_H2A], 0, sizeof(forces));
        term[VV_H2A][number(out, &out->end[i])] = 1;
        combine(stage->hv, term, hv);
        if (i + 1 < row->stages) {
            memcpy(term[VV_Q1 + i], term[VV_Q], sizeof(forces));
            memcpy(term[VV_HV1 + i], hv, sizeof(forces));
        }
    }
    for (int k = 0; k < MOST_FORCES; k++)
        sum += hv[k];
    for (int k = 0; k < MOST_FORCES; k++)
        hv[k] /= sum;
    memcpy(out, hv, sizeof hv);
}
