/* Accounts by body: how the ledger's target divides among bodies, so that energy a body lost comes back to it and to
 * no other.
 *
 * With H_b = K_b + E_b (a contact's energy halved between the two that touch; q_n before contact springs were made
 * anew), T_b = H_b(q_n) + owed_b + gain_b, where gain_b is the body's part of work - losses - decay of the step, and
 * owed_b = T_b - H_b after the last step. The sum of T_b is the ledger's T as far as bodies are still there. Bodies
 * in touch exchange energy, so only the sum over those in touch has a meaning (theory §3.6). */
#ifndef VV_STEP_LEDGER_SHARES_H
#define VV_STEP_LEDGER_SHARES_H

#include "step/inside.h"

/* rest[b] = E_b(q) - T_b: what the body's kinetic energy has to make up for. owed: per body, J. lively: per body, J,
 * by which decay is divided: it takes from what moves. Overwrites what energies cache of a position. Scratch memory:
 * VV_SHARES_SCRATCH numbers per body, from `scratch`. */
void vv_shares_open(vv_stepper *s, const vv_trial *t, const vv_booking *booking, const double *owed,
                    const double *lively, double *scratch, double *rest);
/* owed[b] at the first step of a policy: what is open at its start (a start fraction, another policy's remainder),
 * divided by kinetic and elastic energy. */
void vv_shares_start(vv_stepper *s, double *scratch, double *owed);
/* owed[b]: what remains open in the body's group, divided among its bodies: what is new in a step by the kinetic
 * energy that the scheme itself took, what is paid back by what was owed. rest as above; group[b] < 0: kinematic;
 * owed is updated. */
void vv_shares_close(const vv_stepper *s, const int *group, const double *open, const double *taken, double *scratch,
                     double *owed);
enum { VV_SHARES_SCRATCH = 3 };

#endif
