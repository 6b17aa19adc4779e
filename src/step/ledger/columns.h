/* The columns of the ledger, in the order of vvLedgerRow: name, member, unit, type (double d, int i, int64_t l). Rows
 * are OLD(...) or NEW(...): run files of older versions may lack those that are new. */
#ifndef VV_STEP_LEDGER_COLUMNS_H
#define VV_STEP_LEDGER_COLUMNS_H

#include "visviva/ledger.h"

/* clang-format off */
#define VV_LEDGER_COLUMNS(OLD, NEW) \
    OLD(step, step, "", 'l') \
    OLD(time, time, "s", 'd') \
    OLD(kinetic, kinetic, "J", 'd') \
    OLD(elastic, elastic, "J", 'd') \
    OLD(gravity, gravity, "J", 'd') \
    OLD(contact, contact, "J", 'd') \
    OLD(attachment, attachment, "J", 'd') \
    NEW(joint, joint, "J", 'd') \
    OLD(total, total, "J", 'd') \
    OLD(target, target, "J", 'd') \
    OLD(work, work, "J", 'd') \
    OLD(friction, friction, "J", 'd') \
    OLD(damping, damping, "J", 'd') \
    OLD(decay, decay, "J", 'd') \
    OLD(error, error, "J", 'd') \
    OLD(policy_change, policyChange, "J", 'd') \
    OLD(ground_energy, groundEnergy, "J", 'd') \
    OLD(scale, scale, "J", 'd') \
    OLD(momentum_x, momentum[0], "kg m/s", 'd') \
    OLD(momentum_y, momentum[1], "kg m/s", 'd') \
    OLD(momentum_z, momentum[2], "kg m/s", 'd') \
    OLD(angular_momentum_x, angularMomentum[0], "kg m^2/s", 'd') \
    OLD(angular_momentum_y, angularMomentum[1], "kg m^2/s", 'd') \
    OLD(angular_momentum_z, angularMomentum[2], "kg m^2/s", 'd') \
    OLD(angular_momentum_centre_x, angularMomentumCentre[0], "kg m^2/s", 'd') \
    OLD(angular_momentum_centre_y, angularMomentumCentre[1], "kg m^2/s", 'd') \
    OLD(angular_momentum_centre_z, angularMomentumCentre[2], "kg m^2/s", 'd') \
    OLD(alpha, alpha, "", 'd') \
    OLD(min_gap, minGap, "m", 'd') \
    OLD(min_J, minJ, "", 'd') \
    OLD(newton_iterations, newtonIterations, "", 'i') \
    OLD(linear_solves, linearSolves, "", 'i') \
    OLD(pcg_iterations, pcgIterations, "", 'i') \
    OLD(line_search_steps, lineSearchSteps, "", 'i') \
    NEW(visible, visible, "J", 'd') \
    NEW(visible_centre, visibleCentre, "J", 'd') \
    NEW(visible_rotation, visibleRotation, "J", 'd') \
    NEW(visible_deformation, visibleDeformation, "J", 'd') \
    NEW(astray, astray, "", 'i') \
    NEW(parts, parts, "", 'i') \
    NEW(springs, springs, "J", 'd') \
    NEW(loads, loads, "J", 'd')
/* clang-format on */

#endif
