/* Abaqus input files: numbers of nodes and elements become indices, sets become groups. */
#include "base/memory.h"
#include "mesh/format/inp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Numbers in ascending order, and whose they are. */
typedef struct numbered {
    int64_t id;
    int index;
} numbered;

typedef struct numbers {
    numbered *list;
    int count;
} numbers;

static int compare(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : (x->index > y->index) - (x->index < y->index);
}

/* The first of the list whose number is not below `id`. */
static int first_from(const numbers *n, int64_t id)
{
    int low = 0, high = n->count;
    while (low < high) {
        const int half = low + (high - low) / 2;
        if (n->list[half].id < id)
            low = half + 1;
        else
            high = half;
    }
    return low;
}

/* Of nodes or elements, each of which begins with its number; refuses those that are there twice. */
static vvStatus put_in_order(const vv_inp *o, const vv_list *of, size_t size, const char *what, numbers *n)
{
    bool ordered = true;
    *n = (numbers){ vv_alloc(of->count, sizeof *n->list), (int)of->count };
    if (!n->list)
        return vv_inp_memory(o);
    for (int i = 0; i < n->count; i++) {
        memcpy(&n->list[i].id, (const char *)of->data + (size_t)i * size, sizeof n->list[i].id);
        n->list[i].index = i;
        ordered = ordered && (i == 0 || n->list[i - 1].id < n->list[i].id);
    }
    if (!ordered)
        qsort(n->list, (size_t)n->count, sizeof *n->list, compare);
    for (int i = 1; i < n->count; i++)
        if (n->list[i].id == n->list[i - 1].id) {
            const int second = n->list[i].index;
            vv_source_go(o->source, of == &o->nodes ? ((const vv_inp_node *)of->data)[second].at
                                                    : ((const vv_inp_element *)of->data)[second].at);
            return vv_source_fail(o->source, "%s %" PRId64 " is there twice", what, n->list[i].id);
        }
    return VV_OK;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static vvStatus vertices_of(vv_inp *o, const vv_inp_element *e, const numbers *nodes, int v[VV_INP_NODES])
{
    for (int k = 0; k < e->nodes; k++) {
        const int i = first_from(nodes, e->v[k]);
        if (i == nodes->count || nodes->list[i].id != e->v[k]) {
            vv_source_go(o->source, e->at);
            return vv_source_fail(o->source, "element %" PRId64 " has node %" PRId64 ", which is not among the nodes",
                                  e->id, e->v[k]);
        }
        v[k] = nodes->list[i].index;
    }
    return VV_OK;
}

static vvStatus add_elements(vv_inp *o, const numbers *nodes)
{
    const vv_inp_element *elements = o->elements.data;
    vv_builder *b = o->builder;
    for (size_t i = 0; i < o->elements.count && !b->failed; i++) {
        const vv_inp_element *e = elements + i;
        int v[VV_INP_NODES];
        const bool whole = e->nodes == VV_INP_NODES && b->order2;
        vvStatus status = vertices_of(o, e, nodes, v);
        if (status != VV_OK)
            return status;
        b->straightened += e->nodes > e->corners && !whole;
        switch (e->corners) {
        case 4: whole ? vv_builder_tet10(b, v, e->at) : vv_builder_tet(b, v, e->at); break;
        case 3: vv_builder_triangle(b, v, e->at); break;
        default: vv_builder_edge(b, v, e->at);
        }
    }
    return VV_OK;
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

/* Few words may stand for many nodes, thousands of times: a file that unfolds so is refused. */
enum { MOST_FOR_EACH = 16, MOST_LOOKS = 4 * MOST_FOR_EACH };

typedef struct unfolding {
    vv_inp *o;
    const numbers *nodes, *elements;
    vv_list *found;     /* of each set, int: indices */
    char *mark;         /* per node or element, of the set being made */
    size_t left, looks; /* members, and looks at them, that may still come */
} unfolding;

static vvStatus add_member(unfolding *u, int set, int index)
{
    if (u->left == 0 || u->looks-- == 0)
        return vv_source_fail(u->o->source, "the sets have more than %d members for each node and element",
                              MOST_FOR_EACH);
    if (u->mark[index])
        return VV_OK;
    u->left--;
    u->mark[index] = 1;
    return vv_list_push(u->found + set, &index, sizeof index) ? VV_OK : vv_inp_memory(u->o);
}

static vvStatus unfold_row(unfolding *u, int set, const vv_inp_row *row, const numbers *of)
{
    vvStatus status = VV_OK;
    if (row->other >= 0) {
        const int *members = u->found[row->other].data;
        for (size_t i = 0; status == VV_OK && i < u->found[row->other].count; i++)
            status = add_member(u, set, members[i]);
        return status;
    }
    for (int i = first_from(of, row->first); status == VV_OK && i < of->count && of->list[i].id <= row->last; i++)
        if ((of->list[i].id - row->first) % row->step == 0)
            status = add_member(u, set, of->list[i].index);
        else if (u->looks > 0)
            u->looks--;
    return status;
}

/* Rows of one set, in the file's order; a set names none that comes after it. */
static vvStatus unfold(unfolding *u, int set)
{
    const vv_inp_row *rows = u->o->rows.data;
    const numbers *of = ((const vv_inp_set *)u->o->sets.data)[set].elements ? u->elements : u->nodes;
    vvStatus status = VV_OK;
    for (int r = ((const vv_inp_set *)u->o->sets.data)[set].first_row; status == VV_OK && r >= 0; r = rows[r].next) {
        vv_source_go(u->o->source, rows[r].at);
        status = unfold_row(u, set, rows + r, of);
    }
    const int *members = u->found[set].data;
    for (size_t i = 0; i < u->found[set].count; i++)
        u->mark[members[i]] = 0;
    return status;
}

static vvStatus add_group(vv_inp *o, int set, const vv_list *found, const numbers *nodes)
{
    const vv_inp_set *s = (const vv_inp_set *)o->sets.data + set;
    const int *members = found->data;
    for (size_t i = 0; i < found->count; i++) {
        const vv_inp_element *e = s->elements ? (const vv_inp_element *)o->elements.data + members[i] : NULL;
        const int group = vv_builder_group(o->builder, e ? e->corners - 1 : 0, set);
        int v[VV_INP_NODES] = { members[i] };
        if (group < 0)
            return o->builder->groups.count >= VV_MOST_GROUPS
                       ? vv_source_fail(o->source, "there are more than %d groups", VV_MOST_GROUPS)
                       : vv_inp_memory(o);
        memcpy(((vv_group_key *)o->builder->groups.data)[group].name, s->name, sizeof s->name);
        vvStatus status = e ? vertices_of(o, e, nodes, v) : VV_OK;
        if (status != VV_OK)
            return status;
        vv_builder_member(o->builder, group, v, e ? e->corners : 1);
    }
    return VV_OK;
}

static vvStatus add_sets(vv_inp *o, const numbers *nodes, const numbers *elements)
{
    const size_t sets = o->sets.count, most = o->nodes.count > o->elements.count ? o->nodes.count : o->elements.count;
    unfolding u = { o,
                    nodes,
                    elements,
                    vv_alloc(sets, sizeof *u.found),
                    vv_alloc(most, 1),
                    MOST_FOR_EACH * (o->nodes.count + o->elements.count),
                    MOST_LOOKS * (o->nodes.count + o->elements.count) + o->rows.count };
    vvStatus status = u.found && u.mark ? VV_OK : vv_inp_memory(o);
    for (size_t i = 0; status == VV_OK && i < sets; i++)
        status = unfold(&u, (int)i);
    for (size_t i = 0; status == VV_OK && i < sets; i++)
        status = add_group(o, (int)i, u.found + i, nodes);
    for (size_t i = 0; u.found && i < sets; i++)
        vv_list_free(u.found + i);
    vv_free(u.found);
    vv_free(u.mark);
    return status;
}

vvStatus vv_inp_resolve(vv_inp *o)
{
    numbers nodes = { 0 }, elements = { 0 };
    vvStatus status = put_in_order(o, &o->nodes, sizeof(vv_inp_node), "node", &nodes);
    if (status == VV_OK)
        status = put_in_order(o, &o->elements, sizeof(vv_inp_element), "element", &elements);
    if (status == VV_OK)
        status = add_elements(o, &nodes);
    if (status == VV_OK && o->sets.count)
        status = add_sets(o, &nodes, &elements);
    vv_free(nodes.list);
    vv_free(elements.list);
    return status;
}
