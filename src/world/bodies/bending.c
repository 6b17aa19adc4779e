/* How bodies resist bending, as run files tell it (record/bending.c). */
#include "visviva/settings.h"
#include "world/world.h"

#include <math.h>

bool vvBodyGetBending(const vvWorld *w, vvBodyId id, int index, vvBodyBending *bending, double *triangles)
{
    int b = vv_body_read(w, id);
    if (!bending || b < 0 || index < 0 || index >= w->bodies[b].material_count || w->bodies[b].tet_count > 0)
        return false;
    const vv_element_part part = vv_body_part(w, b, index);
    const vv_material *m = part.material;
    if (!m->kind->bending)
        return false;
    const bool rod = m->kind->cell == VV_CELL_CURVES,
               varies = !rod && (part.triangle_thickness || part.triangle_stiffness);
    *bending = (vvBodyBending){ .poisson = m->def.lame ? m->lambda / (2 * (m->lambda + m->mu)) : m->def.poisson,
                                .triangleCount = rod ? 0 : part.triangle_count,
                                .varies = varies };
    bending->stiffness = rod ? vv_rod_stiffness(&part) : varies ? NAN : vv_plate_stiffness(&part, 0);
    for (int t = 0; triangles && t < bending->triangleCount; t++)
        triangles[t] = vv_plate_stiffness(&part, t);
    return true;
}

int vvBodyGetRestAngles(const vvWorld *w, vvBodyId id, vvRestAngle *angles, int capacity)
{
    int b = vv_body_read(w, id), count = 0;
    if (b < 0)
        return 0;
    const vv_body *body = w->bodies + b;
    for (int i = 0; body->hinge_angles && i < body->hinge_count; i++) {
        const int *edge = body->hinges + 4 * (size_t)i;
        if (isnan(body->hinge_angles[i]))
            continue;
        if (angles && count < capacity)
            angles[count] = (vvRestAngle){ edge[0] - body->first, edge[1] - body->first, body->hinge_angles[i] };
        count++;
    }
    return count;
}
