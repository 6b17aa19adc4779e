/* name.xdmf: the run for ParaView versions without temporal VTKHDF (Debian 12 has one). Small XML that points
 * into the run file: for each frame a HyperSlab of the points and the velocities; cells are the same for all.
 *
 * The text takes a kilobyte per frame, so writing all of it at each frame would cost the square of their number, and
 * some milliseconds each time. It is rewritten at each of the first frames, then when a quarter more have come or (in
 * runs of few frames) after two seconds, and when the run is closed; always beside itself and renamed, so that it is
 * whole at any time. What it lists is in the run file by then. */
#include "record/writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text/number.h"
#include "base/memory.h"
#include "record/place.h"

static void escaped(FILE *f, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", f); break;
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '"': fputs("&quot;", f); break;
        default: fputc(*text, f);
        }
}

/* One frame's nodes out of all frames' nodes. The comment in it is for VTK's reader, which takes the first thing
 * there as the name under which it caches a grid, so it must differ from frame to frame (and the reader complains if
 * it is missing). */
static void slab(FILE *f, const char *run, const char *set, int64_t frame, int64_t nodes, int64_t room)
{
    fprintf(f, "     <DataItem ItemType=\"HyperSlab\" Dimensions=\"%lld 3\" Type=\"HyperSlab\"><!-- frame %lld -->\n",
            (long long)nodes, (long long)frame);
    fprintf(f, "      <DataItem Dimensions=\"3 2\" Format=\"XML\">%lld 0 1 1 %lld 3</DataItem>\n",
            (long long)(frame * nodes), (long long)nodes);
    fprintf(f, "      <DataItem NumberType=\"Float\" Precision=\"8\" Dimensions=\"%lld 3\" Format=\"HDF\">",
            (long long)(room * nodes));
    escaped(f, run);
    fprintf(f, ":%s</DataItem>\n     </DataItem>\n", set);
}

static void integers(FILE *f, const char *run, const char *set, int64_t count)
{
    fprintf(f, "     <DataItem NumberType=\"Int\" Precision=\"4\" Dimensions=\"%lld\" Format=\"HDF\">",
            (long long)count);
    escaped(f, run);
    fprintf(f, ":%s</DataItem>\n", set);
}

static void frame(FILE *f, const vvRunWriter *w, const char *run, int64_t index)
{
    char time[VV_NUMBER_LENGTH];
    vv_format_double(time, w->times[index]);
    fprintf(f, "   <Grid Name=\"frame\" GridType=\"Uniform\">\n    <Time Value=\"%s\"/>\n", time);
    fprintf(f, "    <Topology TopologyType=\"Mixed\" NumberOfElements=\"%lld\">\n", (long long)w->cell_count);
    integers(f, run, "/visviva/cells", w->mixed_count);
    fputs("    </Topology>\n    <Geometry GeometryType=\"XYZ\">\n", f);
    slab(f, run, "/VTKHDF/Points", index, w->sizes.nodes, w->room.frames);
    fputs("    </Geometry>\n    <Attribute Name=\"velocity\" AttributeType=\"Vector\" Center=\"Node\">\n", f);
    slab(f, run, "/VTKHDF/PointData/velocity", index, w->sizes.nodes, w->room.frames);
    fputs("    </Attribute>\n    <Attribute Name=\"state_velocity\" AttributeType=\"Vector\" Center=\"Node\">\n", f);
    slab(f, run, "/VTKHDF/PointData/state_velocity", index, w->sizes.nodes, w->room.frames);
    fputs("    </Attribute>\n    <Attribute Name=\"body\" AttributeType=\"Scalar\" Center=\"Cell\">\n", f);
    integers(f, run, "/VTKHDF/CellData/body", w->cell_count);
    fputs("    </Attribute>\n   </Grid>\n", f);
}

static void all_frames(FILE *f, const vvRunWriter *w, const char *run)
{
    fputs("<?xml version=\"1.0\"?>\n<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n<Xdmf Version=\"2.0\">\n <Domain>\n", f);
    fputs("  <Grid Name=\"run\" GridType=\"Collection\" CollectionType=\"Temporal\">\n", f);
    for (int64_t i = 0; i < w->frames; i++)
        frame(f, w, run, i);
    fputs("  </Grid>\n </Domain>\n</Xdmf>\n", f);
}

static bool due(const vvRunWriter *w)
{
    enum { FIRST = 8, FEW = 1000 };
    const double patience = 2; /* s */
    return w->side_frames < FIRST || w->frames >= w->side_frames * 5 / 4 ||
           (w->frames < FEW && vv_seconds() - w->side_time > patience);
}

vvStatus vv_writer_side(vvRunWriter *w, bool always, vvError *error)
{
    if (!always && !due(w))
        return VV_OK;
    char *part = vv_place_part(w->side);
    if (!part)
        return vv_fail_memory(error, "the XDMF side file");
    FILE *f = vv_place_create(part);
    bool ok = f != NULL;
    if (ok) {
        all_frames(f, w, vv_place_name(w->path));
        ok = ferror(f) == 0;
        ok = fclose(f) == 0 && ok;
    }
    if (!ok || rename(part, w->side) != 0) {
        vv_fail(error, VV_ERROR_IO, "%s cannot be written: %s", w->side, strerror(errno));
        vv_place_remove(part);
        vv_free(part);
        return VV_ERROR_IO;
    }
    vv_free(part);
    w->side_frames = w->frames;
    w->side_time = vv_seconds();
    return VV_OK;
}
