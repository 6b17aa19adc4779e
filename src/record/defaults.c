/* What the definitions of visviva/run.h are by default, also in a build without HDF5. */
#include "base/error.h"
#include "visviva/run.h"

vvResumeDef vvDefaultResumeDef(void) { return (vvResumeDef){ .frame = -1, .internalValue = VV_MADE_BY_DEFAULT }; }

vvExportDef vvDefaultExportDef(void)
{
    return (vvExportDef){ .format = "vtu", .lastFrame = -1, .every = 1, .internalValue = VV_MADE_BY_DEFAULT };
}
