/* Fields of obstacles: made, shared, released. */
#include "contact/obstacles/field.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "5 x 4", "5 x 4 x 3" */
static const char *describe(const vv_field_ops *ops, const int counts[3], char text[48])
{
    const int used = snprintf(text, 48, "%d x %d", counts[0], counts[1]);
    if (ops->dimensions == 3)
        snprintf(text + used, 48 - (size_t)used, " x %d", counts[2]);
    return text;
}

static vvStatus check(const vv_field_ops *ops, const int counts[3], const double *samples, vvError *error)
{
    char text[48];
    double all = 1;
    for (int k = 0; k < ops->dimensions; k++) {
        if (counts[k] < ops->least || counts[k] > ops->most)
            return vv_fail(error, VV_ERROR_INPUT, "%s: %s of them; allowed: %d to %d along each direction", ops->word,
                           describe(ops, counts, text), ops->least, ops->most);
        all *= counts[k];
    }
    if (all > ops->most_in_all)
        return vv_fail(error, VV_ERROR_INPUT, "%s: %s of them; allowed: %.0f in all", ops->word,
                       describe(ops, counts, text), ops->most_in_all);
    for (size_t i = 0; i < (size_t)all; i++)
        if (!(fabs(samples[i]) <= ops->reach))
            return vv_fail(error, VV_ERROR_INPUT, "%s[%zu] is %g; it must be from %g to %g", ops->word, i, samples[i],
                           -ops->reach, ops->reach);
    return VV_OK;
}

vvStatus vv_field_create(const vv_field_ops *ops, const int given[3], const double *samples, vv_field **out,
                         vvError *error)
{
    int counts[3] = { 1, 1, 1 };
    *out = NULL;
    memcpy(counts, samples ? given : ops->fallback_counts, (size_t)ops->dimensions * sizeof *counts);
    samples = samples ? samples : ops->fallback;
    vvStatus status = check(ops, counts, samples, error);
    if (status != VV_OK)
        return status;
    vv_field *f = vv_alloc(1, sizeof *f);
    if (!f)
        return vv_fail_memory(error, "an obstacle");
    atomic_init(&f->references, 1);
    memcpy(f->counts, counts, sizeof f->counts);
    f->samples = vv_alloc_copy(samples, vv_field_count(f), sizeof *samples);
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
    vv_free(f->roof);
    vv_free(f);
}

size_t vv_field_count(const vv_field *f) { return (size_t)f->counts[0] * (size_t)f->counts[1] * (size_t)f->counts[2]; }

size_t vv_field_bytes(const vv_field *f)
{
    return f ? sizeof *f + sizeof(double) * (vv_field_count(f) + f->index_count) + sizeof(float) * f->roof_count : 0;
}
