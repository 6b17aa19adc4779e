/* Time integration schemes as data (theory §2.1).
 *
 * A scheme is one to four stages. A stage minimises 1/2 |q - y|^2_M + h^2 sum w E(beta q + z) + d h^3 R((hu) / h); y,
 * z, the new velocity h v and the dissipative velocity h u are linear combinations of the terms below. No samples and
 * no dissipation: the stage is explicit, q = y. */
#ifndef VV_STEP_SCHEMES_SCHEME_H
#define VV_STEP_SCHEMES_SCHEME_H

#include "step/params.h"

typedef enum vv_term {
    VV_QN,   /* q_n */
    VV_HVN,  /* h v_n */
    VV_H2AN, /* h^2 a_n = -h^2 M^-1 (grad E(q_n) [+ grad R(v_n), where the row says so]) */
    VV_QP,   /* q_{n-1} */
    VV_HVP,  /* h v_{n-1} */
    VV_Q1,
    VV_Q2,
    VV_Q3, /* positions of earlier stages */
    VV_HV1,
    VV_HV2,
    VV_HV3, /* h * their velocities */
    VV_Q,   /* the stage's own new position: in hv and hu only */
    VV_H2A, /* -h^2 M^-1 (grad E at the stage's own new position [+ grad R(u), as for a_n]): in hv only */
    VV_TERMS
} vv_term;

typedef double vv_combination[VV_TERMS];

enum { VV_MOST_STAGES = 4, VV_MOST_SAMPLES = 3 };

typedef struct vv_stage {
    double time; /* t_n + time * h: time of the prescribed nodes' and obstacles' positions */
    vv_combination y;
    int samples;
    struct {
        double w, beta;
        vv_combination z;
    } sample[VV_MOST_SAMPLES];
    vv_combination hv;
    double d;          /* factor of the dissipation potential, 0: none */
    vv_combination hu; /* h * velocity at which dissipation acts */
    double impulse;    /* share of this stage's dissipative force in the step's impulse */
} vv_stage;

typedef struct vv_scheme {
    vvInfo info;
    int order;
    bool a_stable, l_stable, symplectic; /* on the linear oscillator, for every h */
    bool two_step;                       /* needs q_{n-1}, v_{n-1}; starts with one backward Euler step */
    bool dissipative_an;                 /* a_n includes -grad R(v_n) */
    double impulse_an;                   /* share of grad R(v_n) in the step's impulse */
    bool feasible_end;                   /* the minimised samples contain q_{n+1}: barriers stay finite */
    const struct vv_solver_ops *method; /* in place of a minimisation: does not filter its steps, so the end is checked.
                                           NULL: the world's solver minimises */
    /* two-step: starts from free flight instead, q_{-1} = q_0 - h v_0, v_{-1} = v_0 */
    bool ballistic;
    int stages;
    vv_stage stage[VV_MOST_STAGES];
    vv_params params;
    void (*parametrise)(struct vv_scheme *row, const double *values); /* one parameter after the other; NULL: none */
    vvStatus (*check)(const double *values, vvError *error); /* rules beyond each parameter's range; NULL: none */
    /* Its adjoint (theory §2.12): the step of length -h undone. Another row, in the list or not, which takes the same
     * values; or */
    const struct vv_scheme *adjoint;
    bool symmetric; /* it is its own; or */
    /* why none can be had, as the end of a message; NULL: nobody has written it down */
    const char *no_adjoint;
} vv_scheme;

const vv_scheme *vv_scheme_table(int index); /* NULL past the end */
const vvInfo *vv_scheme_info(int index);
const vv_scheme *vv_scheme_find(const char *name);
/* The row of that name with its parameters filled in: from the settings, else the fallbacks. */
vv_scheme vv_scheme_made(const char *name, const vvSetting *settings, int count);
/* The adjoint of a row that was made with the same settings; false: it has none, or is its own. */
bool vv_scheme_adjoint(const vv_scheme *row, const vvSetting *settings, int count, vv_scheme *adjoint);
/* VV_ERROR_INPUT where values of the row's parameters do not go together. */
vvStatus vv_scheme_check_settings(const vv_scheme *row, const vvSetting *settings, int count, vvError *error);
bool vv_stage_explicit(const vv_stage *stage);
/* The shares of the step's forces in what they change its velocities by, with the sum 1: of those at q_n, at the
 * samples of each stage, and at its end (VV_H2A). */
typedef struct vv_force_shares {
    double begin, sample[VV_MOST_STAGES][VV_MOST_SAMPLES], end[VV_MOST_STAGES];
} vv_force_shares;
void vv_scheme_force_shares(const vv_scheme *row, vv_force_shares *out); /* step/schemes/shares.c */
/* Whether the forces of a step are those at its end alone, as of backward Euler. */
bool vv_scheme_end_forces(const vv_scheme *row);
/* Whether both make the same step from the same start, whatever they are called. */
bool vv_scheme_same(const vv_scheme *a, const vv_scheme *b);
/* step/schemes/check.c: what the row declares, and what is measured. */
void vv_scheme_check(const vv_scheme *row, vvSchemeCheck *check);
/* One step on x'' = -x with h^2 = k, as a matrix of (x, h v) row by row; of (x, h v, x_p, h v_p), 4 x 4, for a
 * two-step row. */
void vv_scheme_matrix(const vv_scheme *row, double k, double matrix[16]);

extern const struct vv_solver_ops vv_discrete_gradient; /* step/schemes/discrete_gradient.c */

#endif
