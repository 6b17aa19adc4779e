/* Monotonic seconds, for statistics only: no result depends on them. */
#ifndef VV_BASE_CLOCK_H
#define VV_BASE_CLOCK_H
double vv_seconds(void);
#endif
