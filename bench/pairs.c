/* Nanoseconds a contact pair: distance of each kind of stencil, and of the nearest feature the energy, the gradient,
 * the semidefinite Hessian with the gradient. */
#include "base/clock.h"
#include "contact/pairs/potential.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 4096, ROUNDS = 100 };

static uint64_t state64 = 5;
static double uniform(void)
{
    state64 ^= state64 << 13;
    state64 ^= state64 >> 7;
    state64 ^= state64 << 17;
    return (double)(state64 >> 11) * 0x1p-52 - 1;
}

/* About a third has its nearest points inside both features. `slope`: of the second edge against the first. */
static void make(vv_pair_state *p, vv_stencil kind, double slope)
{
    *p = (vv_pair_state){ .kind = kind, .activation = 10, .stiffness = 1 };
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            p->x[i][k] = uniform();
    if (slope > 0) {
        p->mollifier = 1;
        for (int k = 0; k < 3; k++)
            p->x[3][k] = p->x[2][k] + p->x[1][k] - p->x[0][k] + slope * uniform();
    }
}

static double each(vv_pair_state *pairs, int what, double *sum)
{
    double t = vv_seconds(), w[4], g[12], v[9][12];
    unsigned nearest;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < COUNT; i++) {
            vv_pair_state *p = pairs + i;
            if (what == 0)
                *sum += vv_stencil_distance2(p->kind, (const double(*)[3])p->x, &nearest, w);
            else if (what == 1)
                *sum += vv_pair_energy(p);
            else if (what == 2)
                vv_pair_gradient(p, g), *sum += g[0];
            else
                *sum += vv_pair_squares(p, g, v) + v[0][0];
        }
    return 1e9 * (vv_seconds() - t) / ((double)COUNT * ROUNDS);
}

int main(void)
{
    static const char *const names[] = { "VV", "VE", "VT", "EE", "EE mollified" };
    vv_pair_state *pairs = calloc(COUNT, sizeof *pairs);
    double sum = 0;
    if (!pairs)
        return 1;
    printf("%-14s %9s %9s %9s %9s   ns a pair\n", "", "distance", "energy", "gradient", "Hessian");
    for (int row = 0; row < 5; row++) {
        printf("%-14s", names[row]);
        for (int i = 0; i < COUNT; i++) {
            make(pairs + i, (vv_stencil)(row < 4 ? row : 3), row < 4 ? 0 : 0.05);
            vv_stencil_distance2(pairs[i].kind, (const double(*)[3])pairs[i].x, NULL, pairs[i].w);
        }
        for (int what = 0; what < 4; what++)
            printf(" %9.1f", each(pairs, what, &sum));
        printf("\n");
    }
    free(pairs);
    return sum > 1e300; /* the sum is needed, so that nothing is left out */
}
