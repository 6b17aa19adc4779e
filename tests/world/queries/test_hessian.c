/* The matrices that a host asks for: the derivatives of the forces that it can ask for, term by term; symmetric, and
 * semidefinite where they are projected; empty where nodes are prescribed; refused by name. */
#include "visviva/contact.h"
#include "visviva/field.h"
#include "visviva/joint.h"
#include "world_support.h"

static double noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int32_t)(*seed >> 33) / 0x1p30 - 1;
}

/* Two boxes that a soft joint joins meet on a plane, one is pulled by springs, and a third is held at one end. */
static vvWorld *busy_world(void)
{
    vvError error = { 0 };
    vvWorldDef d = vvDefaultWorldDef();
    d.timeStep = 0.01;
    d.contact.distance = 2e-3;
    d.contact.stiffness = 1e5;
    d.contact.friction = 0.3;
    d.threads = 1;
    vvWorld *w = new_world(&d);
    vvBodyId id[3];
    for (int i = 0; i < 3; i++) {
        vvBodyDef body = vvDefaultBodyDef();
        body.material = material("neo-hookean", 2e4);
        body.material.damping.rayleigh = 0.01;
        body.translate[0] = 0.12 * i;
        body.translate[1] = i < 2 ? 0.0505 : 0.2;
        id[i] = add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 2, 2, 2 }, 6, &body);
        set_state(w, id[i], "linear", (double[]){ i == 0 ? 0.8 : i == 1 ? -0.8 : 0, 0, 0.1 });
    }
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 90, 0 }, .b = { 100, 100, 100 } };
    a.kind = VV_ATTACH_SPRING;
    assert_ok(vvBodyAttach(w, id[0], &a, NULL, &error));
    a.kind = VV_ATTACH_FIXED;
    assert_ok(vvBodyAttach(w, id[2], &a, NULL, &error));
    vvJointDef j = vvDefaultJointDef();
    j.bodies[0] = id[0], j.bodies[1] = id[1];
    j.at[0] = 0.06, j.at[1] = 0.05, j.stiffness = 100;
    j.collide = true;
    assert_ok(vvWorldAddJoint(w, &j, NULL, &error));
    vvObstacleDef plane = vvDefaultObstacleDef();
    assert_ok(vvWorldAddObstacle(w, &plane, NULL, &error));
    for (int i = 0; i < 5; i++)
        step(w);
    return w;
}

typedef struct view {
    vvWorld *w;
    int n; /* numbers */
    double *x, *v;
} view;

static view look(vvWorld *w)
{
    const int n = 3 * vvWorldNodeCount(w);
    view s = { w, n, malloc((size_t)n * sizeof(double)), malloc((size_t)n * sizeof(double)) };
    memcpy(s.x, vvWorldPositions(w), (size_t)n * sizeof(double));
    memcpy(s.v, vvWorldVelocities(w), (size_t)n * sizeof(double));
    return s;
}

/* The forces of a term with positions, or velocities, moved by `by` along `way`. */
static void forces_at(const view *s, const char *term, bool velocities, double by, const double *way, double *out)
{
    vvError error = { 0 };
    double *x, *v;
    assert_ok(vvWorldBeginEdit(s->w, &x, &v, &error));
    for (int i = 0; i < s->n; i++) {
        x[i] = s->x[i] + (velocities ? 0 : by * way[i]);
        v[i] = s->v[i] + (velocities ? by * way[i] : 0);
    }
    assert_ok(vvWorldEndEdit(s->w, &error));
    assert_ok(vvWorldForces(s->w, term, out, &error));
}

static void multiply(const vvSparse *a, const double *x, double *y)
{
    for (int i = 0; i < a->rows; i++) {
        y[i] = 0;
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            y[i] += a->value[k] * x[a->column[k]];
    }
}

static double product(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Columns ascend, values are symmetric, and rows of nodes that may not move are empty. */
static void check_shape(const view *s, const vvSparse *a)
{
    assert_int_equal(a->rows, s->n);
    assert_int_equal(a->start[0], 0);
    assert_int_equal(a->start[a->rows], a->count);
    double most = 0;
    for (int64_t k = 0; k < a->count; k++)
        most = fmax(most, fabs(a->value[k]));
    for (int i = 0; i < a->rows; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
            const int j = a->column[k];
            assert_in_range(j, 0, a->rows - 1);
            assert_true(k == a->start[i] || a->column[k - 1] < j);
            int64_t m = a->start[j];
            while (m < a->start[j + 1] && a->column[m] != i)
                m++;
            assert_true(m < a->start[j + 1]);
            assert_near(a->value[m], a->value[k], 1e-12 * most);
        }
}

/* Entries between the first body and the second. */
static int64_t between_bodies(const vvSparse *a, int nodes)
{
    int64_t count = 0;
    for (int i = 0; i < 3 * nodes; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            count += a->column[k] >= 3 * nodes && a->value[k] != 0;
    return count;
}

static void they_are_derivatives_of_forces(void **state)
{
    (void)state;
    static const struct {
        const char *term;
        bool velocities, nothing; /* nothing: it is zero */
    } terms[] = { { "elastic", false, false },    { "gravity", false, true }, { "contact", false, false },
                  { "attachment", false, false }, { "joint", false, false },  { "friction", true, false },
                  { "damping", true, false } };
    vvWorld *w = busy_world();
    view s = look(w);
    vvError error = { 0 };
    uint64_t seed = 7;
    double *way = malloc((size_t)s.n * sizeof *way), *up = malloc((size_t)s.n * sizeof *up),
           *down = malloc((size_t)s.n * sizeof *down), *image = malloc((size_t)s.n * sizeof *image),
           *none = calloc((size_t)s.n, sizeof *none);
    for (size_t t = 0; t < sizeof terms / sizeof *terms; t++) {
        vvSparse exact, projected;
        forces_at(&s, "elastic", false, 0, none, up);
        assert_ok(vvWorldHessian(w, terms[t].term, false, &exact, &error));
        assert_ok(vvWorldHessian(w, terms[t].term, true, &projected, &error));
        check_shape(&s, &exact);
        check_shape(&s, &projected);
        if (strcmp(terms[t].term, "contact") == 0 || strcmp(terms[t].term, "joint") == 0)
            assert_true(between_bodies(&exact, s.n / 9) > 0);
        for (int repeat = 0; repeat < 3; repeat++) {
            for (int i = 0; i < s.n; i++)
                way[i] = noise(&seed);
            for (int i = 0; i < s.n; i++) /* nodes that are held stay */
                way[i] = s.v[i] == 0 ? 0 : way[i];
            const double by = 1e-7;
            forces_at(&s, terms[t].term, terms[t].velocities, by, way, up);
            forces_at(&s, terms[t].term, terms[t].velocities, -by, way, down);
            multiply(&exact, way, image);
            double off = 0, size = 0;
            for (int i = 0; i < s.n; i++)
                if (s.v[i] != 0) {
                    const double slope = (down[i] - up[i]) / (2 * by);
                    off += (slope - image[i]) * (slope - image[i]), size += image[i] * image[i];
                }
            print_message("%s: %.3g off, of %.3g\n", terms[t].term, sqrt(off), sqrt(size));
            assert_true(sqrt(off) <= 1e-4 * sqrt(size) + 1e-5);
            assert_true((size > 0) == !terms[t].nothing);
            multiply(&projected, way, image);
            const double value = product(s.n, way, image);
            assert_true(value >= 0);
            multiply(&exact, way, image);
            assert_true(terms[t].velocities || value >= product(s.n, way, image) - 1e-9 * value);
        }
        vvSparseDestroy(&exact);
        vvSparseDestroy(&projected);
        assert_null(exact.start);
    }
    free(way), free(up), free(down), free(image), free(none), free(s.x), free(s.v);
    vvWorldDestroy(w);
}

/* A body in flight: moved as a whole, nothing changes. */
static void rigid_motion_costs_nothing(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 0.01, 1e-8);
    vvWorld *w = new_world(&d);
    vvMaterialDef m = material("stvk", 1e5);
    add_cube(w, 0.1, 3, &m);
    vvSparse a;
    assert_ok(vvWorldHessian(w, "elastic", false, &a, &error));
    const double *x = vvWorldPositions(w);
    double *way = calloc((size_t)a.rows, sizeof *way), *image = malloc((size_t)a.rows * sizeof *image), most = 0;
    for (int64_t k = 0; k < a.count; k++)
        most = fmax(most, fabs(a.value[k]));
    assert_true(most > 0);
    for (int mode = 0; mode < 6; mode++) {
        const int p = (mode + 1) % 3, q = (mode + 2) % 3;
        for (int i = 0; i < a.rows / 3; i++) {
            way[3 * i] = way[3 * i + 1] = way[3 * i + 2] = 0;
            if (mode < 3)
                way[3 * i + mode] = 1;
            else
                way[3 * i + p] = -x[3 * i + q], way[3 * i + q] = x[3 * i + p];
        }
        multiply(&a, way, image);
        for (int i = 0; i < a.rows; i++)
            assert_near(image[i], 0, 1e-11 * most);
    }
    vvSparseDestroy(&a);
    free(way), free(image);
    vvWorldDestroy(w);
}

static void what_there_is_not_is_refused(void **state)
{
    (void)state;
    vvWorld *w = busy_world();
    vvSparse a;
    static const struct {
        const char *term, *word;
        vvStatus status;
    } cases[] = { { "elastc", "elastic", VV_ERROR_INPUT },
                  { NULL, "term of forces", VV_ERROR_INPUT },
                  { "load", "ask for elastic", VV_ERROR_UNSUPPORTED },
                  { "support", "ask for elastic", VV_ERROR_UNSUPPORTED } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vvError error = { 0 };
        assert_int_equal(vvWorldHessian(w, cases[i].term, false, &a, &error), cases[i].status);
        assert_non_null(strstr(error.message, cases[i].word));
        assert_null(a.start);
    }
    vvError error = { 0 };
    assert_int_equal(vvWorldHessian(w, "elastic", false, NULL, &error), VV_ERROR_INPUT);
    vvSparseDestroy(NULL);
    vvWorldDestroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_derivatives_of_forces),
        cmocka_unit_test(rigid_motion_costs_nothing),
        cmocka_unit_test(what_there_is_not_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
