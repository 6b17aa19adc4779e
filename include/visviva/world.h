/* visviva/world.h: make a world, put bodies and obstacles in it, step it, read it.
 *
 * SI units throughout: metres, kilograms, seconds, joules, pascals; angles in degrees. Vectors are 3 doubles.
 * A definition struct comes from its vvDefault...(), or is a copy of one that did; so do the definitions in it.
 * Others are refused (VV_ERROR_INPUT): they would lack defaults. Strings and arrays in definitions are copied. Only
 * one thread at a time may use a world; different worlds may run in different threads at the same time. What a
 * world's own callbacks may call is in host.h. */
#ifndef VISVIVA_WORLD_H
#define VISVIVA_WORLD_H

#include "base.h"
#include "host.h"
#include "ledger.h"
#include "material.h"
#include "mesh.h"
#include "world_def.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vvWorld vvWorld;
/* An id stays valid while other things are added and removed; the id of a removed thing is never used again. {0, 0}:
 * none. Functions refuse an invalid id with VV_ERROR_INPUT; getters return 0, "" or false. */
typedef struct vvBodyId {
    int32_t index1;      /* place, from 1; 0: none */
    uint32_t generation; /* tells it from what had the place before */
} vvBodyId;
typedef struct vvObstacleId {
    int32_t index1;      /* as in vvBodyId */
    uint32_t generation; /* as in vvBodyId */
} vvObstacleId;
typedef struct vvAttachId {
    int32_t index1;      /* as in vvBodyId */
    uint32_t generation; /* as in vvBodyId */
} vvAttachId;

/* ---- world ------------------------------------------------------------------------------------------------------ */

/* Gravity -9.8 m/s^2 along y, backward Euler at 1/120 s, Newton's method, the barrier. */
VV_API vvWorldDef vvDefaultWorldDef(void);
/* Makes an empty world. *world is NULL on failure. */
VV_API vvStatus vvWorldCreate(const vvWorldDef *def, vvWorld **world, vvError *error);
VV_API void vvWorldDestroy(vvWorld *world); /* NULL is fine; does nothing in a callback of this world */

/* ---- filters: what touches what ------------------------------------------------------------------------------- */

/* Two things with the same group, other than 0, always touch (group > 0) or never touch (group < 0). Otherwise they
 * touch if each one's mask has a bit of the other's category. */
typedef struct vvFilter {
    uint64_t category;      /* bits: what this is; 1 */
    uint64_t mask;          /* bits: the categories that it touches; all */
    int32_t group;          /* 0: none */
    uint32_t internalValue; /* internal: vvDefaultFilter() sets it */
} vvFilter;

VV_API vvFilter vvDefaultFilter(void); /* touches everything whose own filter allows it */
VV_API bool vvFiltersTouch(const vvFilter *a, const vvFilter *b);

/* ---- scripted motion -------------------------------------------------------------------------------------------- */

/* A rigid motion in time, applied to the nodes' rest positions: x(t) = about + R(t) (x0 - about) + s(t).
 * R turns at angularVelocity (deg/s) about the axis through `about`. s is linearVelocity * t plus the offset of the
 * waypoints (piecewise linear in time; constant before the first and after the last). Motion stops at `endTime`. */
typedef struct vvWaypoint {
    double time;      /* s */
    double offset[3]; /* m */
    double turn[3];   /* deg, R = Rx Ry Rz */
} vvWaypoint;
typedef struct vvMotionDef {
    double about[3], axis[3];    /* m: a point of the axis; its direction, of any length but 0 */
    double angularVelocity;      /* deg/s */
    double linearVelocity[3];    /* m/s */
    double startTime, endTime;   /* s; 0 and infinity */
    const vvWaypoint *waypoints; /* [waypointCount] ascending in time; NULL: none. Copied */
    int waypointCount;           /* length of `waypoints`; 0 */
    bool smooth;                 /* between waypoints: 3 u^2 - 2 u^3, at rest at each; false: linear */
    uint32_t internalValue;      /* internal: vvDefaultMotionDef() sets it */
} vvMotionDef;
VV_API vvMotionDef vvDefaultMotionDef(void); /* stands still; axis (0, 1, 0), from time 0 to infinity */

/* ---- bodies ----------------------------------------------------------------------------------------------------- */

/* Shapes that a kinematic body goes through, in straight lines from one to the next; before the first and after the
 * last it keeps these. Its motion (vvBodyDef.motion), which moves the mesh of other kinematic bodies, moves these
 * shapes. */
typedef struct vvFollowDef {
    int count;           /* 0: none, the body keeps the shape of its mesh */
    const double *times; /* [count] s, times of the world, ascending */
    /* [count x vertices x 3] m, of the mesh's vertices, in the mesh's own coordinates. Copied */
    const double *positions;
} vvFollowDef;

/* The angle at which an edge between two triangles has no bending: 0 flat, positive a ridge seen from the side of the
 * triangles' normals. */
typedef struct vvRestAngle {
    int a, b;     /* the edge's vertices in the mesh, in either order */
    double angle; /* rad, -pi to pi */
} vvRestAngle;

typedef struct vvBodyDef {
    const char *name; /* unique in the world; "" or NULL: one is made */
    const vvMesh
        *mesh; /* finished (vvMeshFinish). With tets: a solid. With points: grains, balls of diameter `thickness` that
                  only contact holds. With triangles: cloth or a shell. With edges alone: springs or a rod */
    vvMaterialDef material; /* what it is made of; vvDefaultMaterialDef() */
    double scale[3];        /* placement: rest = translate + R * (scale * x), R = Rx Ry Rz */
    double rotate[3];       /* degrees about x, y, z: R = Rx Ry Rz */
    double translate[3];    /* m */
    /* Coulomb coefficient of the body's surface, 0 to 100; < 0: none of its own (see vvWorldSetFriction) */
    double friction;
    vvFilter filter;       /* which obstacles and bodies it touches, which queries find it */
    const vvMesh *surface; /* NULL: none. A finer surface that the tets carry, in the mesh's own coordinates. It is
                              drawn and exported in place of their boundary. Its vertices may lie outside the tets by at
                              most a tenth of the body's diagonal; by any distance if there is only one tet */
    /* the carried surface collides in place of the tets' boundary, which then collides with nothing; false */
    bool surfaceCollides;
    bool kinematic;     /* a moving obstacle of any mesh: it goes where `motion` says, whatever it meets. No mass, no
                           elasticity; the material is ignored. false */
    vvMotionDef motion; /* of a kinematic body: moves its placed rest shape; vvDefaultMotionDef(): no motion */
    vvFollowDef follow; /* of a kinematic body: its shape in time; none */
    double thickness; /* m, 0 or more: contact keeps others away from the surface by half of it; 0. It is also how thick
                         shells and rods are whose material does not say */
    const double *triangleThickness; /* [triangles] NULL: none. m, of each triangle of the mesh, in its order: how thick
                              shells are there, whatever material and body say; their mass too. Contact keeps to
                              `thickness`. Copied. Not with tets */
    const double *triangleStiffness; /* [triangles] NULL: none. Factors > 0 of shells' Young's modulus, likewise */
    /* the body collides with itself if vvContactDef.self is set too (see vvBodySetSelfContact); true */
    bool selfContact;
    const vvMaterialDef *moreMaterials; /* [moreMaterialCount] NULL: none. Further energies on the same mesh, such as
                              bending beside a membrane. Each has a model of its own: not that of `material`, nor that
                              of another in the list. Model, stiffnesses and damping.rayleigh count, each for its own
                              energy; mass, density and all other damping come from `material`. Copied */
    int moreMaterialCount;              /* 0 */
    const vvRestAngle *restAngles; /* [restAngleCount] NULL: none. Of edges, for materials of bending between triangles
                              ("hinge", "midedge"); other edges keep the mesh's, or 0 where the material is `flat`. Each
                              edge once; not on the boundary, nor one with more than two triangles. Copied */
    int restAngleCount;            /* 0 */
    void *userData;                /* the host's own, see vvBodySetUserData; NULL */
    uint32_t internalValue;        /* internal: vvDefaultBodyDef() sets it */
} vvBodyDef;

/* The default material, placed as its mesh is. Set the mesh. */
VV_API vvBodyDef vvDefaultBodyDef(void);
/* Adds a body: before the first step, or at any time between steps. Bodies, obstacles and attachments may be added
 * and removed while a world runs:
 * - The next vvWorldStep, vvWorldBake or other function that needs it rebuilds what depends on them, once for any
 *   number of changes.
 * - Whatever stays keeps its state to the bit. A two-step scheme goes on; what is new gets a past of free flight.
 * - The change of H is booked as work in the next row, and the target moves by the same amount; S stays.
 * - If the world cannot go on as it is (a new body stands in an obstacle or is inverted), the function that rebuilds
 *   fails, and its message names the offender. Nothing is lost: remove or move it (vvBodySetState) and go on.
 * - Removing a body shifts the node and element indices of later bodies down. Array pointers are valid until a body
 *   is added or removed; ids stay.
 * - Before the first step nothing is booked: the start is the world as it stands then. */
VV_API vvStatus vvWorldAddBody(vvWorld *world, const vvBodyDef *def, vvBodyId *body, vvError *error);
/* Ends the body's attachments, too. A world that has been stepped may become empty. */
VV_API vvStatus vvWorldRemoveBody(vvWorld *world, vvBodyId body, vvError *error);
VV_API bool vvBodyIsValid(const vvWorld *world, vvBodyId body);
/* Whether the body is affine: made with the material model "affine" (vvDefaultMaterialOf) from a closed surface, or
 * from the boundary of tets. It is nearly rigid, and costs what its contacts cost, however many vertices it has:
 * - It has four nodes, at c + S (+-1, +-1, +-1): c is the solid's centre of mass, S the root of its spread, a quarter
 *   of its mass each, so that its kinetic energy, momenta and weight are those of the solid. Of a solid so thin that
 *   a spread is less than a thousandth of the largest, that is raised, and its moment of inertia with it. The density
 *   is that of the solid.
 * - Its mesh is the surface that the nodes carry (vvBodySurface, in the order of the mesh, without vertices inside):
 *   that is drawn, exported, collides and is found by queries. It does not collide with itself.
 * - It resists changes of shape with the energy E/8 V |F^T F - 1|^2, F its affine map, E the material's `young`, V
 *   the solid's volume.
 * - Regions hold it as a whole, or not at all (vvBodySelect).
 * vvWorldAddBody refuses a surface that is open, faces inwards, passes through itself or bounds no volume; and a
 * surface, further materials or numbers of shells beside it. */
VV_API bool vvBodyIsAffine(const vvWorld *world, vvBodyId body);
/* Whether the body is kinematic (vvBodyDef.kinematic). In arrays, pictures and queries such a body is like any other,
 * but:
 * - Its nodes have mass 0. At the end of each step they stand exactly where its motion says; their velocity is the
 *   mean over the step.
 * - Added to a running world, it starts as placed and moves from there.
 * - What it does against what it meets is booked as work. It meets bodies, never analytic obstacles or other
 *   kinematic bodies.
 * - Initial states, vvBodySetState, vvBodyAttach, drags and forces on the whole body are refused (VV_ERROR_INPUT).
 *   Forces on single nodes do not move it; they only do work.
 * - A world may consist of kinematic bodies only. */
VV_API bool vvBodyIsKinematic(const vvWorld *world, vvBodyId body);
/* Sets the Coulomb coefficient (0 to 100) between two bodies, either of which may be kinematic; a == b: of a body
 * with itself. The order of the two does not matter. NaN or below 0 restores the default: sqrt(mu_a mu_b) of the
 * bodies' own coefficients; the one that there is, if only one body has its own; the world's, if none has. The
 * setting ends when either body is removed. Contacts with analytic obstacles use vvObstacleDef.friction instead. May
 * be called at any time between steps; holds from the next step on. */
VV_API vvStatus vvWorldSetFriction(vvWorld *world, vvBodyId a, vvBodyId b, double mu, vvError *error);
/* The coefficient that holds between two bodies, or within one (a == b). NaN: they never touch (filters, a joint that
 * keeps them from it, both kinematic, no contact, no self-contact), or one does not exist. */
VV_API double vvWorldFriction(const vvWorld *world, vvBodyId a, vvBodyId b);
/* The speed below which friction on a body is smoothed, m/s; between two bodies the lower one counts. It is
 * contact.frictionSpeed where that is given, else 1e-3 of the body's length a second. 0: there is no friction, or no
 * such body. */
VV_API double vvWorldFrictionSpeed(const vvWorld *world, vvBodyId body);
/* Sets vvBodyDef.selfContact from now on: for a body that started "random" or "collapsed", to make it collide with
 * itself from the start or once it has come free. If the body passes through itself at that time, baking the world
 * fails. */
VV_API vvStatus vvBodySetSelfContact(vvWorld *world, vvBodyId body, bool on, vvError *error);
/* Whether the body collides with itself, by its own flag and the world's; a kinematic body never does. */
VV_API bool vvBodySelfContact(const vvWorld *world, vvBodyId body);
VV_API double vvBodyThickness(const vvWorld *world, vvBodyId body); /* m; also 0 if there is no such body */
VV_API vvFilter vvBodyFilter(const vvWorld *world, vvBodyId body);  /* all zero: no such body */
/* Goes up by one whenever bodies or obstacles are added or removed, or a snapshot with others is restored. */
VV_API uint32_t vvWorldRevision(const vvWorld *world);

/* Bodies in the order in which they were added; arrays with an entry per body have this order. */
VV_API int vvWorldBodyCount(const vvWorld *world);
VV_API vvBodyId vvWorldBody(const vvWorld *world, int index);
VV_API vvBodyId vvWorldFindBody(const vvWorld *world, const char *name); /* of that name; {0, 0}: none */
VV_API const char *vvBodyName(const vvWorld *world, vvBodyId body);
/* The body's nodes are firstNode .. firstNode + count - 1 in the world's arrays: vertices, then directors. Either may
 * be NULL. */
VV_API void vvBodyNodes(const vvWorld *world, vvBodyId body, int *firstNode, int *count);
/* A body's elements, with world node indices; pointers stay valid until bodies are added or removed. */
typedef struct vvBodyElements {
    int tetCount, triangleCount, edgeCount; /* lengths of the arrays below */
    const int *tets, *triangles, *edges; /* [count x 4, 3, 2] world nodes; triangles: the boundary surface, outward */
    int pointCount;                      /* length of `points` */
    const int *points;                   /* [pointCount] world nodes; only in a body of free points */
    int springCount;                     /* that its materials make, along edges and for bending */
    /* and that attachments of kind VV_ATTACH_SPRING make: one a node; drags likewise, of a point one */
    int attachmentSpringCount;
    /* the body's first nodes: the vertices of its mesh, which are what is drawn, collides and is found by queries */
    int vertexCount;
    int directorCount; /* and those after them: 0 or, where a material needs these, one for each edge, beside its
                          middle. It shows which way the shell or rod faces there; it has mass and moves like any node,
                          but is not part of any shape */
} vvBodyElements;
/* Fills in the elements of a body; of no body all are 0 and NULL. */
VV_API void vvBodyGetElements(const vvWorld *world, vvBodyId body, vvBodyElements *elements);

/* A carried surface. Vertex v stands at the sum over k < 4 of weights[4 v + k] times the position of the body's node
 * nodes[4 v + k]. A host can evaluate this itself, also on its graphics card. Pointers stay valid until bodies are
 * added or removed. */
typedef struct vvBodySurface {
    int vertexCount, triangleCount; /* 0: the body carries none */
    const int *triangles;           /* [triangleCount x 3] surface vertices */
    const int *nodes;               /* [vertexCount x 4] counted from the body's first node */
    const double *weights;          /* [vertexCount x 4] sum 1 */
} vvBodySurface;
/* Fills in the carried surface of a body; without one all are 0 and NULL. */
VV_API void vvBodyGetSurface(const vvWorld *world, vvBodyId body, vvBodySurface *surface);
/* Texture coordinates of the drawn surface, the carried or the body's own: as vvMesh.uvs, NULL: none; valid until
 * bodies come or go.
 * Arrays: returns[triangles x 6]. */
VV_API const double *vvBodyUvs(const vvWorld *world, vvBodyId body);
/* How thick it is drawn, m: its material's thickness if that has one (a rod's diameter), else vvBodyThickness. */
VV_API double vvBodyDrawnThickness(const vvWorld *world, vvBodyId body);
/* nodeCount x 3, m, as the bodies were placed; valid as long
 * Arrays: returns[nodeCount x 3]. */
VV_API const double *vvWorldRestPositions(const vvWorld *world);
/* Whether the carried surface is what collides (vvBodyDef.surfaceCollides). If so, contact points, intersections and
 * ray hits refer to its vertices, not to the body's nodes. */
VV_API bool vvBodySurfaceCollides(const vvWorld *world, vvBodyId body);
/* Writes the positions of the carried surface's vertices (vertexCount x 3, m) that belong to the node positions
 * `nodePositions` (of the world, nodeCount x 3; NULL: the present ones). VV_ERROR_INPUT for a body without a carried
 * surface.
 * Arrays: nodePositions[nodeCount x 3], positions[vertexCount x 3]. */
VV_API vvStatus vvBodySurfacePositions(const vvWorld *world, vvBodyId body, const double *nodePositions,
                                       double *positions, vvError *error);

/* ---- regions: which nodes
 * ----------------------------------------------------------------------------------------- */

typedef enum vvRegionKind {
    VV_REGION_ALL,        /* every vertex */
    VV_REGION_BOX,        /* a = one corner, b = the other (m, in the placed rest shape) */
    VV_REGION_SPHERE,     /* a = centre, radius */
    VV_REGION_HALF_SPACE, /* a = point, b = normal: nodes with (x - a).b >= 0 */
    VV_REGION_PERCENT,    /* a, b = corners in per cent of the body's bounding box, 0 to 100 */
    VV_REGION_VERTICES,   /* list: mesh vertex indices of the body */
} vvRegionKind;
typedef struct vvRegion {
    vvRegionKind kind; /* which of the members below count; VV_REGION_ALL */
    bool surfaceOnly;  /* only nodes on the boundary surface */
    /* only nodes on the rim: of a body of triangles those on edges of one triangle, of lines their ends; solids have
     * none */
    bool rimOnly;
    double a[3], b[3], radius; /* m; see vvRegionKind */
    const int *list;           /* [listCount] vertices of the body's mesh */
    int listCount;             /* length of `list` */
    /* [triangleCount x 3] vertices of the body's mesh: tractions and pressures act on these triangles alone. NULL: on
     * those with all corners in the region */
    const int *triangles;
    int triangleCount; /* length of `triangles` / 3 */
} vvRegion;
/* Makes *region a group of the mesh that a body is made of: of its vertices, and its triangles where it has any. It
 * points into the mesh, which must live until it has been used. VV_ERROR_INPUT names the groups that there are. */
VV_API vvStatus vvRegionOfGroup(const vvMesh *mesh, const char *name, vvRegion *region, vvError *error);
/* Writes the world indices of the region's nodes to `nodes` (may be NULL): at most `capacity` of them, in ascending
 * order. Returns how many the region holds. These are vertices, never directors.
 * Arrays: nodes[capacity]. */
VV_API int vvBodySelect(const vvWorld *world, vvBodyId body, const vvRegion *region, int *nodes, int capacity);

/* ---- attachments
 * --------------------------------------------------------------------------------------------------- */

typedef enum vvAttachKind {
    VV_ATTACH_FIXED,  /* prescribed nodes (Dirichlet motion): they go exactly where the motion says */
    VV_ATTACH_SPRING, /* zero-length springs of `stiffness` (N/m per node) pull them to where the motion says */
    VV_ATTACH_PUSH, /* nothing holds them: each is pushed by its mass times `acceleration`, in the steps that begin from
                       motion.startTime on and before motion.endTime; the rest of the motion must be as by default. The
                       work of the push, force times displacement, is booked; nodes that something else prescribes do
                       not feel it */
    VV_ATTACH_POTENTIAL, /* each node feels the analytic `potential`, which does not move: the motion must be as by
                            default. Its energy is in the ledger's column `attachment` */
    VV_ATTACH_ROLLER, /* nodes are held along `axes` or along `normal`, where the motion says, and free across: supports
                        along axes, rollers on planes, planes of symmetry. Where several hold one node they all count,
                        and of two that hold it in the same direction the first; where one of kind VV_ATTACH_FIXED
                        holds it too, that one does. Solvers, policies and schemes that do not take them are refused by
                        name when the world is baked */
    /* Loads. Like pushes they act in the steps that begin from motion.startTime on and before motion.endTime, times
     * what `keys` say: at the step's end under backward Euler and BDF2, else their mean over the step. Their work is
     * booked, and each one's is vvAttachWork. */
    VV_ATTACH_FORCE,    /* `load` (N) is shared among the nodes by mass */
    VV_ATTACH_TRACTION, /* `load` (Pa) on the body's triangles that have all corners in the region: of their area at
                           rest, or following, of their present area and turned as they are */
    VV_ATTACH_PRESSURE  /* `pressure` (Pa) on these triangles, against their normals, that is into a solid: at rest, or
                           following as they are now. Following, its work on a closed surface is p dV; not all solvers
                           take that */
} vvAttachKind;
/* Bits of vvAttachDef.axes. */
enum {
    VV_AXIS_X = 1, /* along x */
    VV_AXIS_Y = 2, /* along y */
    VV_AXIS_Z = 4  /* along z */
};
/* An analytic potential of a single node, such as a spring to a centre, or a wall: "harmonic", "spring",
 * "squared-spring", "quartic", "quadratic-wall", "cubic-wall", "barrier-wall". vvPotentialInfo lists them; NULL past
 * the end. */
typedef struct vvPotential {
    vvInfo info;           /* its name and summary */
    int paramCount;        /* length of `params` */
    const vvParam *params; /* [paramCount] what vvAttachDef.values holds */
} vvPotential;
/* The potentials and their parameters. NULL past the end. */
VV_API const vvPotential *vvPotentialInfo(int index);
typedef struct vvAttachDef {
    vvRegion where;         /* which nodes; all */
    vvAttachKind kind;      /* what happens to them; VV_ATTACH_FIXED */
    double stiffness;       /* N/m of each node, VV_ATTACH_SPRING */
    vvMotionDef motion;     /* vvDefaultMotionDef(): held in place */
    double acceleration[3]; /* m/s^2, VV_ATTACH_PUSH: within 1e9; {0, 0, 0} */
    const char *potential;  /* VV_ATTACH_POTENTIAL: its name; NULL for other kinds */
    const double *values; /* [sum of sizes] the potential's parameters one after the other; NULL for defaults. Copied */
    unsigned axes;        /* VV_ATTACH_ROLLER: the axes along which nodes are held, VV_AXIS_X ...; 0: see normal; 0 */
    double normal[3];  /* VV_ATTACH_ROLLER without axes: the direction along which they are held, any length but 0; it
                          does not turn with the motion; {0, 0, 0} */
    double load[3];    /* VV_ATTACH_FORCE: N; VV_ATTACH_TRACTION: Pa; within 1e18; {0, 0, 0} */
    double pressure;   /* VV_ATTACH_PRESSURE: Pa; within 1e18; 0 */
    bool follows;      /* tractions and pressures: false: dead */
    bool smooth;       /* between keys: 3 u^2 - 2 u^3; false: linear */
    const vvKey *keys; /* [keyCount] of pushes and loads: factors in time, ascending; constant before the first and
                          after the last; NULL: 1. Copied */
    int keyCount;      /* length of `keys`; 0 */
    double release; /* s: from the first step that begins then on, the attachment holds, pulls and pushes no longer. The
                       energy of stretched springs is booked as (negative) work; infinity: never */
    bool clamp; /* also attach the directors of edges that have both ends attached, so that a shell cannot turn about a
                   held edge, nor a rod twist: a clamped edge; false: a hinged one. Pushes, and a fixed VV_REGION_ALL,
                   take them anyway */
    void *userData;         /* the host's own; NULL */
    uint32_t internalValue; /* internal: vvDefaultAttachDef() sets it */
} vvAttachDef;
/* Holds all nodes of the body in place. */
VV_API vvAttachDef vvDefaultAttachDef(void);
/* Attaches nodes of a body, at any time between steps; `attach` may be NULL. A body that still stands where its
 * definition put it is attached at its placed rest shape. One that has moved is attached where it is now, and the
 * motion goes on from this time, so that nothing jumps. Fails (VV_ERROR_INPUT) if the region holds no node of the
 * body. */
VV_API vvStatus vvBodyAttach(vvWorld *world, vvBodyId body, const vvAttachDef *def, vvAttachId *attach, vvError *error);
/* Lets go: the nodes keep their velocities. The energy of stretched springs is booked as (negative) work. */
VV_API vvStatus vvWorldDetach(vvWorld *world, vvAttachId attach, vvError *error);
VV_API bool vvAttachIsValid(const vvWorld *world, vvAttachId attach);
/* The attachment that moves all nodes of a kinematic body, for vvAttachNodes and vvAttachMoveTo. It lasts as long as
 * the body and cannot be ended. {0, 0} for other bodies. */
VV_API vvAttachId vvBodyAttachment(const vvWorld *world, vvBodyId body);
/* Writes at most `capacity` of the attachment's nodes (world indices, ascending) to `nodes` (may be NULL); returns
 * how many there are.
 * Arrays: nodes[capacity]. */
VV_API int vvAttachNodes(const vvWorld *world, vvAttachId attach, int *nodes, int capacity);
/* Work of a push or a load since it was attached, J; 0 of others. Forces of the host on the same nodes are not in it. A
 * saved state has it. */
VV_API double vvAttachWork(const vvWorld *world, vvAttachId attach);
/* Writes the forces (N, 3 a node, in the order of vvAttachNodes) that a push or a load has at this time and with the
 * nodes where they are, on prescribed nodes too; 0 of others. Returns the number of nodes; writes nothing if `capacity`
 * (nodes) is less.
 * Arrays: forces[capacity x 3]. */
VV_API int vvAttachForces(const vvWorld *world, vvAttachId attach, double *forces, int capacity);
/* The attachments of a world, those of scenes among them, in the order in which they were made: not drags, nor those
 * that move kinematic bodies. */
typedef struct vvAttachSummary {
    vvAttachId attach; /* {0, 0}: there is none of that index */
    vvBodyId body;     /* whose nodes it holds */
    vvAttachKind kind; /* as it was made */
    int nodeCount;     /* as vvAttachNodes says */
    bool released;     /* its time has come */
} vvAttachSummary;
VV_API int vvWorldAttachmentCount(const vvWorld *world);                   /* how many there are */
VV_API vvAttachSummary vvWorldAttachment(const vvWorld *world, int index); /* {0, 0} past the end */
/* Lets the host move the attachment. `positions` (m, count x 3, in the order of vvAttachNodes) is where its nodes, or
 * the far ends of its springs, will be at the end of the next step; they go there in a straight line and stay until
 * the next call. Any scripted motion ends. Fixed nodes that are driven into an obstacle make the step fail.
 * Arrays: positions[count x 3]. */
VV_API vvStatus vvAttachMoveTo(vvWorld *world, vvAttachId attach, const double *positions, vvError *error);

/* ---- initial states
 * --------------------------------------------------------------------------------------------------- */

/* A named initial state: "linear", "angular", "profile", "stretch", "twist", "bend", "random", "collapsed", "mode",
 * "translate". vvInitialStateInfo lists them; NULL past the end.
 *
 * vvBodySetInitialState applies one to a body. `values` are the state's parameters one after the other; NULL for
 * defaults. Several states act one after the other, in the order of the calls. A body that starts "random" or
 * "collapsed" passes through itself, and from then on does not collide with itself (vvBodySetSelfContact changes
 * that). Possible only before the first step that the body takes part in; VV_ERROR_UNSUPPORTED later. */
typedef struct vvInitialState {
    vvInfo info;           /* its name and summary */
    int paramCount;        /* length of `params` */
    const vvParam *params; /* [paramCount] what vvBodySetInitialState takes in `values` */
} vvInitialState;
/* The initial states and their parameters. NULL past the end. */
VV_API const vvInitialState *vvInitialStateInfo(int index);
/* Applies an initial state to a body, see above. Arrays: values[sum of sizes]. */
VV_API vvStatus vvBodySetInitialState(vvWorld *world, vvBodyId body, const char *state, const double *values,
                                      vvError *error);

/* ---- obstacles
 * -------------------------------------------------------------------------------------------------------- */

typedef struct vvObstacleType {
    vvInfo info;           /* its name and summary */
    int paramCount;        /* length of `params` */
    const vvParam *params; /* [paramCount] what vvObstacleDef.values holds */
    /* what the samples are that it is made of beside its parameters, "heights", "distances"; NULL: it has none */
    const char *samples;
} vvObstacleType;
/* "plane", "sphere", "box", "cylinder", "capsule", "torus", "hole", "bowl", "heightfield", "level-set" */
VV_API const vvObstacleType *vvObstacleInfo(int index);
typedef struct vvObstacleDef {
    const char *name;      /* "" or NULL: none; at most 127 bytes */
    const char *type;      /* see vvObstacleInfo */
    const double *values;  /* [sum of sizes] the type's parameters one after the other; NULL for defaults */
    const double *samples; /* [sampleCounts] copied; each within 1e6.
                            * Of "heightfield": the heights, in units of its parameter "height": sampleCounts[0] along
                            * x, times sampleCounts[1] along z, the former next to each other; NULL: 2 x 2 zeros. Of
                            * "level-set": signed distances (m), sampleCounts[0] x [1] x [2] along x, y and z, as in a
                            * vvDistanceGrid, whose `origin` and `spacing` are parameters; above 0 at the grid's border;
                            * NULL: a small ball. Of all other types NULL */
    int sampleCounts[3];   /* heights: 2 to 8193 each, the last 0 or 1; distances: 3 to 4097 each; 2^24 in all */
    double friction;       /* < 0: the world's */
    vvFilter filter;       /* which bodies it touches, which queries find it */
    void *userData;        /* the host's own; NULL */
    bool moves;            /* it follows `motion`, or the host; false: it does not move */
    /* of one that moves: moves its shape; vvDefaultMotionDef(): at rest until the host moves it */
    vvMotionDef motion;
    uint32_t internalValue; /* internal: vvDefaultObstacleDef() sets it */
} vvObstacleDef;
/* Of no type yet, with the world's friction; it does not move and touches everything. Set the type. */
VV_API vvObstacleDef vvDefaultObstacleDef(void);
/* Adds an obstacle, before the first step or at any time between steps (see vvWorldAddBody).
 *
 * One that moves is also a kinematic body (vvObstacleBody) of the obstacle's name, or one that is made: four nodes
 * that carry its frame, and a surface to draw it by, which collides with nothing itself.
 * - Its motion, work and friction are those of a kinematic body with a mesh. Within a step its points go straight
 *   from one place to the next, in legs of at most 60 degrees if its motion turns it; moved by the host by 168
 *   degrees or more in a step, it cannot be followed, and the step fails. Friction takes the speed of its surface
 *   from the ends of the step: let it turn by well under 90 degrees in one.
 * - vvAttachMoveTo of vvBodyAttachment moves it by the host. The four nodes are its origin (the first parameter of
 *   its type) and the tips of three axes; they must be moved as a rigid body, to a thousandth of each length.
 * - Added to a running world, it starts as given and moves from there. A plane is drawn as a square, of four times
 *   the size of the bodies in the world, or of 2 m. */
VV_API vvStatus vvWorldAddObstacle(vvWorld *world, const vvObstacleDef *def, vvObstacleId *obstacle, vvError *error);
/* And with it the body of one that moves. */
VV_API vvStatus vvWorldRemoveObstacle(vvWorld *world, vvObstacleId obstacle, vvError *error);
/* The kinematic body of an obstacle that moves; {0, 0}: it does not move. Such a body cannot be removed alone. */
VV_API vvBodyId vvObstacleBody(const vvWorld *world, vvObstacleId obstacle);
VV_API bool vvObstacleIsValid(const vvWorld *world, vvObstacleId obstacle);
VV_API const char *vvObstacleName(const vvWorld *world, vvObstacleId obstacle); /* as given; "": none */
/* The coefficient between an obstacle and a body: the obstacle's own, else the body's, else the world's. NaN: they
 * never touch (filters, a kinematic body, no contact), or one does not exist. */
VV_API double vvObstacleFriction(const vvWorld *world, vvObstacleId obstacle, vvBodyId body);
VV_API int vvWorldObstacleCount(const vvWorld *world);
VV_API vvObstacleId vvWorldObstacleAt(const vvWorld *world, int index); /* in the order in which they were added */
/* The first of that name, which is not ""; {0, 0}: none. */
VV_API vvObstacleId vvWorldFindObstacle(const vvWorld *world, const char *name);
/* Returns the type of obstacle `index`, and its values as given, also if it moves (*valueCount of them), for
 * drawing.
 * Arrays: values[valueCount]. */
VV_API const char *vvWorldObstacle(const vvWorld *world, int index, const double **values, int *valueCount);
/* The samples of obstacle `index`, as given, until it is removed, and their counts (may be NULL; the last one of
 * heights is 1); NULL and zeros: it has none.
 * Arrays: returns[counts]. */
VV_API const double *vvWorldObstacleSamples(const vvWorld *world, int index, int counts[3]);

/* ---- stepping
 * ----------------------------------------------------------------------------------------------------------- */

/* Bakes the world: builds what stepping needs (sparsity, slots, ordering) and checks the state for penetration and
 * inversion. Does nothing if the world is baked and has not changed since. vvWorldStep bakes by itself where needed. */
VV_API vvStatus vvWorldBake(vvWorld *world, vvError *error);
/* Makes one step of length timeStep. On failure the world is as it was. `report` may be NULL. */
VV_API vvStatus vvWorldStep(vvWorld *world, vvStepReport *report, vvError *error);
/* Makes the steps that fit into `seconds` (0 or more) of the host's time and what was left over by the call before, at
 * most `most` of them (1 or more). *steps (may be NULL): how many it has made. *fraction (may be NULL): what is left
 * over, as a part of a step, 0 to 1: with it vvWorldInterpolate gives what is to be drawn now, a step behind. What is
 * more than a step after `most` steps is dropped: a world that takes longer than the time that it is given falls
 * behind. On failure the world is as after the last step that was made, and the rest of the time is dropped. What is
 * left over is no part of a state: saving, loading and snapshots let it be. */
VV_API vvStatus vvWorldAdvance(vvWorld *world, double seconds, int most, int *steps, double *fraction, vvError *error);
/* Finds the static equilibrium under what acts now (pushes too, but not forces of vvWorldApplyForces, which are of one
 * step), from the present positions, by backward Euler steps without velocity and with a
 * growing time step (the proximal point method). *energy (may be NULL): E there (J). If `apply`, positions become the
 * equilibrium and velocities zero, as if by vvWorldSetState, but gaps (vvStartGap) stay those from which it came, as
 * what carries presses; otherwise the world's state stays as it is. VV_ERROR_SOLVER, with a message, if no equilibrium
 * is found (nothing stops the fall). */
VV_API vvStatus vvWorldSettle(vvWorld *world, bool apply, double *energy, vvError *error);
/* May be called from any thread. The step, settling, baking or search for contacts in progress returns VV_CANCELLED,
 * and the world is as it was. If there is none, or it is already booking its result, the next one does. */
VV_API void vvWorldCancel(vvWorld *world);
/* The same by a callback: `cancel` is called with `user` between solver iterations and within long loops (up to
 * thousands of times a second), in the thread that made the call; true cancels. NULL: none. */
VV_API void vvWorldSetCancel(vvWorld *world, bool (*cancel)(void *user), void *user);

/* ---- reading and writing state
 * ------------------------------------------------------------------------------------------- */

VV_API int vvWorldNodeCount(const vvWorld *world); /* of all bodies, one after the other */
/* Node positions (m) and velocities (m/s), nodeCount x 3; the world's own arrays. The velocities are the state's:
 * what the next step begins with. A policy that corrects velocities may make them other than the motion, even of a
 * body that lies still.
 * Arrays: returns[nodeCount x 3]. */
VV_API const double *vvWorldPositions(const vvWorld *world);
/* The velocities of the state, see vvWorldPositions. Arrays: returns[nodeCount x 3]. */
VV_API const double *vvWorldVelocities(const vvWorld *world);
/* Writes the velocities that are seen, (q_{n+1} - q_n) / h of the last step (m/s, nodeCount x 3): for motion blur,
 * effects, sounds. Before the first step, and of bodies that were put in place since the last one, those of the
 * state.
 * Arrays: velocities[nodeCount x 3]. */
VV_API void vvWorldVisibleVelocities(const vvWorld *world, double *velocities);
VV_API const double *vvWorldMasses(
    const vvWorld *world); /* kg, per node; 0 in kinematic bodies. Arrays: returns[nodeCount]. */
/* Overwrites all positions and velocities (either may be NULL).
 * - The change of energy is booked as work by the user; a two-step scheme starts anew.
 * - Before the first step nothing is booked: what stands then is the start, however it came about (initial states,
 *   the functions here, impulses, settling). Row 0, its target (startFraction) and S are those of that state. E_g
 *   stays, as the structure does.
 * - Prescribed nodes stay where their motion has them.
 * - Positions that penetrate or invert are refused (VV_ERROR_INPUT), and the world is as it was. If the world cannot
 *   be baked as it stands, positions are checked when it can.
 * Arrays: positions[nodeCount x 3], velocities[nodeCount x 3]. */
VV_API vvStatus vvWorldSetState(vvWorld *world, const double *positions, const double *velocities, vvError *error);
/* The same for one body: arrays of its nodes x 3. The other bodies keep their past; that of this body becomes a free
 * flight. If the world has changed since it was baked, the positions are checked when it is baked next.
 * Arrays: positions[body nodes x 3], velocities[body nodes x 3]. */
VV_API vvStatus vvBodySetState(vvWorld *world, vvBodyId body, const double *positions, const double *velocities,
                               vvError *error);
/* Gives the world's own arrays, to be written in place: nodes x 3 each (either may be NULL). vvWorldEndEdit checks
 * and books as vvWorldSetState does; if it fails, the world is as it was before vvWorldBeginEdit. Between the two
 * calls the world may only be read; functions that would change it fail.
 * Arrays: positions[nodeCount x 3], velocities[nodeCount x 3]. */
VV_API vvStatus vvWorldBeginEdit(vvWorld *world, double **positions, double **velocities, vvError *error);
VV_API vvStatus vvWorldEndEdit(vvWorld *world, vvError *error);
/* Writes positions between the last two steps, for drawing: nodes x 3, on straight lines, `fraction` from 0 (before
 * the last step) to 1 (now). A body that was added or moved by hand since the last step stands where it is now.
 * Arrays: positions[nodeCount x 3]. */
VV_API vvStatus vvWorldInterpolate(const vvWorld *world, double fraction, double *positions, vvError *error);
VV_API double vvWorldTime(const vvWorld *world);
VV_API int64_t vvWorldStepIndex(const vvWorld *world);
/* The definition in use (names resolved, defaults filled in; lengths and speeds that are relative to the world's
 * length are in metres once vvWorldLength knows it). Pointers in it are valid until a setter (settings.h) changes
 * it. */
VV_API const vvWorldDef *vvWorldGetDef(const vvWorld *world);
/* The world's length, m: the diagonal of the box around the rest positions, as placed, of all bodies that are not
 * kinematic (of all, if all are). It is measured when the world is baked for its first step, and then stays, whatever
 * is added or removed. 0: not known yet. */
VV_API double vvWorldLength(const vvWorld *world);
/* The stiffness of contact, and by what it was chosen: the body that asks for the most, its weight, and the area of a
 * small vertex of its surface (0: none asks for more than 1e5 Pa, the least). False, and all 0: there is no contact,
 * or the world is not baked. */
typedef struct vvStiffness {
    double now, start;   /* Pa: in use, and what it was before it was adapted */
    bool chosen;         /* not given */
    double weight, area; /* N, m^2; 0 if it was given */
    const char *body;    /* ""; valid until the world changes */
} vvStiffness;
/* What vvStiffness says of this world. */
VV_API bool vvWorldGetStiffness(const vvWorld *world, vvStiffness *stiffness);
/* The two that begin nearest to each other, where that is nearer than contact.distance: two bodies, or a body and an
 * obstacle, at the places from which they take their first steps. Where contact.distance is not given, contact acts
 * between such two below their gap alone, since a close fit is no press fit (theory §5.3). False, and all 0:
 * there are none, or the world is not baked with a barrier. */
typedef struct vvStartGap {
    double gap, activation; /* m: how far apart they begin, and below what contact acts between them */
    const char *names[2];   /* valid until the world changes */
    size_t count;           /* pairs that begin nearer than contact.distance */
} vvStartGap;
/* What vvStartGap says of this world. */
VV_API bool vvWorldGetStartGap(const vvWorld *world, vvStartGap *gap);
/* The last booked row; before the first step row 0: the energies of the start. If the world has changed since the
 * last step, the row shows the new parts, and its total is still the booked one: the difference is work of the next
 * row. */
VV_API vvStatus vvWorldLedger(vvWorld *world, vvLedgerRow *row, vvError *error);
/* Elastic energy (J) of each body in the last booked row; bodyCount values.
 * Arrays: returns[bodyCount]. */
VV_API const double *vvWorldBodyEnergies(const vvWorld *world);
/* The visible kinetic energy of each body in the last step, bodyCount values; before the first step: of its
 * velocities. A body added since then has 0. Their sums are the four `visible` columns of the last booked row.
 * Arrays: returns[bodyCount]. */
VV_API const vvVisible *vvWorldBodyVisible(const vvWorld *world);
/* The visible kinetic energy of a motion that took `seconds`, from the positions `from` (m, nodeCount x 3) in
 * straight lines to the present ones: of the world, and of each body (bodyCount values). Either may be NULL.
 * Arrays: from[nodeCount x 3], bodies[bodyCount]. */
VV_API vvStatus vvWorldMeasureVisible(const vvWorld *world, const double *from, double seconds, vvVisible *whole,
                                      vvVisible *bodies, vvError *error);
VV_API void vvWorldTotals(const vvWorld *world, vvLedgerTotals *totals);
/* Elements that are inside out in the present positions. The log warns after a step that begins with none and ends
 * with some. */
VV_API void vvWorldInverted(const vvWorld *world, vvInverted *inverted);

/* A saved state is everything that a run needs to continue with the same bits, as a block of bytes that may be
 * stored: positions, velocities, history, ledger, time, what policy and solver remember, and the settings that
 * setters have changed. Its size depends on bodies, attachments, policy, solver and those settings; it is 0 while the
 * world is not baked, or a change waits to be built in.
 *
 * vvWorldLoadState needs a world of the same bodies (elements are compared). A world made from equal definitions
 * continues with the same bits. A world with other settings continues from the same positions and velocities:
 * - If these have another energy now (material, gravity, contact), the change is booked as work with the next step.
 * - Another time step continues from the same time.
 * - Another policy takes the present energy as its target. What another policy or solver remembered is dropped; the
 *   world's own begin anew.
 * - Other attachments hold their nodes where these are.
 * - What setters had changed in the saved world (settings.h) is set in this one, too, where this one was made with
 *   the same value as that one; a world made with another value keeps its own.
 * - Positions that the settings forbid, or bytes that no world saved, are refused (VV_ERROR_INPUT): it is as it was. */
VV_API size_t vvWorldStateSize(const vvWorld *world);
VV_API vvStatus vvWorldSaveState(const vvWorld *world, void *buffer, size_t size, vvError *error);
VV_API vvStatus vvWorldLoadState(vvWorld *world, const void *buffer, size_t size, vvError *error);
/* A number that is the same in worlds whose attachments and drags hold the same nodes in the same way: a state
 * carries over where these are only between such worlds. */
VV_API uint64_t vvWorldAttachmentsHash(const vvWorld *world);

/* A snapshot in memory holds everything, bit for bit: state, ledger, bodies, obstacles, attachments, pending forces.
 * It may be taken at any time between steps, also of a world that is not baked. As long as the structure does not
 * change, a snapshot costs its state only: the description of the bodies is copied once and shared. */
typedef struct vvSnapshot vvSnapshot;
/* Takes a snapshot. Destroy it with vvSnapshotDestroy. */
VV_API vvStatus vvWorldSnapshot(vvWorld *world, vvSnapshot **snapshot, vvError *error);
/* Restores a snapshot into the world that it was taken of, or into any other, with the settings of its time (all of
 * vvWorldDef but host and threads). The world continues with the same bits, and ids that were valid then are valid
 * again. If the structure is the same, only state is copied. The snapshot stays usable. On failure the world is as it
 * was. */
VV_API vvStatus vvWorldRestore(vvWorld *world, const vvSnapshot *snapshot, vvError *error);
VV_API void vvSnapshotDestroy(vvSnapshot *snapshot); /* also after the world was destroyed; NULL is fine */
/* Bytes of the snapshot, including the description that it shares. */
VV_API size_t vvSnapshotBytes(const vvSnapshot *snapshot);

/* ---- the tables
 * ------------------------------------------------------------------------------------------------------------- */

VV_API const vvInfo *vvSchemeInfo(int index); /* NULL past the end, like all of these. Arrays: None. */
/* Whether the forces of its steps are those at their ends alone, with its parameters at their defaults, as of
 * backward Euler. Then spring attachments and drags that move are booked by the mean of their forces at both ends of
 * the step times their way, otherwise by a jump where the step begins. */
VV_API bool vvSchemeEndForces(const char *scheme);
VV_API const vvInfo *vvPolicyInfo(int index);
VV_API const vvParam *vvSchemeParams(
    int index, int *count); /* the scheme's parameters; *count: how many. Arrays: returns[count]. */
/* The policy's parameters; *count: how many. Arrays: returns[count]. */
VV_API const vvParam *vvPolicyParams(int index, int *count);
VV_API const vvInfo *vvSolverInfo(int index);
VV_API const vvInfo *vvSolverFallbackInfo(int index); /* what vvSolverDef.fallback may be: "none", and the solvers */
/* its iterations of a solve where vvSolverDef.budget is 0; 0: until it converges */
VV_API int vvSolverBudget(const char *method);
VV_API const vvInfo *vvAccelerationInfo(int index);
VV_API const vvInfo *vvLinearSolverInfo(int index);
VV_API const vvInfo *vvLineSearchInfo(int index);

/* What a scheme's row declares, and what the self-check measures on the linear oscillator, in closed form. */
typedef struct vvSchemeCheck {
    int order;                                                 /* declared */
    double measuredOrder;                                      /* from the error's decrease with h */
    bool aStable, lStable, symplectic;                         /* declared: on the oscillator x'' = -x for every h */
    bool measuredAStable, measuredLStable, measuredSymplectic; /* the same, measured */
    bool explicitScheme, twoStep, minimises; /* nothing is solved; it needs two states; it minimises an objective */
} vvSchemeCheck;
/* Measures the scheme of that index (vvSchemeInfo) on the oscillator. */
VV_API vvStatus vvSchemeSelfCheck(int index, vvSchemeCheck *check, vvError *error);

#ifdef __cplusplus
}
#endif
#endif
