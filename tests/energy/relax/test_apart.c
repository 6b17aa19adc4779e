/* Groups of elements that share no node: every element is there once, eight lanes of a group have no node in common,
 * neither have two slabs of a colour; shapes go with their elements; parts stay apart. */
#include "energy_fixture.h"

#include "energy/relax/apart.h"

/* Two parts: the grid twice, the second time with other nodes. */
static void make(const grid *g, bool springs, vv_batch *from, vv_apart *a, double **shape)
{
    const int k = springs ? 2 : 4, count = g->tets;
    int *elements = malloc((size_t)(2 * k * count) * sizeof *elements), start[3] = { 0, count, 2 * count };
    for (int p = 0; p < 2; p++)
        for (int e = 0; e < count; e++)
            for (int c = 0; c < k; c++)
                elements[k * (p * count + e) + c] = g->tet[4 * e + c] + p * g->nodes;
    assert_int_equal(vv_batch_create(from, k, 2 * g->nodes, NULL, 2, start, elements, NULL), VV_OK);
    assert_int_equal(vv_apart_create(a, from, 2 * g->nodes, NULL), VV_OK);
    double *given = malloc((size_t)from->group_count * 2 * VV_LANES * sizeof *given);
    for (int i = 0; i < from->group_count * 2 * VV_LANES; i++)
        given[i] = i;
    *shape = vv_apart_shape(a, given, 2);
    free(elements);
    free(given);
}

static const int *nodes_of(const vv_batch *b, int lane)
{
    return b->nodes + lane / VV_LANES * b->k * VV_LANES + lane % VV_LANES;
}

/* Marks the nodes of the real lanes [begin, end): false if one has a mark of `mine` already, or of another value that
 * is not allowed. */
static bool mark(const vv_batch *b, int begin, int end, int *owner, int mine)
{
    for (int lane = begin; lane < end; lane++)
        for (int c = 0; c < b->k && b->source[lane] >= 0; c++) {
            int *o = owner + nodes_of(b, lane)[c * VV_LANES];
            if (*o != -1 && *o != mine)
                return false;
            *o = mine;
        }
    return true;
}

static void nothing_is_shared(const grid *g, bool springs)
{
    vv_batch from;
    vv_apart a;
    double *shape;
    make(g, springs, &from, &a, &shape);
    const vv_batch *b = &a.batch;
    int *seen = calloc((size_t)from.group_count * VV_LANES, sizeof *seen),
        *owner = malloc((size_t)(2 * g->nodes) * sizeof *owner), real = 0;
    for (int lane = 0; lane < VV_LANES * b->group_count; lane++) {
        int first = lane / VV_LANES * VV_LANES, source = b->source[lane];
        assert_int_equal(source >= 0, lane - first < a.lanes[lane / VV_LANES]);
        int where = source < 0 ? b->source[first] : source;
        assert_true(shape[lane / VV_LANES * 2 * VV_LANES + lane % VV_LANES] ==
                    where / VV_LANES * 2 * VV_LANES + where % VV_LANES);
        for (int c = 0; c < b->k; c++)
            assert_int_equal(nodes_of(b, lane)[c * VV_LANES], nodes_of(&from, where)[c * VV_LANES]);
        if (source >= 0)
            seen[source]++, real++;
    }
    for (int lane = 0; lane < VV_LANES * from.group_count; lane++)
        assert_int_equal(seen[lane], from.source[lane] >= 0);
    assert_int_equal(real, 2 * g->tets);
    assert_true(g->tets < 300 || b->group_count * VV_LANES < 1.4 * real); /* most lanes are at work */
    for (int j = 0; j < b->block_count; j++)
        for (int group = b->block_group[j]; group < b->block_group[j + 1]; group++) {
            memset(owner, 0xff, (size_t)(2 * g->nodes) * sizeof *owner);
            for (int l = 0; l < a.lanes[group]; l++) {
                int lane = VV_LANES * group + l;
                assert_true(mark(b, lane, lane + 1, owner, l));
                for (int c = 0; c < b->k; c++)
                    assert_int_equal(nodes_of(b, lane)[c * VV_LANES] / g->nodes, b->block_part[j]);
            }
        }
    for (int c = 0; c < b->color_count; c++) {
        memset(owner, 0xff, (size_t)(2 * g->nodes) * sizeof *owner);
        for (int i = b->color_start[c]; i < b->color_start[c + 1]; i++)
            assert_true(mark(b, VV_LANES * b->block_group[b->slab_block[b->color_slab[i]]],
                             VV_LANES * b->block_group[b->slab_block[b->color_slab[i] + 1]], owner, i));
    }
    assert_int_equal(b->color_start[b->color_count], b->slab_count);
    assert_int_equal(b->slab_block[b->slab_count], b->block_count);
    free(seen);
    free(owner);
    vv_free(shape);
    vv_apart_free(&a);
    vv_batch_free(&from);
}

static void lanes_and_colours_share_no_node(void **state)
{
    (void)state;
    for (int n = 1; n <= 10; n += 3) {
        grid g = make_grid(n, 0.1);
        nothing_is_shared(&g, false);
        nothing_is_shared(&g, true);
        free_grid(&g);
    }
}

static void an_empty_batch_is_fine(void **state)
{
    (void)state;
    vv_batch from;
    vv_apart a;
    assert_int_equal(vv_batch_create(&from, 4, 0, NULL, 0, (int[]){ 0 }, NULL, NULL), VV_OK);
    assert_int_equal(vv_apart_create(&a, &from, 0, NULL), VV_OK);
    assert_int_equal(a.batch.group_count, 0);
    vv_apart_free(&a);
    vv_batch_free(&from);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lanes_and_colours_share_no_node),
                                        cmocka_unit_test(an_empty_batch_is_fine) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
