/* Matrices over some of a system's energies. */
#include "solve/assembly.h"

#include "base/error.h"
#include "base/memory.h"
#include "solve/vectors.h"

#include <string.h>

/* ---- energies and slots ---- */

static bool selected(const vv_assembly *a, bool dissipative, const vv_energy *e)
{
    const unsigned rows = dissipative ? a->selection.dissipations : a->selection.energies;
    return (rows >> e->ops->row & 1) &&
           !(a->selection.alone && e->ops->bound_diagonal && e->ops->bound_diagonal(e, 0, NULL));
}

static void free_bound(vv_bound *bound)
{
    for (int i = 0; i < VV_MAX_ENERGIES; i++)
        vv_free(bound[i].slots);
}

/* Moves the energy's slots from `old` to *to if it was bound before; else looks them up. */
static vvStatus bind(const vv_assembly *a, bool dissipative, const vv_energy *e, vv_bound *old, vv_bound *to,
                     vvError *error)
{
    for (int i = 0; i < VV_MAX_ENERGIES; i++)
        if (old[i].serial == e->serial) {
            *to = old[i];
            old[i] = (vv_bound){ 0 };
            return VV_OK;
        }
    *to = (vv_bound){ .serial = e->serial };
    if (!selected(a, dissipative, e) || !e->ops->slots)
        return VV_OK;
    return e->ops->slots(e, a->system->unknown, &a->matrix, &to->slots, error);
}

static vvStatus renew(vv_assembly *a, bool dissipative, vv_energy *const *energy, int count, vv_bound *bound,
                      vvError *error)
{
    bool same = count == VV_MAX_ENERGIES || bound[count].serial == 0;
    for (int i = 0; i < count; i++)
        same = same && bound[i].serial == energy[i]->serial;
    if (same)
        return VV_OK;
    vv_bound old[VV_MAX_ENERGIES], fresh[VV_MAX_ENERGIES] = { 0 };
    memcpy(old, bound, sizeof old);
    vvStatus status = VV_OK;
    for (int i = 0; i < count && status == VV_OK; i++)
        status = bind(a, dissipative, energy[i], old, fresh + i, error);
    if (status == VV_OK) {
        free_bound(old);
        memcpy(bound, fresh, sizeof fresh);
        a->renewals++;
        return VV_OK;
    }
    for (int i = 0; i < count; i++) { /* frees only what is new */
        bool before = false;
        for (int k = 0; k < VV_MAX_ENERGIES; k++)
            before = before || bound[k].slots == fresh[i].slots;
        if (!before)
            vv_free(fresh[i].slots);
    }
    return status;
}

vvStatus vv_assembly_ready(vv_assembly *a, vvError *error)
{
    const vv_system *s = a->system;
    vvStatus status = renew(a, false, s->energy, s->energies, a->energy, error);
    return status == VV_OK ? renew(a, true, s->dissipation, s->dissipations, a->dissipation, error) : status;
}

/* Where the matrix's rows are, with nodes at x. */
static void place_rows(vv_assembly *a, const double *x)
{
    const vv_system *s = a->system;
    for (size_t u = 0; u < (size_t)s->unknowns; u++)
        memcpy(a->place + 3 * u, x + 3 * (size_t)s->node[u], 3 * sizeof *x);
    a->matrix.place = a->place;
}

/* Whose the rows are, and where. */
static vvStatus describe_rows(vv_assembly *a, vvError *error)
{
    const vv_system *s = a->system;
    a->body = vv_alloc((size_t)s->unknowns, sizeof *a->body);
    a->place = vv_alloc(vv_unknown_space(s), sizeof *a->place);
    if (!a->body || !a->place)
        return vv_fail_memory(error, "the matrix");
    for (int u = 0; u < s->unknowns && s->body; u++)
        a->body[u] = s->body[s->node[u]];
    /* rigid modes, which they are for, would leave the rails */
    a->matrix.body = s->body && !s->rails ? a->body : NULL;
    if (s->rest) /* a solver that is made now sees bodies as they were made, whenever that is */
        place_rows(a, s->rest);
    return VV_OK;
}

vvStatus vv_assembly_create(vv_assembly *a, vv_system *system, vv_selection selection, vvError *error)
{
    vv_pattern pattern = { .n = system->unknowns };
    *a = (vv_assembly){ .system = system, .selection = selection };
    for (int i = 0; i < system->energies; i++)
        if (selected(a, false, system->energy[i]) && system->energy[i]->ops->pattern)
            system->energy[i]->ops->pattern(system->energy[i], system->unknown, &pattern);
    for (int i = 0; i < system->dissipations; i++)
        if (selected(a, true, system->dissipation[i]) && system->dissipation[i]->ops->pattern)
            system->dissipation[i]->ops->pattern(system->dissipation[i], system->unknown, &pattern);
    vvStatus status = vv_bsr_build(&a->matrix, &pattern, error);
    vv_pattern_free(&pattern);
    a->matrix.clump = system->clump, a->matrix.clumps = system->clumps;
    if (status == VV_OK)
        status = describe_rows(a, error);
    if (status == VV_OK)
        status = vv_assembly_ready(a, error);
    if (status != VV_OK)
        vv_assembly_free(a);
    return status;
}

void vv_assembly_free(vv_assembly *a)
{
    free_bound(a->energy);
    free_bound(a->dissipation);
    vv_bsr_free(&a->matrix);
    vv_free(a->body);
    vv_free(a->place);
    *a = (vv_assembly){ 0 };
}

/* ---- assembling ---- */

void vv_assembly_begin(vv_assembly *a)
{
    vv_bsr_clear(&a->matrix, &a->system->par);
    if (vv_assembly_ready(a, NULL) != VV_OK)
        a->matrix.extra.failed = true;
}

void vv_assembly_end(vv_assembly *a) { vv_bsr_finish(&a->matrix); }

/* An energy's derivatives, if the gradient or the matrix needs them: by sum_derivatives over all samples, else at the
 * first. */
static void add(const vv_system *s, vv_energy *e, const vv_sample *sample, int samples, vv_hessian_mode mode, double *g,
                vv_assembly *a, bool dissipative, const vv_bound *bound)
{
    bool wanted = a && selected(a, dissipative, e) && bound->serial == e->serial;
    vv_block_target to = { wanted ? &a->matrix : NULL, s->unknown, wanted ? bound->slots : NULL };
    if (!wanted && (!g || (a && a->selection.alone)))
        return;
    if (e->ops->sum_derivatives) {
        e->ops->sum_derivatives(e, &s->par, sample, samples, mode, g, wanted ? &to : NULL);
        return;
    }
    if (mode != VV_HESSIAN_REST)
        vv_energy_update(e, &s->par, sample->x);
    e->ops->derivatives(e, &s->par, sample->x, sample->stiffness, mode, g, wanted ? &to : NULL);
}

static void add_energy(const vv_system *s, int i, const vv_sample *sample, int samples, vv_hessian_mode mode, double *g,
                       vv_assembly *a)
{
    add(s, s->energy[i], sample, samples, mode, g, a, false, a ? a->energy + i : NULL);
}

void vv_assembly_add_energies(const vv_system *s, const double *x, double scale, vv_hessian_mode mode, double *g,
                              vv_assembly *a)
{
    if (a && x)
        place_rows(a, x);
    for (int i = 0; i < s->energies; i++)
        add_energy(s, i, &(vv_sample){ x, scale, scale }, 1, mode, g, a);
}

void vv_assembly_add_samples(const vv_system *s, const vv_sample *sample, int samples, vv_hessian_mode mode, double *g,
                             double *room, vv_assembly *a)
{
    const size_t n = vv_node_space(s);
    if (a && samples > 0 && sample[0].x)
        place_rows(a, sample[0].x);
    for (int k = 0; k < samples; k++) {
        bool apart = g && sample[k].force != sample[k].stiffness, used = false;
        for (int i = 0; i < s->energies; i++) {
            bool at_once = s->energy[i]->ops->sum_derivatives;
            if (at_once && k == 0)
                add_energy(s, i, sample, samples, mode, g, a);
            if (at_once)
                continue;
            if (apart && !used)
                vv_zero(n, room);
            used = true;
            add_energy(s, i, sample + k, 1, mode, apart ? room : g, a);
        }
        if (apart && used)
            vv_axpy(n, sample[k].force / sample[k].stiffness, room, g);
    }
}

void vv_assembly_add_dissipations(const vv_system *s, const double *v, double scale, vv_hessian_mode mode, double *g,
                                  vv_assembly *a)
{
    for (int i = 0; i < s->dissipations; i++)
        add(s, s->dissipation[i], &(vv_sample){ v, scale, scale }, 1, mode, g, a, true, a ? a->dissipation + i : NULL);
}

void vv_assembly_add_mass(vv_assembly *a, double factor)
{
    const vv_system *s = a->system;
    for (size_t u = 0; u < (size_t)s->unknowns; u++) {
        double m = factor * s->mass[s->node[u]];
        for (size_t k = 0; k < 3; k++)
            a->matrix.val[9 * (size_t)a->matrix.diag[u] + 4 * k] += m;
    }
}

/* ---- solving ---- */

vvStatus vv_equations_create(vv_equations *e, vv_system *system, vv_selection selection, const vv_linear_ops *linear,
                             vvError *error)
{
    *e = (vv_equations){ 0 };
    vvStatus status = vv_assembly_create(&e->assembly, system, selection, error);
    if (status == VV_OK)
        status = linear->create(&e->assembly.matrix, &system->par, &e->linear, error);
    if (status != VV_OK)
        vv_equations_free(e);
    return status;
}

void vv_equations_free(vv_equations *e)
{
    if (e->linear)
        e->linear->ops->destroy(e->linear);
    e->linear = NULL;
    vv_assembly_free(&e->assembly);
}

vvStatus vv_equations_solve(vv_equations *e, const double *b, double *x, double tolerance, vv_linear_stats *stats,
                            vvError *error)
{
    const vv_bsr *a = &e->assembly.matrix;
    const vv_system *s = e->assembly.system;
    vvStatus status = vv_bsr_status(a, error);
    if (status == VV_OK)
        status = e->linear->ops->solve(e->linear, a, b, x, tolerance, VV_LINEAR_ITERATIONS, stats, error);
    for (int r = 0; s->rails && status == VV_OK && r < s->rails->count; r++) /* however a solver ended */
        if (s->unknown[s->rails->node[r]] >= 0)
            vv_rail_keep(s->rails->along + 9 * (size_t)r, x + 3 * (size_t)s->unknown[s->rails->node[r]]);
    return status;
}

void vv_equations_save(const vv_equations *e, void *state)
{
    if (e->linear->ops->state_size)
        e->linear->ops->save(e->linear, state);
}

void vv_equations_load(vv_equations *e, const void *state)
{
    if (e->linear->ops->state_size)
        e->linear->ops->load(e->linear, state);
}
