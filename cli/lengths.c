/* Prints what is relative to the scene's length. */
#include <stdio.h>

#include "cli.h"

static void print_part(const char *name, double value, const char *unit, double length, const char *before)
{
    char text[VV_TEXT];
    if (value > 0)
        printf("%s%s %s (%.3g%%%s)", before, name, vv_text_quantity(text, value, unit), 100 * value / length, unit[1] ? " a second" : "");
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
