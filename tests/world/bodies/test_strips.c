/* Shells of a membrane and midedge as beams and plates, on every pattern of meshes: a strip that hangs from a clamped
 * end against Euler's elastica, a strip pressed until it buckles against Euler's load, a plate whose rim is held or
 * clamped. experiments/shells has these at finer sizes. */
#include "live_support.h"

#include "world/world.h"
#include "positional.h"

enum { PATTERNS = 4 };
static const char *const pattern_names[PATTERNS] = { "equilateral", "diagonal", "union-jack", "random" };

typedef struct sheet {
    double width, length, edge, young, poisson, thickness, prestrain, gravity;
    int pattern;
} sheet;

/* Rows across the length have the distance `row`. */
static double edge_of(int pattern, double row) { return pattern == 0 || pattern == 3 ? row / sqrt(0.75) : row; }

static vvWorld *sheet_world(const sheet *s, vvBodyId *id)
{
    vvError error = { 0 };
    vvMesh mesh;
    vvWorldDef d = free_def("backward-euler", 1.0 / 60, 1e-7);
    vvBodyDef def = vvDefaultBodyDef();
    d.gravity[1] = -s->gravity;
    vvWorld *w = new_world(&d);
    assert_ok(generate_mesh("sheet", (double[]){ s->width, s->length, s->edge, s->pattern, 5 }, &mesh, &error));
    def.material = material("stvk-membrane", s->young);
    def.material.poisson = s->poisson, def.material.thickness = s->thickness, def.material.prestrain = s->prestrain;
    vvMaterialDef more = def.material;
    more.model = "midedge", more.prestrain = 0;
    def.moreMaterials = &more, def.moreMaterialCount = 1;
    *id = add_mesh(w, &mesh, &def);
    return w;
}

/* All within 1e-6 of the end of the length, 0 or 1. */
static void hold_end(vvWorld *w, vvBodyId id, int end, bool clamp)
{
    vvAttachDef a = vvDefaultAttachDef();
    a.where = (vvRegion){ .kind = VV_REGION_PERCENT, .a = { 0, 0, 100 * end }, .b = { 100, 100, 100 * end } };
    a.clamp = clamp;
    attach(w, id, &a);
}

/* theta'' = -load (1 - s) cos(theta), by shooting: where the end of a length of 1 is. */
static void elastica(double load, double tip[2])
{
    enum { STEPS = 2000 };
    const double h = 1.0 / STEPS;
    for (double low = 0, high = load; high - low > 1e-12 * load;) {
        double theta = 0, start = 0.5 * (low + high), rate = start;
        tip[0] = tip[1] = 0;
        for (int i = 0; i < STEPS; i++) { /* midpoint */
            double middle = theta + 0.5 * h * rate, after = rate - h * load * (1 - (i + 0.5) * h) * cos(middle);
            theta += 0.5 * h * (rate + after);
            rate = after;
            tip[0] += h * cos(middle), tip[1] -= h * sin(middle);
        }
        if (rate > 0)
            high = start;
        else
            low = start;
    }
}

/* So narrow that it is free to curl across: its stiffness is that of a beam, E t^3/12 and not the plate's, by 10%
 * more. */
static void hanging_strip(void **state)
{
    (void)state;
    for (int pattern = 0; pattern < PATTERNS; pattern++)
        for (int heavy = 0; heavy < 2; heavy++) {
            vvError error = { 0 };
            vvBodyId id;
            sheet s = { .length = 1,
                        .edge = edge_of(pattern, 1.0 / 40),
                        .young = 1e8,
                        .poisson = 0.3,
                        .thickness = 5e-3,
                        .pattern = pattern };
            const double load = heavy ? 15 : 3;
            s.width = 2 * s.edge;
            s.gravity = load * s.young * s.thickness * s.thickness / 12 / 1000;
            vvWorld *w = sheet_world(&s, &id);
            hold_end(w, id, 0, true);
            assert_ok(vvWorldSettle(w, true, NULL, &error));
            double tip[2] = { 0 }, end[2] = { 0 };
            int count = 0;
            elastica(load, tip);
            for (int i = 0; i < w->bodies->vertex_count; i++)
                if (w->rest[3 * i + 2] > 0.5 - 1e-9)
                    end[0] += vvWorldPositions(w)[3 * i + 2] + 0.5, end[1] += vvWorldPositions(w)[3 * i + 1], count++;
            end[0] /= count, end[1] /= count;
            print_message("%s: tip %.4f, %.4f; elastica %.4f, %.4f\n", pattern_names[pattern], end[0], end[1], tip[0],
                          tip[1]);
            assert_less(hypot(end[0] - tip[0], end[1] - tip[1]), 0.015);
            vvWorldDestroy(w);
        }
}

/* Its ends are held nearer to each other than it is long. What shows of that as a wave, (pi A / 2 L)^2, it does not
 * carry as pressure: the rest is Euler's strain pi^2 t^2 / 12 L^2. Too little pressure leaves it straight. */
static void column(void **state)
{
    (void)state;
    for (int pattern = 0; pattern < PATTERNS; pattern++)
        for (int n = 0; n < 2; n++) {
            vvError error = { 0 };
            vvBodyId id;
            sheet s = {
                .length = 1, .edge = edge_of(pattern, 1.0 / 24), .young = 1e9, .thickness = 0.01, .pattern = pattern
            };
            const double euler = PI * PI * s.thickness * s.thickness / 12, excess = (n ? 1.5 : 0.9) * euler;
            double most = 0;
            s.width = 4 * s.edge;
            s.prestrain = 1 / (1 + excess) - 1;
            /* bends it by less than 1e-4 t by itself */
            s.gravity = 1e-4 * s.young * s.thickness * s.thickness * s.thickness / 1000;
            vvWorld *w = sheet_world(&s, &id);
            hold_end(w, id, 0, false);
            hold_end(w, id, 1, false);
            assert_ok(vvWorldSettle(w, true, NULL, &error));
            for (int i = 0; i < w->bodies->vertex_count; i++)
                most = fmax(most, fabs(vvWorldPositions(w)[3 * i + 1]));
            double load = (excess - 0.25 * PI * PI * most * most) / euler;
            print_message("%s, pressed by %.1f of Euler's load: %.2g m, carries %.4f\n", pattern_names[pattern],
                          excess / euler, most, load);
            if (n)
                assert_near(load, 1, 0.01);
            else
                assert_less(most, 0.01 * s.thickness);
            vvWorldDestroy(w);
        }
}

/* The rim of a square plate under its weight: held, it turns; clamped, it does not, and the plate bends by a third. */
static void rims(void **state)
{
    (void)state;
    for (int clamp = 0; clamp < 2; clamp++) {
        vvError error = { 0 };
        vvBodyId id;
        sheet s = {
            .width = 1, .length = 1, .edge = 1.0 / 16, .young = 1e9, .poisson = 0.3, .thickness = 0.01, .pattern = 1
        };
        const double rigidity = s.young * 1e-6 / (12 * 0.91), theory = clamp ? 0.00126532 : 0.00406235,
                     down = 0.02 * s.thickness;
        double most = 0;
        s.gravity = down * rigidity / (theory * 1000 * s.thickness);
        vvWorld *w = sheet_world(&s, &id);
        vvAttachDef a = vvDefaultAttachDef();
        a.where.rimOnly = true;
        a.clamp = clamp;
        attach(w, id, &a);
        assert_ok(vvWorldSettle(w, true, NULL, &error));
        for (int i = 0; i < w->bodies->vertex_count; i++)
            most = fmax(most, -vvWorldPositions(w)[3 * i + 1]);
        print_message("%s rim: %.4f of Kirchhoff's\n", clamp ? "clamped" : "held", most / down);
        assert_near(most / down, 1, clamp ? 0.1 : 0.02);
        vvWorldDestroy(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(hanging_strip), cmocka_unit_test(column),
                                        cmocka_unit_test(rims) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
