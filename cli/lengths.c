/* Prints what goes by the size and the weight of a scene. */
#include <math.h>
#include <stdio.h>

#include "cli.h"

static void print_part(const char *name, double value, const char *unit, double length, const char *before)
{
    char text[VV_TEXT];
    if (value > 0)
        printf("%s%s %s (%.3g%%%s)", before, name, vv_text_quantity(text, value, unit), 100 * value / length,
               unit[1] ? " a second" : "");
}

void vv_cli_print_slow(FILE *out, const vvWorld *world)
{
    char low[VV_TEXT], high[VV_TEXT];
    double least = INFINITY, most = 0;
    const char *slow = "", *fast = "";
    for (int b = 0; b < vvWorldBodyCount(world); b++) {
        const vvBodyId id = vvWorldBody(world, b);
        const double speed = vvWorldFrictionSpeed(world, id);
        if (speed > 0 && speed < least)
            least = speed, slow = vvBodyName(world, id);
        if (speed > most)
            most = speed, fast = vvBodyName(world, id);
    }
    if (!(most > 0))
        return;
    fprintf(out, "friction is smoothed below %s", vv_text_quantity(low, least, "m/s"));
    if (most > least)
        fprintf(out, " (\"%s\") to %s (\"%s\")", slow, vv_text_quantity(high, most, "m/s"), fast);
}

void vv_cli_print_start_gap(FILE *out, const char *before, const vvWorld *world)
{
    vvStartGap g;
    char gap[VV_TEXT], acts[VV_TEXT];
    if (!vvWorldGetStartGap(world, &g) || !(g.activation < vvWorldGetDef(world)->contact.distance))
        return; /* a distance that is given acts everywhere, and is warned of */
    fprintf(out, "%s\"%s\" and \"%s\" start %s apart", before, g.names[0], g.names[1],
            vv_text_quantity(gap, g.gap, "m"));
    if (g.count > 1)
        fprintf(out, ", %zu pairs nearer than contact.distance", g.count);
    fprintf(out, ": contact acts below %s, here %s\n", g.count > 1 ? "each pair's own gap" : "that gap",
            vv_text_quantity(acts, g.activation, "m"));
}

void vv_cli_print_lengths(const vvRunLengths *l)
{
    char text[VV_TEXT];
    if (!(l->length > 0))
        return;
    printf("  length of the scene %s; of it ", vv_text_quantity(text, l->length, "m"));
    print_part("contact.distance", l->distance, "m", l->length, "");
    print_part("solver.tolerance", l->tolerance, "m/s", l->length, l->distance > 0 ? ", " : "");
    print_part("contact.friction_speed", l->frictionSpeed, "m/s", l->length, ", ");
    putchar('\n');
}

void vv_cli_print_stiffness(const vvStiffness *s)
{
    printf("  contact.stiffness %.4g Pa", s->start);
    if (s->area > 0)
        printf(", chosen: \"%s\" presses with %.3g N on vertices of %.3g m2", s->body, s->weight, s->area);
    else if (s->chosen)
        printf(", the least: no body is heavy enough, or has a vertex small enough, to need more");
    if (s->now != s->start)
        printf("; adapted to %.4g Pa", s->now);
    putchar('\n');
}
