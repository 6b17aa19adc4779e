/* Fields of obstacles: made, shared, released. */
#include "contact/field.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

static vvStatus check(const vv_field_ops *ops, const int counts[2], const double *samples, vvError *error)
{
    for (int k = 0; k < 2; k++)
        if (counts[k] < ops->least || counts[k] > ops->most)
            return vv_fail(error, VV_ERROR_INPUT, "%s: %d x %d of them; allowed: %d to %d along each direction", ops->word, counts[0], counts[1],
                           ops->least, ops->most);
    const double all = (double)counts[0] * counts[1];
    if (all > ops->most_in_all)
        return vv_fail(error, VV_ERROR_INPUT, "%s: %d x %d of them; allowed: %.0f in all", ops->word, counts[0], counts[1], ops->most_in_all);
    for (size_t i = 0; i < (size_t)all; i++)
        if (!(fabs(samples[i]) <= ops->reach))
            return vv_fail(error, VV_ERROR_INPUT, "%s[%zu] is %g; it must be from %g to %g", ops->word, i, samples[i], -ops->reach, ops->reach);
    return VV_OK;
}

vvStatus vv_field_create(const vv_field_ops *ops, const int counts[2], const double *samples, vv_field **out, vvError *error)
{
    static const double flat[4];
    static const int few[2] = { 2, 2 };
    *out = NULL;
    if (!samples)
        counts = few, samples = flat;
    vvStatus status = check(ops, counts, samples, error);
    if (status != VV_OK)
        return status;
    vv_field *f = vv_alloc(1, sizeof *f);
    if (!f)
        return vv_fail_memory(error, "an obstacle");
    atomic_init(&f->references, 1);
    f->counts[0] = counts[0], f->counts[1] = counts[1];
    f->samples = vv_alloc_copy(samples, (size_t)counts[0] * (size_t)counts[1], sizeof *samples);
    status = f->samples ? ops->make_index(f, error) : vv_fail_memory(error, "an obstacle");
    if (status != VV_OK) {
        vv_field_release(f);
        return status;
    }
    *out = f;
    return VV_OK;
}

vv_field *vv_field_share(vv_field *f)
{
    if (f)
        atomic_fetch_add(&f->references, 1);
    return f;
}

void vv_field_release(vv_field *f)
{
    if (!f || atomic_fetch_sub(&f->references, 1) > 1)
        return;
    vv_free(f->samples);
    vv_free(f->index);
    vv_free(f);
}

size_t vv_field_bytes(const vv_field *f)
{
    return f ? sizeof *f + sizeof(double) * ((size_t)f->counts[0] * (size_t)f->counts[1] + f->index_count) : 0;
}
