/* Which bodies are in touch over a step (theory §3.6): those that contact or energies connect. Energy and momentum
 * pass between them and to no others, except through what does not move freely. Policies that keep an account for
 * each group share this, and the parameter "scope". */
#ifndef VV_STEP_BODIES_TOUCHING_H
#define VV_STEP_BODIES_TOUCHING_H

#include "step/inside.h"

enum { VV_SCOPE_GROUPS, VV_SCOPE_WORLD, VV_SCOPES };
extern const vvInfo vv_scope_choices[VV_SCOPES];
/* One key of scenes for all of them: any row that has it has this very parameter. */
/* clang-format off */
#define VV_SCOPE_PARAM \
    { "scope", "\"filtered-search\", \"project\": which bodies receive lost energy", "", 1, true, { VV_SCOPE_GROUPS }, \
      0, VV_SCOPE_WORLD, VV_SCOPES, vv_scope_choices }
/* clang-format on */

/* group[body]: the lowest body of those in touch at q_n or at q; -1: it has no free nodes. outside[body]: contact
 * joins something in its group to an obstacle or a kinematic body. VV_ERROR_MEMORY: see vv_contact_groups. Overwrites
 * what contact caches of a position. */
vvStatus vv_touching_find(const vv_stepper *s, const double *q, int *group, unsigned char *outside);
/* acted[body]: whether anything but gravity has acted on it in the step just booked: contact at its end, attachments,
 * joints, springs to other bodies, prescribed nodes, forces, damping, decay. What acts without being there at the end
 * is not seen. */
void vv_touching_acted_on(const vv_stepper *s, unsigned char *acted);
/* Whether contact may have acted on a body within the step just booked: by spheres around bodies, and the ledger's
 * smallest gap for obstacles. */
bool vv_touching_within_reach(const vv_stepper *s, int body);

#endif
