/* What counts of two surfaces in contact whose triangles differ in size: the smaller of both, so that a large obstacle
 * is no harder than a small one. */
#include "size.h"
#include "live_support.h"
#include "positional.h"

/* A flat square in the plane y, that ends at x = `end` and has its middle at z = `side`. */
static vvBodyId add_plate(vvWorld *w, double y, double width, const int cells[2], double end, double side)
{
    vvError error = { 0 };
    double values[4] = { width, width, cells[0], cells[1] };
    vvMesh mesh = { 0 };
    assert_ok(generate_mesh("cloth", values, &mesh, &error));
    vvBodyDef def = vvDefaultBodyDef();
    def.kinematic = true;
    def.translate[0] = end - width / 2, def.translate[1] = y, def.translate[2] = side;
    return add_mesh(w, &mesh, &def);
}

static vvWorldDef touching(bool convergent)
{
    vvWorldDef d = free_def("backward-euler", 1.0 / 240, 1e-4);
    d.contact.model = "barrier";
    d.contact.distance = 1e-3;
    d.contact.stiffness = 1e5;
    d.contact.convergent = convergent;
    return d;
}

static vvBodyId add_cube_at(vvWorld *w, double x, double y, double young)
{
    vvBodyDef def = vvDefaultBodyDef();
    def.material = material("neo-hookean", young);
    def.translate[0] = x, def.translate[1] = y;
    return add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 4, 4, 4 }, 6, &def);
}

static const int cuts[3][2] = { { 1, 1 }, { 10, 10 }, { 50, 100 } };
static const double widths[3] = { 0.2, 1, 10 };

/* What is left of the speed of a cube that has left the slot between two plates, and the most that contact's energy
 * at the start, set free, makes of it. */
static double leave(double gap, double width, const int cells[2], bool convergent, double *most)
{
    vvWorldDef d = touching(convergent);
    vvWorld *w = new_world(&d);
    add_plate(w, -0.05 - gap, width, cells, 0, 0);
    add_plate(w, 0.05 + gap, width, cells, 0, 0);
    vvBodyId cube = add_cube_at(w, -0.07, 0, 1e8);
    set_state(w, cube, "linear", (double[]){ 1, 0, 0 });
    const vvLedgerRow first = ledger(w), row = steps(w, 40);
    *most = sqrt(1 + first.contact / first.kinetic);
    vvWorldDestroy(w);
    return row.momentum[0] / first.momentum[0];
}

/* A rim of large triangles, or a vertex of it, stopped the cube dead. */
static void a_slot_lets_go(void **state)
{
    (void)state;
    for (int tight = 0; tight < 2; tight++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                double most;
                const double speed = leave(tight ? 5e-4 : 8.5e-4, widths[i], cuts[k], false, &most);
                print_message("plates of %g m, %d triangles: %.4f m/s, at most %.4f\n", widths[i],
                              2 * cuts[k][0] * cuts[k][1], speed, most);
                assert_true(speed > 0.99 && speed < (tight ? 1.01 * most : 1.01));
            }
}

/* ---- a whole face ---- */

static double energy_at_start(vvWorld *w)
{
    vvError error = { 0 };
    assert_ok(vvWorldBake(w, &error));
    const double energy = ledger(w).contact;
    vvWorldDestroy(w);
    return energy;
}

static double on_plate(double width, const int cells[2], bool convergent, double gap)
{
    vvWorldDef d = touching(convergent);
    vvWorld *w = new_world(&d);
    add_plate(w, 0, width, cells, width / 2, 0);
    add_cube_at(w, 0.003, 0.05 + gap, 1e5);
    return energy_at_start(w);
}

/* Two cubes of the same mesh, face to face, one of them shifted along the face. */
static double face_to_face(bool convergent, double shift, double gap)
{
    vvWorldDef d = touching(convergent);
    vvWorld *w = new_world(&d);
    add_cube_at(w, 0, 0, 1e5);
    add_cube_at(w, shift, 0.1 + gap, 1e5);
    return energy_at_start(w);
}

static const double GAP = 5e-4, STEP = 1e-6;

/* A cube's face is pressed by a plate alike, however that is cut: as by a plane. */
static void a_face_is_pressed_alike(void **state)
{
    (void)state;
    const double energy = 1e5 * 1e-3 * 0.01 * 0.25 * log(2); /* kappa d-hat A b(1/2) */
    for (int convergent = 0; convergent < 2; convergent++) {
        const double whole = on_plate(1, cuts[0], convergent, GAP),
                     push = on_plate(1, cuts[0], convergent, GAP - STEP) - on_plate(1, cuts[0], convergent, GAP + STEP);
        assert_true(whole > energy && whole < 1.6 * energy); /* its rim has the area around the corner, too */
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                const double near = on_plate(widths[i], cuts[k], convergent, GAP - STEP),
                             far = on_plate(widths[i], cuts[k], convergent, GAP + STEP);
                assert_near(on_plate(widths[i], cuts[k], convergent, GAP), whole, 0.01 * whole);
                assert_near(near - far, push, 0.01 * push);
            }
    }
}

/* Of equal triangles all counts as it did: half of the mean of both edges, half of the vertex's area. */
static void equal_triangles_count_as_ever(void **state)
{
    (void)state;
    static const double energy[2][2] = { { 2.62457292, 0.78340072 }, { 0.236753594, 0.200552526 } },
                        force[2][2] = { { 18071.279, 5394.04064 }, { 1630.14722, 1380.88778 } };
    for (int convergent = 0; convergent < 2; convergent++)
        for (int k = 0; k < 2; k++) {
            const double shift = 0.0031 * k, near = face_to_face(convergent, shift, GAP - STEP),
                         far = face_to_face(convergent, shift, GAP + STEP);
            assert_near(face_to_face(convergent, shift, GAP), energy[convergent][k], 0.01 * energy[convergent][k]);
            assert_near((near - far) / (2 * STEP), force[convergent][k], 0.01 * force[convergent][k]);
        }
}

/* The corner of a large plate over the face of a small cube, soft or rigid, pushes no harder than the face can. */
static void a_corner_counts_no_more_than_a_face(void **state)
{
    (void)state;
    const double face = 1e5 * 1e-3 * 0.01 * 0.25 * log(2);
    for (int soft = 0; soft < 2; soft++) {
        vvWorldDef d = touching(false);
        vvWorld *w = new_world(&d);
        add_plate(w, 0.05 + GAP, 10, cuts[0], 0, 5);
        vvBodyDef def = vvDefaultBodyDef();
        def.material = material(soft ? "neo-hookean" : "affine", 1e5);
        add_box_def(w, (double[]){ 0.1, 0.1, 0.1 }, (int[]){ 4, 4, 4 }, 6, &def);
        const double energy = energy_at_start(w);
        print_message("a corner over a %s face: %.3f of it\n", soft ? "soft" : "rigid", energy / face);
        assert_true(energy > 0.1 * face && energy < 2 * face);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_slot_lets_go), cmocka_unit_test(a_face_is_pressed_alike),
                                        cmocka_unit_test(equal_triangles_count_as_ever),
                                        cmocka_unit_test(a_corner_counts_no_more_than_a_face) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
