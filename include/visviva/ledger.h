/* visviva/ledger.h: the energy ledger. One row a step: H(n+1) - H(n) = work - friction - damping - decay + springs +
 * error with H = kinetic + elastic + gravity + contact + attachment + joint. The target is T(n+1) = T(n) + work -
 * friction
 * - damping - decay. `error` is the remainder that no other term accounts for: the numerical error. */
#ifndef VISVIVA_LEDGER_H
#define VISVIVA_LEDGER_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinetic energy that the positions show, J: 1/2 |(q_1 - q_0) / h|^2 in the mass matrix, for nodes that moved from
 * q_0 to q_1 in h seconds; in three parts, each a sum over bodies. Booked kinetic energy belongs to the velocities,
 * which a scheme or a policy may set to something other than the motion. */
typedef struct vvVisible {
    double total;       /* the sum of the three */
    double centre;      /* of the bodies' centres of mass */
    double rotation;    /* of the rigid rotation of each body about its centre of mass */
    double deformation; /* the rest */
} vvVisible;

typedef struct vvLedgerRow {
    int64_t step; /* 0: the start */
    double time;  /* s */
    /* energies after the step, J */
    double kinetic, elastic, gravity, contact, attachment, joint, total, target;
    /* changes in the step, J; losses positive */
    double work, friction, damping, decay, error;
    double policyChange;                    /* the policy's own change of H, already contained in the other columns */
    double groundEnergy;                    /* E_g; NaN if there is none or it is not known */
    double scale;                           /* S: the largest T - E_g so far */
    double momentum[3], angularMomentum[3]; /* kg m/s, kg m^2/s about the origin */
    double angularMomentumCentre[3];        /* about the centre of mass */
    double alpha; /* the policy's alpha; under "project" its number of iterations; NaN if no policy acted */
    /* m: smallest gap between vertices and analytic obstacles, and between surfaces closer than d-hat; infinity if
     * there is none. Below 0 with contact springs: minus the depth of the deepest vertex */
    double minGap;
    double minJ; /* smallest det F over all tets; infinity if there are none */
    int newtonIterations, linearSolves, pcgIterations, lineSearchSteps; /* counts of the step's solves */
    /* as in vvVisible, of the motion in the step, J; in the start's row: of the velocities */
    double visible, visibleCentre, visibleRotation, visibleDeformation;
    /* bodies whose positions have not followed their velocities for ten steps (vvLedgerTotals.astraySteps) */
    int astray;
    /* 1; more: the number of parts in which the step was repeated, because bodies would have passed each other; 0 at
     * the start, -1 in run files of older versions */
    int parts;
    double springs; /* change of H when contact springs were recreated, and vertices put on surfaces, at the start of
                       the step, or by constraints that act after the solve; excluded from the target */
    double loads;   /* the part of `work` that pushes and loads have done; vvAttachWork has each one's */
} vvLedgerRow;

/* A column of the ledger as files have it (visviva run, CSV exports): a member of vvLedgerRow. */
typedef struct vvLedgerColumn {
    const char *name; /* "kinetic", "momentum_x", ... */
    const char *unit; /* "J", "" for a pure number */
} vvLedgerColumn;
/* The columns in the order of vvLedgerRow; NULL past the end. */
VV_API const vvLedgerColumn *vvLedgerColumnInfo(int index);
/* The row's value in a column; NaN: there is no such column, or no row. */
VV_API double vvLedgerValue(const vvLedgerRow *row, int column);

typedef enum vvSolveEnd {
    VV_SOLVE_CONVERGED,       /* within its tolerance */
    VV_SOLVE_ITERATION_LIMIT, /* vvSolverDef.maxIterations */
    VV_SOLVE_STALLED,         /* no further decrease beyond rounding */
    VV_SOLVE_EXPLICIT,        /* nothing to solve */
    VV_SOLVE_BUDGET           /* its budget of iterations is used up: no failure */
} vvSolveEnd;

typedef enum vvPhase {
    VV_PHASE_KINEMATICS,  /* prescribed motion, and the start of a step */
    VV_PHASE_CONTACT,     /* finding contacts, and the step filter */
    VV_PHASE_ASSEMBLY,    /* energies, forces and matrices */
    VV_PHASE_LINEAR,      /* linear systems */
    VV_PHASE_LINE_SEARCH, /* line searches */
    VV_PHASE_POLICY,      /* the energy policy */
    VV_PHASE_LEDGER,      /* booking */
    VV_PHASE_SETTLE,      /* the ground energy */
    VV_PHASE_COUNT        /* how many there are */
} vvPhase;
/* "contact", "assembly", ...: a static string; "unknown" for no phase. */
VV_API const char *vvPhaseName(vvPhase phase);

/* Where a solve stopped short of its tolerance, or a step failed: a body, and what it touches there. Names are the
 * world's; an obstacle without a name appears as its type. "": none. */
typedef struct vvStall {
    char body[128], other[128]; /* the body, and what it touches there; "": none */
    const char *term; /* the largest of the forces there: "inertia", "elastic", "gravity", "contact", "attachment",
                         "joint", "friction", "damping", "external"; "motion": prescribed nodes are obstructed; "": the
                         solve converged. Static string */
    double point[3];  /* m */
} vvStall;

/* Inverted elements: tets whose volume has the opposite sign of that at rest. Materials without a barrier against
 * inversion allow them (vvMaterialInfo). */
typedef struct vvInverted {
    int tets;          /* with det F <= 0; 0: none, and the rest is meaningless */
    char body[128];    /* the body of the worst one */
    const char *model; /* its material; static string */
    double detF;       /* of the worst one */
    double point[3];   /* m: its centre */
} vvInverted;

typedef struct vvStepReport {
    vvSolveEnd end;                                                     /* of the stage that ended worst */
    int newtonIterations, linearSolves, pcgIterations, lineSearchSteps; /* counts of the step's solves */
    const char *solver; /* the solver whose result the step is: the world's, or its fallback; "none" where nothing was
                           minimised; static string */
    int fallbacks;      /* solves that the fallback repeated */
    const char *linear; /* the linear solver in use: "pcg", "cholesky" or "petsc"; static string */
    double residual;    /* m/s: the longest Newton step of a node / h, in the last iteration */
    double seconds[VV_PHASE_COUNT]; /* s, in each phase of the step */
    int factors; /* constant factors made: in the first step, and when the step's length or energies change; not for
                    what a hand or a contact adds */
    double factorSeconds; /* the part of seconds[VV_PHASE_LINEAR] that this took */
    /* bytes of that factor, and bytes that a solve reads; 0: there is none */
    size_t factorBytes, factorReadBytes;
    /* iterations of "lbfgs" that limited a body's move to a quarter of its size because something may be in its path;
     * later iterations make the rest */
    int capped;
    double wall;         /* s */
    vvStall stall;       /* of the last stage of the step that did not converge */
    vvInverted inverted; /* after the step */
    /* solves with lagged friction, in the stage with the most; 0: there is no friction */
    int frictionIterations;
    double depth; /* m: how deep the deepest vertex is inside an obstacle after the step; 0: none is */
    /* 0, or, if friction was to converge and did not, the relative change of its forces by the last lagging */
    double frictionChange;
    /* a note if the policy missed its goal or used a fallback; "" otherwise. Static string */
    const char *policyNote;
    int parts;       /* as in vvLedgerRow */
    char note[1024]; /* why progress stopped and where, what "auto" chose, ...; may be "" */
} vvStepReport;

/* Sums over the steps since the start. A saved state includes them, and they continue from there. */
typedef struct vvLedgerTotals {
    int64_t steps;                                                                      /* steps since the start */
    double work, friction, damping, decay, error, absError, springs, loads;             /* J */
    double maxTargetError, meanTargetError;                                             /* |H - T| / S over the steps */
    double meanVisible, meanVisibleCentre, meanVisibleRotation, meanVisibleDeformation; /* J, over the steps */
    double minGap, minJ;                                                                /* the least of all rows */
    int64_t newtonIterations, linearSolves, pcgIterations, lineSearchSteps;             /* sums of the rows' */
    int64_t dividedSteps; /* steps made in parts (vvLedgerRow) */
    int64_t failedSteps;  /* steps that ended with VV_ERROR_SOLVER; not those cancelled or out of memory */
    vvLedgerRow first;    /* the start's row */
    /* Steps after which some body was astray: over ten steps, its centre or orientation has moved by less than half, or
     * by more than one and a half times, of what its booked velocities say, and no change of these explains it. The
     * ledger may still be right. astrayBody is the body with most such steps among those that are left; "": none. */
    int64_t astraySteps, astrayBodySteps;
    char astrayBody[128]; /* see astraySteps */
} vvLedgerTotals;

/* What costs the most, in counts since the world was last baked: any change of what it is made of begins anew. They are
 * not saved with a state, and are the same for any number of threads. */
typedef struct vvBottleneck {
    int64_t iterations;     /* of Newton's method (solvers "newton", "linearised", "optimizer" and their kind) */
    int64_t bodyIterations; /* those in which a node of `body` moved the most: the solve went on for it */
    char body[128];         /* the body with most such iterations; "": there were none */
    /* terms of contact between bodies at the ends of steps, each counted once for each iteration of its step; and the
     * part of them that is between the two bodies of `pair`, which have the most */
    int64_t terms, pairTerms;
    char pair[2][128]; /* their names; "": no bodies touched */
} vvBottleneck;

#ifdef __cplusplus
}
#endif
#endif
