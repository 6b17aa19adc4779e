/* What the tests of running worlds share: blocks to put in, ties to hold them, and comparing worlds to the bit. */
#ifndef VV_TESTS_LIVE_SUPPORT_H
#define VV_TESTS_LIVE_SUPPORT_H

#include "world_support.h"

static inline vvWorldDef live_def(const char *scheme, const char *policy)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 4e-3;
    d.integrator.scheme = scheme;
    d.integrator.policy = policy;
    d.integrator.groundMode = VV_GROUND_NONE;
    d.solver.tolerance = 1e-5;
    d.solver.linearTolerance = 1e-8;
    d.threads = 1;
    return d;
}

/* A block of 0.1 m and 8 nodes with its centre at (x, y, 0), turning about its upright axis. */
static inline vvBodyId add_block(vvWorld *w, double x, double y, double spin)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.filter = filter_of(2, 1, 0); /* bodies come down anywhere: they meet obstacles, not each other */
    def.material = material("stvk", 2e4);
    def.translate[0] = x;
    def.translate[1] = y;
    vvBodyId id = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 5, &def);
    if (spin != 0)
        set_state(w, id, "angular", (double[]){ 0, spin, 0, NAN, NAN, NAN });
    return id;
}

/* The four upper nodes of a block, held where they are. */
static inline vvAttachId tie(vvWorld *w, vvBodyId body, vvAttachKind kind, double stiffness)
{
    vvError error = { 0 };
    vvAttachDef a = vvDefaultAttachDef();
    vvAttachId id = { 0, 0 };
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 100, 0 }, .b = { 100, 100, 100 } };
    a.kind = kind;
    a.stiffness = stiffness;
    assert_ok(vvBodyAttach(w, body, &a, &id, &error));
    return id;
}

/* The state of one world into another that is made alike. */
static inline void carry_over(const vvWorld *from, vvWorld *to)
{
    vvError error = { 0 };
    const size_t size = vvWorldStateSize(from);
    void *saved = malloc(size);
    assert_ok(vvWorldBake(to, &error));
    assert_ok(vvWorldSaveState(from, saved, size, &error));
    assert_ok(vvWorldLoadState(to, saved, size, &error));
    free(saved);
}

static inline void expect(vvStatus got, vvStatus wanted, const vvError *error, const char *word)
{
    if (got != wanted || !strstr(error->message, word))
        fail_msg("wanted status \"%s\" and a message with \"%s\"; got \"%s\": %s", vvStatusName(wanted), word,
                 vvStatusName(got), error->message);
    assert_int_equal(error->status, wanted);
}

/* The ledger's row in numbers that must agree to the bit. */
static inline void row_numbers(const vvLedgerRow *r, double out[14])
{
    const double n[14] = { (double)r->step, r->time,   r->kinetic, r->elastic,  r->gravity, r->contact, r->attachment,
                           r->total,        r->target, r->work,    r->friction, r->damping, r->error,   r->scale };
    memcpy(out, n, sizeof n);
}

static inline bool same_world(vvWorld *a, vvWorld *b)
{
    int n = vvWorldNodeCount(a);
    double p[14], q[14];
    vvLedgerRow ra = ledger(a), rb = ledger(b);
    row_numbers(&ra, p);
    row_numbers(&rb, q);
    size_t bytes = 3 * (size_t)n * sizeof(double);
    return n == vvWorldNodeCount(b) && memcmp(vvWorldPositions(a), vvWorldPositions(b), bytes) == 0 &&
           memcmp(vvWorldVelocities(a), vvWorldVelocities(b), bytes) == 0 && memcmp(p, q, sizeof p) == 0;
}

/* Both worlds take `count` steps to the same bits. */
static inline void expect_same(vvWorld *a, vvWorld *b, int count, const char *what)
{
    for (int i = 0; i < count; i++) {
        step(a);
        step(b);
        if (!same_world(a, b))
            fail_msg("%s: the worlds differ after %d steps", what, i + 1);
    }
}

#endif
