/* SDIRK3 (Alexander 1977): gamma is the root of g^3 - 3 g^2 + 3/2 g - 1/6 between 1/3 and 1/2; c = (gamma, (1 +
 * gamma)/2, 1), A = [[gamma, 0, 0], [A21, gamma, 0], [B1, B2, gamma]], stiffly accurate. h^2 F_1 = (h V_1 - h v_n) /
 * gamma and h^2 F_2 = (h V_2 - h v_n - A21 h^2 F_1) / gamma have been put into y. */
#define GAMMA 0.43586652150845899942
#define A21 ((1 - GAMMA) / 2)
#define B1 (-(6 * GAMMA * GAMMA - 16 * GAMMA + 1) / 4)
#define B2 ((6 * GAMMA * GAMMA - 20 * GAMMA + 5) / 4)
/* clang-format off */
#define V_1 { [VV_Q] = 1 / GAMMA, [VV_QN] = -1 / GAMMA }
#define V_2 { [VV_Q] = 1 / GAMMA, [VV_QN] = -1 / GAMMA, [VV_HV1] = -A21 / GAMMA }
#define V_3 { [VV_Q] = 1 / GAMMA, [VV_QN] = -1 / GAMMA, [VV_HV1] = -B1 / GAMMA, [VV_HV2] = -B2 / GAMMA }
/* clang-format on */
{ { "sdirk3", "three-stage singly diagonal Runge-Kutta, third order (Alexander 1977)" },
  .order = 3,
  .a_stable = true,
  .l_stable = true,
  .feasible_end = true,
  .stages = 3,
  .stage = { { .time = GAMMA,
               .y = { [VV_QN] = 1, [VV_HVN] = GAMMA },
               .samples = 1,
               .sample = { { GAMMA * GAMMA, 1, { 0 } } },
               .hv = V_1,
               .d = GAMMA * GAMMA * GAMMA,
               .hu = V_1,
               .impulse = B1 },
             { .time = GAMMA + A21,
               .y = { [VV_QN] = 1, [VV_HVN] = GAMMA - A21, [VV_HV1] = 2 * A21 },
               .samples = 1,
               .sample = { { GAMMA * GAMMA, 1, { 0 } } },
               .hv = V_2,
               .d = GAMMA * GAMMA * GAMMA,
               .hu = V_2,
               .impulse = B2 },
             { .time = 1,
               .y = { [VV_QN] = 1,
                      [VV_HVN] = GAMMA - B1 - B2 + B2 * A21 / GAMMA,
                      [VV_HV1] = 2 * B1 - B2 * A21 / GAMMA,
                      [VV_HV2] = 2 * B2 },
               .samples = 1,
               .sample = { { GAMMA * GAMMA, 1, { 0 } } },
               .hv = V_3,
               .d = GAMMA * GAMMA * GAMMA,
               .hu = V_3,
               .impulse = GAMMA } } },
