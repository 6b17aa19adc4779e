/* VTK's cell data: whole numbers, one a cell, number the regions of a mesh. Tets of one value become the group
 * "NAME VALUE", where NAME is the array's. */
#include "base/memory.h"
#include "base/text/number.h"
#include "mesh/format/vtk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void vv_vtk_free_regions(vv_vtk *o)
{
    vv_vtk_numbers *numbers = o->numbers.data;
    for (size_t i = 0; i < o->numbers.count; i++)
        vv_list_free(&numbers[i].values);
    vv_list_free(&o->numbers);
    vv_list_free(&o->tets);
}

bool vv_vtk_takes_name(const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < 32 || name[i] == 127)
            return false;
    return length > 0 && length < sizeof((vv_vtk_numbers *)0)->name;
}

void vv_vtk_add_numbers(vv_vtk *o, const char *name, const vv_list *values)
{
    vv_vtk_numbers *numbers = o->numbers.data;
    size_t i = 0;
    while (i < o->numbers.count && strcmp(numbers[i].name, name) != 0)
        i++;
    if (i == o->numbers.count) {
        vv_vtk_numbers new = { 0 };
        snprintf(new.name, sizeof new.name, "%s", name);
        if (!vv_list_push(&o->numbers, &new, sizeof new)) {
            o->builder->failed = true;
            return;
        }
        numbers = o->numbers.data;
    }
    if ((int64_t)(numbers[i].values.count + values->count) != o->cell)
        return; /* a piece before has none of that name, or this one has two: the end is missing */
    for (size_t k = 0; k < values->count && !o->builder->failed; k++)
        if (!vv_list_push(&numbers[i].values, (const int64_t *)values->data + k, sizeof(int64_t)))
            o->builder->failed = true;
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The values that tets have, ascending; NULL without memory. */
static int64_t *distinct(const vv_vtk *o, const int64_t *of_cell, size_t *count)
{
    const vv_vtk_tet *tets = o->tets.data;
    int64_t *values = vv_alloc(o->tets.count, sizeof *values);
    *count = 0;
    if (!values)
        return NULL;
    for (size_t t = 0; t < o->tets.count; t++)
        values[t] = of_cell[tets[t].cell];
    qsort(values, o->tets.count, sizeof *values, compare);
    for (size_t t = 0; t < o->tets.count; t++)
        if (t == 0 || values[t] != values[*count - 1])
            values[(*count)++] = values[t];
    return values;
}

/* One group a value, after those that are there. */
static bool push_groups(vv_builder *b, const char *name, const int64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        vv_group_key key = { .dimension = 3, .tag = values[i] };
        snprintf(key.name, sizeof key.name, "%s %" PRId64, name, values[i]);
        if (!vv_list_push(&b->groups, &key, sizeof key))
            return false;
    }
    return true;
}

static void make_groups(vv_vtk *o, const vv_vtk_numbers *numbers)
{
    vv_builder *b = o->builder;
    const vv_vtk_tet *tets = o->tets.data;
    const int64_t *of_cell = numbers->values.data;
    const size_t first = b->groups.count;
    size_t count;
    int64_t *values = distinct(o, of_cell, &count);
    b->failed = b->failed || !values;
    /* as many as cells, say: they number something else */
    if (values && count > 1 && 2 * count <= o->tets.count && first + count <= VV_MOST_GROUPS) {
        b->failed = b->failed || !push_groups(b, numbers->name, values, count);
        for (size_t t = 0; t < o->tets.count && !b->failed; t++) {
            const int64_t *at = bsearch(of_cell + tets[t].cell, values, count, sizeof *values, compare);
            vv_builder_member(b, (int)(first + (size_t)(at - values)), tets[t].v, 4);
        }
    }
    vv_free(values);
}

void vv_vtk_make_regions(vv_vtk *o)
{
    const vv_vtk_numbers *numbers = o->numbers.data;
    for (size_t i = 0; i < o->numbers.count && !o->builder->failed; i++)
        if (o->tets.count && (int64_t)numbers[i].values.count == o->cell)
            make_groups(o, numbers + i);
}
