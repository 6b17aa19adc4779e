/* The barrier as a function of the gap over the activation distance (theory §5.1). */
#include "contact/barrier/barrier.h"

#include <math.h>

void vv_barrier(double s, double b[3])
{
    if (s >= 1) {
        b[0] = b[1] = b[2] = 0;
        return;
    }
    double l = log(s), u = s - 1;
    b[0] = -u * u * l;
    b[1] = -2 * u * l - u * u / s;
    b[2] = -2 * l - 4 * u / s + u * u / (s * s);
}
