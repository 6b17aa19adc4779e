/* The table of schemes. Each row is theory §2.2 to §2.7 in numbers; step/schemes/check.c tries every row on the linear
 * oscillator and compares with what it declares.
 *
 * Mean-force quadrature (b_s, c_s): y = q_n + h v_n + (b_0/2) h^2 a_n, samples w = b_s / (2 c_s), beta = c_s,
 * z = (1 - c_s) q_n, velocity 2 (q - q_n)/h - v_n (Rojas, Liu, Kavan 2018).
 *
 * The adjoints (theory §2.12) are rows outside the list; policies use their velocities. They omit dissipation, which
 * such a policy does not change. To add a row: docs/own-scheme.md. */
#include "step/schemes/scheme.h"

#include "base/error.h"

#include <string.h>

/* clang-format off */
#define MEAN_FORCE_VELOCITY { [VV_Q] = 2, [VV_QN] = -2, [VV_HVN] = -1 }
#define DIFFERENCE { [VV_Q] = 1, [VV_QN] = -1 }
#define BALLISTIC { [VV_QN] = 1, [VV_HVN] = 1 }
#define MEAN_FORCE(b, c) { (b) / (2 * (c)), (c), { [VV_QN] = 1 - (c) } }
/* clang-format on */

/* SDIRK2 (Alexander 1977): gamma = 1 - sqrt(1/2), a_21 = 1 - gamma, stiffly accurate */
#define G 0.29289321881345247560
/* TR-BDF2: gamma = 2 - sqrt 2; Bathe: 1/2. Stage 2 (any gamma): q^ = A q_1 - B q_n, c = (1-gamma)/(2-gamma) */
#define TRG 0.58578643762690495120
/* clang-format off */
#define STAGE_TR(g) \
    { .time = (g), .y = { [VV_QN] = 1, [VV_HVN] = (g), [VV_H2AN] = (g) * (g) / 4 }, .samples = 1, \
      .sample = { { (g) * (g) / 4, 1, { 0 } } }, .hv = { [VV_Q] = 2 / (g), [VV_QN] = -2 / (g), [VV_HVN] = -1 }, \
      .d = (g) * (g) * (g) / 2, .hu = { [VV_Q] = 1 / (g), [VV_QN] = -1 / (g) }, .impulse = 1 / (2 - (g)) }
/* clang-format on */
#define A(g) (1 / ((g) * (2 - (g))))
#define B(g) ((1 - (g)) * (1 - (g)) / ((g) * (2 - (g))))
#define C(g) ((1 - (g)) / (2 - (g)))
/* clang-format off */
#define BDF_VELOCITY(g) { [VV_Q] = 1 / C(g), [VV_Q1] = -A(g) / C(g), [VV_QN] = B(g) / C(g) }
#define STAGE_BDF(g) \
    { .time = 1, .y = { [VV_Q1] = A(g), [VV_QN] = -B(g), [VV_HV1] = C(g) * A(g), [VV_HVN] = -C(g) * B(g) }, \
      .samples = 1, .sample = { { C(g) * C(g), 1, { 0 } } }, .hv = BDF_VELOCITY(g), .d = C(g) * C(g) * C(g), \
      .hu = BDF_VELOCITY(g), .impulse = C(g) }
/* clang-format on */

/* ---- adjoints ---- */

/* of backward Euler: forward Euler; and the other way round */
static const vv_scheme forward = { .info = { "the adjoint of backward-euler", "" },
                                   .order = 1,
                                   .stages = 1,
                                   .stage = { { .time = 1, .y = BALLISTIC, .hv = { [VV_HVN] = 1, [VV_H2AN] = 1 } } } };
static const vv_scheme backward = {
    .info = { "the adjoint of forward-euler", "" },
    .order = 1,
    .stages = 1,
    .stage = { { .time = 1, .y = BALLISTIC, .samples = 1, .sample = { { 1, 1, { 0 } } }, .hv = DIFFERENCE } }
};

/* of SDIRK2: A* = [[0, 0], [gamma, 1 - 2 gamma]], b* = (gamma, 1 - gamma). Stage 1 is q_n; here stand stage 2, and
 * the sum with b*, in which h^2 F_2 = (h V_2 - h v_n - gamma h^2 a_n) / (1 - 2 gamma) */
#define E (1 - 2 * G)
static const vv_scheme sdirk2_adjoint = {
    .info = { "the adjoint of sdirk2", "" },
    .order = 2,
    .stages = 2,
    .stage = { { .time = 1 - G,
                 .y = { [VV_QN] = 1, [VV_HVN] = 1 - G, [VV_H2AN] = G * E },
                 .samples = 1,
                 .sample = { { E * E, 1, { 0 } } },
                 .hv = { [VV_Q] = 1 / E, [VV_QN] = -1 / E, [VV_HVN] = -G / E } },
               { .time = 1,
                 .y = { [VV_QN] = 1, [VV_HVN] = G, [VV_HV1] = 1 - G },
                 .hv = { [VV_HVN] = 1 - (1 - G) / E, [VV_H2AN] = G - (1 - G) * G / E, [VV_HV1] = (1 - G) / E } } }
};

/* of TR-BDF2 and Bathe, which in their own tableau have b = (W, W, C): two implicit stages that share V_2 + V_3, so
 * that one minimisation over q = q_n + h C v_n + h W (V_2 + V_3) finds both. Stage 2 is at D q + (1 - D) (q_n + h C
 * v_n). */
#define W(g) (1 / (2 * (2 - (g))))
#define D(g) ((1 - (g)) * (1 - (g)))
/* clang-format off */
#define TR_BDF_ADJOINT(g) \
    { .time = 1, .y = { [VV_QN] = 1, [VV_HVN] = 1, [VV_H2AN] = 2 * C(g) * W(g) }, .samples = 2, \
      .sample = { { W(g) * W(g) * (1 + D(g)) / D(g), D(g), { [VV_QN] = 1 - D(g), [VV_HVN] = (1 - D(g)) * C(g) } }, \
                  { W(g) * W(g) * (1 + D(g)), 1, { 0 } } }, \
      .hv = { [VV_Q] = 1 / (W(g) * (1 + D(g))), [VV_QN] = -1 / (W(g) * (1 + D(g))), \
              [VV_HVN] = 1 - (C(g) / W(g) + 2) / (1 + D(g)), [VV_H2AN] = C(g) - 2 * C(g) / (1 + D(g)) } }
/* clang-format on */
static const vv_scheme tr_bdf2_adjoint = {
    .info = { "the adjoint of tr-bdf2", "" }, .order = 2, .stages = 1, .stage = { TR_BDF_ADJOINT(TRG) }
};
static const vv_scheme bathe_adjoint = {
    .info = { "the adjoint of bathe", "" }, .order = 2, .stages = 1, .stage = { TR_BDF_ADJOINT(0.5) }
};

static const char not_runge_kutta[] = "it is no Runge-Kutta method, and its adjoint would not make the pair symplectic";

/* ---- rows with parameters ---- */

static void theta_adjoint_row(vv_scheme *row, const double *values);
static const vv_scheme theta_adjoint = {
    .info = { "the adjoint of theta", "" }, .order = 1, .stages = 1, .parametrise = theta_adjoint_row
};

/* theta, outer: forces mixed; inner: force at the mixed position */
static void theta_row(vv_scheme *row, const double *values)
{
    double t = values[0];
    bool inner = values[1] != 0;
    vv_stage s = { .time = 1, .samples = 1, .impulse = 1 };
    s.y[VV_QN] = s.y[VV_HVN] = 1;
    s.hv[VV_Q] = 1 / t, s.hv[VV_QN] = -1 / t, s.hv[VV_HVN] = -(1 - t) / t;
    s.d = t, s.hu[VV_Q] = 1, s.hu[VV_QN] = -1;
    if (inner) {
        s.sample[0].w = 1, s.sample[0].beta = t, s.sample[0].z[VV_QN] = 1 - t;
    } else {
        s.y[VV_H2AN] = t * (1 - t);
        s.sample[0].w = t * t, s.sample[0].beta = 1;
    }
    row->stage[0] = s;
    row->feasible_end = !inner || t == 1;
    row->order = t == 0.5 ? 2 : 1;
    row->symplectic = row->symmetric = t == 0.5;
    row->l_stable = t == 1;
    row->adjoint = t == 0.5 ? NULL : t == 1 ? &forward : &theta_adjoint;
}

static void theta_adjoint_row(vv_scheme *row, const double *values)
{
    theta_row(row, (double[]){ 1 - values[0], values[1] });
    row->stage[0].d = row->stage[0].impulse = 0;
    row->a_stable = false;
    row->adjoint = NULL;
}

/* Newmark: q = q_n + h v_n + h^2 ((1/2 - beta) a_n + beta a), v = v_n + h ((1 - gamma) a_n + gamma a), where h^2 a =
 * (q - y) / beta. Damping acts at (q - q_n) / h: v_n may alternate from step to step, and friction with it. beta = 0:
 * explicit, and damping at the end acts at v_n + h a_n, as in Verlet's method */
enum { NEWMARK_BETA, NEWMARK_GAMMA };
static const double LEAST_BETA = 1e-3; /* of the implicit form: beneath it q - y is rounding */

static void newmark_row(vv_scheme *row, const double *values)
{
    const double b = values[NEWMARK_BETA], g = values[NEWMARK_GAMMA];
    vv_stage s = { .time = 1,
                   .y = { [VV_QN] = 1, [VV_HVN] = 1, [VV_H2AN] = 0.5 - b },
                   .impulse = b > 0 ? 1 : g,
                   .hv = { [VV_HVN] = 1, [VV_H2AN] = 1 - g } };
    if (b > 0) {
        s.samples = 1;
        s.sample[0].w = b, s.sample[0].beta = 1;
        s.hv[VV_Q] = g / b;
        s.hv[VV_QN] = -g / b;
        s.hv[VV_HVN] -= g / b;
        s.hv[VV_H2AN] -= g / b * (0.5 - b);
        s.d = b / g, s.hu[VV_Q] = 1, s.hu[VV_QN] = -1;
    } else {
        s.hv[VV_H2A] = g;
        s.hu[VV_HVN] = s.hu[VV_H2AN] = 1;
    }
    row->stage[0] = s;
    row->dissipative_an = b == 0;
    row->impulse_an = b > 0 ? 0 : 1 - g;
    row->feasible_end = b > 0;
    row->order = g == 0.5 ? 2 : 1;
    row->symplectic = row->symmetric = g == 0.5;
    row->no_adjoint = row->symmetric ? NULL : not_runge_kutta;
    row->a_stable = 2 * b >= g;
}

static vvStatus check_newmark(const double *values, vvError *error)
{
    if (values[NEWMARK_BETA] == 0 || values[NEWMARK_BETA] >= LEAST_BETA)
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT,
                   "integrator.newmark_beta is %g; it must be 0 (explicit), or at least %g: between them "
                   "accelerations would be rounding errors",
                   values[NEWMARK_BETA], LEAST_BETA);
}

static void ballistic_row(vv_scheme *row, const double *values) { row->ballistic = values[0] != 0; }

/* Damping at the end's velocity 2 (q - q_n) / h - v_n, half of it in the position: Rojas, Liu, Kavan 2018, Eq. 15. */
static void avf_row(vv_scheme *row, const double *values)
{
    if (values[0] == 0)
        return;
    vv_stage *s = row->stage;
    s->d = 0.25;
    memcpy(s->hu, s->hv, sizeof s->hu);
}

static const vvInfo avf_dampings[] = {
    { "mean", "at the mean velocity of the step, which removes energy for every h" },
    { "end", "at the velocity of its end, as in the paper" },
};
static const vvParam avf_params[] = {
    { "avf_damping", "\"avf-...\": where damping acts", "", 1, true, { 0 }, 0, 1, 2, avf_dampings },
};
static const vvParam theta_params[] = {
    { "theta", "\"theta\": weight of the step's end", "", 1, false, { 0.5 }, 0.5, 1 },
    { "theta_inner", "\"theta\": force at the mixed position instead of mixed forces", "", 1, true, { 0 }, 0, 1 },
};
static const vvParam bdf2_params[] = {
    { "ballistic",
      "\"bdf2\": starts from the history q0 - h v0 instead of one backward Euler step",
      "",
      1,
      true,
      { 0 },
      0,
      1 },
};
static const vvParam newmark_params[] = {
    { "newmark_beta",
      "\"newmark\": weight of the end's acceleration in the positions; 0: explicit",
      "",
      1,
      false,
      { 0.25 },
      0,
      1 },
    { "newmark_gamma", "\"newmark\": the same in the velocities; above 0.5 damps", "", 1, false, { 0.5 }, 0.5, 1 },
};

/* ---- the table ---- */

static const vv_scheme table[] = {
    { { "forward-euler", "explicit Euler: for comparison, gains energy" },
      .order = 1,
      .dissipative_an = true,
      .impulse_an = 1,
      .adjoint = &backward,
      .stages = 1,
      .stage = { { .time = 1, .y = BALLISTIC, .hv = { [VV_HVN] = 1, [VV_H2AN] = 1 } } } },
    { { "symplectic-euler", "explicit, velocity first: stable below its step limit" },
      .order = 1,
      .symplectic = true,
      .dissipative_an = true,
      .impulse_an = 1,
      .no_adjoint = not_runge_kutta,
      .stages = 1,
      .stage = { { .time = 1, .y = { [VV_QN] = 1, [VV_HVN] = 1, [VV_H2AN] = 1 }, .hv = DIFFERENCE } } },
    /* damping at the step's end acts at the velocity that a_n predicts, which keeps second order */
    { { "verlet", "velocity Verlet, explicit: stable below its step limit" },
      .order = 2,
      .symplectic = true,
      .dissipative_an = true,
      .impulse_an = 0.5,
      .symmetric = true,
      .stages = 1,
      .stage = { { .time = 1,
                   .y = { [VV_QN] = 1, [VV_HVN] = 1, [VV_H2AN] = 0.5 },
                   .hv = { [VV_HVN] = 1, [VV_H2AN] = 0.5, [VV_H2A] = 0.5 },
                   .hu = { [VV_HVN] = 1, [VV_H2AN] = 1 },
                   .impulse = 0.5 } } },
    { { "backward-euler",
        "implicit Euler: always stable, damps the motion strongly; base of the policies a1 and search" },
      .order = 1,
      .a_stable = true,
      .l_stable = true,
      .feasible_end = true,
      .adjoint = &forward,
      .stages = 1,
      .stage = { { .time = 1,
                   .y = BALLISTIC,
                   .samples = 1,
                   .sample = { { 1, 1, { 0 } } },
                   .hv = DIFFERENCE,
                   .d = 1,
                   .hu = DIFFERENCE,
                   .impulse = 1 } } },
    { { "bdf2", "two-step backward differentiation: second order, damps less than backward Euler" },
      .order = 2,
      .params = { 1, bdf2_params },
      .parametrise = ballistic_row,
      .a_stable = true,
      .l_stable = true,
      .two_step = true,
      .feasible_end = true,
      .stages = 1,
      .no_adjoint = "it is a two-step method: the steps of its adjoint, forward differentiation, triple every error",
      .stage = { { .time = 1,
                   .y = { [VV_QN] = 4.0 / 3, [VV_QP] = -1.0 / 3, [VV_HVN] = 8.0 / 9, [VV_HVP] = -2.0 / 9 },
                   .samples = 1,
                   .sample = { { 4.0 / 9, 1, { 0 } } },
                   .hv = { [VV_Q] = 1.5, [VV_QN] = -2, [VV_QP] = 0.5 },
                   .d = 8.0 / 27,
                   .hu = { [VV_Q] = 1.5, [VV_QN] = -2, [VV_QP] = 0.5 },
                   .impulse = 1 } } },
    { { "implicit-midpoint", "symplectic, keeps momenta; fails on stiff motion at large steps" },
      .order = 2,
      .a_stable = true,
      .symplectic = true,
      .symmetric = true,
      .stages = 1,
      .stage = { { .time = 1,
                   .y = BALLISTIC,
                   .samples = 1,
                   .sample = { MEAN_FORCE(1.0, 0.5) },
                   .hv = MEAN_FORCE_VELOCITY,
                   .d = 0.5,
                   .hu = DIFFERENCE,
                   .impulse = 1 } } },
    { { "trapezoidal", "Newmark beta 1/4, gamma 1/2 (Crank-Nicolson)" },
      .order = 2,
      .a_stable = true,
      .symplectic = true,
      .symmetric = true,
      .feasible_end = true,
      .stages = 1,
      .stage = { { .time = 1,
                   .y = { [VV_QN] = 1, [VV_HVN] = 1, [VV_H2AN] = 0.25 },
                   .samples = 1,
                   .sample = { { 0.25, 1, { 0 } } },
                   .hv = MEAN_FORCE_VELOCITY,
                   .d = 0.5,
                   .hu = DIFFERENCE,
                   .impulse = 1 } } },
    { { "theta", "theta method, 0.5 <= theta <= 1, outer or inner" },
      .order = 2,
      .a_stable = true,
      .symplectic = true,
      .symmetric = true,
      .stages = 1,
      .params = { 2, theta_params },
      .parametrise = theta_row },
    { { "newmark", "Newmark's method with its beta and gamma" },
      .order = 2,
      .a_stable = true,
      .symplectic = true,
      .symmetric = true,
      .feasible_end = true,
      .stages = 1,
      .params = { 2, newmark_params },
      .parametrise = newmark_row,
      .check = check_newmark },
    { { "sdirk2", "two-stage singly diagonal Runge-Kutta (Alexander 1977)" },
      .order = 2,
      .a_stable = true,
      .l_stable = true,
      .feasible_end = true,
      .adjoint = &sdirk2_adjoint,
      .stages = 2,
      .stage = { { .time = G,
                   .y = { [VV_QN] = 1, [VV_HVN] = G },
                   .samples = 1,
                   .sample = { { G * G, 1, { 0 } } },
                   .hv = { [VV_Q] = 1 / G, [VV_QN] = -1 / G },
                   .d = G * G * G,
                   .hu = { [VV_Q] = 1 / G, [VV_QN] = -1 / G },
                   .impulse = 1 - G },
                 { .time = 1,
                   .y = { [VV_QN] = 1, [VV_HV1] = 2 * (1 - G), [VV_HVN] = G - (1 - G) },
                   .samples = 1,
                   .sample = { { G * G, 1, { 0 } } },
                   .hv = { [VV_Q] = 1 / G, [VV_QN] = -1 / G, [VV_HV1] = -(1 - G) / G },
                   .d = G * G * G,
                   .hu = { [VV_Q] = 1 / G, [VV_QN] = -1 / G, [VV_HV1] = -(1 - G) / G },
                   .impulse = G } } },
    /* symplectic partitioned Runge-Kutta: positions by SDIRK2's A, velocities by [[1 - 2 gamma, 0], [1 - gamma, 0]].
     * These are ahead of the positions: damping acts at v_n + gamma h F_1 and at v_n + h F_1, the velocities of their
     * times */
    { { "sdirk2-coupled", "sdirk2 and its adjoint as one symplectic method: stable below its step limit" },
      .order = 2,
      .symplectic = true,
      .dissipative_an = true,
      .no_adjoint = not_runge_kutta,
      .stages = 2,
      .stage = { { .time = G,
                   .y = { [VV_QN] = 1, [VV_HVN] = G },
                   .samples = 1,
                   .sample = { { G * E, 1, { 0 } } },
                   .hv = { [VV_Q] = 1 / G, [VV_QN] = -1 / G },
                   .d = G * E * E,
                   .hu = { [VV_Q] = 1 / E, [VV_QN] = -1 / E, [VV_HVN] = 1 - G / E },
                   .impulse = 1 - G },
                 { .time = 1,
                   .y = { [VV_QN] = 1, [VV_HVN] = G - G * (1 - G) / E, [VV_HV1] = 1 - G + G * (1 - G) / E },
                   .hv = { [VV_HVN] = 1 - (1 - G) / E, [VV_HV1] = (1 - G) / E, [VV_H2A] = G },
                   .hu = { [VV_HVN] = 1 - 1 / E, [VV_HV1] = 1 / E },
                   .impulse = G } } },
    { { "tr-bdf2", "trapezoidal then BDF2 in one step, gamma = 2 - sqrt 2" },
      .order = 2,
      .a_stable = true,
      .l_stable = true,
      .feasible_end = true,
      .adjoint = &tr_bdf2_adjoint,
      .stages = 2,
      .stage = { STAGE_TR(TRG), STAGE_BDF(TRG) } },
    { { "bathe", "trapezoidal then BDF2 over two half steps (Bathe & Baig 2005)" },
      .order = 2,
      .a_stable = true,
      .l_stable = true,
      .feasible_end = true,
      .adjoint = &bathe_adjoint,
      .stages = 2,
      .stage = { STAGE_TR(0.5), STAGE_BDF(0.5) } },
    { { "avf-simpson", "average vector field, Simpson's rule: keeps the energy of StVK and squared springs" },
      .order = 2,
      .a_stable = true,
      .symplectic = true,
      .symmetric = true,
      .feasible_end = true,
      .stages = 1,
      .params = { 1, avf_params },
      .parametrise = avf_row,
      .stage = { { .time = 1,
                   .y = { [VV_QN] = 1, [VV_HVN] = 1, [VV_H2AN] = 1.0 / 12 },
                   .samples = 2,
                   .sample = { MEAN_FORCE(4.0 / 6, 0.5), MEAN_FORCE(1.0 / 6, 1.0) },
                   .hv = MEAN_FORCE_VELOCITY,
                   .d = 0.5,
                   .hu = DIFFERENCE,
                   .impulse = 1 } } },
    { { "avf-gauss-2", "average vector field, two-point Gauss rule: the same without the step's ends" },
      .order = 2,
      .a_stable = true,
      .symplectic = true,
      .symmetric = true,
      .stages = 1,
      .params = { 1, avf_params },
      .parametrise = avf_row,
      .stage = { { .time = 1,
                   .y = BALLISTIC,
                   .samples = 2,
                   .sample = { MEAN_FORCE(0.5, 0.21132486540518711775), MEAN_FORCE(0.5, 0.78867513459481288225) },
                   .hv = MEAN_FORCE_VELOCITY,
                   .d = 0.5,
                   .hu = DIFFERENCE,
                   .impulse = 1 } } },
    { { "avf-gauss-3", "average vector field, three-point Gauss rule: exact to degree 5" },
      .order = 2,
      .a_stable = true,
      .symplectic = true,
      .symmetric = true,
      .stages = 1,
      .params = { 1, avf_params },
      .parametrise = avf_row,
      .stage = { { .time = 1,
                   .y = BALLISTIC,
                   .samples = 3,
                   .sample = { MEAN_FORCE(5.0 / 18, 0.11270166537925831148), MEAN_FORCE(4.0 / 9, 0.5),
                               MEAN_FORCE(5.0 / 18, 0.88729833462074168852) },
                   .hv = MEAN_FORCE_VELOCITY,
                   .d = 0.5,
                   .hu = DIFFERENCE,
                   .impulse = 1 } } },
    { { "discrete-gradient", "Gonzalez' midpoint discrete gradient: keeps the energy, may not converge" },
      .order = 2,
      .a_stable = true,
      .symplectic = true,
      .symmetric = true,
      .method = &vv_discrete_gradient,
      .stages = 1,
      .stage = { { .time = 1,
                   .y = BALLISTIC,
                   .samples = 1,
                   .sample = { MEAN_FORCE(1.0, 0.5) },
                   .hv = MEAN_FORCE_VELOCITY,
                   .d = 0.5,
                   .hu = DIFFERENCE,
                   .impulse = 1 } } },
#if defined(VV_MORE_SCHEMES) /* a file of more rows, for a program that compiles this file itself, as a test does */
#include VV_MORE_SCHEMES
#endif
};
enum { COUNT = sizeof table / sizeof table[0] };

const vv_scheme *vv_scheme_table(int index) { return index >= 0 && index < COUNT ? &table[index] : NULL; }

const vvInfo *vv_scheme_info(int index) { return index >= 0 && index < COUNT ? &table[index].info : NULL; }

const vvInfo *vvSchemeInfo(int index) { return vv_scheme_info(index); }

const vv_scheme *vv_scheme_find(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(table[i].info.name, name) == 0)
            return &table[i];
    return NULL;
}

vv_scheme vv_scheme_made(const char *name, const vvSetting *settings, int count)
{
    vv_scheme row = *vv_scheme_find(name);
    double values[VV_MOST_VALUES];
    if (row.parametrise) {
        vv_params_values(&row.params, settings, count, values);
        row.parametrise(&row, values);
    }
    return row;
}

bool vv_scheme_adjoint(const vv_scheme *row, const vvSetting *settings, int count, vv_scheme *adjoint)
{
    double values[VV_MOST_VALUES];
    if (!row->adjoint)
        return false;
    *adjoint = *row->adjoint;
    vv_params_values(&row->params, settings, count, values);
    if (adjoint->parametrise)
        adjoint->parametrise(adjoint, values);
    return true;
}

vvStatus vv_scheme_check_settings(const vv_scheme *row, const vvSetting *settings, int count, vvError *error)
{
    double values[VV_MOST_VALUES];
    vv_params_values(&row->params, settings, count, values);
    return row->check ? row->check(values, error) : VV_OK;
}

const vvParam *vvSchemeParams(int index, int *count)
{
    const vv_scheme *row = vv_scheme_table(index);
    if (count)
        *count = row ? row->params.count : 0;
    return row ? row->params.list : NULL;
}

bool vv_stage_explicit(const vv_stage *stage) { return stage->samples == 0 && stage->d == 0; }

bool vv_scheme_end_forces(const vv_scheme *row)
{
    const vv_stage *s = row->stage;
    bool at_end = !row->method && row->stages == 1 && s->samples == 1 && s->sample[0].beta == 1 && s->y[VV_H2AN] == 0 &&
                  s->hv[VV_H2AN] == 0;
    for (int t = 0; t < VV_TERMS; t++)
        at_end = at_end && s->sample[0].z[t] == 0;
    return at_end;
}

bool vvSchemeEndForces(const char *name)
{
    if (!name || !vv_scheme_find(name))
        return false;
    const vv_scheme row = vv_scheme_made(name, NULL, 0);
    return vv_scheme_end_forces(&row);
}

static bool same(const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i] != b[i]) /* not memcmp: -0 is 0 */
            return false;
    return true;
}

static bool same_stage(const vv_stage *a, const vv_stage *b)
{
    bool is = a->time == b->time && a->samples == b->samples && a->d == b->d && a->impulse == b->impulse &&
              same(a->y, b->y, VV_TERMS) && same(a->hv, b->hv, VV_TERMS) && same(a->hu, b->hu, VV_TERMS);
    for (int i = 0; is && i < a->samples; i++)
        is = a->sample[i].w == b->sample[i].w && a->sample[i].beta == b->sample[i].beta &&
             same(a->sample[i].z, b->sample[i].z, VV_TERMS);
    return is;
}

bool vv_scheme_same(const vv_scheme *a, const vv_scheme *b)
{
    bool is = a->stages == b->stages && a->method == b->method && a->ballistic == b->ballistic &&
              a->impulse_an == b->impulse_an;
    for (int i = 0; is && i < a->stages; i++)
        is = same_stage(a->stage + i, b->stage + i);
    return is;
}
