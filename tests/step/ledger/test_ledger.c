/* Every joule is accounted for: the ledger's identity, its target, work, friction, damping, decay; energies that do not
 * depend on where the scene stands. Through the public API. */
#include "policy_support.h"

static double sum_of(const vvLedgerRow *r) { return r->kinetic + r->elastic + r->gravity + r->contact + r->attachment; }

/* H(n+1) - H(n) = work - friction - damping - decay + error, T likewise without error, to rounding. */
static void check_row(const vvLedgerRow *old, const vvLedgerRow *row)
{
    double size = fabs(row->kinetic) + fabs(row->elastic) + fabs(row->gravity) + fabs(row->contact) +
                  fabs(row->attachment) + fabs(row->work) + fabs(row->friction) + fabs(row->damping) +
                  fabs(row->target) + fabs(old->total);
    double booked = row->work - row->friction - row->damping - row->decay;
    assert_near(row->total, sum_of(row), 1e-14 * size);
    assert_near(row->total - old->total, booked + row->error, 1e-14 * size);
    assert_near(row->target, old->target + booked, 1e-14 * size);
    assert_true(row->friction >= 0 && row->decay >= 0);
    assert_true(row->scale >= old->scale);
    assert_int_equal(row->step, old->step + 1);
}

/* A box with every kind of damping that slides and is pulled along by moving springs and a moving node. */
static vvWorld *busy_world(const char *scheme, const char *policy, bool contact)
{
    static const vvKey decay[] = { { 0, 2 } };
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 5e-3;
    d.integrator.scheme = scheme;
    d.integrator.policy = policy;
    d.threads = 1;
    bool decays = strcmp(policy, "search") == 0;
    d.integrator.decayKeys = decays ? decay : NULL;
    d.integrator.decayKeyCount = decays ? 1 : 0;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("stvk", 2e4);
    m.damping = (vvDampingDef){ .drag = 0.5, .rayleigh = 1e-3, .momentumRate = 1 };
    vvBodyId body = add_cube(w, 0.1, 2, &m);
    set_state(w, body, "stretch", (double[]){ 1.05, 0.97, 1, NAN, NAN, NAN });
    set_state(w, body, "angular", (double[]){ 1, 3, 0, NAN, NAN, NAN });
    vvAttachDef spring = vvDefaultAttachDef();
    spring.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 0, 100, 100 } };
    spring.kind = VV_ATTACH_SPRING;
    spring.stiffness = 100;
    spring.motion.linearVelocity[0] = -0.3;
    attach(w, body, &spring);
    vvAttachDef node = vvDefaultAttachDef();
    node.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 100, 100, 0 }, .b = { 100, 100, 0 } };
    node.motion.angularVelocity = 60;
    attach(w, body, &node);
    if (contact)
        obstacle(w, "plane", (double[]){ 0, -0.054, 0, 0, 1, 0 }, 0.4);
    return w;
}

static void identity_holds_each_step(void **state)
{
    (void)state;
    for (int s = 0; vvSchemeInfo(s); s++)
        for (int p = 0; vvPolicyInfo(p); p++) {
            vvSchemeCheck check;
            vvError error = { 0 };
            assert_ok(vvSchemeSelfCheck(s, &check, &error));
            const char *scheme = vvSchemeInfo(s)->name, *policy = vvPolicyInfo(p)->name;
            if (p > 0 && strcmp(scheme, scheme_for(policy)) != 0)
                continue;
            bool contact =
                meets_things(policy) && (p > 0 || strcmp(scheme, "backward-euler") == 0 || strcmp(scheme, "bdf2") == 0);
            vvWorld *w = busy_world(scheme, policy, contact);
            vvLedgerRow old = ledger(w), row;
            vvLedgerTotals sum = { 0 }, t;
            assert_near(old.total, sum_of(&old), 1e-12);
            int count = check.explicitScheme ? 8 : 60;
            for (int i = 0; i < count; i++, old = row) {
                row = step(w);
                check_row(&old, &row);
                sum.work += row.work, sum.friction += row.friction, sum.damping += row.damping, sum.decay += row.decay;
                sum.error += row.error, sum.absError += fabs(row.error);
            }
            vvWorldTotals(w, &t);
            assert_int_equal(t.steps, count);
            assert_near(t.work, sum.work, 1e-12);
            assert_near(t.friction, sum.friction, 1e-12);
            assert_near(t.damping, sum.damping, 1e-12);
            assert_near(t.decay, sum.decay, 1e-12);
            assert_near(t.error, sum.error, 1e-12);
            assert_near(t.absError, sum.absError, 1e-12);
            assert_true(t.damping > 0 && t.work != 0);
            assert_true(!contact || t.friction > 0);
            vvWorldDestroy(w);
        }
}

/* Forces are constant in flight: no alpha can give back what backward Euler loses there. */
static void backward_euler_loses_a_known_amount_in_free_flight(void **state)
{
    (void)state;
    for (int search = 0; search < 2; search++) {
        vvWorldDef d = free_def("backward-euler", 1e-2, 1e-10);
        d.gravity[0] = 3, d.gravity[1] = -9;
        d.integrator.policy = search ? "search" : "none";
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material("neo-hookean", 1e5);
        vvBodyId body = add_cube(w, 0.1, 2, &m);
        set_state(w, body, "linear", (double[]){ 1, 5, 0 });
        double mass = 0;
        for (int i = 0; i < vvWorldNodeCount(w); i++)
            mass += vvWorldMasses(w)[i];
        assert_near(mass, 1, 1e-12);
        double loss = 0.5 * mass * 90 * 1e-4;
        for (int i = 0; i < 50; i++) {
            vvLedgerRow row = step(w);
            assert_near(row.error, -loss, 1e-9);
        }
        vvWorldDestroy(w);
    }
}

/* ---- the same scene elsewhere ------------------------------------------------------------------------------------ */

typedef struct frame {
    double degrees[3], r[9], shift[3];
} frame;

static frame make_frame(double x, double y, double z, const double *shift)
{
    double a = x * PI / 180, b = y * PI / 180, c = z * PI / 180;
    frame f = { { x, y, z }, { 0 }, { shift[0], shift[1], shift[2] } };
    double r[9] = { cos(b) * cos(c),
                    -cos(b) * sin(c),
                    sin(b),
                    cos(a) * sin(c) + sin(a) * sin(b) * cos(c),
                    cos(a) * cos(c) - sin(a) * sin(b) * sin(c),
                    -sin(a) * cos(b),
                    sin(a) * sin(c) - cos(a) * sin(b) * cos(c),
                    sin(a) * cos(c) + cos(a) * sin(b) * sin(c),
                    cos(a) * cos(b) };
    memcpy(f.r, r, sizeof r);
    return f;
}

static void turn(const frame *f, const double *v, double *out)
{
    double t[3];
    for (int i = 0; i < 3; i++)
        t[i] = f->r[3 * i] * v[0] + f->r[3 * i + 1] * v[1] + f->r[3 * i + 2] * v[2];
    memcpy(out, t, sizeof t);
}

static void carry(const frame *f, const double *x, double *out)
{
    turn(f, x, out);
    for (int k = 0; k < 3; k++)
        out[k] += f->shift[k];
}

/* A ball lands on a slope, a box hangs from a moving node and a soft spring. */
static vvWorld *world_in(const frame *f)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 5e-3;
    d.integrator.policy = "search";
    d.solver.tolerance = 1e-9;
    d.solver.linear = "cholesky";
    d.threads = 1;
    d.contact.frictionSpeed = 1e-3;
    turn(f, (double[]){ 0, -9.8, 0 }, d.gravity);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 5e4);
    memcpy(def.rotate, f->degrees, sizeof def.rotate);
    carry(f, (double[]){ 0, 0.062, 0 }, def.translate);
    vvBodyId ball = add_ball(w, 0.05, 2, &def);
    double v[3];
    turn(f, (double[]){ 0.3, -1, 0 }, v);
    set_state(w, ball, "linear", v);
    carry(f, (double[]){ 0.5, 0.5, 0 }, def.translate);
    vvBodyId box = add_box_def(w, (double[]){ 0.1, 0.05, 0.05 }, (int[]){ 2, 1, 1 }, 6, &def);
    int node = 0, other = 11;
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = &node, .listCount = 1 };
    carry(f, (double[]){ 0.4, 0.5, 0 }, a.motion.about);
    turn(f, (double[]){ 0, 0, 1 }, a.motion.axis);
    a.motion.angularVelocity = 100;
    turn(f, (double[]){ 0.1, 0.2, 0 }, a.motion.linearVelocity);
    attach(w, box, &a);
    a.where.list = &other;
    a.kind = VV_ATTACH_SPRING;
    a.stiffness = 50;
    attach(w, box, &a);
    double plane[6];
    carry(f, (double[]){ 0, 0, 0 }, plane);
    turn(f, (double[]){ -0.1, 1, 0.05 }, plane + 3);
    obstacle(w, "plane", plane, 0.3);
    double sphere[4] = { 0, 0, 0, 0.1 };
    carry(f, (double[]){ 0.5, -0.1, 0 }, sphere);
    obstacle(w, "sphere", sphere, 0);
    return w;
}

static void nothing_depends_on_where_the_scene_stands(void **state)
{
    (void)state;
    const frame frames[] = { make_frame(0, 0, 0, (double[]){ 0, 0, 0 }), make_frame(0, 0, 0, (double[]){ 3, -20, 7 }),
                             make_frame(90, 0, 0, (double[]){ 0, 0, 0 }),
                             make_frame(30, 50, -70, (double[]){ -2, 1, 4 }) };
    enum { COUNT = 40 };
    vvLedgerRow rows[4][COUNT + 1];
    for (int f = 0; f < 4; f++) {
        vvWorld *w = world_in(frames + f);
        rows[f][0] = ledger(w);
        for (int i = 1; i <= COUNT; i++)
            rows[f][i] = step(w);
        vvWorldDestroy(w);
    }
    double contact = 0;
    for (int f = 1; f < 4; f++) {
        double worst = 0;
        for (int i = 0; i <= COUNT; i++) {
            const vvLedgerRow *a = rows[0] + i, *b = rows[f] + i;
            const double pairs[][2] = { { a->kinetic, b->kinetic },
                                        { a->elastic, b->elastic },
                                        { a->gravity, b->gravity },
                                        { a->contact, b->contact },
                                        { a->attachment, b->attachment },
                                        { a->target, b->target },
                                        { a->scale, b->scale },
                                        { a->work, b->work },
                                        { a->friction, b->friction },
                                        { a->error, b->error },
                                        { a->groundEnergy, b->groundEnergy } };
            for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
                worst = fmax(worst, fabs(pairs[k][0] - pairs[k][1]) / a->scale);
            worst = fmax(worst, fabs(norm3(a->angularMomentumCentre) - norm3(b->angularMomentumCentre)));
            contact = fmax(contact, a->contact);
        }
        print_message("frame %d: largest difference of a row %.2g S\n", f, worst);
        assert_less(worst, 1e-6);
    }
    assert_less(1e-3, contact);
}

/* ---- the scale ---- */

/* A spinning cube that the implicit midpoint blows up, with a ground level and without: S stays what the target says,
 * and H - T grows against it. */
static void an_explosion_is_not_its_own_measure(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        vvWorldDef d = free_def("implicit-midpoint", 1.0 / 30, 1e-4);
        d.integrator.groundMode = k ? VV_GROUND_NONE : VV_GROUND_GIVEN;
        d.gravity[1] = k ? -9.8 : 0;
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material("corotated", 5e4);
        vvBodyId cube = add_cube(w, 0.1, 3, &m);
        set_state(w, cube, "angular", (double[]){ 3, 2, 30, NAN, NAN, NAN });
        set_state(w, cube, "linear", (double[]){ 0, 4, 0 });
        const vvLedgerRow first = ledger(w);
        double most = 0, ought = first.scale;
        for (int i = 0; i < 60; i++) {
            const vvLedgerRow r = step(w);
            most = fmax(most, off_target(&r) / r.scale);
            ought = fmax(ought, r.target - (k ? r.gravity - fabs(r.gravity - first.gravity) : 0));
            assert_near(r.scale, ought, 1e-12 * ought);
        }
        print_message("%s: S %.4g to %.4g J, H off its target by %.3g S\n", k ? "thrown" : "free", first.scale,
                      ledger(w).scale, most);
        assert_less(10, most);
        vvWorldDestroy(w);
    }
}

/* A cube that spins under an explicit scheme far beyond its step limit: the step after one that ended with a million
 * times the energy fails by name, and the world stays as it was before. */
static void what_has_blown_up_ends(void **state)
{
    (void)state;
    static const char *const schemes[] = { "symplectic-euler", "verlet", "forward-euler" };
    for (int k = 0; k < 3; k++) {
        vvWorldDef d = free_def(schemes[k], 1.0 / 30, 1e-4);
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material("corotated", 1e6);
        set_state(w, add_cube(w, 0.1, 3, &m), "angular", (double[]){ 3, 2, 30, NAN, NAN, NAN });
        vvError error = { 0 };
        vvStatus status = VV_OK;
        vvLedgerRow last = ledger(w);
        for (int i = 0; i < 60 && status == VV_OK; i++) {
            last = ledger(w);
            status = vvWorldStep(w, NULL, &error);
        }
        const vvLedgerRow end = ledger(w);
        print_message("%s: after H = %.3g J, %s\n", schemes[k], end.total, error.message);
        assert_int_equal(status, VV_ERROR_SOLVER);
        assert_non_null(strstr(error.message, "blew up: "));
        assert_non_null(strstr(error.message, " J have come from nothing"));
        assert_int_equal(end.step, last.step);
        vvWorldDestroy(w);
    }
}

/* Who wants to see it go on says so. */
static void what_has_blown_up_may_go_on(void **state)
{
    (void)state;
    vvWorldDef d = free_def("verlet", 1.0 / 30, 1e-4);
    d.integrator.blowUp = 0;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("corotated", 1e6);
    set_state(w, add_cube(w, 0.1, 3, &m), "angular", (double[]){ 3, 2, 30, NAN, NAN, NAN });
    const vvLedgerRow row = steps(w, 6);
    assert_true(row.total > 1e9 * row.scale);
    vvWorldDestroy(w);
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

/* Sum of |error| over 0.5 s of a bar that is pulled and turned at one end. AVF-Simpson on StVK has none of its own. */
static double work_error(vvAttachKind kind, double h, double *work)
{
    vvWorldDef d = free_def("avf-simpson", h, 1e-11);
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("stvk", 5e3);
    vvBodyId body = add_box_def(w, (double[]){ 0.2, 0.05, 0.05 }, (int[]){ 2, 1, 1 }, 6, &def);
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 0, 100, 100 } };
    a.kind = kind;
    a.stiffness = 20;
    a.motion.angularVelocity = 120;
    a.motion.linearVelocity[1] = 0.2;
    attach(w, body, &a);
    double sum = 0;
    int count = (int)lround(0.5 / h);
    for (int i = 0; i < count; i++)
        sum += fabs(step(w).error);
    vvLedgerTotals t;
    vvWorldTotals(w, &t);
    *work = t.work;
    vvWorldDestroy(w);
    return sum;
}

static void work_of_moving_nodes_and_springs_is_booked(void **state)
{
    (void)state;
    double work, e[3];
    for (int k = 0; k < 3; k++) {
        e[k] = work_error(VV_ATTACH_FIXED, 1e-2 / (1 << k), &work);
        print_message("driven nodes, h = %g: work %.4g J, summed error %.3g J\n", 1e-2 / (1 << k), work, e[k]);
    }
    assert_less(e[1], 0.6 * e[0]);
    assert_less(e[2], 0.6 * e[1]);
    assert_less(e[2], 0.02 * fabs(work));
    double soft = work_error(VV_ATTACH_SPRING, 1e-2, &work);
    print_message("soft springs: work %.4g J, summed error %.3g J\n", work, soft);
    assert_less(soft, 1e-8 * fabs(work));
}

/* Who drives nodes against friction or dampers pays for it: work in, loss out, no error. */
static void driven_nodes_pay_for_dissipation(void **state)
{
    (void)state;
    vvLedgerTotals t;
    vvWorldDef d = vvDefaultWorldDef();
    d.contact.distance = 1e-3;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.translate[1] = 0.05 + 2e-4;
    vvBodyId body = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 1, 1, 1 }, 6, &def);
    vvAttachDef a = vvDefaultAttachDef();
    a.motion.linearVelocity[0] = 1;
    attach(w, body, &a);
    obstacle(w, "plane", NULL, 0.5);
    steps(w, 20);
    vvWorldTotals(w, &t);
    assert_true(t.friction > 0);
    assert_near(t.work, t.friction, 1e-12 * t.friction);
    assert_near(t.error, 0, 1e-12 * t.friction);
    vvWorldDestroy(w);

    d = free_def("avf-simpson", 2e-3, 1e-9);
    w = new_world(&d);
    def.material = material("stvk", 5e3);
    def.material.damping.rayleigh = 0.02;
    body = add_box_def(w, (double[]){ 0.2, 0.05, 0.05 }, (int[]){ 4, 1, 1 }, 6, &def);
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .b = { 0, 100, 100 } };
    a.motion.linearVelocity[0] = 0.5;
    attach(w, body, &a);
    for (int i = 0; i < 100; i++)
        assert_true(step(w).damping >= 0);
    vvWorldTotals(w, &t);
    print_message("pulled damper: work %.4g J, damping %.4g J, error %.2g J\n", t.work, t.damping, t.error);
    assert_true(t.damping > 0.1 * t.work);
    assert_less(t.absError, 1e-3 * t.damping);
    vvWorldDestroy(w);
}

static void set_state_books_work(void **state)
{
    (void)state;
    static const char *const schemes[] = { "implicit-midpoint", "bdf2" };
    for (int s = 0; s < 2; s++) {
        vvError error = { 0 };
        vvWorldDef d = free_def(schemes[s], 1e-3, 1e-10);
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material("stvk", 1e4);
        add_cube(w, 0.1, 1, &m);
        vvLedgerRow before = steps(w, 3);
        int n = 3 * vvWorldNodeCount(w);
        double *x = copy_of(vvWorldPositions(w), n), *v = copy_of(vvWorldVelocities(w), n), kinetic = 0;
        for (int i = 0; i < n; i++)
            v[i] += i % 3 == 1 ? 2 : 0;
        for (int i = 0; i < n; i++)
            kinetic += 0.5 * vvWorldMasses(w)[i / 3] * v[i] * v[i];
        assert_ok(vvWorldSetState(w, x, v, &error));
        assert_near(ledger(w).kinetic, kinetic, 1e-14);
        for (int i = 0; i < n; i++)
            v[i] += i % 3 == 1 ? 1 : 0;
        assert_ok(vvWorldSetState(w, NULL, v, &error)); /* twice: both are booked */
        vvLedgerRow row = step(w);
        check_row(&before, &row);
        assert_near(row.work, 4.5, 1e-9);
        assert_near(row.target - before.target, 4.5, 1e-9);
        assert_near(row.error, 0, 1e-9); /* a rigid flight: the two-step scheme has started anew */
        free(x);
        free(v);
        vvWorldDestroy(w);
    }
}

/* ---- damping ----------------------------------------------------------------------------------------------------- */

/* A body that only flies: what drag takes is all that changes, and every scheme books it. */
static void drag_is_booked_by_every_scheme(void **state)
{
    (void)state;
    for (int s = 0; vvSchemeInfo(s); s++) {
        vvWorldDef d = free_def(vvSchemeInfo(s)->name, 1e-2, 1e-12);
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material("stvk", 1e3);
        m.damping.drag = 2;
        vvBodyId body = add_cube(w, 0.1, 1, &m);
        set_state(w, body, "linear", (double[]){ 1, 2, 3 });
        steps(w, 100);
        vvLedgerTotals t;
        vvWorldTotals(w, &t);
        double exact = 7 * (1 - exp(-4));
        print_message("%-18s damping %.5g J (exact %.5g), error %.2g J\n", vvSchemeInfo(s)->name, t.damping, exact,
                      t.error);
        assert_near(t.damping, exact, 0.05 * exact);
        assert_less(fabs(t.error), 0.02 * exact);
        vvWorldDestroy(w);
    }
}

static vvWorld *vibrating(double h, double rate, double per_step)
{
    vvWorldDef d = free_def("implicit-midpoint", h, 1e-11);
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("stvk", 1e4);
    m.damping.momentumRate = rate;
    m.damping.momentumPerStep = per_step;
    vvBodyId body = add_cube(w, 0.1, 2, &m);
    set_state(w, body, "translate", (double[]){ 0.7, -0.4, 1.1 });
    set_state(w, body, "mode", (double[]){ 1, 0, 0.05 });
    set_state(w, body, "angular", (double[]){ 0, 1, 2, NAN, NAN, NAN });
    set_state(w, body, "linear", (double[]){ 1, 0, 2 });
    return w;
}

/* v -> v - rigid part, about the centre of mass; a cube's inertia is a multiple of the identity only at rest, so it is
 * solved. */
static void take_rigid_part(const vvWorld *w, const double *v, double *out)
{
    const double *x = vvWorldPositions(w), *m = vvWorldMasses(w);
    double mass = 0, c[3] = { 0 }, u[3] = { 0 }, l[3] = { 0 }, j[9] = { 0 };
    int n = vvWorldNodeCount(w);
    for (int i = 0; i < n; i++) {
        mass += m[i];
        for (int k = 0; k < 3; k++)
            c[k] += m[i] * x[3 * i + k], u[k] += m[i] * v[3 * i + k];
    }
    for (int k = 0; k < 3; k++)
        c[k] /= mass, u[k] /= mass;
    for (int i = 0; i < n; i++) {
        double r[3] = { x[3 * i] - c[0], x[3 * i + 1] - c[1], x[3 * i + 2] - c[2] };
        const double *a = v + 3 * i;
        for (int k = 0; k < 3; k++) {
            l[k] += m[i] * (r[(k + 1) % 3] * (a[(k + 2) % 3] - u[(k + 2) % 3]) -
                            r[(k + 2) % 3] * (a[(k + 1) % 3] - u[(k + 1) % 3]));
            for (int q = 0; q < 3; q++)
                j[3 * k + q] += m[i] * ((k == q ? r[0] * r[0] + r[1] * r[1] + r[2] * r[2] : 0) - r[k] * r[q]);
        }
    }
    double omega[3] = { 0 };
    for (int it = 0; it < 200; it++) /* Gauss-Seidel: j is symmetric and definite */
        for (int k = 0; k < 3; k++) {
            double rest = l[k];
            for (int q = 0; q < 3; q++)
                rest -= q == k ? 0 : j[3 * k + q] * omega[q];
            omega[k] = rest / j[4 * k];
        }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            double r1 = x[3 * i + (k + 1) % 3] - c[(k + 1) % 3], r2 = x[3 * i + (k + 2) % 3] - c[(k + 2) % 3];
            out[3 * i + k] = v[3 * i + k] - u[k] - (omega[(k + 1) % 3] * r2 - omega[(k + 2) % 3] * r1);
        }
}

static void momentum_preserving_damping(void **state)
{
    (void)state;
    vvWorld *free_world = vibrating(1e-2, 0, 0), *damped = vibrating(1e-2, 0, 0.3);
    vvLedgerRow first = ledger(damped), before = first;
    step(free_world);
    vvLedgerRow row = step(damped);
    int n = 3 * vvWorldNodeCount(damped);
    double *wobble = copy_of(vvWorldVelocities(free_world), n), worst = 0;
    take_rigid_part(free_world, vvWorldVelocities(free_world), wobble);
    for (int i = 0; i < n; i++) /* the papers' factor k: the wobble is left with 1 - k */
        worst = fmax(worst, fabs(vvWorldVelocities(free_world)[i] - 0.3 * wobble[i] - vvWorldVelocities(damped)[i]));
    assert_less(worst, 1e-10);
    check_row(&before, &row);
    assert_near(row.damping, ledger(free_world).kinetic - row.kinetic, 1e-12);
    row = steps(damped, 100);
    assert_less(distance3(row.momentum, first.momentum), 1e-9);
    assert_less(distance3(row.angularMomentumCentre, first.angularMomentumCentre), 1e-8);
    free(wobble);
    vvWorldDestroy(free_world);
    vvWorldDestroy(damped);
}

/* A straight rod, of micrograms or of many tons, has no rotation about its own axis: its momenta stay all the same. */
static void damping_of_what_is_a_line(void **state)
{
    (void)state;
    enum { NODES = 6 };
    for (int heavy = 0; heavy < 3; heavy++) {
        vvError error = { 0 };
        double x[3 * NODES], v[3 * NODES];
        int list[2 * (NODES - 1)];
        for (int i = 0; i < NODES; i++) {
            for (int k = 0; k < 3; k++) {
                x[3 * i + k] = 0.1 * i * (k == 0 ? 0.9 : k == 1 ? 0.37 : -0.21) + 0.3 * k;
                v[3 * i + k] = sin(2.0 * i + 5 * k) + 0.5 * k;
            }
            if (i)
                list[2 * i - 2] = i - 1, list[2 * i - 1] = i;
        }
        vvWorldDef d = free_def("implicit-midpoint", 1e-3, 1e-11);
        vvWorld *w = new_world(&d);
        vvMaterialDef m = material("hooke", 0);
        m.springStiffness = pow(1e8, heavy - 1);
        m.density = pow(1e8, heavy - 1);
        m.damping.momentumPerStep = 0.5;
        add_edges(w, NODES, x, NODES - 1, list, &m);
        assert_ok(vvWorldSetState(w, x, v, &error));
        vvLedgerRow first = step(w), row = step(w);
        assert_less(distance3(row.momentum, first.momentum), 1e-11 * norm3(first.momentum));
        assert_less(distance3(row.angularMomentumCentre, first.angularMomentumCentre),
                    1e-9 * norm3(first.angularMomentumCentre));
        assert_less(row.kinetic, first.kinetic);
        assert_less(0.3 * first.kinetic, row.kinetic);
        vvWorldDestroy(w);
    }
}

/* What is left of the wobble after 0.3 s. */
static double wobble_left(double h, double rate, double per_step)
{
    vvWorld *w = vibrating(h, rate, per_step);
    ledger(w);
    int n = 3 * vvWorldNodeCount(w), count = (int)lround(0.3 / h);
    double *wobble = copy_of(vvWorldVelocities(w), n), sum = 0;
    for (int i = 0; i < count; i++) {
        step(w);
        take_rigid_part(w, vvWorldVelocities(w), wobble);
        double kinetic = 0;
        for (int k = 0; k < n; k++)
            kinetic += 0.5 * vvWorldMasses(w)[k / 3] * wobble[k] * wobble[k];
        sum += i >= 2 * count / 3 ? kinetic * h : 0;
    }
    free(wobble);
    vvWorldDestroy(w);
    return sum;
}

static void damping_as_a_rate_does_not_depend_on_the_step(void **state)
{
    (void)state;
    double coarse = wobble_left(2e-3, 5, 0), fine = wobble_left(5e-4, 5, 0), none = wobble_left(2e-3, 0, 0);
    double k_coarse = wobble_left(2e-3, 0, 0.01), k_fine = wobble_left(5e-4, 0, 0.01);
    print_message("wobble left: rate %.4g %.4g (none %.4g); per step %.4g %.4g\n", coarse, fine, none, k_coarse,
                  k_fine);
    assert_near(coarse, fine, 0.03 * fine);
    assert_less(fine, 0.6 * none);
    assert_less(k_fine, 0.5 * k_coarse); /* four times the steps: four times the damping */
}

/* ---- the target -------------------------------------------------------------------------------------------------- */

static vvWorld *decaying(const vvKey *keys, int count, double fraction, bool sparse)
{
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 1e-2;
    d.integrator.policy = "search";
    d.integrator.decayKeys = keys;
    d.integrator.decayKeyCount = count;
    d.integrator.startFraction = fraction;
    d.integrator.settings = &(vvSetting){ "sparse", { sparse } };
    d.integrator.settingCount = 1;
    d.threads = 1;
    vvWorld *w = new_world(&d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("fixed-corotated", 1e5);
    vvBodyId body = add_box_def(w, (double[]){ 0.3, 0.05, 0.05 }, (int[]){ 6, 1, 1 }, 6, &def);
    set_state(w, body, "profile", (double[]){ 0, 1, 0.5, 1, 0, 0 });
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 0 }, .b = { 0, 100, 100 } };
    attach(w, body, &a);
    return w;
}

static void target_decays_with_its_time(void **state)
{
    (void)state;
    static const vvKey key = { 0, 1 };
    vvWorld *w = decaying(&key, 1, 1, false);
    vvLedgerRow first = ledger(w), row;
    assert_near(first.target, first.total, 1e-14);
    for (int i = 1; i <= 200; i++) {
        row = step(w);
        assert_near(row.target - row.groundEnergy, exp(-i * 1e-2) * (first.target - first.groundEnergy),
                    1e-12 * first.scale);
    }
    vvLedgerTotals t;
    vvWorldTotals(w, &t);
    print_message("decay: mean |H-T|/S %.4f, at the end H-E_g is %.4f of the start's\n", t.meanTargetError,
                  (row.total - row.groundEnergy) / (first.total - first.groundEnergy));
    assert_less(t.meanTargetError, 0.02);
    vvWorldDestroy(w);
}

static void decay_follows_its_keys(void **state)
{
    (void)state;
    static const vvKey keys[] = { { 0, 0 }, { 0.3, 1 }, { 0.6, INFINITY } };
    vvWorld *w = decaying(keys, 3, 0.95, false);
    vvLedgerRow first = ledger(w), row = first;
    double above = first.total - first.groundEnergy;
    assert_near(first.target - first.groundEnergy, 0.95 * above, 1e-12 * above);
    for (int i = 1; i <= 90; i++) {
        row = step(w);
        double inside = i <= 30 ? 0 : i <= 60 ? i - 30 : 30;
        assert_near(row.target - row.groundEnergy, 0.95 * above * exp(-inside * 1e-2 / 1), 1e-11 * above);
    }
    print_message("keyed decay: H-E_g is %.4f of the target's\n",
                  (row.total - row.groundEnergy) / (row.target - row.groundEnergy));
    assert_near((row.total - row.groundEnergy) / (row.target - row.groundEnergy), 1, 0.1);
    vvWorldDestroy(w);
}

/* Sparse search: "at most one out of three steps" (You, Zheng, Li §5.6). */
static void sparse_search_acts_seldom(void **state)
{
    (void)state;
    vvWorld *w = decaying(NULL, 0, 1, true);
    int last = -10, searched = 0;
    for (int i = 0; i < 300; i++) {
        vvLedgerRow row = step(w);
        if (row.alpha == 1 || row.alpha >= 1.1 || row.alpha <= 0)
            continue;
        assert_true(i - last >= 3);
        last = i;
        searched++;
    }
    vvLedgerTotals t;
    vvWorldTotals(w, &t);
    print_message("sparse: %d of 300 steps searched, mean |H-T|/S %.4f\n", searched, t.meanTargetError);
    assert_true(searched > 5);
    assert_less(t.meanTargetError, 0.1);
    vvWorldDestroy(w);
}

/* ---- friction ---------------------------------------------------------------------------------------------------- */

/* A block of 0.5 kg on a plane, friction 0.3, that rests in its own weight and is given 1 m/s. */
static vvWorld *sliding_block(const vvWorldDef *d)
{
    vvWorld *w = new_world(d);
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", 1e6);
    def.translate[1] = 0.025 + 5e-4;
    add_box_def(w, (double[]){ 0.1, 0.05, 0.1 }, (int[]){ 2, 1, 2 }, 6, &def);
    obstacle(w, "plane", NULL, 0.3);
    vvError error = { 0 };
    assert_ok(vvWorldSettle(w, true, NULL, &error));
    int n = 3 * vvWorldNodeCount(w);
    double *v = copy_of(vvWorldVelocities(w), n);
    for (int i = 0; i < n; i += 3)
        v[i] = 1;
    assert_ok(vvWorldSetState(w, NULL, v, &error));
    free(v);
    return w;
}

/* What friction is booked with until the block stands. */
static double lost_in_sliding(vvWorld *w, int count)
{
    double friction = 0;
    vvLedgerRow row = ledger(w), old;
    for (int i = 0; i < count; i++) {
        old = row;
        row = step(w);
        check_row(&old, &row);
        friction += row.friction;
    }
    return friction;
}

static void friction_takes_the_kinetic_energy_of_a_sliding_block(void **state)
{
    (void)state;
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 2e-3;
    d.contact.frictionSpeed = 1e-3;
    d.threads = 1;
    vvWorld *w = sliding_block(&d);
    const double start = ledger(w).kinetic, friction = lost_in_sliding(w, 200), end = ledger(w).kinetic;
    print_message("sliding block: kinetic energy %.5g J at the start, %.2g at the end, friction %.5g J\n", start, end,
                  friction);
    assert_less(end, 1e-3 * start);
    assert_near(friction, start, 0.03 * start);
    vvWorldDestroy(w);
}

/* The paper's loss, 2 P_n, is friction's force times the displacement: less than what friction takes by half of force
 * times h times the change of velocity in each step, in all by 1/2 m a h v_0 with the deceleration a. */
static void the_papers_loss_is_force_times_displacement(void **state)
{
    (void)state;
    const double h = 0.01, short_by = 0.5 * 0.5 * (0.3 * 9.81) * h * 1;
    double lost[2];
    for (int k = 0; k < 2; k++) {
        const vvSetting losses = { .name = "losses", .choice = k == 0 ? "taken" : "work" };
        vvWorldDef d = vvDefaultWorldDef();
        d.timeStep = h;
        d.contact.frictionSpeed = 1e-3;
        d.integrator.policy = "search";
        d.integrator.settings = &losses, d.integrator.settingCount = 1;
        d.threads = 1;
        vvWorld *w = sliding_block(&d);
        lost[k] = lost_in_sliding(w, 50);
        vvWorldDestroy(w);
    }
    print_message("friction takes %.5g J; forces times displacements are %.5g J, %.3g less; by the formula %.3g\n",
                  lost[0], lost[1], lost[0] - lost[1], short_by);
    assert_near(lost[0], 0.25, 0.03 * 0.25);
    assert_near(lost[0] - lost[1], short_by, 0.05 * short_by);
}

/* The columns of tables and files are the row's members, each under a name of its own. */
static void columns_are_members(void **state)
{
    (void)state;
    vvLedgerRow row = { .step = 7, .time = 0.5, .kinetic = 1, .newtonIterations = 3, .parts = 2, .loads = -4 };
    row.momentum[2] = 6;
    const struct {
        const char *name, *unit;
        double value;
    } some[] = { { "step", "", 7 },     { "time", "s", 0.5 },
                 { "kinetic", "J", 1 }, { "newton_iterations", "", 3 },
                 { "parts", "", 2 },    { "momentum_z", "kg m/s", 6 },
                 { "loads", "J", -4 },  { "work", "J", 0 } };
    size_t found = 0;
    int count = 0;
    for (const vvLedgerColumn *c; (c = vvLedgerColumnInfo(count)); count++) {
        for (int i = 0; i < count; i++)
            assert_string_not_equal(vvLedgerColumnInfo(i)->name, c->name);
        for (size_t i = 0; i < sizeof some / sizeof *some; i++)
            if (strcmp(some[i].name, c->name) == 0) {
                found++;
                assert_string_equal(c->unit, some[i].unit);
                assert_near(vvLedgerValue(&row, count), some[i].value, 0);
            }
    }
    assert_int_equal(found, sizeof some / sizeof *some);
    assert_null(vvLedgerColumnInfo(-1));
    assert_true(isnan(vvLedgerValue(&row, count)) && isnan(vvLedgerValue(&row, -1)) && isnan(vvLedgerValue(NULL, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identity_holds_each_step),
        cmocka_unit_test(backward_euler_loses_a_known_amount_in_free_flight),
        cmocka_unit_test(nothing_depends_on_where_the_scene_stands),
        cmocka_unit_test(an_explosion_is_not_its_own_measure),
        cmocka_unit_test(what_has_blown_up_ends),
        cmocka_unit_test(what_has_blown_up_may_go_on),
        cmocka_unit_test(work_of_moving_nodes_and_springs_is_booked),
        cmocka_unit_test(driven_nodes_pay_for_dissipation),
        cmocka_unit_test(set_state_books_work),
        cmocka_unit_test(drag_is_booked_by_every_scheme),
        cmocka_unit_test(momentum_preserving_damping),
        cmocka_unit_test(damping_of_what_is_a_line),
        cmocka_unit_test(damping_as_a_rate_does_not_depend_on_the_step),
        cmocka_unit_test(target_decays_with_its_time),
        cmocka_unit_test(decay_follows_its_keys),
        cmocka_unit_test(sparse_search_acts_seldom),
        cmocka_unit_test(friction_takes_the_kinetic_energy_of_a_sliding_block),
        cmocka_unit_test(the_papers_loss_is_force_times_displacement),
        cmocka_unit_test(columns_are_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
