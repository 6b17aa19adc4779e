/* Free points: mass without elasticity. */
#include "base/error.h"
#include "energy/elements.h"

static vvStatus check(const vvMaterialDef *m, vvError *error)
{
    if (m->damping.rayleigh > 0)
        return vv_fail(error, VV_ERROR_INPUT,
                       "damping.rayleigh is %g s: it damps with the stiffness, and free points have none; "
                       "damping.drag works",
                       m->damping.rayleigh);
    return VV_OK;
}

const vv_element_kind vv_free_points = {
    { "free", "free points: mass, no elasticity" }, VV_CELL_POINTS, false, check, NULL, NULL
};
