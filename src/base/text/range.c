/* Ranges of a user's numbers. */
#include "base/text/range.h"
#include "base/error.h"
#include "base/text/text.h"

#include <math.h>

/* Rows and parameters without a range of their own have this one. */
static const double WIDEST = 1e12;

vv_range vv_row_range(const vv_key_row *row)
{
    const bool any = row->min == 0 && row->max == 0;
    return (vv_range){ any ? -WIDEST : row->min, any ? WIDEST : row->max, row->above && !any,
                       row->kind == VV_KEY_INTEGER || row->kind == VV_KEY_INDICES || row->kind == VV_KEY_PAIRS,
                       row->key.unit };
}

vv_range vv_param_range(const vvParam *p)
{
    const bool any = p->min == 0 && p->max == 0;
    return (vv_range){ any ? -WIDEST : p->min, any ? WIDEST : p->max, false, p->integer, p->unit ? p->unit : "" };
}

bool vv_range_has(const vv_range *r, double x)
{
    return isfinite(x) && x <= r->max && (r->above ? x > r->min : x >= r->min) && (!r->integer || x == floor(x));
}

const char *vv_range_text(const vv_range *r, char text[VV_RANGE_TEXT])
{
    const int digits = r->integer ? 16 : 9; /* whole numbers up to 2^53 in full */
    vv_print(text, VV_RANGE_TEXT, "%s %s %.*g to %.*g%s%s", r->integer ? "a whole number" : "a number",
             r->above ? "above" : "from", digits, r->min, digits, r->max, *r->unit ? " " : "", r->unit);
    return text;
}

static vvStatus fail(const vv_range *r, double x, const char *what, const char *also, vvError *error)
{
    char text[VV_RANGE_TEXT];
    return vv_fail(error, VV_ERROR_INPUT, "%s is %.9g; it must be %s%s", what, x, vv_range_text(r, text), also);
}

vvStatus vv_range_check(const vv_range *r, double x, const char *what, vvError *error)
{
    return vv_range_has(r, x) ? VV_OK : fail(r, x, what, "", error);
}

vvStatus vv_row_check(const vv_key_row *row, double x, const char *what, vvError *error)
{
    const vv_range range = vv_row_range(row);
    char also[64] = "";
    if (vv_range_has(&range, x) || (row->zero && x == 0) || (row->word && x == row->word_value))
        return VV_OK;
    if (row->word)
        vv_print(also, sizeof also, ", or %g (\"%s\")", row->word_value, row->word);
    else if (row->zero)
        vv_print(also, sizeof also, ", or 0");
    return fail(&range, x, what, also, error);
}

bool vv_part_is_allowed(double part) { return part >= 1e-8 && part <= 1; }
