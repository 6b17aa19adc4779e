/* Affine bodies: E = kappa V |F^T F - I|^2 with kappa = E/8, the orthogonality energy of affine body dynamics (Lan et
 * al. 2022, Eq. 7, with the stiffness of a solid of Young's modulus E; theory §4.14). F is the affine map of the
 * body's one tet, so that this is St. Venant and Kirchhoff's energy of the tet with lambda = 0 and mu V_tet = 4 kappa
 * V = E V/2; it uses their batch. V: of the solid, which the tet carries. */
#include "energy/affine.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "energy/tets/tets.h"

static vvStatus check(const vvMaterialDef *m, vvError *error)
{
    if (!m->lame)
        return VV_OK;
    return vv_fail(error, VV_ERROR_INPUT,
                   "mu and lambda are given, but an affine body reads only young, since its small deformation is for "
                   "the solver only; give young, or leave it out");
}

static double volume_of_tets(const vv_element_part *part, const double *rest)
{
    double sum = 0;
    for (int t = 0; t < part->tet_count; t++) {
        double d[9];
        for (int k = 0; k < 3; k++)
            vv_sub(rest + 3 * (size_t)part->tets[4 * t + k + 1], rest + 3 * (size_t)part->tets[4 * t], d + 3 * k);
        sum += vv_det(d) / 6;
    }
    return sum;
}

static vvStatus create(const vv_element_kind *kind, const vv_element_input *in, vv_energy **out, vvError *error)
{
    (void)kind;
    vv_tets_body *bodies = vv_alloc((size_t)in->part_count, sizeof *bodies);
    if (!bodies)
        return vv_fail_memory(error, "affine bodies");
    for (int p = 0; p < in->part_count; p++) {
        const vv_element_part *part = in->parts + p;
        double tets = volume_of_tets(part, in->rest), solid = part->solid_volume > 0 ? part->solid_volume : tets;
        bodies[p] = (vv_tets_body){ part->body, part->tet_count, part->tets,
                                    part->material->def.young * solid / (2 * tets), 0 };
    }
    vvStatus status = vv_tets_create_affine(in->node_count, in->rest, in->part_count, bodies, out, error);
    vv_free(bodies);
    return status;
}

const vv_element_kind vv_affine_kind = {
    .info = { "affine",
              "nearly rigid bodies of four nodes: any closed surface, with stiffness young (1e8 Pa is a good value)" },
    .cell = VV_CELL_TETS,
    .check = check,
    .moduli = true,
    .create = create,
    .rayleigh = NULL, /* lagged, it would brake turning: what is stiff turns by much in a step */
    .young = 1e8,
    .affine = true,
};
