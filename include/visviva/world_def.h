/* visviva/world_def.h: the definition of a world: gravity and time step, integrator, solver and contact. Comments end
 * with the default. world.h says what holds for all definitions. */
#ifndef VISVIVA_WORLD_DEF_H
#define VISVIVA_WORLD_DEF_H

#include "base.h"
#include "host.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A value that changes stepwise in time: `value` holds from `time` (s) until the next key. */
typedef struct vvKey {
    double time, value; /* s, and the value from then on */
} vvKey;

typedef enum vvGroundMode {
    VV_GROUND_AUTO,  /* if a policy that aims at the target has a decay or a start fraction: solve for the static
                        equilibrium at the start (vvWorldSettle), which may take long; after bodies, obstacles or
                        attachments have changed it is unknown (NaN) until a decay needs it. Otherwise there is none */
    VV_GROUND_GIVEN, /* groundEnergy, whatever changes */
    VV_GROUND_NONE   /* there is none */
} vvGroundMode;

typedef struct vvIntegratorDef {
    const char *scheme; /* see vvSchemeInfo; "backward-euler" */
    const char *policy; /* see vvPolicyInfo; "none" */
    const vvSetting
        *settings; /* [settingCount] parameters of both; copied. Others have their fallback; if a name comes twice, the
                      last one counts. Settings of another scheme or policy are ignored; an unknown name is an error */
    int settingCount;       /* length of `settings`; 0 */
    const vvKey *decayKeys; /* [decayKeyCount] e-folding times (s) of the energy target; 0 or infinity: no decay; sorted
                               by time */
    int decayKeyCount;      /* length of `decayKeys`; 0 */
    double startFraction;   /* the first target is E_g + startFraction (H_0 - E_g); 1 */
    vvGroundMode groundMode; /* source of the ground energy E_g; VV_GROUND_AUTO */
    double groundEnergy;     /* J, with VV_GROUND_GIVEN */
    /* a step fails once the run's numerical error is more than this times the energy present (the ledger's scale and
     * the energy at the start); 1e6; 0: no limit */
    double blowUp;
} vvIntegratorDef;

typedef struct vvSolverDef {
    const char *method; /* see vvSolverInfo; "newton" */
    double tolerance;   /* stop when no node's Newton step / h is faster than this, m/s; 0: the default, 0.01, but at
                           least 0.1% and at most 30% of the smallest body's diagonal, a second */
    /* 0: not used. Otherwise `tolerance` is this fraction of the world's length a second, 1/s; at most 1 */
    double relativeTolerance;
    double gradientTolerance; /* also required: ||grad g|| (kg m) below this; 0: not used */
    double forceTolerance;   /* N; 0: not used. Else "newton", "optimizer", "plain-newton" end where ||grad g||/h^2, the
                                residual forces, is below this, after at least one iteration; the other tolerances do
                                not count then */
    double contactTolerance; /* 0 to 1; 0: not used; 0.01. While something touches, up to 3 more iterations follow,
                                until the sum of all forces at the nodes in contact is at most this fraction of the
                                contact forces. Friction and A-search depend on it */
    double velocityTolerance; /* m/s; 0: not used; 1e-5. Under the policies "a1" and "search", which turn residual
                                 forces into velocity: up to 6 more iterations follow, until no node's residual would
                                 change its velocity by more */
    int maxIterations;        /* per stage, and five times as many until prescribed nodes are in place; 200 */
    int budget; /* iterations after which each stage's solve ends without a failure, so that steps cost the same and can
                   be repeated. 0: the solver's own (vvSolverBudget); 0 */
    /* ms from the step's start, 0 to 1e9, for solvers with a budget of iterations: no iteration begins that would end
     * later, except the first of each solve. Results then depend on the clock. 0: no limit; 0 */
    double budgetMs;
    /* s: bodies that have been slow for so long sleep: they are left out of solves until something stirs them (see
     * vvBodyAsleep). 0: none does; 0 */
    double sleepAfter;
    /* 1/s: slow is what moves by less than this fraction of its length (the diagonal of the box around it) a second; 0
     * to 1; 0.01 */
    double sleepSpeed;
    const char *fallback; /* the solver that solves a stage again from its start, with its own budget, if the first ends
                             short of its tolerance; not where a policy asks for few iterations on purpose. "none", or
                             see vvSolverInfo; NULL is "none"; "none" */
    const char *acceleration; /* of "local-global": see vvAccelerationInfo; NULL is "none"; "none" */
    const char *linear;       /* see vvLinearSolverInfo; "auto" */
    double linearTolerance;   /* PCG: relative residual; 1e-3 */
    const char *hessian;      /* "projected" (semidefinite per element) or "shifted" (exact, Tikhonov); "projected" */
    const char *lineSearch;   /* see vvLineSearchInfo; "backtracking" */
} vvSolverDef;

enum {
    VV_FRICTION_CONVERGED = -1 /* vvContactDef.frictionIterations */
};
/* Contact model "springs". When a step begins, each colliding vertex inside an obstacle gets a spring to the nearest
 * point of its surface, whose energy depends on phi, m, the height of the vertex above the tangent plane there. */
typedef struct vvSpringsDef {
    const char *form; /* "one-sided": 1/2 k min(phi, 0)^2, recreated in every step; "bilateral": k phi^2, kept until the
                         vertex is outside and moving away; "cubic": -k min(phi, 0)^3, after the vertex is moved onto
                         the surface; "following": 1/2 k min(d, 0)^2 of the gap d itself, also for vertices that enter
                         in the step; NULL is "one-sided" */
    /* k: times a vertex's area, N/m^3, or with perVertex N/m; cubic: N/m^4, N/m^2; 0 to 1e18; 1e7 */
    double stiffness;
    bool perVertex; /* k is per vertex, as in the papers, so that contact depends on the mesh; false */
} vvSpringsDef;

/* Contact model "penalty", and "constraint" between bodies: a pressure that grows with the square of the depth, 3 k
 * d^2. Obstacles: k (-phi)^3 of each colliding vertex where its signed distance phi is below 0. Between bodies, and of
 * bodies with themselves: k d^3 of each vertex inside a tetrahedron, at the distance d from the surface of the body
 * that contains it. */
typedef struct vvPenaltyDef {
    double stiffness; /* k: times a vertex's area, N/m^4, or with perVertex N/m^2; above 0, at most 1e18; 1e9 */
    double between;   /* the same between bodies; 0: as `stiffness`; 0 */
    bool perVertex;   /* k is per vertex, as in the paper, so that contact depends on the mesh; false */
} vvPenaltyDef;

/* Contact model "constraint". */
typedef struct vvConstraintDef {
    const char
        *when; /* "solve": the solver minimises over the allowed positions; "after": it ignores obstacles, and vertices
                  that end inside are moved onto the surface afterwards, for comparison; NULL is "solve"; "solve" */
} vvConstraintDef;

typedef struct vvContactDef {
    const char *model; /* "barrier": nothing penetrates; "springs": against obstacles by repulsion springs, between
                          bodies by the barrier; "penalty": all of it by penalties; "constraint": obstacles bound
                          positions exactly, and penalties act between bodies; or "none" */
    double distance;   /* d-hat, the activation distance: contact acts below it, m; 0: the default, 1e-3, but at least
                          0.1% and at most 1% of a body's diagonal; of two bodies the smaller one */
    double relativeDistance; /* 0: not used. Otherwise `distance` is this fraction of the world's length; at most 1 */
    double stiffness; /* kappa, Pa. 0: chosen when the world is baked, by the weight of bodies and the areas of their
                         vertices, at least 1e5 (vvWorldGetStiffness); 0 */
    double friction;  /* Coulomb coefficient where neither body nor obstacle has its own; 0 */
    /* epsilon_v: below this sliding speed friction is smoothed, m/s. 0: 1e-3 of the length of the body, or of the
     * smaller of two, a second (vvWorldFrictionSpeed); in the definition in use the lowest of these */
    double frictionSpeed;
    /* 0: not used. Otherwise `frictionSpeed` is this fraction of the world's length a second, 1/s; at most 1 */
    double relativeFrictionSpeed;
    /* friction remembers how far each sticking contact has yielded, so that held bodies stay; false: they creep, at
     * less than frictionSpeed, as in IPC; true */
    bool stick;
    int frictionIterations;   /* solves per step, each with the normal forces of the one before, 1 to 1000.
                                 VV_FRICTION_CONVERGED: until friction's forces converge. 0: one; two where contact acts
                                 elsewhere than at the end of the step; and until convergence in a body's first step, as
                                 its normal forces at the start have never acted; 0 */
    double frictionTolerance; /* converged: new normal forces change friction by at most this fraction (norms of all),
                             or after 50 solves; above 0 to 1; 0.01 */
    /* Of contact by springs, penalties and constraints; the barrier's acts within the solve. "auto": within the solve
     * if the solver and its fallback iterate until they converge, else after it; "solve"; "after"; NULL is
     * "auto" */
    const char *frictionWhen;
    bool self; /* bodies collide with themselves (see vvBodyDef.selfContact); true */
    /* obstacles keep out all nodes of solids, not those of the surface alone: under "constraint" and "penalty", and
     * under "barrier" where the body's material may invert; true */
    bool innerNodes;
    bool convergent; /* between surfaces: refining a mesh does not change a contact's energy; false */
    /* an exact test of all surfaces after each step; a step that ends in an intersection fails; false */
    bool checkIntersections;
    vvSpringsDef springs;       /* of the model "springs" */
    vvPenaltyDef penalty;       /* of the model "penalty", and between bodies of "constraint" */
    vvConstraintDef constraint; /* of the model "constraint" */
    bool adaptStiffness; /* kappa is doubled after two consecutive steps whose smallest gap was below 5% of `distance`,
                            up to 7 times; the change of contact's energy is booked as work. false: it is constant */
} vvContactDef;

typedef struct vvWorldDef {
    double gravity[3];          /* m/s^2; (0, -9.8, 0) */
    double timeStep;            /* h, s; 1/120 */
    double startTime;           /* s: the world's time at the start; 0 */
    vvIntegratorDef integrator; /* scheme, energy policy, decay */
    vvSolverDef solver;         /* the solver of steps */
    vvContactDef contact;       /* contact of bodies and obstacles */
    int threads;                /* 0: as many as there are cores; ignored if host.tasks is set */
    uint64_t seed;              /* of random initial states */
    vvHost host;                /* the host program's memory, parallel loops and log; all zero: the library's own */
    uint32_t internalValue;     /* internal: vvDefaultWorldDef() sets it */
} vvWorldDef;

#ifdef __cplusplus
}
#endif

#endif
