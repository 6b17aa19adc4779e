/* Batches of elements: each is there once, in a block of its own part; slabs of a colour share no node, and two
 * colours do, whatever the mesh is: so threads are woken twice for a sum over nodes. */
#include "energy_fixture.h"

#include "energy/batch/batch.h"

typedef struct mesh {
    int k, nodes, parts, start[8];
    int *elements;
    double *position; /* NULL: none */
} mesh;

static void check_elements(const mesh *m, const vv_batch *b)
{
    int *seen = calloc((size_t)m->start[m->parts] + 1, sizeof *seen);
    assert_int_equal(b->slab_block[b->slab_count], b->block_count);
    assert_int_equal(b->block_group[b->block_count], b->group_count);
    for (int j = 0; j < b->block_count; j++)
        for (int lane = VV_LANES * b->block_group[j]; lane < VV_LANES * b->block_group[j + 1]; lane++) {
            int source = b->source[lane], e = source < 0 ? ~source : source, part = b->block_part[j];
            assert_true(e >= m->start[part] && e < m->start[part + 1]);
            seen[e] += source >= 0;
            for (int c = 0; c < m->k; c++)
                assert_int_equal(b->nodes[(lane / VV_LANES * m->k + c) * VV_LANES + lane % VV_LANES],
                                 m->elements[m->k * e + c]);
        }
    for (int e = 0; e < m->start[m->parts]; e++)
        assert_int_equal(seen[e], 1);
    free(seen);
}

/* Returns how many slabs there are in the smallest colour. */
static int check_colours(const mesh *m, const vv_batch *b, int most)
{
    int *owner = malloc((size_t)m->nodes * sizeof *owner), least = b->slab_count;
    assert_true(b->color_count <= most);
    assert_int_equal(b->color_start[b->color_count], b->slab_count);
    for (int c = 0; c < b->color_count; c++) {
        memset(owner, 0xff, (size_t)m->nodes * sizeof *owner);
        const int count = b->color_start[c + 1] - b->color_start[c];
        least = count < least ? count : least;
        for (int i = b->color_start[c]; i < b->color_start[c + 1]; i++) {
            const int slab = b->color_slab[i], first = b->block_group[b->slab_block[slab]],
                      end = b->block_group[b->slab_block[slab + 1]];
            for (int n = first * m->k * VV_LANES; n < end * m->k * VV_LANES; n++) {
                assert_true(owner[b->nodes[n]] == -1 || owner[b->nodes[n]] == i);
                owner[b->nodes[n]] = i;
            }
        }
    }
    free(owner);
    return least;
}

static int check(const mesh *m, int most)
{
    vv_batch b;
    assert_int_equal(vv_batch_create(&b, m->k, m->nodes, m->position, m->parts, m->start, m->elements, NULL), VV_OK);
    check_elements(m, &b);
    int least = check_colours(m, &b, most);
    vv_batch_free(&b);
    return least;
}

static mesh of_grid(const grid *g, int k, bool placed)
{
    mesh m = { .k = k, .nodes = g->nodes, .parts = 1, .start = { 0, g->tets }, .position = placed ? g->x : NULL };
    m.elements = malloc((size_t)(k * g->tets) * sizeof *m.elements);
    for (int e = 0; e < g->tets; e++)
        memcpy(m.elements + k * e, g->tet + 4 * e, (size_t)k * sizeof *m.elements);
    return m;
}

static void two_colours_are_enough(void **state)
{
    (void)state;
    for (int n = 1; n <= 10; n += 3)
        for (int k = 2; k <= 4; k += 2)
            for (int placed = 0; placed < 2; placed++) {
                grid g = make_grid(n, 0.1);
                mesh m = of_grid(&g, k, placed);
                int least = check(&m, 2);
                assert_true(n < 10 || least >= 3); /* there is work for some threads in each */
                free(m.elements);
                free_grid(&g);
            }
}

static void nodes_in_any_order(void **state)
{
    (void)state;
    grid g = make_grid(8, 0.1);
    mesh m = of_grid(&g, 4, false);
    const int stride = 367; /* shares no factor with the number of nodes */
    assert_true(g.nodes % stride != 0);
    for (int i = 0; i < 4 * g.tets; i++)
        m.elements[i] = (int)((long)m.elements[i] * stride % g.nodes);
    check(&m, 2);
    free(m.elements);
    free_grid(&g);
}

/* Bodies beside each other, one in two pieces, one of a single tet, one without any. */
static void pieces_and_small_bodies(void **state)
{
    (void)state;
    grid g = make_grid(6, 0.1);
    const int t = g.tets;
    mesh m = { .k = 4, .nodes = 3 * g.nodes + 4, .parts = 4, .start = { 0, 2 * t, 2 * t + 1, 2 * t + 1, 3 * t + 1 } };
    m.elements = malloc((size_t)(4 * (3 * t + 1)) * sizeof *m.elements);
    for (int i = 0; i < 4 * t; i++) {
        m.elements[i] = g.tet[i];
        m.elements[4 * t + i] = g.tet[i] + g.nodes;
        m.elements[8 * t + 4 + i] = g.tet[i] + 2 * g.nodes + 4;
    }
    for (int c = 0; c < 4; c++)
        m.elements[8 * t + c] = 2 * g.nodes + c;
    check(&m, 2);
    free(m.elements);
    free_grid(&g);
}

/* Parts of one body, such as regions of several materials, share nodes; and elements that all share one leave nothing
 * to divide. */
static void parts_that_share_nodes(void **state)
{
    (void)state;
    grid g = make_grid(8, 0.1);
    mesh m = of_grid(&g, 4, true);
    m.parts = 3, m.start[1] = g.tets / 3, m.start[2] = g.tets / 3 + 5, m.start[3] = g.tets;
    check(&m, 8);
    free(m.elements);
    free_grid(&g);
    mesh fan = { .k = 2, .nodes = 2001, .parts = 1, .start = { 0, 2000 }, .elements = malloc(4000 * sizeof(int)) };
    for (int e = 0; e < 2000; e++)
        fan.elements[2 * e] = 0, fan.elements[2 * e + 1] = e + 1;
    check(&fan, 2);
    mesh chain = { .k = 2, .nodes = 20001, .parts = 1, .start = { 0, 20000 }, .elements = malloc(40000 * sizeof(int)) };
    for (int e = 0; e < 20000; e++)
        chain.elements[2 * e] = e, chain.elements[2 * e + 1] = e + 1;
    assert_true(check(&chain, 2) >= 20);
    free(fan.elements);
    free(chain.elements);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(two_colours_are_enough), cmocka_unit_test(nodes_in_any_order),
                                        cmocka_unit_test(pieces_and_small_bodies),
                                        cmocka_unit_test(parts_that_share_nodes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
