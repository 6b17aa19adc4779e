/* Contacts for tests of the matrix: each couples four nodes, and adds blocks outside the fixed pattern. */
#ifndef VV_TESTS_CONTACT_MATRIX_H
#define VV_TESTS_CONTACT_MATRIX_H

#include "base/sparse/bsr.h"
#include "grid_matrix.h"

#include <math.h>

/* A contact: stiffness times v v^T, v = normal x weights of four nodes that add up to zero. */
typedef struct contact {
    int node[4];
    double v[12];
} contact;

static inline void make_contacts(contact *list, int count, int n, double stiffness, uint64_t seed)
{
    for (int i = 0; i < count; i++) {
        double normal[3], weight[4] = { 1, 0, 0, 0 };
        for (int c = 0; c < 3; c++)
            normal[c] = grid_random(&seed);
        for (int k = 0; k < 4; k++) {
            bool again = true;
            while (again) {
                list[i].node[k] = (int)((grid_random(&seed) + 1) / 2 * n);
                again = false;
                for (int l = 0; l < k; l++)
                    again = again || list[i].node[l] == list[i].node[k];
            }
            if (k > 0)
                weight[k] = -1 / 3.0;
            for (int c = 0; c < 3; c++)
                list[i].v[3 * k + c] = sqrt(stiffness) * weight[k] * normal[c];
        }
    }
}

static inline void add_pair(vv_bsr *a, const contact *c, int k, int l)
{
    double block[9];
    for (int s = 0; s < 3; s++)
        for (int r = 0; r < 3; r++)
            block[3 * s + r] = c->v[3 * k + r] * c->v[3 * l + s];
    vv_bsr_add(a, c->node[k], c->node[l], block);
}

static inline void add_contact(vv_bsr *a, const contact *c)
{
    for (int k = 0; k < 4; k++)
        for (int l = k; l < 4; l++)
            add_pair(a, c, k, l);
}

#endif
