/* Second derivatives for a host, as compressed rows: K = d2E/dx2 of a term of the energy, or d2R/dv2 of what resists
 * motion (field.h). Assembled as a solve assembles them, and copied from blocks by unknowns to numbers by nodes. */
#include "base/error.h"
#include "base/memory.h"
#include "solve/assembly.h"
#include "visviva/field.h"
#include "world/queries/forces.h"
#include "world/sleep/sleep.h"

#include <limits.h>
#include <string.h>

/* ---- which terms ---- */

/* What a solve's rows are of; false: the term has no matrix of its own. */
static bool select_term(vv_force_term term, vv_selection *selection)
{
    *selection = (vv_selection){ 0 };
    switch (term) {
    case VV_FORCE_ELASTIC: selection->energies = VV_ROW_BIT(VV_ROW_ELASTIC); return true;
    case VV_FORCE_GRAVITY: selection->energies = VV_ROW_BIT(VV_ROW_GRAVITY); return true;
    case VV_FORCE_CONTACT: selection->energies = VV_ROW_BIT(VV_ROW_CONTACT); return true;
    case VV_FORCE_ATTACHMENT: selection->energies = VV_ROW_BIT(VV_ROW_ATTACHMENT); return true;
    case VV_FORCE_JOINT: selection->energies = VV_ROW_BIT(VV_ROW_JOINT); return true;
    case VV_FORCE_FRICTION: selection->dissipations = VV_ROW_BIT(VV_ROW_CONTACT); return true;
    case VV_FORCE_DAMPING: selection->dissipations = ~VV_ROW_BIT(VV_ROW_CONTACT); return true;
    default: return false;
    }
}

static vvStatus find_term(const char *name, vv_selection *selection, vvError *error)
{
    int term = 0;
    const vvInfo *info = NULL;
    while (name && (info = vvForceTermInfo(term)) && strcmp(info->name, name) != 0)
        term++;
    if (!name || !info)
        return vv_fail_unknown(error, "term of forces", name, vvForceTermInfo);
    if (!select_term((vv_force_term)term, selection))
        return vv_fail(error, VV_ERROR_UNSUPPORTED,
                       "vvWorldHessian: forces of \"%s\" have no matrix here; ask for elastic, gravity, contact, "
                       "attachment, joint, friction or damping",
                       name);
    return VV_OK;
}

/* ---- from blocks by unknowns to numbers by nodes ---- */

typedef struct entry {
    int node;
    const double *block; /* column-major */
} entry;

/* The blocks of a row of the matrix, by the nodes of their columns. */
static int entries_of(const vv_system *s, const vv_bsr *a, int row, entry *to)
{
    const vv_bsr_extra *e = &a->extra;
    int count = 0;
    for (int k = a->row_start[row]; k < a->row_start[row + 1]; k++)
        to[count++] = (entry){ s->node[a->col[k]], a->val + 9 * (size_t)k };
    for (int k = e->nnz ? e->start[row] : 0; e->nnz && k < e->start[row + 1]; k++)
        to[count++] = (entry){ s->node[e->col[k]], e->val + 9 * (size_t)k };
    for (int i = 1; i < count; i++) { /* nearly in order */
        const entry moved = to[i];
        int at = i;
        for (; at > 0 && to[at - 1].node > moved.node; at--)
            to[at] = to[at - 1];
        to[at] = moved;
    }
    return count;
}

static int blocks_of(const vv_bsr *a, int row)
{
    return row < 0 ? 0
                   : a->row_start[row + 1] - a->row_start[row] +
                         (a->extra.nnz ? a->extra.start[row + 1] - a->extra.start[row] : 0);
}

static void fill_rows(const vv_system *s, const vv_bsr *a, entry *room, vvSparse *out)
{
    int64_t at = 0;
    for (int node = 0; node < s->nodes; node++) {
        const int row = s->unknown[node], blocks = row < 0 ? 0 : entries_of(s, a, row, room);
        for (int r = 0; r < 3; r++) {
            out->start[3 * (size_t)node + (size_t)r] = at;
            for (int k = 0; k < blocks; k++)
                for (int c = 0; c < 3; c++, at++) {
                    out->column[at] = 3 * room[k].node + c;
                    out->value[at] = room[k].block[3 * c + r];
                }
        }
    }
    out->start[3 * (size_t)s->nodes] = at;
}

static vvStatus copy_out(const vv_system *s, const vv_bsr *a, vvSparse *out, vvError *error)
{
    int most = 0;
    int64_t count = 0;
    for (int row = 0; row < a->n; row++) {
        const int blocks = blocks_of(a, row);
        count += 9 * (int64_t)blocks;
        most = blocks > most ? blocks : most;
    }
    *out = (vvSparse){ .rows = 3 * s->nodes, .count = count };
    entry *room = vv_alloc((size_t)most, sizeof *room);
    out->start = vv_alloc((size_t)out->rows + 1, sizeof *out->start);
    out->column = vv_alloc((size_t)count, sizeof *out->column);
    out->value = vv_alloc((size_t)count, sizeof *out->value);
    const bool ok = room && out->start && out->column && out->value;
    if (ok)
        fill_rows(s, a, room, out);
    else
        vvSparseDestroy(out);
    vv_free(room);
    return ok ? VV_OK : vv_fail_memory(error, "the Hessian");
}

void vvSparseDestroy(vvSparse *matrix)
{
    if (!matrix)
        return;
    vv_free(matrix->start);
    vv_free(matrix->column);
    vv_free(matrix->value);
    *matrix = (vvSparse){ 0 };
}

/* ---- the call ---- */

static vvStatus hessian_of(vvWorld *w, const char *term, bool projected, vvSparse *out, vvError *error)
{
    vv_selection selection;
    vv_assembly a = { 0 };
    if (!out)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldHessian needs a pointer for the matrix, found NULL");
    *out = (vvSparse){ 0 };
    vvStatus status = find_term(term, &selection, error);
    if (status == VV_OK)
        status = vv_world_bake(w, error);
    if (status == VV_OK)
        status = vv_sleep_refuse(w, -1, "vvWorldHessian", error);
    if (status == VV_OK && 3 * (int64_t)w->nodes > INT_MAX)
        status = vv_fail(error, VV_ERROR_UNSUPPORTED, "vvWorldHessian: %d nodes are too many", w->nodes);
    if (status == VV_OK)
        status = vv_assembly_create(&a, &w->system, selection, error);
    if (status == VV_OK) {
        const vv_hessian_mode mode = projected ? VV_HESSIAN_PROJECTED : VV_HESSIAN_EXACT;
        vv_assembly_begin(&a);
        vv_assembly_add_energies(&w->system, w->state.q, 1, mode, NULL, &a);
        vv_assembly_add_dissipations(&w->system, w->state.v, 1, mode, NULL, &a);
        vv_assembly_end(&a);
        status = vv_bsr_status(&a.matrix, error);
    }
    if (status == VV_OK)
        status = copy_out(&w->system, &a.matrix, out, error);
    vv_assembly_free(&a);
    return status;
}

vvStatus vvWorldHessian(vvWorld *w, const char *term, bool projected, vvSparse *matrix, vvError *error)
{
    VV_WORLD_CALL(w, error, hessian_of(w, term, projected, matrix, error));
}
