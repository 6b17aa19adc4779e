/* The tables of settings (world/settings/members.h), in the order of the page of scene keys. */
#include "base/text/member_rows.h"
#include "contact/springs/constraint.h"
#include "contact/models.h"
#include "contact/springs/repulsion.h"
#include "mesh/tet10.h"
#include "world/settings/members.h"
#include "world/world.h"

#include <stddef.h>

static const vvInfo *hessian_info(int i)
{
    static const vvInfo rows[] = {
        { "projected", "semidefinite element by element" },
        { "shifted", "exact, with a multiple of the identity where needed" },
    };
    return i >= 0 && i < 2 ? rows + i : NULL;
}

/* ---- the world ---- */

#define AT(member) .at = offsetof(vvWorldDef, member)
static const vv_member world_rows[] = {
    { POSITIVE("time.step", "s", "1/120 with contact, 1/30 without", 1e6, "time step h"), AT(timeStep),
      .number = 1.0 / 120, .idle = true },
    { NUMBER("time.begin", "s", "0", -1e9, 1e9, "the time at the start, to which scripted motion has already advanced"),
      AT(startTime), .idle = true },
    { { ROW("gravity", "3 numbers", "m/s2", "[0, -9.8, 0]", "acceleration of gravity"), .kind = VV_KEY_VECTOR,
        .min = -1e6, .max = 1e6 },
      AT(gravity),
      .ground = true },
    { INTEGER("seed", "0", 0, 9e15, "seed of random initial states"), AT(seed), .wide = true, .idle = true },
};
#undef AT

/* ---- the integrator ---- */

#define AT(member) .at = offsetof(vvIntegratorDef, member)
static const vv_member integrator_rows[] = {
    { NAME("integrator.scheme", "backward-euler", vvSchemeInfo, "time integration scheme"), AT(scheme) },
    { NAME("integrator.policy", "none", vvPolicyInfo, "energy policy: the correction of a step's energy"), AT(policy) },
    { { ROW("integrator.PARAMETER", "number", "", "", "of the scheme or policy"), .kind = VV_KEY_SETTING },
      AT(settings),
      .ops = &vv_parameters_ops },
    { { ROW("integrator.decay_time", "null, number or list", "s", "null",
            "e-folding time of the target energy; null: it does not decay; a list [[time, value], ...] changes it in "
            "time"),
        .kind = VV_KEY_DECAY, .min = 0, .max = 1e12, .above = true },
      AT(decayKeys),
      .ops = &vv_decay_ops },
    { NUMBER("integrator.start_fraction", "", "1", 0, 10,
             "first target: this fraction of the energy above the ground level"),
      AT(startFraction) },
    { { ROW("integrator.ground_energy", "\"auto\", \"none\" or number", "J", "auto",
            "energy of the static equilibrium: solved for if a decay or start fraction needs it, absent, or given"),
        .kind = VV_KEY_GROUND, .min = -1e15, .max = 1e15 },
      AT(groundMode),
      .ops = &vv_ground_ops },
    { NUMBER("integrator.blow_up", "", "1e6", 0, 1e300,
             "a step fails once the numerical error is more than this times the energy present; 0: never"),
      AT(blowUp) },
};
#undef AT

/* ---- the solver ---- */

#define AT(member) .at = offsetof(vvSolverDef, member)
#define CHOSEN(member) .chosen = true, .given = offsetof(vv_given_lengths, member)
static const vv_member solver_rows[] = {
    { NAME("solver.method", "newton", vvSolverInfo, "solver"), AT(method) },
    { LENGTH("solver.tolerance", "m/s", "0.01; at least 0.1%, at most 30% of the smallest body, a second", 0, 1e6,
             "stop when no node's Newton step / h is faster than this; \"1%\": of the scene's length a second; 0: the "
             "default"),
      AT(tolerance), .relative = offsetof(vvSolverDef, relativeTolerance), CHOSEN(tolerance) },
    { NUMBER("solver.gradient_tolerance", "kg m", "0", 0, 1e300,
             "also required: the gradient's norm is below this; 0: not used"),
      AT(gradientTolerance) },
    { NUMBER("solver.force_tolerance", "N", "0", 0, 1e300,
             "of newton, the optimizers and plain-newton: end only where the norm of the residual forces is below "
             "this; 0: where steps are short"),
      AT(forceTolerance) },
    { NUMBER("solver.contact_tolerance", "", "0.01", 0, 1,
             "while something touches, up to 3 more iterations, until forces are balanced to this fraction of "
             "contact's; 0: not used"),
      AT(contactTolerance) },
    { NUMBER("solver.velocity_tolerance", "m/s", "1e-5", 0, 1e6,
             "policies a1 and search: up to 6 more iterations, until the imbalance of forces changes no node's "
             "velocity by more; 0: not used"),
      AT(velocityTolerance) },
    { INTEGER("solver.max_iterations", "200", 1, 1000000,
              "most Newton iterations of a stage, and five times as many for prescribed nodes to reach their places"),
      AT(maxIterations) },
    { INTEGER("solver.budget", "0", 0, 1000000,
              "iterations of a stage's solve, after which it ends without a failure; 0: the solver's own: 10 for "
              "real-time solvers, 1 for linearised, no limit for newton"),
      AT(budget) },
    { NUMBER("solver.budget_ms", "ms", "0", 0, 1e9,
             "for solvers with a budget of iterations: no iteration begins that would end later than this after the "
             "step's start, except the first of a solve; results then depend on the clock; 0: no limit"),
      AT(budgetMs) },
    { NUMBER(
          "solver.sleep_after", "s", "0", 0, 1e9,
          "bodies that have been slow for so long sleep, and cost nothing, until something stirs them; 0: none does"),
      AT(sleepAfter), .idle = true },
    { NUMBER("solver.sleep_speed", "1/s", "0.01", 0, 1,
             "slow is what moves by less than this fraction of its length a second"),
      AT(sleepSpeed), .idle = true },
    { NAME("solver.fallback", "none", vvSolverFallbackInfo, "solver for a stage that ends short of its tolerance"),
      AT(fallback), .optional = true },
    { NAME("solver.acceleration", "none", vvAccelerationInfo, "of local-global: acceleration of its iterations"),
      AT(acceleration), .optional = true },
    { NAME("solver.linear", "auto", vvLinearSolverInfo, "linear solver"), AT(linear) },
    { POSITIVE("solver.linear_tolerance", "", "1e-3", 0.9, "PCG: relative residual"), AT(linearTolerance) },
    { NAME("solver.hessian", "projected", hessian_info,
           "projected: semidefinite element by element; shifted: exact, with a multiple of the identity where needed"),
      AT(hessian) },
    { NAME("solver.line_search", "backtracking", vvLineSearchInfo, "line search"), AT(lineSearch) },
#if defined(VV_MORE_SOLVER_MEMBERS) /* of a test that adds some */
    VV_MORE_SOLVER_MEMBERS
#endif
};
#undef AT

/* ---- contact ---- */

#define AT(member) .at = offsetof(vvContactDef, member)
static const vv_member contact_rows[] = {
    { NAME("contact.model", "barrier", vvContactModelInfo,
           "contact forces between bodies and against obstacles: visviva list contact names the models"),
      AT(model), .ground = true },
    { LENGTH("contact.distance", "m", "1e-3; at least 0.1%, at most 1% of the smaller of two bodies", 0, 1e6,
             "activation distance: contact acts below it; \"0.1%\": of the scene's length; 0: the default"),
      AT(distance), .relative = offsetof(vvContactDef, relativeDistance), CHOSEN(distance), .ground = true },
    { { ROW("contact.stiffness", "number or \"auto\"", "Pa", "auto",
            "stiffness of the barrier; \"auto\": by the weight of bodies and the areas of their vertices, at least "
            "1e5"),
        .kind = VV_KEY_NUMBER, .min = 0, .max = 1e15, .above = true, .word = "auto" },
      AT(stiffness),
      CHOSEN(stiffness),
      .ground = true },
    { BOOLEAN("contact.adapt_stiffness", "false",
              "doubles the stiffness after two steps whose smallest gap is below 5% of contact.distance, up to 7 "
              "times; booked as work"),
      AT(adaptStiffness), .idle = true },
    { NUMBER("contact.friction", "", "0", 0, VV_MOST_FRICTION,
             "Coulomb coefficient where neither body nor obstacle has its own"),
      AT(friction), .stale = VV_STALE_FRICTION },
    { LENGTH("contact.friction_speed", "m/s", "0.1% of the body, or of the smaller of two, a second", 0, 1e6,
             "below this sliding speed friction is smoothed; \"0.1%\": of the scene's length a second, for all; 0: "
             "the default"),
      AT(frictionSpeed), .relative = offsetof(vvContactDef, relativeFrictionSpeed), CHOSEN(friction_speed),
      .stale = VV_STALE_FRICTION },
    { BOOLEAN("contact.stick", "true",
              "friction remembers how far sticking contacts have yielded, so that held bodies stay; false: they creep, "
              "at less than friction_speed, as in IPC"),
      AT(stick), .stale = VV_STALE_FRICTION },
    { { ROW("contact.friction_iterations", "whole number or \"converged\"", "", "0",
            "solves per step, each with the normal forces of the one before; \"converged\": "
            "until friction's forces converge; 0: one, two where contact acts elsewhere than at the end of the step, "
            "and until convergence in a body's first step"),
        .kind = VV_KEY_INTEGER, .min = 0, .max = 1000, .word = "converged", .word_value = VV_FRICTION_CONVERGED },
      AT(frictionIterations),
      .stale = VV_STALE_STEPPER },
    { POSITIVE("contact.friction_tolerance", "", "0.01", 1,
               "converged: new normal forces change friction by at most this fraction"),
      AT(frictionTolerance), .stale = VV_STALE_STEPPER },
    { NAME("contact.friction_when", "auto", vv_friction_when,
           "when friction of springs, penalties and constraints acts: auto is within solves that iterate until they "
           "converge"),
      AT(frictionWhen), .optional = true, .stale = VV_STALE_FRICTION },
    { BOOLEAN("contact.self", "true", "bodies collide with themselves, unless their self_contact is false"), AT(self),
      .ground = true },
    { BOOLEAN("contact.inner_nodes", "true",
              "obstacles keep out nodes within solids, too: under constraint and penalty, and under barrier where the "
              "material may invert"),
      AT(innerNodes), .ground = true },
    { BOOLEAN("contact.convergent", "false", "between surfaces: refining a mesh does not change a contact's energy"),
      AT(convergent), .ground = true },
    { BOOLEAN("contact.check_intersections", "false",
              "an exact test of all surfaces after each step; a step fails if they intersect"),
      AT(checkIntersections), .idle = true, .unsaved = true },
    { OBJECT("contact.springs", "defaults",
             "contact model springs: the springs of vertices that are inside obstacles") },
    { NAME("contact.springs.form", "one-sided", vv_repulsion_form_info,
           "energy of a spring, a function of its vertex's distance from the surface"),
      AT(springs.form), .optional = true, .ground = true },
    { NUMBER("contact.springs.stiffness", "N/m3", "1e7", 0, 1e18,
             "k, times a vertex's area; N/m with per_vertex; of the form cubic N/m4, N/m2 with per_vertex"),
      AT(springs.stiffness), .ground = true },
    { BOOLEAN("contact.springs.per_vertex", "false",
              "k is per vertex, as in the papers: contact then depends on the mesh"),
      AT(springs.perVertex), .ground = true },
    { OBJECT("contact.penalty", "defaults", "the stiffnesses of the models penalty and, between bodies, constraint") },
    { POSITIVE("contact.penalty.stiffness", "N/m4", "1e9", 1e18,
               "k of k d^3 for each m2 of surface that is d deep in an obstacle: its pressure is 3 k d^2; with "
               "per_vertex in N/m2, for each vertex"),
      AT(penalty.stiffness), .ground = true },
    { { ROW("contact.penalty.between", "number", "N/m4", "contact.penalty.stiffness",
            "the same between bodies, and of a body with itself; 0: the default"),
        .kind = VV_KEY_NUMBER, .min = 0, .max = 1e18 },
      AT(penalty.between),
      .ground = true },
    { BOOLEAN("contact.penalty.per_vertex", "false",
              "k is per vertex, as in the paper: contact then depends on the mesh"),
      AT(penalty.perVertex), .ground = true },
    { OBJECT("contact.constraint", "defaults", "of the model constraint") },
    { NAME("contact.constraint.when", "solve", vv_constraint_when, "when obstacles act; after is for comparison"),
      AT(constraint.when), .optional = true, .ground = true },
};
#undef AT

/* Of the whole world: whose members are lists. */
static const vv_member pair_rows[] = {
    {
        { ROW("contact.pairs", "list of objects", "", "none", "friction between two bodies or obstacles with a mesh"),
          .kind = VV_KEY_LIST },
        .ops = &vv_pairs_ops,
    },
};

/* ---- materials ---- */

static bool reads_moduli(const vvMaterialDef *m)
{
    const vv_element_kind *kind = m->model ? vv_element_kind_find(m->model) : NULL;
    return kind && kind->moduli;
}
static bool by_young(const void *def) { return reads_moduli(def) && !((const vvMaterialDef *)def)->lame; }
static bool by_lame(const void *def) { return reads_moduli(def) && ((const vvMaterialDef *)def)->lame; }
static bool by_springs(const void *def) { return !reads_moduli(def); }
static bool by_mass(const void *def) { return ((const vvMaterialDef *)def)->totalMass != 0; }
static bool by_density(const void *def) { return !by_mass(def); }

#define AT(member) .at = offsetof(vvMaterialDef, member)
static const vv_member material_rows[] = {
    { NAME("materials.NAME.model", "fixed-corotated; hooke without tets, free of points", vvMaterialInfo,
           "elastic energy"),
      AT(model), .name = "fixed-corotated" },
    { POSITIVE("materials.NAME.young", "Pa", "1e5", 1e15, "Young's modulus"), AT(young), .is_read = by_young },
    { NUMBER("materials.NAME.poisson", "", "0.3", -0.999, 0.49999,
             "Poisson's ratio, between -1 and 0.5; not for \"affine\", which has only young"),
      AT(poisson), .is_read = by_young },
    { { .kind = VV_KEY_BOOLEAN, .key = { "", "", "", "false", "" } }, AT(lame) }, /* scenes say it by giving mu */
    { POSITIVE("materials.NAME.mu", "Pa", "from young, poisson", 1e15,
               "shear modulus; with lambda, instead of young and poisson"),
      AT(mu), .is_read = by_lame },
    { NUMBER("materials.NAME.lambda", "Pa", "from young, poisson", -1e15, 1e15, "second Lame parameter"), AT(lambda),
      .is_read = by_lame },
    { BOOLEAN("materials.NAME.mean_dilatation", "false",
              "tets resist changes of volume by the mean over macro-cells of some tets, so that nearly incompressible "
              "ones do not lock; models fixed-corotated, neo-hookean, stable-neo-hookean, order 1"),
      AT(meanDilatation) },
    { NAME("materials.NAME.quadrature", "degree-2", vv_quadrature_info,
           "of order 2: the points of a tet at which its energy is taken"),
      AT(quadrature), .optional = true },
    { POSITIVE("materials.NAME.density", "kg/m3", "1000", 1e9,
               "density of tets, shells and rods; kg/m2 of triangles with springs, kg/m of edges with springs, kg of "
               "each point"),
      AT(density), .stale = VV_STALE_BOOKS, .is_read = by_density },
    { POSITIVE("materials.NAME.mass", "kg", "from density", 1e12, "total mass of the body, instead of a density"),
      AT(totalMass), .stale = VV_STALE_BOOKS, .is_read = by_mass },
    { POSITIVE("materials.NAME.stiffness", "N/m", "100", 1e15,
               "k of springs: 1/2 k (l-r)^2 (hooke); in N/m3: 1/2 k (l^2-r^2)^2 (stvk-spring); in N: Young's modulus "
               "times cross-section of rods"),
      AT(springStiffness), .is_read = by_springs },
    { NUMBER("materials.NAME.bend_stiffness", "N/m", "0", 0, 1e15,
             "k of springs across each pair of triangles that share an edge, or where the mesh itself has bend springs "
             "(weave)"),
      AT(bendStiffness), .is_read = by_springs },
    { NUMBER("materials.NAME.thickness", "m", "the body's", 0, 1e9, "thickness of a shell; diameter of a rod"),
      AT(thickness) },
    { { ROW("materials.NAME.strain_limit", "number", "", "0",
            "membranes: triangles never stretch by more than this fraction of their length, 0.05 is 5%; 0: no limit"),
        .kind = VV_KEY_NUMBER, .min = 1e-4, .max = 100, .zero = true },
      AT(strainLimit) },
    { NUMBER("materials.NAME.prestrain", "", "0", -0.9, 10,
             "membranes: the mesh as placed is stretched by this fraction of its rest lengths, 0.05 is 5%; held, it is "
             "taut"),
      AT(prestrain) },
    { BOOLEAN("materials.NAME.flat", "false",
              "bending: the rest shape is flat (a rod's: straight), whatever the shape of the mesh"),
      AT(flat) },
    { NUMBER("materials.NAME.rest_twist", "rad/m", "0", -1e9, 1e9,
             "rod: twist at rest, in addition to the mesh's; right-handed if positive"),
      AT(restTwist) },
    { OBJECT("materials.NAME.damping", "none", "damping of the bodies made of it") },
    { NUMBER("materials.NAME.damping.drag", "1/s", "0", 0, 1e9, "force -drag m v"), AT(damping.drag),
      .stale = VV_STALE_DAMPING },
    { NUMBER("materials.NAME.damping.rayleigh", "s", "0", 0, 1e9, "stiffness-proportional: force -rayleigh K v"),
      AT(damping.rayleigh), .stale = VV_STALE_RAYLEIGH },
    { NUMBER("materials.NAME.damping.momentum_rate", "1/s", "0", 0, 1e9,
             "damps velocity that is not rigid motion, so that momenta are conserved, whatever h is"),
      AT(damping.momentumRate), .stale = VV_STALE_DAMPING },
    { NUMBER("materials.NAME.damping.momentum_per_step", "", "0", 0, 1,
             "the same as a fraction per step, as papers give it; use one of the two"),
      AT(damping.momentumPerStep), .stale = VV_STALE_DAMPING },
};
#undef AT

#define TABLE(rows, stale, of)                      \
    {                                               \
        rows, sizeof rows / sizeof *rows, stale, of \
    }
const vv_members vv_world_members = TABLE(world_rows, VV_STALE_GRAVITY, "");
const vv_members vv_integrator_members = TABLE(integrator_rows, VV_STALE_STEPPER, "");
const vv_members vv_solver_members = TABLE(solver_rows, VV_STALE_STEPPER, "");
const vv_members vv_contact_members = TABLE(contact_rows, VV_STALE_CONTACT, "");
const vv_members vv_pair_members = TABLE(pair_rows, VV_STALE_FRICTION, "");
const vv_members vv_material_members = TABLE(material_rows, VV_STALE_ELASTIC, "materials.NAME.");

const vv_def_part vv_def_parts[VV_DEF_PARTS] = {
    { &vv_world_members, 0 },
    { &vv_integrator_members, offsetof(vvWorldDef, integrator) },
    { &vv_solver_members, offsetof(vvWorldDef, solver) },
    { &vv_contact_members, offsetof(vvWorldDef, contact) },
};
