/* Vibration modes (theory §7.2): K phi = omega^2 M phi of a body's rest shape, K with its spring attachments and
 * wells, over its free nodes.
 *
 * With y = M^(1/2) phi it is the eigenproblem of A = M^(-1/2) K M^(-1/2). The lowest modes are the largest
 * eigenvalues of (A + sigma)^-1 = M^(1/2) (K + sigma M)^-1 M^(1/2), the highest those of A. Rigid motions are known,
 * and left out. */
#include "world/analysis/modes.h"

#include "base/error.h"
#include "base/vec.h"
#include "solve/eigen/eigenpairs.h"
#include "world/analysis/analysis.h"

#include <string.h>

/* sigma, in tr K / tr M: a Cholesky factor stands a small one; with PCG the matrix must not be too badly
 * conditioned. */
static const double SMALL_SHIFT = 1e-9, LARGE_SHIFT = 1e-5;
static const double SOLVED = 1e-12; /* relative residual of PCG */

/* ---- the body's own matrix ---- */

/* One free node's row among the body's, or -1. */
static int *rows_of_body(const vv_system *s, const vv_body *b)
{
    int *row = vv_alloc((size_t)s->unknowns, sizeof *row), count = 0;
    for (int u = 0; row && u < s->unknowns; u++)
        row[u] = s->node[u] >= b->first && s->node[u] < b->first + b->count ? count++ : -1;
    return row;
}

static vvStatus cut_out(const vv_bsr *whole, const int *row, vv_bsr *own, int unknowns, vvError *error)
{
    vv_pattern pattern = { .n = unknowns };
    for (int u = 0; u < whole->n; u++)
        for (int k = row[u] < 0 ? whole->row_start[u + 1] : whole->row_start[u]; k < whole->row_start[u + 1]; k++)
            if (whole->col[k] <= u)
                vv_pattern_clique(&pattern, (int[]){ row[u], row[whole->col[k]] }, 2);
    vvStatus status = vv_bsr_build(own, &pattern, error);
    vv_pattern_free(&pattern);
    for (int u = 0; u < whole->n && status == VV_OK; u++)
        for (int k = row[u] < 0 ? whole->row_start[u + 1] : whole->row_start[u]; k < whole->row_start[u + 1]; k++)
            memcpy(own->val + 9 * (size_t)vv_bsr_slot(own, row[u], row[whole->col[k]]), whole->val + 9 * (size_t)k,
                   9 * sizeof(double));
    return status;
}

/* The world's system, of its potentials only the wells: walls are as contact, and may be infinite where the rest
 * shape is. The copy owns *wells only (NULL: none). */
static vvStatus leave_out_walls(const vvWorld *w, vv_system *s, vv_energy **wells, vvError *error)
{
    const vv_energy *all = w->energy_at[VV_PLACE_POTENTIAL];
    *s = w->system;
    *wells = NULL;
    vvStatus status = all ? vv_world_potentials(w, false, wells, error) : VV_OK;
    if (*wells)
        (*wells)->serial = all->serial;
    s->energies = 0;
    for (int i = 0; i < w->system.energies; i++) {
        vv_energy *e = w->system.energy[i] == all ? *wells : w->system.energy[i];
        if (e)
            s->energy[s->energies++] = e;
    }
    return status;
}

static vvStatus rest_matrix(vvWorld *w, const vv_body *b, vvModes *m, vvError *error)
{
    vv_system s;
    vv_energy *wells;
    vv_assembly a = { 0 };
    int *row = rows_of_body(&w->system, b);
    vvStatus status = leave_out_walls(w, &s, &wells, error);
    if (status == VV_OK)
        status = row ? vv_assembly_create(&a, &s, VV_SELECT_ELASTIC, error) : vv_fail_memory(error, "vibration modes");
    if (status == VV_OK) {
        vv_assembly_begin(&a);
        vv_assembly_add_energies(&s, w->rest, 1, VV_HESSIAN_PROJECTED, NULL, &a);
        vv_assembly_end(&a);
        status = cut_out(&a.matrix, row, &m->stiffness, m->unknowns, error);
    }
    for (int u = 0; u < s.unknowns && status == VV_OK; u++)
        if (row[u] >= 0)
            m->node[row[u]] = s.node[u] - b->first;
    vv_assembly_free(&a);
    if (wells)
        wells->ops->destroy(wells);
    vv_free(row);
    return status;
}

/* Of the diagonal of M^-1 K. */
static double mean_square_frequency(const vvModes *m)
{
    double trace = 0, mass = 0;
    for (int u = 0; u < m->unknowns; u++) {
        const double *d = m->stiffness.val + 9 * (size_t)m->stiffness.diag[u];
        trace += d[0] + d[4] + d[8];
        mass += 3 * m->mass[m->node[u]];
    }
    return trace / mass;
}

/* ---- rigid motions ---- */

static bool is_held(const vvWorld *w, int body)
{
    bool held = false;
    for (size_t i = 0; i < w->attach_count; i++) {
        const vv_attach *a = w->attaches + i;
        bool wall = a->kind == VV_ATTACH_POTENTIAL && vv_potential_is_wall(&a->potential);
        held = held || (a->body == body && !vv_attach_loads(a) && !a->released && !wall);
    }
    for (size_t i = 0; i < w->joint_count; i++)
        held = held || (!w->joints[i].state.broken && (w->joints[i].body[0] == body || w->joints[i].body[1] == body));
    return held;
}

/* M^(1/2) times translations and rotations about the centre; a rotation that moves nothing, as of a line about
 * itself, is dropped. */
static void find_rigid(vvModes *m)
{
    size_t n = 3 * (size_t)m->unknowns;
    for (int kind = 0; kind < 6 && !m->held; kind++) {
        double *y = m->rigid_shapes + (size_t)m->rigid * n, before;
        for (int u = 0; u < m->unknowns; u++) {
            double e[3] = { kind % 3 == 0, kind % 3 == 1, kind % 3 == 2 }, arm[3];
            vv_sub(m->rest + 3 * (size_t)m->node[u], m->centre, arm);
            if (kind >= 3)
                vv_cross(e, arm, e);
            for (size_t k = 0; k < 3; k++)
                y[3 * (size_t)u + k] = sqrt(m->mass[m->node[u]]) * e[k];
        }
        before = sqrt(vv_eigen_dot((int)n, y, y));
        vv_eigen_take_out((int)n, m->rigid, m->rigid_shapes, y);
        double length = sqrt(vv_eigen_dot((int)n, y, y));
        if (length <= 1e-9 * before || length <= 0)
            continue;
        for (size_t i = 0; i < n; i++)
            y[i] /= length;
        m->rigid++;
    }
}

/* ---- the operators ---- */

typedef struct vibration {
    vvWorld *world;
    const vvModes *m;
    vv_bsr shifted; /* K + sigma M */
    vv_linear *linear;
    double *scratch;
} vibration;

static void scale_mass(const vvModes *m, const double *x, bool divide, double *y)
{
    for (int u = 0; u < m->unknowns; u++) {
        double root = sqrt(m->mass[m->node[u]]), factor = divide ? 1 / root : root;
        for (size_t k = 0; k < 3; k++)
            y[3 * (size_t)u + k] = factor * x[3 * (size_t)u + k];
    }
}

static vvStatus apply_stiffness(void *user, const double *x, double *y, vvError *error)
{
    vibration *v = user;
    scale_mass(v->m, x, true, v->scratch);
    vv_bsr_multiply(&v->m->stiffness, &v->world->system.par, v->scratch, y);
    scale_mass(v->m, y, true, y);
    return vv_world_check_cancelled(v->world, error);
}

static vvStatus apply_inverse(void *user, const double *x, double *y, vvError *error)
{
    vibration *v = user;
    vv_linear_stats stats = { 0 };
    vvStatus status = vv_world_check_cancelled(v->world, error);
    scale_mass(v->m, x, false, v->scratch);
    if (status == VV_OK)
        status =
            v->linear->ops->solve(v->linear, &v->shifted, v->scratch, y, SOLVED, VV_LINEAR_ITERATIONS, &stats, error);
    if (status == VV_OK && stats.indefinite)
        status = vv_fail(error, VV_ERROR_SOLVER, "vibration modes: the stiffness at rest is not positive");
    scale_mass(v->m, y, false, y);
    return status;
}

static vvStatus shift(vibration *v, vvError *error)
{
    const vvModes *m = v->m;
    const vv_bsr *k = &m->stiffness;
    const vv_linear_ops *direct = vv_linear_find("cholesky"),
                        *ops = direct ? direct : vv_linear_find(v->world->def.solver.linear);
    double sigma = (direct ? SMALL_SHIFT : LARGE_SHIFT) * mean_square_frequency(m);
    vv_pattern pattern = { .n = k->n };
    for (int r = 0; r < k->n; r++)
        for (int b = k->row_start[r]; b < k->row_start[r + 1] && k->col[b] <= r; b++)
            vv_pattern_clique(&pattern, (int[]){ r, k->col[b] }, 2);
    vvStatus status = vv_bsr_build(&v->shifted, &pattern, error);
    vv_pattern_free(&pattern);
    if (status != VV_OK)
        return status;
    memcpy(v->shifted.val, k->val, 9 * (size_t)k->nnz * sizeof *k->val);
    for (int r = 0; r < k->n; r++)
        for (size_t c = 0; c < 3; c++)
            v->shifted.val[9 * (size_t)v->shifted.diag[r] + 4 * c] += (sigma > 0 ? sigma : 1) * m->mass[m->node[r]];
    return ops->create(&v->shifted, &v->world->system.par, &v->linear, error);
}

/* ---- all of it ---- */

/* From y to phi, in the order of frequencies, with omega^2 = phi^T K phi. */
static void take_shapes(vvModes *m, vvModesEnd end, const double *y, double *k_phi)
{
    size_t n = 3 * (size_t)m->unknowns;
    const vv_parallel one = { .threads = 1 };
    double *phi = m->u;
    for (int i = 0; i < m->count; i++) {
        int from = end == VV_MODES_LOWEST ? i : m->count - 1 - i;
        scale_mass(m, y + (size_t)from * n, true, phi);
        vv_bsr_multiply(&m->stiffness, &one, phi, k_phi);
        /* equal ones may differ by rounding */
        m->omega2[i] = fmax(i ? m->omega2[i - 1] : 0, vv_eigen_dot((int)n, phi, k_phi));
        for (int u = 0; u < m->unknowns; u++)
            memcpy(m->shapes + 3 * ((size_t)i * (size_t)m->nodes + (size_t)m->node[u]), phi + 3 * (size_t)u,
                   3 * sizeof *phi);
    }
}

static vvStatus solve(vvWorld *w, vvModes *m, vvModesEnd end, vvError *error)
{
    size_t n = 3 * (size_t)m->unknowns;
    vibration v = { .world = w, .m = m, .scratch = vv_alloc(n, sizeof(double)) };
    double *values = vv_alloc((size_t)m->count, sizeof *values), *y = vv_alloc((size_t)m->count * n, sizeof *y);
    vv_eigen_problem problem = { (int)n, end == VV_MODES_LOWEST ? apply_inverse : apply_stiffness, &v, m->rigid,
                                 m->rigid_shapes };
    vvStatus status = v.scratch && values && y ? VV_OK : vv_fail_memory(error, "vibration modes");
    if (status == VV_OK && end == VV_MODES_LOWEST)
        status = shift(&v, error);
    if (status == VV_OK)
        status = vv_eigenpairs(&problem, m->count, values, y, error);
    if (status == VV_OK)
        take_shapes(m, end, y, m->ku);
    if (v.linear)
        v.linear->ops->destroy(v.linear);
    vv_bsr_free(&v.shifted);
    vv_free(v.scratch);
    vv_free(values);
    vv_free(y);
    return status;
}

static vvStatus make(vvWorld *w, int body, vvModes *m, vvError *error)
{
    const vv_body *b = w->bodies + body;
    size_t nodes = (size_t)b->count;
    double mass = 0;
    m->nodes = b->count;
    for (int i = b->first; i < b->first + b->count; i++)
        m->unknowns += w->unknown[i] >= 0;
    for (int i = b->first; i < b->first + b->count; i++)
        if (vv_rail_of(w->system.rails, (size_t)i))
            return vv_fail(error, VV_ERROR_UNSUPPORTED,
                           "vibration modes do not support nodes held along some directions only, as in body \"%s\"; "
                           "fix them completely, or release them",
                           b->name);
    if (m->unknowns == 0)
        return vv_fail(error, VV_ERROR_INPUT, "body \"%s\" has no vibration modes: none of its nodes is free", b->name);
    if (m->unknowns > INT32_MAX / 8)
        return vv_fail(error, VV_ERROR_UNSUPPORTED, "vibration modes of more than %d nodes", INT32_MAX / 8);
    m->held = is_held(w, body);
    m->node = vv_alloc((size_t)m->unknowns, sizeof *m->node);
    m->mass = vv_alloc_copy(w->mass + b->first, nodes, sizeof *m->mass);
    m->rest = vv_alloc_copy(w->rest + 3 * (size_t)b->first, 3 * nodes, sizeof *m->rest);
    m->rigid_shapes = vv_alloc(18 * (size_t)m->unknowns, sizeof *m->rigid_shapes);
    m->u = vv_alloc(3 * nodes, sizeof *m->u), m->du = vv_alloc(3 * nodes, sizeof *m->du),
    m->ku = vv_alloc(3 * nodes, sizeof *m->ku);
    if (!m->node || !m->mass || !m->rest || !m->rigid_shapes || !m->u || !m->du || !m->ku)
        return vv_fail_memory(error, "vibration modes");
    for (size_t i = 0; i < nodes; i++) {
        mass += m->mass[i];
        for (size_t k = 0; k < 3; k++)
            m->centre[k] += m->mass[i] * m->rest[3 * i + k];
    }
    for (int k = 0; k < 3; k++)
        m->centre[k] /= mass;
    vvStatus status = rest_matrix(w, b, m, error);
    if (status == VV_OK)
        find_rigid(m);
    return status;
}

vvStatus vv_modes_find(vvWorld *w, int body, vvModesEnd end, int count, vvModes **out, vvError *error)
{
    vvModes *m = vv_alloc(1, sizeof *m);
    *out = NULL;
    vvStatus status = m ? make(w, body, m, error) : vv_fail_memory(error, "vibration modes");
    if (status == VV_OK) {
        int most = 3 * m->unknowns - m->rigid;
        m->count = count < most ? count : most;
        m->omega2 = vv_alloc((size_t)m->count, sizeof *m->omega2);
        m->shapes = vv_alloc(3 * (size_t)m->count * (size_t)m->nodes, sizeof *m->shapes);
        status = m->omega2 && m->shapes ? VV_OK : vv_fail_memory(error, "vibration modes");
    }
    if (status == VV_OK && m->count > 0)
        status = solve(w, m, end, error);
    if (status == VV_OK)
        *out = m;
    else
        vv_modes_free(m);
    return status == VV_OK ? status : vv_fail_prefix(error, "body \"%s\": ", w->bodies[body].name);
}

void vv_modes_free(vvModes *m)
{
    if (!m)
        return;
    vv_free(m->node);
    vv_free(m->mass);
    vv_free(m->rest);
    vv_bsr_free(&m->stiffness);
    vv_free(m->rigid_shapes);
    vv_free(m->omega2);
    vv_free(m->shapes);
    vv_free(m->u);
    vv_free(m->du);
    vv_free(m->ku);
    vv_free(m);
}

/* ---- the initial state "mode" ---- */

enum { FLOPPY = 6 }; /* motions without force that a body which is held may still have */

static vvStatus apply(vvWorld *w, const vv_mode_request *r, vvError *error)
{
    const vv_body *b = w->bodies + r->body;
    vvModes *m;
    vvStatus status = vv_modes_find(w, r->body, VV_MODES_LOWEST, r->number + FLOPPY, &m, error);
    if (status != VV_OK)
        return status;
    int found = -1, elastic = 0;
    double most = 0, least = 1e-8 * mean_square_frequency(m);
    for (int k = 0; k < m->count && found < 0; k++)
        if (m->omega2[k] > least && ++elastic == r->number)
            found = k;
    const double *shape = found < 0 ? NULL : m->shapes + 3 * (size_t)found * (size_t)m->nodes;
    for (int i = 0; shape && i < b->vertex_count; i++)
        most = fmax(most, vv_norm(shape + 3 * (size_t)i));
    if (!(most > 0))
        status = vv_fail(error, VV_ERROR_INPUT, "body \"%s\" has no vibration mode %d", b->name, r->number);
    for (size_t i = 0; status == VV_OK && i < 3 * (size_t)m->nodes; i++) {
        w->state.q[3 * (size_t)b->first + i] += r->amplitude * shape[i] / most;
        w->state.v[3 * (size_t)b->first + i] += r->speed * shape[i] / most;
    }
    vv_modes_free(m);
    return status;
}

vvStatus vv_apply_modes(vvWorld *w, vvError *error)
{
    vvStatus status = VV_OK;
    for (size_t i = 0; i < w->mode_count && status == VV_OK; i++)
        status = apply(w, w->modes + i, error);
    return status;
}
