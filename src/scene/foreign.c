/* Other programs' names for the contents of a scene: words of IPC's scripts (github.com/ipc-sim/IPC), of PolyFEM's and
 * IPC Toolkit's JSON files, and of textbooks, for messages about unknown keys. */
#include <stdio.h>
#include <string.h>

#include "base/text/text.h"
#include "scene/document.h"
#include "solve/linear/linear.h"

typedef struct row {
    const char *words; /* separated by spaces; capital letters do not matter */
    const char *ours;  /* what it is called here */
    const char *say;   /* or: what to do, a clause */
} row;

static const row rows[] = {
    { "dhat d_hat activation_distance contact_distance", "contact.distance (in m)", NULL },
    { "kappa barrier_stiffness contact_stiffness kappaMinMultiplier", "contact.stiffness (in Pa)", NULL },
    { "friction_coefficient mu_friction friction_mu selfFric", "contact.friction", NULL },
    { "epsv eps_v epsvh", "contact.friction_speed (in m/s)", NULL },
    { "fricIterAmt friction_iters", "contact.friction_iterations", NULL },
    { "selfCollisionOn self_collision", "contact.self, for one body bodies[].self_contact", NULL },
    { "collision collisions", "contact", NULL },

    { "E youngs_modulus young_modulus young's_modulus YM", "materials.NAME.young (in Pa)", NULL },
    { "nu poisson_ratio poissons_ratio PR", "materials.NAME.poisson", NULL },
    { "rho", "materials.NAME.density (in kg/m3)", NULL },
    { "la lame_lambda", "materials.NAME.lambda (in Pa)", NULL },
    { "energy elasticity constitutive_model", "materials.NAME.model", NULL },
    { "NH NeoHookean", "neo-hookean", NULL },
    { "SNH StableNeoHookean", "stable-neo-hookean", NULL },
    { "FCR FixedCorotational FixedCorotated", "fixed-corotated", NULL },
    { "CR corotational co-rotational", "corotated", NULL },
    { "SaintVenant SVK StVenantKirchhoff", "stvk", NULL },
    { "LinearElasticity linear_elastic HookeLinearElasticity", NULL,
      "the material nearest to linear elasticity is corotated" },
    { "spring mass-spring", "hooke", NULL },

    { "dt h timestep time_step delta_t", "time.step (in s)", NULL },
    { "tend t_end end_time duration total_time", "time.end (in s)", NULL },
    { "t0 t_start start_time", "time.begin (in s)", NULL },
    { "time_steps steps num_steps frames", NULL, "give time.end, in s: the number of steps times time.step" },
    { "skip_frame save_every fps", "time.record_every (in steps)", NULL },
    { "timeIntegration timeIntegrator time_integrator time_integration integration_scheme", "integrator.scheme", NULL },
    { "BE ImplicitEuler implicit-euler implicit_euler euler", "backward-euler", NULL },
    { "BDF BDF-2", "bdf2", NULL },
    { "NM ImplicitNewmark crank-nicolson CN trapezoid", "trapezoidal", NULL },
    { "midpoint", "implicit-midpoint", NULL },
    { "leapfrog velocity-verlet", "verlet", NULL },

    { "tol newton_tolerance grad_norm x_delta", "solver.tolerance (in m/s)", NULL },
    { "max_iters maxIter iterations newton_iterations", "solver.max_iterations", NULL },
    { "linear_solver", "solver.linear", NULL },

    { "geometry shapes objects models", "bodies", NULL },
    { "is_obstacle ground floor halfspace half_space collision_object", NULL,
      "immovable objects are listed under obstacles: \"obstacles\": [ { \"plane\": {} } ]" },
    { "transformation transform", "bodies[].place", NULL },
    { "translation position offset", "place.translate (in m)", NULL },
    { "rotation euler_angles", "place.rotate (in degrees)", NULL },
    { "boundary_conditions dirichlet dirichlet_boundary DBC fixed_nodes constraints pin", "bodies[].attach", NULL },
    { "volume_selection surface_selection selection", "bodies[].attach[].where", NULL },
    { "initial_conditions initVel initial_velocity", "bodies[].velocity (or bodies[].start)", NULL },
    { "force forces rhs body_force external_force neumann neumann_boundary NBC pressure traction", NULL,
      "loads are listed under bodies[].attach, with \"kind\": \"force\", \"traction\", \"pressure\" or \"push\"; a "
      "program sets other forces (vvBodyApplyForce)" },
    { "turnOffGravity no_gravity", NULL, "without gravity: \"gravity\": [0, 0, 0]" },
    { "fill", NULL, "\"fill\" is a key of bodies[].mesh: obstacles and carried surfaces are surfaces, not solids" },
    { "g gravitation acceleration", "gravity (in m/s2)", NULL },
    { "output out_folder output_dir", NULL,
      "the output of a run is named on the command line: visviva run SCENE -o RUN.vtkhdf" },
};

/* Whether one of the words separated by spaces is `word`. */
static bool lists(const char *words, const char *word)
{
    size_t n = strlen(word);
    while (*words && n > 0) {
        size_t length = strcspn(words, " ");
        if (length == n && vv_same_letters(words, word, n))
            return true;
        words += length + (words[length] == ' ');
    }
    return false;
}

const char *vv_words_guide(const vv_words *words, char out[VV_WORDS_GUIDE])
{
    char hint[96];
    const char *left_out = vv_linear_left_out(words->wrong);
    if (left_out) {
        snprintf(out, VV_WORDS_GUIDE, "; %s", left_out);
        return out;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!lists(rows[i].words, words->wrong))
            continue;
        if (rows[i].ours)
            snprintf(out, VV_WORDS_GUIDE, "; \"%s\" is called %s here", words->wrong, rows[i].ours);
        else
            snprintf(out, VV_WORDS_GUIDE, "; %s", rows[i].say);
        return out;
    }
    if (!words->key || !vv_scene_elsewhere(words->wrong, out))
        snprintf(out, VV_WORDS_GUIDE, "%s", vv_words_hint(words, hint));
    return out;
}
