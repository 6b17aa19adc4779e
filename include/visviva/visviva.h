/* visviva: soft bodies that keep their energy. This header includes the whole public API. */
#ifndef VISVIVA_H
#define VISVIVA_H
#include "base.h"
#include "batch.h"
#include "contact.h"
#include "draw.h"
#include "field.h"
#include "host.h"
#include "interact.h"
#include "joint.h"
#include "ledger.h"
#include "material.h"
#include "mesh.h"
#include "modes.h"
#include "query.h"
#include "run.h"
#include "scene.h"
#include "settings.h"
#include "world.h"
#endif
