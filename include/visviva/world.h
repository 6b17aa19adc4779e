/* visviva/world.h: make a world, put bodies and obstacles in it, step it, read it.
 *
 * SI units throughout: metres, kilograms, seconds, joules, pascals; angles in degrees. Vectors are 3 doubles.
 * A definition struct must come from its vvDefault...Def(). Strings and arrays in definitions are copied.
 * A world is used by one thread at a time; different worlds may run in different threads at once. */
#ifndef VISVIVA_WORLD_H
#define VISVIVA_WORLD_H

#include "base.h"
#include "host.h"
#include "ledger.h"
#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vvWorld vvWorld;
/* Ids stay valid while other things come and go; the id of a thing that was removed is never given out again. {0, 0}: none.
 * A function refuses an id of no living thing with VV_ERROR_INPUT; getters give 0, "" or false. */
typedef struct vvBodyId { int32_t index1; uint32_t generation; } vvBodyId;
typedef struct vvObstacleId { int32_t index1; uint32_t generation; } vvObstacleId;
typedef struct vvAttachId { int32_t index1; uint32_t generation; } vvAttachId;

/* ---- world ------------------------------------------------------------------------------------------------------ */

/* A value that changes in time by steps: `value` holds from `time` (s) on, until the next key. */
typedef struct vvKey { double time, value; } vvKey;

typedef enum vvGroundMode {
    VV_GROUND_AUTO, /* solve for the static equilibrium at the start (vvWorldSettle); none where nothing stops the fall, or where it
                     * would take long and no decay needs it. After bodies, obstacles or attachments have changed it is not
                     * known (NaN) until a decay in force wants it */
    VV_GROUND_GIVEN, /* groundEnergy, whatever changes */
    VV_GROUND_NONE
} vvGroundMode;

/* A parameter of a scheme or an energy policy, by its name in vvSchemeParams or vvPolicyParams: { "alpha", { 0, 1.5 } }. A whole
 * number from 0 to 1 is a switch: 1 is on. */
typedef struct vvSetting {
    const char *name;
    double value[4];
} vvSetting;

typedef struct vvIntegratorDef {
    const char *scheme;       /* see vvSchemeInfo; "backward-euler" */
    const char *policy;       /* see vvPolicyInfo; "none" */
    const vvSetting *settings;/* parameters of both, copied; those not named have their fallback, of a name given twice the last
                               * counts. A setting of another scheme or policy counts for nothing, a name that none has is an error */
    int settingCount;
    const vvKey *decayKeys;   /* e-folding times (s) of the energy target, 0 or infinity: no decay; sorted by time */
    int decayKeyCount;
    double startFraction;     /* first target: E_g + startFraction (H_0 - E_g); 1 */
    vvGroundMode groundMode;
    double groundEnergy;      /* J, with VV_GROUND_GIVEN */
} vvIntegratorDef;

typedef struct vvSolverDef {
    const char *method;       /* see vvSolverInfo; "newton" */
    double tolerance;         /* stop when no node's Newton step / h is faster than this, m/s; 0.01 */
    double gradientTolerance; /* also required: ||grad g|| (kg m) below this; 0: not used */
    double contactTolerance;  /* where something touches, up to 3 iterations more until at its nodes all forces together are
                                 this part of contact's, 0 to 1: what friction and A-search rely on; 0: not used; 0.01 */
    int maxIterations;        /* per stage; 200 */
    const char *linear;       /* see vvLinearSolverInfo; "auto" */
    double linearTolerance;   /* PCG: relative residual; 1e-3 */
    const char *hessian;      /* "projected" (semidefinite per element) or "shifted" (exact, Tikhonov); "projected" */
    const char *lineSearch;   /* see vvLineSearchInfo; "backtracking" */
} vvSolverDef;

typedef struct vvContactDef {
    const char *model;    /* "barrier" or "none" */
    double distance;      /* d-hat: contact acts below this distance, m; 1e-3 */
    double stiffness;     /* kappa, Pa; 1e5 */
    double friction;      /* Coulomb coefficient where neither body nor obstacle names one; 0 */
    double frictionSpeed; /* epsilon_v: below this sliding speed friction is smoothed, m/s; 0: 1e-3 x scene length in m */
    int frictionIterations; /* times that friction is lagged in a step; 1 */
    bool self;            /* bodies collide with themselves (see vvBodyDef.selfContact); true */
    bool convergent;      /* barrier between surfaces whose energy does not change when a mesh is refined; false */
    bool checkIntersections; /* an exact test of all surfaces after each step; a step that fails it fails; false */
} vvContactDef;

typedef struct vvWorldDef {
    double gravity[3];   /* m/s^2; (0, -9.8, 0) */
    double timeStep;     /* h, s; 1/120 */
    double startTime;    /* s: what the clock says at the start; 0 */
    vvIntegratorDef integrator;
    vvSolverDef solver;
    vvContactDef contact;
    int threads;         /* 0: as many as there are cores; host.tasks takes its place */
    uint64_t seed;       /* of random initial states */
    vvHost host;         /* memory and parallel loops of the host program's; all zero: the library's */
} vvWorldDef;

VV_API vvWorldDef vvDefaultWorldDef(void);
VV_API vvStatus vvWorldCreate(const vvWorldDef *def, vvWorld **world, vvError *error);
VV_API void vvWorldDestroy(vvWorld *world); /* NULL is fine */

/* ---- filters: what touches what ------------------------------------------------------------------------------- */

/* Two things with the same group other than 0 touch always (group > 0) or never (group < 0). Otherwise they touch when each
 * one's mask has a bit of the other's category. */
typedef struct vvFilter {
    uint64_t category; /* bits: what this is; 1 */
    uint64_t mask;     /* bits: the categories that it touches; all */
    int32_t group;     /* 0: none */
} vvFilter;

VV_API vvFilter vvDefaultFilter(void); /* touches everything that does not refuse */
VV_API bool vvFiltersTouch(const vvFilter *a, const vvFilter *b);

/* ---- scripted motion -------------------------------------------------------------------------------------------- */

/* A rigid motion in time, applied to the nodes' rest positions: x(t) = about + R(t) (x0 - about) + s(t).
 * R turns at angularVelocity (deg/s) about the axis through `about`; s = linearVelocity * t + the waypoints'
 * offset (piecewise linear in time, held before the first and after the last). Motion stops at `endTime`. */
typedef struct vvWaypoint { double time; double offset[3]; double turn[3]; /* deg, R = Rx Ry Rz */ } vvWaypoint;
typedef struct vvMotionDef {
    double about[3], axis[3];
    double angularVelocity; /* deg/s */
    double linearVelocity[3];
    double startTime, endTime; /* s; 0 and infinity */
    const vvWaypoint *waypoints;
    int waypointCount;
} vvMotionDef;

/* ---- bodies ----------------------------------------------------------------------------------------------------- */

typedef struct vvDampingDef {
    double drag;             /* 1/s: force -drag * m * v, solved with the step */
    double rayleigh;         /* s: stiffness-proportional, force -rayleigh * K(q_n) * v, lagged, solved with the step */
    double momentumRate;     /* 1/s: momentum-preserving, after the step, v -= (1-exp(-rate h)) (v - rigid part) */
    double momentumPerStep;  /* 0 to 1: the papers' factor k per step, whatever h is; use one of the two */
} vvDampingDef;

typedef struct vvMaterialDef {
    const char *model;     /* see vvMaterialInfo; "fixed-corotated" for tets, "hooke" or "stvk-spring" for springs, "free" for points */
    double young, poisson; /* Pa, 1; used unless lame is set */
    bool lame;
    double mu, lambda;     /* Pa; used when lame is set */
    double density;        /* kg/m^3 for tets, kg/m^2 for triangles with springs, kg/m for edges, kg each for points */
    double totalMass;      /* kg; replaces density when > 0 */
    double springStiffness;/* springs: N/m (hooke: 1/2 k (l-r)^2) or N/m^3 (stvk-spring: 1/2 k (l^2-r^2)^2) */
    double bendStiffness;  /* springs across each pair of triangles that share an edge; same unit; 0: none */
    vvDampingDef damping;
} vvMaterialDef;

typedef struct vvBodyDef {
    const char *name;      /* unique in the world; "" gets one */
    const vvMesh *mesh;    /* finished; tets: a solid; points: grains, balls of diameter `thickness` that only contact holds; else its
                              edges (and those of its triangles) become springs */
    vvMaterialDef material;
    double scale[3];       /* placement: rest = translate + R * (scale * x), R = Rx Ry Rz */
    double rotate[3];      /* degrees about x, y, z: R = Rx Ry Rz */
    double translate[3];   /* m */
    double friction;       /* Coulomb coefficient of the body's surface; < 0: the world's */
    vvFilter filter;       /* which obstacles (and bodies) it touches, which queries find it */
    const vvMesh *surface; /* a finer surface that the tets carry, in the mesh's own coordinates; drawn and exported in place
                              of their boundary. None of its vertices may lie farther outside the tets than a tenth of the body's
                              diagonal; but any may where there is but one tet, which carries all of space. NULL: none */
    bool surfaceCollides;  /* it collides in place of the tets' boundary, which then collides with nothing; false */
    bool kinematic;        /* a moving obstacle of any mesh: it goes where `motion` says, whatever it meets. No mass, no
                              elasticity; the material is not looked at. false */
    vvMotionDef motion;    /* of a kinematic body, of its placed rest shape; all zero: it stands still */
    double thickness;      /* m, 0 or more: contact keeps off the surface by half of it; 0 */
    bool selfContact;      /* the body collides with itself, where vvContactDef.self is set too (see vvBodySetSelfContact); true */
    const vvMaterialDef *moreMaterials; /* further energies on the same mesh, of other models than `material` and each other: bending
                              beside a membrane, say. Their model, stiffnesses and damping.rayleigh count, each for its own energy;
                              mass, density and the rest of damping are those of `material`. Copied; NULL */
    int moreMaterialCount; /* 0 */
} vvBodyDef;

VV_API vvMaterialDef vvDefaultMaterialDef(void); /* fixed-corotated, E 1e5, nu 0.3, 1000 kg/m^3 */
VV_API vvBodyDef vvDefaultBodyDef(void);
/* Before the first step or at any time between steps. Bodies, obstacles and attachments may come and go while a world runs:
 * - What depends on them is built anew by the next vvWorldStep, vvWorldBake or function that needs it, once for any number
 *   of changes. The state of all that stays is kept to the bit; a two-step scheme goes on, with a past of free flight for
 *   what is new. The change of H is booked as work in the next row, and the target moves by as much; S stays.
 * - Where the world cannot go on as it is now (a new body stands in an obstacle or is inverted), that function fails, and
 *   says which; nothing is lost: remove or move the offender (vvBodySetState) and go on.
 * - Removing a body moves the node and element indices of later bodies down, and array pointers are valid until a body is
 *   added or removed. Ids stay.
 * Before the first step the start is what the world is then; nothing is booked. */
VV_API vvStatus vvWorldAddBody(vvWorld *world, const vvBodyDef *def, vvBodyId *body, vvError *error);
/* Its attachments end, too. A world that has been stepped may become empty. */
VV_API vvStatus vvWorldRemoveBody(vvWorld *world, vvBodyId body, vvError *error);
VV_API bool vvBodyIsValid(const vvWorld *world, vvBodyId body);
/* A kinematic body is a body like others in all arrays, pictures and queries, but its nodes have mass 0 and stand, at the end of
 * each step, exactly where its motion says; their velocity is the mean of the step. A body that is added to a running world
 * starts as placed, and moves from there. Work against what it meets is booked as work. It meets bodies, never analytic obstacles
 * or other kinematic bodies. A world may consist of nothing else. Initial states, vvBodySetState, vvBodyAttach, drags and
 * forces on the whole body are refused (VV_ERROR_INPUT); single forces on its nodes do nothing but work. */
VV_API bool vvBodyIsKinematic(const vvWorld *world, vvBodyId body);
/* Coulomb coefficient (0 to 100) between two bodies, either of which may be kinematic; a == b: of a body with itself. The
 * order of the two does not matter. NaN or below 0: by the rule again, sqrt(mu_a mu_b), where mu is a body's own friction or
 * the world's. Ends with either body. Contacts with analytic obstacles go by vvObstacleDef.friction. At any time between
 * steps; holds from the next step on. */
VV_API vvStatus vvWorldSetFriction(vvWorld *world, vvBodyId a, vvBodyId b, double mu, vvError *error);
/* vvBodyDef.selfContact from now on: for a body that started "random" or "collapsed" and is to collide with itself all the same,
 * or once it has come free. A body that goes through itself then is refused when the world is baked. */
VV_API vvStatus vvBodySetSelfContact(vvWorld *world, vvBodyId body, bool on, vvError *error);
/* Whether it does, by its own flag and the world's; a kinematic body never does. */
VV_API bool vvBodySelfContact(const vvWorld *world, vvBodyId body);
VV_API double vvBodyThickness(const vvWorld *world, vvBodyId body); /* m; 0: no such body, too */
VV_API vvFilter vvBodyFilter(const vvWorld *world, vvBodyId body); /* all zero: no such body */
/* Raised by one whenever bodies or obstacles are added or removed, or a snapshot with others is restored. */
VV_API uint32_t vvWorldRevision(const vvWorld *world);

/* Live bodies in the order in which they were added; arrays with an entry per body have this order. */
VV_API int vvWorldBodyCount(const vvWorld *world);
VV_API vvBodyId vvWorldBody(const vvWorld *world, int index);
VV_API const char *vvBodyName(const vvWorld *world, vvBodyId body);
/* The body's nodes are firstNode .. firstNode + count - 1 in the world's arrays. */
VV_API void vvBodyNodes(const vvWorld *world, vvBodyId body, int *firstNode, int *count);
/* Elements with world node indices; pointers stay valid until bodies are added or removed. */
typedef struct vvBodyElements {
    int tetCount, triangleCount, edgeCount;
    const int *tets, *triangles, *edges; /* triangles: the boundary surface, outward */
    int pointCount;
    const int *points; /* of a body of free points */
} vvBodyElements;
VV_API void vvBodyGetElements(const vvWorld *world, vvBodyId body, vvBodyElements *elements);

/* A carried surface. Vertex v stands at the sum over k < 4 of weights[4 v + k] times the position of the body's node
 * nodes[4 v + k]: a host can evaluate it itself, or on its graphics card. Pointers stay valid until bodies are added or
 * removed. */
typedef struct vvBodySurface {
    int vertexCount, triangleCount; /* 0: the body carries none */
    const int *triangles;  /* triangleCount x 3, surface vertices */
    const int *nodes;      /* vertexCount x 4, counted from the body's first node */
    const double *weights; /* vertexCount x 4, sum 1 */
} vvBodySurface;
VV_API void vvBodyGetSurface(const vvWorld *world, vvBodyId body, vvBodySurface *surface);
/* Whether the carried surface is what collides (vvBodyDef.surfaceCollides): then contact points, intersections and what rays hit
 * are told in its vertices, not in the body's. */
VV_API bool vvBodySurfaceCollides(const vvWorld *world, vvBodyId body);
/* Positions of the carried surface's vertices (vertexCount x 3, m) where the world's nodes stand at `nodePositions`
 * (nodeCount x 3; NULL: now). VV_ERROR_INPUT for a body without one. */
VV_API vvStatus vvBodySurfacePositions(const vvWorld *world, vvBodyId body, const double *nodePositions, double *positions,
                                       vvError *error);

/* ---- regions: which nodes ----------------------------------------------------------------------------------------- */

typedef enum vvRegionKind {
    VV_REGION_ALL,
    VV_REGION_BOX,        /* a = one corner, b = the other (m, in the placed rest shape) */
    VV_REGION_SPHERE,     /* a = centre, radius */
    VV_REGION_HALF_SPACE, /* a = point, b = normal: nodes with (x - a).b >= 0 */
    VV_REGION_PERCENT,    /* a, b = corners in per cent of the body's bounding box, 0 to 100 */
    VV_REGION_VERTICES,   /* list: mesh vertex indices of the body */
} vvRegionKind;
typedef struct vvRegion {
    vvRegionKind kind;
    bool surfaceOnly;     /* only nodes on the boundary surface */
    double a[3], b[3], radius;
    const int *list;
    int listCount;
} vvRegion;
/* Writes at most `capacity` world node indices to `nodes` (may be NULL) and returns how many the region holds;
 * they ascend. */
VV_API int vvBodySelect(const vvWorld *world, vvBodyId body, const vvRegion *region, int *nodes, int capacity);

/* ---- attachments --------------------------------------------------------------------------------------------------- */

typedef enum vvAttachKind {
    VV_ATTACH_FIXED, /* prescribed nodes: they go exactly where the motion says */
    VV_ATTACH_SPRING /* zero-length springs of `stiffness` (N/m per node) to where the motion says */
} vvAttachKind;
typedef struct vvAttachDef {
    vvRegion where;
    vvAttachKind kind;
    double stiffness;
    vvMotionDef motion; /* all zero: held in place */
} vvAttachDef;
VV_API vvAttachDef vvDefaultAttachDef(void);
/* At any time between steps; `attach` may be NULL. A body that stands where its definition put it is attached at its placed
 * rest shape; one that has moved where it is now, and goes on with the motion as it is at this time, so that nothing jumps.
 * Fails (VV_ERROR_INPUT) when the region holds no node of the body. */
VV_API vvStatus vvBodyAttach(vvWorld *world, vvBodyId body, const vvAttachDef *def, vvAttachId *attach, vvError *error);
/* The nodes go on as they move now; energy of springs that were stretched is booked as (negative) work. */
VV_API vvStatus vvWorldDetach(vvWorld *world, vvAttachId attach, vvError *error);
VV_API bool vvAttachIsValid(const vvWorld *world, vvAttachId attach);
/* The attachment of all nodes by which a kinematic body moves: for vvAttachNodes and vvAttachMoveTo. It lasts as long as the body
 * and cannot be ended. {0, 0} for other bodies. */
VV_API vvAttachId vvBodyAttachment(const vvWorld *world, vvBodyId body);
/* Writes at most `capacity` of the attachment's nodes (world indices, ascending; may be NULL) and returns how many there are. */
VV_API int vvAttachNodes(const vvWorld *world, vvAttachId attach, int *nodes, int capacity);
/* The host moves the attachment: where its nodes, or the far ends of its springs, shall be at the end of the next step (m, count x
 * 3, in the order of vvAttachNodes; straight ahead on the way). There they stay until the next call; the scripted motion is
 * over. Fixed nodes that are driven into an obstacle make the step fail. */
VV_API vvStatus vvAttachMoveTo(vvWorld *world, vvAttachId attach, const double *positions, vvError *error);

/* ---- initial states --------------------------------------------------------------------------------------------------- */

/* A named initial state (see vvInitialStateInfo): "linear", "angular", "profile", "stretch", "twist", "bend", "random",
 * "collapsed", "mode", "translate". A body that starts "random" or "collapsed" goes through itself, and does not collide with
 * itself from then on. `values`: the state's parameters one after the other, NULL for defaults. States add up
 * in the order of the calls. Only before the first step that the body takes part in; VV_ERROR_UNSUPPORTED later. */
typedef struct vvInitialState {
    vvInfo info;
    int paramCount;
    const vvParam *params;
} vvInitialState;
VV_API const vvInitialState *vvInitialStateInfo(int index);
VV_API vvStatus vvBodySetInitialState(vvWorld *world, vvBodyId body, const char *state, const double *values,
                                      vvError *error);

/* ---- obstacles -------------------------------------------------------------------------------------------------------- */

typedef struct vvObstacleType {
    vvInfo info;
    int paramCount;
    const vvParam *params;
} vvObstacleType;
VV_API const vvObstacleType *vvObstacleInfo(int index); /* "plane", "sphere", "box", "cylinder" */
typedef struct vvObstacleDef {
    const char *name;
    const char *type;
    const double *values; /* the type's parameters one after the other; NULL for defaults */
    double friction;      /* < 0: the world's */
    vvFilter filter;      /* which bodies it touches, which queries find it */
} vvObstacleDef;
VV_API vvObstacleDef vvDefaultObstacleDef(void);
VV_API vvStatus vvWorldAddObstacle(vvWorld *world, const vvObstacleDef *def, vvObstacleId *obstacle, vvError *error);
VV_API vvStatus vvWorldRemoveObstacle(vvWorld *world, vvObstacleId obstacle, vvError *error);
VV_API bool vvObstacleIsValid(const vvWorld *world, vvObstacleId obstacle);
VV_API int vvWorldObstacleCount(const vvWorld *world);
VV_API vvObstacleId vvWorldObstacleAt(const vvWorld *world, int index); /* in the order in which they were added */
/* Type name, values (as given, *valueCount of them) of obstacle `index`, for drawing. */
VV_API const char *vvWorldObstacle(const vvWorld *world, int index, const double **values, int *valueCount);

/* ---- stepping ----------------------------------------------------------------------------------------------------------- */

/* Builds what stepping needs (sparsity, slots, ordering) and checks the state: penetration, inversion. Does nothing where that is
 * done and nothing has changed since; vvWorldStep does it otherwise. */
VV_API vvStatus vvWorldBake(vvWorld *world, vvError *error);
/* One step of length timeStep. On failure the world is as it was. `report` may be NULL. */
VV_API vvStatus vvWorldStep(vvWorld *world, vvStepReport *report, vvError *error);
/* Static equilibrium: a damped Newton on E from the present positions. Leaves the world's state alone unless `apply`
 * (then positions become the equilibrium, velocities zero). *energy: E there (J). VV_ERROR_SOLVER, with a message,
 * where no equilibrium is found (nothing stops the fall). */
VV_API vvStatus vvWorldSettle(vvWorld *world, bool apply, double *energy, vvError *error);
/* From any thread: the step, settling or baking in progress (or, if none is, the next one) returns VV_CANCELLED, between two
 * solver iterations, and leaves the world as it was. */
VV_API void vvWorldCancel(vvWorld *world);
/* The same by asking: called between solver iterations with `user`, in the thread that steps; true cancels. NULL: none. */
VV_API void vvWorldSetCancel(vvWorld *world, bool (*cancel)(void *user), void *user);

/* ---- reading and writing state ------------------------------------------------------------------------------------------- */

VV_API int vvWorldNodeCount(const vvWorld *world);
/* Node positions (m) and velocities (m/s), nodeCount x 3; the world's own arrays. */
VV_API const double *vvWorldPositions(const vvWorld *world);
VV_API const double *vvWorldVelocities(const vvWorld *world);
VV_API const double *vvWorldMasses(const vvWorld *world); /* kg, per node; 0 in kinematic bodies */
/* Overwrites all positions and velocities (either may be NULL). The change of energy is booked as work by the user;
 * a two-step scheme starts anew. Prescribed nodes stay where their script has them. Positions that penetrate or invert are
 * refused (VV_ERROR_INPUT) and the world is as it was; in a world that cannot be baked as it stands they are judged when it
 * can. */
VV_API vvStatus vvWorldSetState(vvWorld *world, const double *positions, const double *velocities, vvError *error);
/* The same for one body: arrays of its nodes x 3. The others' past is kept; its own becomes a free flight. In a world that has
 * changed since it was baked, the positions are judged when it is baked next. */
VV_API vvStatus vvBodySetState(vvWorld *world, vvBodyId body, const double *positions, const double *velocities, vvError *error);
/* The world's own arrays, to be written in place: nodes x 3 each (either may be NULL). vvWorldEndEdit checks and books as
 * vvWorldSetState does; where it fails, the world is as it was before vvWorldBeginEdit. In between the world may only be
 * read; functions that would change it fail. */
VV_API vvStatus vvWorldBeginEdit(vvWorld *world, double **positions, double **velocities, vvError *error);
VV_API vvStatus vvWorldEndEdit(vvWorld *world, vvError *error);
/* Positions between the last two steps, for drawing: nodes x 3, fraction 0 (before the last step) to 1 (now), on straight lines.
 * A body that was added or put elsewhere since the last step stands where it is now. */
VV_API vvStatus vvWorldInterpolate(const vvWorld *world, double fraction, double *positions, vvError *error);
VV_API double vvWorldTime(const vvWorld *world);
VV_API int64_t vvWorldStepIndex(const vvWorld *world);
/* The definition as it is in use (names resolved, defaults filled in). Pointers live as long as the world. */
VV_API const vvWorldDef *vvWorldGetDef(const vvWorld *world);
/* The last booked row; before the first step: the energies of the start. */
VV_API vvStatus vvWorldLedger(vvWorld *world, vvLedgerRow *row, vvError *error);
/* Elastic energy (J) of each body at the last booked row; bodyCount values. */
VV_API const double *vvWorldBodyEnergies(const vvWorld *world);
VV_API void vvWorldTotals(const vvWorld *world, vvLedgerTotals *totals);

/* Everything a run needs to go on to the same bits, as a block of bytes that may be stored: positions, velocities, history,
 * ledger, clock, what policy and solver remember. The size depends on bodies, attachments, policy and solver; it is 0 while the
 * world is not baked.
 *
 * Load needs a world of the same bodies (elements are compared). Made from equal definitions, the world goes on to the same bits.
 * With other settings it goes on from the same positions and velocities: another energy of these (material, gravity, contact) is
 * booked as work with the next step; another time step goes on from the same time; under another policy the target is the
 * energy that there is, and what another policy or solver remembered is left behind (the world's own begin anew); other attachments
 * hold their nodes where these are. Positions that the settings forbid are refused (VV_ERROR_INPUT), and the world is as it was. */
VV_API size_t vvWorldStateSize(const vvWorld *world);
VV_API vvStatus vvWorldSaveState(const vvWorld *world, void *buffer, size_t size, vvError *error);
VV_API vvStatus vvWorldLoadState(vvWorld *world, const void *buffer, size_t size, vvError *error);

/* Snapshots in memory: everything, bit for bit: state, ledger, bodies, obstacles, attachments, forces that wait; and ids that were
 * valid then are valid again. While structure stays as it is, a snapshot costs its state only: the description of bodies is
 * copied once and shared. Taken at any time between steps, also of a world that is not baked. */
typedef struct vvSnapshot vvSnapshot;
VV_API vvStatus vvWorldSnapshot(vvWorld *world, vvSnapshot **snapshot, vvError *error);
/* Into the world that it was taken of, or one created from an equal vvWorldDef (VV_ERROR_INPUT otherwise); the world goes on to
 * the same bits. Where the structure is the same, only state is copied. The snapshot stays usable. When it fails, the world is
 * as it was. */
VV_API vvStatus vvWorldRestore(vvWorld *world, const vvSnapshot *snapshot, vvError *error);
VV_API void vvSnapshotDestroy(vvSnapshot *snapshot); /* also after the world's end; NULL is fine */
/* Memory of the snapshot, with the description that it shares. */
VV_API size_t vvSnapshotBytes(const vvSnapshot *snapshot);

/* ---- the tables ------------------------------------------------------------------------------------------------------------- */

VV_API const vvInfo *vvSchemeInfo(int index);       /* NULL past the end, like all of these */
VV_API const vvInfo *vvPolicyInfo(int index);
VV_API const vvParam *vvSchemeParams(int index, int *count); /* parameters of the scheme; *count: how many */
VV_API const vvParam *vvPolicyParams(int index, int *count);
VV_API const vvInfo *vvSolverInfo(int index);
VV_API const vvInfo *vvLinearSolverInfo(int index);
VV_API const vvInfo *vvLineSearchInfo(int index);
VV_API const vvInfo *vvMaterialInfo(int index);

/* What a scheme's row declares, and what the self-check measures on the linear oscillator in closed form. */
typedef struct vvSchemeCheck {
    int order;                   /* declared */
    double measuredOrder;
    bool aStable, lStable, symplectic; /* declared: on the oscillator x'' = -x for every h */
    bool measuredAStable, measuredLStable, measuredSymplectic;
    bool explicitScheme, twoStep, minimises;
} vvSchemeCheck;
VV_API vvStatus vvSchemeSelfCheck(int index, vvSchemeCheck *check, vvError *error);

#ifdef __cplusplus
}
#endif
#endif
