/* Resuming a run at a frame, as several tests of run files do. */
#ifndef VV_TESTS_RESUME_SUPPORT_H
#define VV_TESTS_RESUME_SUPPORT_H

#include "visviva/run.h"

static inline vvStatus resume_at(const char *path, vvWorld *world, int frame, vvRunWriter **writer, vvError *error)
{
    vvResumeDef def = vvDefaultResumeDef();
    def.frame = frame;
    return vvRunResume(path, world, &def, writer, error);
}

#endif
