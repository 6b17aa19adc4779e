/* What a host should know about its settings before it waits for a step: said once in the log, as a warning. */
#include "base/vec.h"
#include "world/world.h"

#include <math.h>

/* The mean length of a body's surface edges at rest, m; 0: it has none. */
static double mean_edge(const vv_surface *s, const vv_surface_body *b)
{
    double sum = 0;
    for (int e = b->first_edge; e < b->first_edge + b->edge_count; e++) {
        double d[3];
        vv_sub(s->rest + 3 * (size_t)s->edge[e][1], s->rest + 3 * (size_t)s->edge[e][0], d);
        sum += vv_norm(d);
    }
    return b->edge_count ? sum / b->edge_count : 0;
}

/* One significant digit, never above. */
static double rounded_down(double x)
{
    double unit = pow(10, floor(log10(x)));
    return floor(x / unit * (1 + 1e-12)) * unit;
}

/* Within an activation distance of many edges, everything is near everything: the pairs to look at grow with its
 * square or cube. A tenth of an edge is what most scenes use, and any gap that a picture shows is larger. */
void vv_world_advise_distance(vvWorld *w)
{
    static const double most_edges = 2, fits = 0.1;
    const vv_surface *s = &w->contact->surface;
    double least = INFINITY;
    int at = -1;
    for (int b = 0; b < s->body_count; b++) {
        double edge = mean_edge(s, s->bodies + b);
        if (edge > 0 && edge < least) {
            least = edge;
            at = b;
        }
    }
    if (at < 0 || w->def.contact.distance <= most_edges * least || w->distance_warned)
        return;
    w->distance_warned = true;
    vv_world_log(w, VV_LOG_WARNING,
                 "contact.distance, %g m, is %.3g times as long as the surface edges of \"%s\" (%.2g m on average): "
                 "contact looks "
                 "at so many pairs that a step may take minutes; %g m fits",
                 w->def.contact.distance, w->def.contact.distance / least, w->bodies[at].name, least,
                 rounded_down(fits * least));
}
