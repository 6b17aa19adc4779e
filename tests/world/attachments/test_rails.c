/* Supports along axes, rollers on planes, planes of symmetry (VV_ATTACH_ROLLER), and attachments that end at a time:
 * exact where closed forms are, the same half as whole, with work in the ledger, or refused by name. */
#include "visviva/field.h"
#include "visviva/modes.h"
#include "world_support.h"

static const double ANYWHERE = 1e6; /* m, a corner of a region that is open on that side */

/* Nodes with lo <= x <= hi, of which NAN stands for nothing. */
static vvRegion box(double x0, double x1, double y0, double y1, double z0, double z1)
{
    const double lo[3] = { x0, y0, z0 }, hi[3] = { x1, y1, z1 };
    vvRegion r = { .kind = VV_REGION_BOX };
    for (int k = 0; k < 3; k++)
        r.a[k] = isnan(lo[k]) ? -ANYWHERE : lo[k], r.b[k] = isnan(hi[k]) ? ANYWHERE : hi[k];
    return r;
}

static vvAttachDef roller(vvRegion where, unsigned axes, const double *normal)
{
    vvAttachDef def = vvDefaultAttachDef();
    def.where = where;
    def.kind = VV_ATTACH_ROLLER;
    def.axes = axes;
    if (normal)
        memcpy(def.normal, normal, sizeof def.normal);
    return def;
}

static vvBodyId add_bar(vvWorld *w, const char *model, double poisson)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material(model, 1e5);
    def.material.poisson = poisson;
    return add_box_def(w, (double[]){ 0.4, 0.2, 0.2 }, (int[]){ 4, 2, 2 }, 6, &def);
}

/* A stiff block in long steps, where "pcg" would take modes of whole parts of it, on a lower side that keeps to a
 * plane: stretched and let go, it ends in balance under every linear solver, and in the same place. */
static void stiff_on_rollers(void **state)
{
    (void)state;
    static const char *const solvers[] = { "pcg", "pcg-jacobi", "auto" };
    double first[3] = { 0 };
    for (int s = 0; s < 3; s++) {
        vvError error = { 0 };
        vvWorldDef d = free_def("backward-euler", 1.0 / 30, 1e-6);
        d.gravity[1] = -9.8;
        d.solver.linear = solvers[s];
        d.threads = 1;
        vvWorld *w = new_world(&d);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material("neo-hookean", 1e9);
        vvBodyId id = add_box_def(w, (double[]){ 1, 1, 1 }, (int[]){ 8, 8, 8 }, 6, &def);
        const vvAttachDef base = roller(box(NAN, NAN, NAN, -0.49, NAN, NAN), VV_AXIS_Y, NULL);
        assert_ok(vvBodyAttach(w, id, &base, NULL, &error));
        steps(w, 4);
        const int n = 3 * vvWorldNodeCount(w);
        double *x = malloc((size_t)n * sizeof *x), *sum = calloc((size_t)n, sizeof *sum),
               *f = malloc((size_t)n * sizeof *f);
        memcpy(x, vvWorldPositions(w), (size_t)n * sizeof *x);
        for (int i = 0; i < n; i += 3)
            x[i] *= 1.1;
        assert_ok(vvWorldSetState(w, x, NULL, &error));
        const vvLedgerRow row = step(w);
        for (int t = 0; vvForceTermInfo(t); t++) {
            assert_ok(vvWorldForces(w, vvForceTermInfo(t)->name, f, &error));
            for (int i = 0; i < n; i++)
                sum[i] += f[i];
        }
        for (int i = 0; i < n; i++)
            assert_near(sum[i], 0, 1); /* N, of 1e8 that the stretch takes */
        print_message("%s: momentum %.6g kg m/s, H %.8g J\n", solvers[s], row.momentum[1], row.total);
        const double now[3] = { row.momentum[0], row.momentum[1], row.total };
        for (int k = 0; k < 3; k++)
            assert_near(now[k], s ? first[k] : now[k], 1e-3 * fabs(now[2]));
        memcpy(first, now, sizeof first);
        free(x), free(sum), free(f);
        vvWorldDestroy(w);
    }
}

/* ---- exact ---- */

/* A cube whose lower side rolls on an inclined plane without friction: the plane takes what is across it, and the sum
 * of forces along it is the weight's, whatever the cube's shape does. */
static void down_an_inclined_plane(void **state)
{
    (void)state;
    const double n[3] = { 0.3, 0.9, -0.2 }, g = 9.8, h = 0.01, square = 0.09 + 0.81 + 0.04;
    vvWorldDef d = free_def("trapezoidal", h, 1e-11);
    d.gravity[1] = -g;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("stable-neo-hookean", 3e4);
    vvBodyId body = add_cube(w, 0.1, 3, &m);
    vvAttachDef def = roller(box(NAN, NAN, NAN, -0.0499, NAN, NAN), 0, n);
    vvError error = { 0 };
    vvAttachId id;
    int nodes[16];
    assert_ok(vvBodyAttach(w, body, &def, &id, &error));
    assert_int_equal(vvAttachNodes(w, id, nodes, 16), 16);
    double *rest = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w)), mass = 0;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        mass += vvWorldMasses(w)[i];
    for (int s = 1; s <= 30; s++) {
        vvLedgerRow row = step(w);
        for (int i = 0; i < 16; i++) {
            const double *x = vvWorldPositions(w) + 3 * nodes[i], *x0 = rest + 3 * nodes[i];
            assert_near(n[0] * (x[0] - x0[0]) + n[1] * (x[1] - x0[1]) + n[2] * (x[2] - x0[2]), 0, 1e-15);
        }
        /* along two directions in the plane */
        for (int k = 0; k < 3; k += 2) {
            const double t[3] = { k == 0 ? n[1] : 0, k == 0 ? -n[0] : -n[2], k == 2 ? n[1] : 0 };
            const double p = row.momentum[0] * t[0] + row.momentum[1] * t[1] + row.momentum[2] * t[2];
            assert_near(p / mass, -g * t[1] * s * h, 1e-9);
        }
        assert_near(row.work, 0, 1e-14);
    }
    assert_true(vvWorldPositions(w)[1] < rest[1] - 0.01 / square); /* it has gone somewhere */
    free(rest);
    vvWorldDestroy(w);
}

/* A bar that three planes hold, one at a time, and whose end is drawn out by s: strain is the same everywhere, and with
 * no force across, E_yy = E_zz = -nu E_xx of St. Venant-Kirchhoff. */
static void drawn_out(void **state)
{
    (void)state;
    const double pull = 0.06, nu = 0.3, stretch = 1 + pull / 0.4, ex = 0.5 * (stretch * stretch - 1),
                 across = sqrt(1 - 2 * nu * ex);
    vvWorldDef d = free_def("backward-euler", 0.05, 1e-11);
    vvWorld *w = new_world(&d);
    vvBodyId body = add_bar(w, "stvk", nu);
    const vvWaypoint way[2] = { { 0, { 0, 0, 0 }, { 0, 0, 0 } }, { 0.5, { pull, 0, 0 }, { 0, 0, 0 } } };
    vvAttachDef left = roller(box(NAN, -0.199, NAN, NAN, NAN, NAN), VV_AXIS_X, NULL),
                low = roller(box(NAN, NAN, NAN, -0.099, NAN, NAN), VV_AXIS_Y, NULL),
                back = roller(box(NAN, NAN, NAN, NAN, NAN, -0.099), 0, (double[]){ 0, 0, -4 }), right = left;
    right.where = box(0.199, NAN, NAN, NAN, NAN, NAN);
    right.motion.waypoints = way, right.motion.waypointCount = 2;
    attach(w, body, &left);
    attach(w, body, &low);
    attach(w, body, &back);
    attach(w, body, &right);
    double *rest = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w)), work = 0;
    for (int s = 0; s < 400; s++)
        work += step(w).work;
    for (int i = 0; i < vvWorldNodeCount(w); i++) {
        const double *x = vvWorldPositions(w) + 3 * i, *x0 = rest + 3 * i;
        assert_near(x[0], -0.2 + stretch * (x0[0] + 0.2), 1e-9);
        assert_near(x[1], -0.1 + across * (x0[1] + 0.1), 1e-9);
        assert_near(x[2], -0.1 + across * (x0[2] + 0.1), 1e-9);
    }
    /* the energy of uniaxial stress, 1/2 E Exx^2 of the volume; whoever pulls has given it, and what is now lost */
    assert_near(ledger(w).elastic, 0.5 * 1e5 * ex * ex * 0.4 * 0.04, 1e-8);
    assert_true(work > ledger(w).elastic);
    free(rest);
    vvWorldDestroy(w);
}

/* Work of a support that moves, of second order in the step: the bar's energy is what it gave. */
static double work_off(double h)
{
    vvWorldDef d = free_def("implicit-midpoint", h, 1e-11);
    vvWorld *w = new_world(&d);
    vvBodyId body = add_bar(w, "stvk", 0.3);
    const vvWaypoint way[2] = { { 0, { 0, 0, 0 }, { 0, 0, 0 } }, { 0.2, { 0.03, 0.02, 0 }, { 0, 0, 0 } } };
    vvAttachDef left = roller(box(NAN, -0.199, NAN, NAN, NAN, NAN), VV_AXIS_X | VV_AXIS_Z, NULL),
                right = roller(box(0.199, NAN, NAN, NAN, NAN, NAN), 0, (double[]){ 1, 0.5, 0 });
    right.motion.waypoints = way, right.motion.waypointCount = 2;
    attach(w, body, &left);
    attach(w, body, &right);
    double begin = ledger(w).total, work = 0;
    const int count = (int)(0.2 / h + 0.5);
    for (int s = 0; s < count; s++)
        work += step(w).work;
    const double end = ledger(w).total;
    vvWorldDestroy(w);
    assert_true(work > 1e-3);
    return fabs(end - begin - work) / work;
}

static void work_of_second_order(void **state)
{
    (void)state;
    const double coarse = work_off(0.002), fine = work_off(0.001);
    assert_less(fine, 2e-3);
    assert_less(fine, 0.4 * coarse);
}

/* ---- symmetry ---- */

enum { MOST = 400 };

/* The mirror image of elements with `corners` corners is added behind them: turned over, two corners change places. */
static void mirror(int *list, int count, int corners, const int *of)
{
    for (int i = 0; i < corners * count; i++)
        list[corners * count + (i % corners < 2 ? i + 1 - 2 * (i % corners) : i)] = of[list[i]];
}

/* A mesh in z >= 0 and its image; nodes at z = 0 are shared. */
static vvBodyId add_whole(vvWorld *w, const vvMesh *half, const vvBodyDef *given)
{
    vvError error = { 0 };
    vvBodyDef def = *given;
    vvBodyId id;
    double x[6 * MOST];
    int tets[8 * MOST], triangles[6 * MOST], of[MOST], count = half->vertexCount, sides = 0;
    assert_true(half->vertexCount <= MOST && half->tetCount <= MOST && half->triangleCount <= MOST);
    memcpy(x, half->positions, 3 * (size_t)count * sizeof *x);
    memcpy(tets, half->tets, 4 * (size_t)half->tetCount * sizeof *tets);
    for (int i = 0; i < half->vertexCount; i++) {
        of[i] = x[3 * i + 2] < 1e-12 ? i : count++;
        for (int k = 0; k < 3; k++)
            x[3 * of[i] + k] = of[i] == i ? x[3 * i + k] : (k == 2 ? -1 : 1) * x[3 * i + k];
    }
    for (int t = 0; t < half->triangleCount; t++) {
        const int *v = half->triangles + 3 * t;
        if (of[v[0]] != v[0] || of[v[1]] != v[1] || of[v[2]] != v[2]) /* not between the halves */
            memcpy(triangles + 3 * sides++, v, 3 * sizeof *v);
    }
    mirror(tets, half->tetCount, 4, of);
    mirror(triangles, sides, 3, of);
    vvMesh mesh = { count, 2 * half->tetCount, 2 * sides, 0, x, tets, triangles };
    def.mesh = &mesh;
    assert_ok(vvWorldAddBody(w, &def, &id, &error));
    return id;
}

/* A bar in z >= 0, or with its image. */
static vvBodyId add_mirrored(vvWorld *w, bool whole, int *half)
{
    vvError error = { 0 };
    vvMesh mesh = { 0 };
    vvBodyDef def = vvDefaultBodyDef();
    const double values[7] = { 0.3, 0.1, 0.1, 4, 2, 2, 6 };
    assert_ok(generate_mesh("box", values, &mesh, &error));
    *half = mesh.vertexCount;
    for (int i = 0; i < mesh.vertexCount; i++)
        mesh.positions[3 * i + 2] += 0.05;
    def.material = material("stable-neo-hookean", 2e4);
    def.material.poisson = 0.4;
    if (!whole)
        return add_mesh(w, &mesh, &def);
    vvBodyId id = add_whole(w, &mesh, &def);
    vvMeshDestroy(&mesh);
    return id;
}

static vvWorld *clamped(bool whole, int *half)
{
    vvWorldDef d = free_def("bdf2", 0.01, 1e-10);
    d.gravity[0] = 2, d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvBodyId body = add_mirrored(w, whole, half);
    vvAttachDef clamp = vvDefaultAttachDef(),
                plane = roller(box(NAN, NAN, NAN, NAN, -1e-9, 1e-9), 0, (double[]){ 0, 0, 1 });
    clamp.where = box(NAN, -0.149, NAN, NAN, NAN, NAN);
    if (!whole)
        attach(w, body, &plane);
    attach(w, body, &clamp); /* shares nodes with the plane */
    return w;
}

static void half_is_as_whole(void **state)
{
    (void)state;
    vvError error = { 0 };
    int half;
    vvWorld *part = clamped(false, &half), *whole = clamped(true, &half);
    const double far = vvWorldPositions(part)[3 * (half - 1) + 1];
    steps(part, 25);
    steps(whole, 25);
    for (int i = 0; i < 3 * half; i++)
        assert_near(vvWorldPositions(part)[i], vvWorldPositions(whole)[i], 1e-8);
    assert_near(2 * ledger(part).elastic, ledger(whole).elastic, 1e-8);
    assert_ok(vvWorldSettle(part, true, NULL, &error));
    assert_ok(vvWorldSettle(whole, true, NULL, &error));
    for (int i = 0; i < 3 * half; i++)
        assert_near(vvWorldPositions(part)[i], vvWorldPositions(whole)[i], 1e-8);
    assert_true(vvWorldPositions(part)[3 * (half - 1) + 1] < far - 0.01); /* it hangs down by as much */
    vvWorldDestroy(part);
    vvWorldDestroy(whole);
}

/* ---- several at one node ---- */

/* Planes at an angle hold an edge to a line, and three a corner to a point; one that says what another has said adds
 * nothing. Along all of them nodes go where each says. */
static void planes_that_meet(void **state)
{
    (void)state;
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-10);
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("fixed-corotated", 1e4);
    vvBodyId body = add_cube(w, 0.2, 2, &m);
    const vvWaypoint way[2] = { { 0, { 0, 0, 0 }, { 0, 0, 0 } }, { 0.1, { 0.02, -0.01, 0.03 }, { 0, 0, 0 } } };
    const double n[3][3] = { { 1, 0, 0 }, { 1, 2, 0 }, { 1, 1, 1 } };
    vvRegion where[3] = { box(NAN, -0.09, NAN, NAN, NAN, NAN), box(NAN, NAN, NAN, -0.09, NAN, NAN),
                          box(NAN, NAN, NAN, NAN, NAN, -0.09) };
    for (int k = 0; k < 3; k++) {
        vvAttachDef def = roller(where[k], 0, n[k]);
        if (k)
            def.motion.waypoints = way, def.motion.waypointCount = 2;
        attach(w, body, &def);
    }
    vvAttachDef again = roller(where[0], 0, (double[]){ -5, 0, 0 }); /* holds nothing more, wherever it goes */
    again.motion.waypoints = way, again.motion.waypointCount = 2;
    attach(w, body, &again);
    double *rest = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    steps(w, 20);
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        for (int k = 0; k < 3; k++) {
            double across = 0;
            if (rest[3 * i + k] > -0.09)
                continue;
            for (int c = 0; c < 3; c++)
                across += n[k][c] * (vvWorldPositions(w)[3 * i + c] - rest[3 * i + c] - (k ? way[1].offset[c] : 0));
            assert_near(across, 0, 1e-15);
        }
    free(rest);
    vvWorldDestroy(w);
}

/* ---- with every method ---- */

static bool named(const vvError *error, const char *name) { return strstr(error->message, name) != NULL; }

/* Steps a bar on two planes, one of which moves; false: it was refused, and by that name. */
static bool keeps_to_planes(const vvWorldDef *d, const char *name)
{
    vvError error = { 0 };
    vvWorld *w = NULL;
    vvStatus status = vvWorldCreate(d, &w, &error);
    if (status != VV_OK)
        return false; /* for other reasons */
    vvBodyId body = add_bar(w, "stvk", 0.3);
    const double n[3] = { 0.6, 0, 0.8 };
    vvAttachDef left = roller(box(NAN, -0.199, NAN, NAN, NAN, NAN), VV_AXIS_X | VV_AXIS_Y, NULL),
                right = roller(box(0.199, NAN, NAN, NAN, NAN, NAN), 0, n);
    right.motion.linearVelocity[0] = 0.2;
    attach(w, body, &left);
    attach(w, body, &right);
    set_state(w, body, "linear", (double[]){ 0.1, 0.2, 0.3 });
    double *rest = copy_of(vvWorldPositions(w), 3 * vvWorldNodeCount(w));
    status = vvWorldBake(w, &error);
    for (int s = 0; status == VV_OK && s < 5; s++)
        step(w);
    for (int i = 0; status == VV_OK && i < vvWorldNodeCount(w); i++) {
        const double *x = vvWorldPositions(w) + 3 * i, *v = vvWorldVelocities(w) + 3 * i, *x0 = rest + 3 * i;
        if (x0[0] < -0.199) {
            assert_true(x[0] == x0[0] && x[1] == x0[1] && v[0] == 0 && v[1] == 0);
            assert_true(x[2] != x0[2] && v[2] != 0);
        } else if (x0[0] > 0.199) {
            assert_near(n[0] * (x[0] - x0[0] - 0.2 * 5 * d->timeStep) + n[2] * (x[2] - x0[2]), 0, 1e-15);
            assert_near(n[0] * (v[0] - 0.2) + n[2] * v[2], 0, 1e-12);
            assert_true(v[1] != 0);
        }
    }
    if (status != VV_OK && !(named(&error, name) && named(&error, "roller")))
        fail_msg("\"%s\" is refused without its name: %s", name, error.message);
    free(rest);
    vvWorldDestroy(w);
    return status == VV_OK;
}

static void with_every_method(void **state)
{
    (void)state;
    int taken = 0;
    for (int i = 0; vvSchemeInfo(i); i++) {
        vvWorldDef d = free_def(vvSchemeInfo(i)->name, 1e-4, 1e-8);
        taken += keeps_to_planes(&d, d.integrator.scheme);
    }
    assert_true(taken >= 14);
    taken = 0;
    for (int i = 0; vvSolverInfo(i); i++) {
        vvWorldDef d = free_def("backward-euler", 0.01, 1e-8);
        d.solver.method = vvSolverInfo(i)->name;
        taken += keeps_to_planes(&d, d.solver.method);
        d.solver.method = "newton", d.solver.fallback = vvSolverInfo(i)->name;
        keeps_to_planes(&d, d.solver.fallback);
    }
    assert_true(taken >= 5);
    taken = 0;
    for (int i = 0; vvPolicyInfo(i); i++) {
        vvWorldDef d = free_def(scheme_for(vvPolicyInfo(i)->name), 0.01, 1e-8);
        d.integrator.policy = vvPolicyInfo(i)->name;
        taken += keeps_to_planes(&d, d.integrator.policy);
    }
    assert_true(taken >= 4);
    for (int i = 0; vvLinearSolverInfo(i); i++) {
        vvWorldDef d = free_def("backward-euler", 0.01, 1e-8);
        d.solver.linear = vvLinearSolverInfo(i)->name;
        assert_true(keeps_to_planes(&d, d.solver.linear));
    }
}

static void refusals(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-8);
    vvModes *modes = NULL;
    d.contact.model = "constraint";
    vvWorld *w = new_world(&d);
    vvBodyId body = add_bar(w, "stvk", 0.3);
    obstacle(w, "plane", (double[]){ 0, -1, 0, 0, 1, 0 }, 0);
    vvAttachDef def = roller((vvRegion){ .kind = VV_REGION_ALL }, VV_AXIS_X, NULL);
    attach(w, body, &def);
    assert_int_equal(vvWorldBake(w, &error), VV_ERROR_UNSUPPORTED);
    assert_true(named(&error, "constraint") && named(&error, "roller"));
    vvWorldDestroy(w);
    d.contact.model = "none";
    w = new_world(&d);
    body = add_bar(w, "stvk", 0.3);
    attach(w, body, &def);
    assert_int_equal(vvBodyFindModes(w, body, VV_MODES_LOWEST, 3, &modes, &error), VV_ERROR_UNSUPPORTED);
    assert_true(named(&error, "directions"));
    vvWorldDestroy(w);
}

static void wrong(const vvAttachDef *def, const char *word)
{
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-8);
    vvWorld *w = new_world(&d);
    vvBodyId body = add_bar(w, "stvk", 0.3);
    assert_int_equal(vvBodyAttach(w, body, def, NULL, &error), VV_ERROR_INPUT);
    if (!named(&error, word))
        fail_msg("\"%s\" does not say \"%s\"", error.message, word);
    vvWorldDestroy(w);
}

static void wrong_definitions(void **state)
{
    (void)state;
    const vvRegion all = { .kind = VV_REGION_ALL };
    const double x[3] = { 1, 0, 0 }, far[3] = { 2e9, 0, 0 }, none[3] = { 0, NAN, 0 };
    vvAttachDef def = roller(all, 8, NULL);
    wrong(&def, "axes is 8");
    def = roller(all, 0, NULL);
    wrong(&def, "found none");
    def = roller(all, 1, x);
    wrong(&def, "found both");
    def = roller(all, 0, far);
    wrong(&def, "normal is");
    def = roller(all, 0, none);
    wrong(&def, "normal is");
    def.kind = VV_ATTACH_FIXED;
    wrong(&def, "belong to the kind");
    def = vvDefaultAttachDef();
    def.release = NAN;
    wrong(&def, "release");
    def = roller(all, 7, NULL);
    def.kind = (vvAttachKind)(VV_ATTACH_ROLLER + 1);
    wrong(&def, "VV_ATTACH_ROLLER");
}

/* ---- released at a time ---- */

static vvWorld *held(vvAttachKind kind, double release, vvAttachId *id)
{
    vvError error = { 0 };
    vvWorldDef d = free_def("bdf2", 0.01, 1e-9);
    d.gravity[1] = -9.8;
    vvWorld *w = new_world(&d);
    vvBodyId body = add_bar(w, "stable-neo-hookean", 0.3);
    vvAttachDef keeps = vvDefaultAttachDef(), def = vvDefaultAttachDef();
    keeps.where = box(NAN, -0.199, NAN, NAN, NAN, NAN);
    attach(w, body, &keeps);
    def.where = box(0.199, NAN, NAN, NAN, NAN, NAN);
    def.kind = kind;
    def.axes = kind == VV_ATTACH_ROLLER ? VV_AXIS_Y : 0;
    def.acceleration[1] = kind == VV_ATTACH_PUSH ? 20 : 0;
    def.potential = kind == VV_ATTACH_POTENTIAL ? "harmonic" : NULL;
    def.release = release;
    assert_ok(vvBodyAttach(w, body, &def, id, &error));
    return w;
}

static void same(const vvWorld *a, const vvWorld *b)
{
    size_t bytes = 3 * (size_t)vvWorldNodeCount(a) * sizeof(double);
    assert_memory_equal(vvWorldPositions(a), vvWorldPositions(b), bytes);
    assert_memory_equal(vvWorldVelocities(a), vvWorldVelocities(b), bytes);
}

/* What is released at a time moves as where the host ends it then, and goes on from a state saved before or after to
 * the same bits. */
static void released(void **state)
{
    (void)state;
    for (int kind = VV_ATTACH_FIXED; kind <= VV_ATTACH_ROLLER; kind++)
        for (int saved = 3; saved <= 12; saved += 9) {
            vvError error = { 0 };
            vvAttachId a, b;
            vvWorld *timed = held((vvAttachKind)kind, 0.08, &a), *ended = held((vvAttachKind)kind, INFINITY, &b);
            vvWorld *later = held((vvAttachKind)kind, 0.08, &b);
            void *bytes = NULL;
            size_t size = 0;
            double sum = 0, other = 0;
            vvSnapshot *snapshot = NULL;
            for (int s = 0; s < 16; s++) {
                if (s == 8)
                    assert_ok(vvWorldDetach(ended, vvAttachIsValid(ended, a) ? a : b, &error));
                sum += step(timed).work;
                other += step(ended).work;
                if (s == saved) {
                    size = vvWorldStateSize(timed);
                    bytes = malloc(size);
                    assert_ok(vvWorldSaveState(timed, bytes, size, &error));
                    assert_ok(vvWorldSnapshot(timed, &snapshot, &error));
                }
            }
            same(timed, ended);
            assert_true(ledger(timed).total == ledger(ended).total);
            assert_near(ledger(timed).target, ledger(ended).target, 1e-12);
            assert_near(sum, other, 1e-15 + 1e-12 * fabs(other));
            assert_ok(vvWorldLoadState(later, bytes, size, &error));
            steps(later, 15 - saved);
            same(timed, later);
            assert_ok(vvWorldRestore(timed, snapshot, &error));
            steps(timed, 15 - saved);
            same(timed, later);
            if (ledger(timed).total != ledger(later).total || ledger(timed).target != ledger(later).target)
                fail_msg("kind %d, saved after step %d: %.17g, %.17g J, aims %.17g, %.17g J", kind, saved,
                         ledger(timed).total, ledger(later).total, ledger(timed).target, ledger(later).target);
            free(bytes);
            vvSnapshotDestroy(snapshot);
            vvWorldDestroy(timed);
            vvWorldDestroy(ended);
            vvWorldDestroy(later);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiff_on_rollers),  cmocka_unit_test(down_an_inclined_plane),
        cmocka_unit_test(drawn_out),         cmocka_unit_test(work_of_second_order),
        cmocka_unit_test(half_is_as_whole),  cmocka_unit_test(planes_that_meet),
        cmocka_unit_test(with_every_method), cmocka_unit_test(refusals),
        cmocka_unit_test(wrong_definitions), cmocka_unit_test(released),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
