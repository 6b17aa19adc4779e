/* Friction in the convergent sum: what its corrections take off the normal force, they take off friction too. */
#include "live_support.h"
#include "world/world.h"
#include "positional.h"

static vvBodyId add_sheet(vvWorld *w, double size, int cells, double x, double y, double z, double turn)
{
    vvError error = { 0 };
    double values[4] = { size, size, cells, cells };
    vvMesh mesh = { 0 };
    assert_ok(generate_mesh("cloth", values, &mesh, &error));
    vvBodyDef def = vvDefaultBodyDef();
    def.material.model = "hooke";
    def.material.springStiffness = 100;
    def.material.density = 0.1;
    def.rotate[1] = turn;
    def.translate[0] = x, def.translate[1] = y, def.translate[2] = z;
    return add_mesh(w, &mesh, &def);
}

typedef struct sheets {
    int coarse, fine; /* cells of the lower and of the upper one */
    double reach, turn;
} sheets;

/* Friction along x of the upper sheet, which slides along x as a whole at half the reach over the lower one, over mu
 * times the force between them. */
static double friction_ratio(const sheets *s, double mu)
{
    vvError error = { 0 };
    vvWorldDef d = free_def("backward-euler", 1.0 / 120, 1e-3);
    d.contact.model = "barrier";
    d.contact.distance = s->reach;
    d.contact.convergent = true;
    d.contact.self = false;
    d.contact.friction = mu;
    vvWorld *w = new_world(&d);
    add_sheet(w, 0.3, s->coarse, 0, 0, 0, 0);
    vvBodyId top = add_sheet(w, 0.1, s->fine, 0.003, 0.5 * s->reach, 0.002, s->turn);
    assert_ok(vvWorldBake(w, &error));
    int n = vvWorldNodeCount(w), first, count;
    double *force = calloc(3 * (size_t)n, sizeof *force), *rub = calloc(3 * (size_t)n, sizeof *rub);
    double *v = calloc(3 * (size_t)n, sizeof *v), net = 0, along = 0;
    vv_system *sys = &w->system;
    vvBodyNodes(w, top, &first, &count);
    for (int i = first; i < first + count; i++)
        v[3 * i] = 1;
    for (int k = 0; k < sys->dissipations; k++)
        if (sys->dissipation[k]->ops->lag)
            sys->dissipation[k]->ops->lag(sys->dissipation[k], &sys->par, w->state.q, v, d.timeStep);
    vv_system_gradient(sys, w->state.q, force);
    vv_system_dissipation_gradient(sys, v, 1, rub);
    for (int i = first; i < first + count; i++)
        net -= force[3 * i + 1], along += rub[3 * i];
    assert_true(net > 0);
    free(force);
    free(rub);
    free(v);
    vvWorldDestroy(w);
    return along / (mu * net);
}

static void friction_follows_the_net_force(void **state)
{
    (void)state;
    static const sheets rows[] = { { 12, 4, 2e-3, 11 },  { 24, 16, 2e-3, 18 }, { 40, 20, 2e-3, 11 },
                                   { 40, 20, 5e-3, 11 }, { 60, 40, 5e-3, 11 }, { 60, 20, 2e-3, 1 },
                                   { 60, 20, 5e-3, 0.5 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double ratio = friction_ratio(rows + i, 0.4);
        print_message("cells %d and %d, reach %g m, %g degrees: friction %.4f of mu N\n", rows[i].coarse, rows[i].fine,
                      rows[i].reach, rows[i].turn, ratio);
        assert_near(ratio, 1, 0.02);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(friction_follows_the_net_force) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
