/* NAME.blender.py: what differs from run to run first, then the same script for all. It needs Blender 3.0 or later
 * and no add-on: it reads the mesh itself, since importers differ from version to version. */
#include "record/export/blender.h"

#include "base/memory.h"
#include "base/text/number.h"

const char vv_blender_mark[] = "# Made by visviva";

static const char *const script[] = {
    "",
    "import math",
    "import os",
    "",
    "import bmesh",
    "import bpy",
    "from mathutils import Matrix, Vector",
    "",
    "# Blender frame 1 is the first sample. Above 60 samples a second, Blender shows every second, third, ... of them.",
    "STRIDE = max(1, math.ceil(RATE / 60))",
    "SMOOTH = math.radians(55)  # edges that fold by less are shaded smooth",
    "TURN = Matrix.Rotation(math.pi / 2, 4, \"X\") if UP == \"Y\" else Matrix()",
    "",
    "",
    "def folder():",
    "    candidates = [os.path.dirname(os.path.abspath(__file__))] if \"__file__\" in globals() else []",
    "    candidates += [os.path.dirname(bpy.path.abspath(text.filepath)) for text in bpy.data.texts if text.filepath]",
    "    candidates += [bpy.path.abspath(\"//\")]",
    "    for candidate in candidates:",
    "        if os.path.exists(os.path.join(candidate, BODIES[0][2])):",
    "            return candidate",
    "    raise FileNotFoundError(BODIES[0][2] + \" is not beside this script\")",
    "",
    "",
    "def read_obj(path):",
    "    points, edges, faces, coordinates, corners = [], [], [], [], []",
    "    with open(path, encoding=\"utf-8\", errors=\"replace\") as lines:",
    "        for line in lines:",
    "            if line.startswith(\"v \"):",
    "                points.append([float(word) for word in line.split()[1:4]])",
    "            elif line.startswith(\"vt \"):",
    "                coordinates.append([float(word) for word in line.split()[1:3]])",
    "            elif line.startswith((\"f \", \"l \")):",
    "                words = [word.split(\"/\") for word in line.split()[1:]]",
    "                (faces if line[0] == \"f\" else edges).append([int(word[0]) - 1 for word in words])",
    "                corners += [int(word[1]) - 1 for word in words if len(word) > 1]",
    "    return points, edges, faces, [x for corner in corners for x in coordinates[corner]]",
    "",
    "",
    "def material(name, colour):",
    "    made = bpy.data.materials.new(name)",
    "    made.diffuse_color = (*colour, 1)",
    "    made.use_nodes = True",
    "    for node in made.node_tree.nodes:",
    "        if node.type == \"BSDF_PRINCIPLED\":",
    "            node.inputs[\"Base Color\"].default_value = (*colour, 1)",
    "            node.inputs[\"Roughness\"].default_value = 0.6",
    "    return made",
    "",
    "",
    "def shade_smooth(mesh):",
    "    mesh.polygons.foreach_set(\"use_smooth\", [True] * len(mesh.polygons))",
    "    if hasattr(mesh, \"use_auto_smooth\"):  # before Blender 4.1",
    "        mesh.use_auto_smooth = True",
    "        mesh.auto_smooth_angle = SMOOTH",
    "    elif hasattr(mesh, \"set_sharp_from_angle\"):",
    "        mesh.set_sharp_from_angle(angle=SMOOTH)",
    "",
    "",
    "def thicken(body, thickness):",
    "    mesh = body.data",
    "    if mesh.polygons:",
    "        sheet = body.modifiers.new(\"thickness\", \"SOLIDIFY\")",
    "        sheet.thickness = thickness",
    "        sheet.offset = 0",
    "    elif mesh.edges:",
    "        body.modifiers.new(\"thickness\", \"SKIN\").use_smooth_shade = True",
    "        for vertex in mesh.skin_vertices[0].data:",
    "            vertex.radius = thickness / 2, thickness / 2",
    "",
    "",
    "def add_body(collection, where, name, obj, cache, colour, thickness):",
    "    mesh = bpy.data.meshes.new(name)",
    "    *parts, uvs = read_obj(os.path.join(where, obj))",
    "    mesh.from_pydata(*parts)",
    "    if uvs:",
    "        mesh.uv_layers.new(name=\"UVMap\").data.foreach_set(\"uv\", uvs)",
    "    shade_smooth(mesh)",
    "    mesh.materials.append(material(name, colour))",
    "    body = bpy.data.objects.new(name, mesh)",
    "    collection.objects.link(body)",
    "    body.matrix_world = TURN",
    "    modifier = body.modifiers.new(\"visviva\", \"MESH_CACHE\")",
    "    modifier.cache_format = \"PC2\"",
    "    modifier.filepath = os.path.join(where, cache)",
    "    modifier.frame_scale = STRIDE",
    "    modifier.frame_start = STRIDE",
    "    if thickness:",
    "        thicken(body, thickness)",
    "",
    "",
    "def add_obstacle(collection, name, shape, columns, shared):",
    "    mesh = bpy.data.meshes.new(name)",
    "    made = bmesh.new()",
    "    if isinstance(shape, tuple):  # points, triangles",
    "        mesh.from_pydata(shape[0], [], shape[1])",
    "        made.from_mesh(mesh)",
    "    elif shape == \"square\":",
    "        made.faces.new([made.verts.new(p) for p in ((-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0))])",
    "    elif shape == \"ball\":",
    "        bmesh.ops.create_uvsphere(made, u_segments=48, v_segments=24, radius=1)",
    "    elif shape == \"cube\":",
    "        bmesh.ops.create_cube(made, size=2)",
    "    else:",
    "        bmesh.ops.create_cone(made, cap_ends=True, segments=48, radius1=1, radius2=1, depth=2)",
    "    made.to_mesh(mesh)",
    "    made.free()",
    "    if isinstance(shape, tuple) or shape in (\"ball\", \"cylinder\"):",
    "        shade_smooth(mesh)",
    "    mesh.materials.append(shared)",
    "    obstacle = bpy.data.objects.new(name, mesh)",
    "    collection.objects.link(obstacle)",
    "    rows = [[column[k] for column in columns] for k in range(3)]",
    "    obstacle.matrix_world = TURN @ Matrix(rows + [[0, 0, 0, 1]])",
    "",
    "",
    "def clear_startup_scene(scene):",
    "    if not bpy.data.filepath and {o.name for o in scene.objects} <= {\"Cube\", \"Camera\", \"Light\"}:",
    "        for o in list(scene.objects):",
    "            bpy.data.objects.remove(o)",
    "",
    "",
    "def add_view(scene, collection):",
    "    ends = list(zip(LOW, HIGH))",
    "    corners = [TURN @ Vector((x, y, z)) for x in ends[0] for y in ends[1] for z in ends[2]]",
    "    middle = sum(corners, Vector()) / 8",
    "    radius = max((corner - middle).length for corner in corners) or 1",
    "    towards = Vector((0.5, -1, 0.35)).normalized()",
    "    if scene.camera is None:",
    "        scene.camera = bpy.data.objects.new(\"Camera\", bpy.data.cameras.new(\"Camera\"))",
    "        collection.objects.link(scene.camera)",
    "        lens = scene.camera.data",
    "        distance = 1.05 * radius / math.sin(min(lens.angle_x, lens.angle_y) / 2)",
    "        lens.clip_start, lens.clip_end = distance / 1000, distance * 100",
    "        scene.camera.matrix_world = Matrix.Translation(middle + distance * towards) @ \\",
    "            towards.to_track_quat(\"Z\", \"Y\").to_matrix().to_4x4()",
    "    if not any(o.type == \"LIGHT\" for o in scene.objects):",
    "        sun = bpy.data.objects.new(\"Sun\", bpy.data.lights.new(\"Sun\", \"SUN\"))",
    "        sun.data.energy = 4",
    "        sun.data.angle = 0.1",
    "        collection.objects.link(sun)",
    "        sun.matrix_world = Vector((0.6, -0.4, 1)).normalized().to_track_quat(\"Z\", \"Y\").to_matrix().to_4x4()",
    "    for window in bpy.context.window_manager.windows:",
    "        for area in window.screen.areas:",
    "            if area.type == \"VIEW_3D\":",
    "                area.spaces.active.region_3d.view_perspective = \"CAMERA\"",
    "                area.spaces.active.shading.type = \"MATERIAL\"",
    "",
    "",
    "def main():",
    "    where = folder()",
    "    scene = bpy.context.scene",
    "    clear_startup_scene(scene)",
    "    collection = bpy.data.collections.new(NAME)",
    "    scene.collection.children.link(collection)",
    "    for body in BODIES:",
    "        add_body(collection, where, *body)",
    "    if OBSTACLES:",
    "        shared = material(\"obstacle\", OBSTACLE_COLOUR)",
    "        for obstacle in OBSTACLES:",
    "            add_obstacle(collection, *obstacle, shared)",
    "    fps = RATE / STRIDE",
    "    scene.render.fps = max(1, round(fps))",
    "    scene.render.fps_base = scene.render.fps / fps",
    "    scene.frame_start = 1",
    "    scene.frame_end = 1 + (SAMPLES - 1) // STRIDE",
    "    scene.frame_set(1)",
    "    scene.sync_mode = \"FRAME_DROP\"  # play in real time",
    "    add_view(scene, collection)",
    "",
    "",
    "main()",
};

static void put_number(FILE *f, double value)
{
    char text[VV_NUMBER_LENGTH];
    fwrite(text, 1, (size_t)vv_format_double(text, value), f);
}

static void put_triple(FILE *f, const double v[3])
{
    for (int k = 0; k < 3; k++) {
        fputs(k ? ", " : "(", f);
        put_number(f, v[k]);
    }
    fputc(')', f);
}

static void put_colour(FILE *f, unsigned colour)
{
    double rgb[3];
    vv_linear_rgb(colour, rgb);
    put_triple(f, rgb);
}

/* A shape of its own: its points, its triangles. */
static vvStatus put_own_shape(const vv_blender *b, const vv_backdrop *o, FILE *f, vvError *error)
{
    float *vertices;
    int *indices, count, index_count;
    vvStatus status = vv_backdrop_mesh(b->run, o, &vertices, &count, &indices, &index_count, error);
    if (status != VV_OK)
        return status;
    fputs("((", f);
    for (int i = 0; i < count; i++) {
        const float *v = vertices + 6 * (size_t)i;
        put_triple(f, (const double[3]){ v[0], v[1], v[2] });
        fputs(i % 8 == 7 ? ",\n        " : ", ", f);
    }
    fputs("), (", f);
    for (int i = 0; i < index_count; i += 3)
        fprintf(f, "(%d, %d, %d),%s", indices[i], indices[i + 1], indices[i + 2], i % 24 == 21 ? "\n        " : " ");
    fputs("))", f);
    vv_free(vertices);
    vv_free(indices);
    return VV_OK;
}

static vvStatus put_obstacles(const vv_blender *b, FILE *f, vvError *error)
{
    vvStatus status = VV_OK;
    static const char *const shapes[VV_UNIT_SHAPES] = { "square", "ball", "cube", "cylinder" };
    vv_backdrop o;
    fputs("OBSTACLES = [\n", f);
    for (int i = 0; status == VV_OK && i < vvRunObstacleCount(b->run); i++) {
        if (!vv_backdrop_find(b->run, i, &b->bounds, &o))
            continue;
        fprintf(f, "    (\"%s_%d\", ", o.type, i + 1);
        if (o.shape == VV_OWN_SHAPE)
            status = put_own_shape(b, &o, f, error);
        else
            fprintf(f, "\"%s\"", shapes[o.shape]);
        fputs(", (", f);
        for (int column = 0; column < 4; column++) {
            fputs(column ? ", " : "", f);
            put_triple(f, column < 3 ? o.axes[column] : o.centre);
        }
        fputs(")),\n", f);
    }
    fputs("]\nOBSTACLE_COLOUR = ", f);
    put_colour(f, VV_BACKDROP_COLOUR);
    fputc('\n', f);
    return status;
}

vvStatus vv_blender_script(const vv_blender *b, FILE *f, vvError *error)
{
    const double none[3] = { 0, 0, 0 };
    bool any = b->bounds.low[0] <= b->bounds.high[0];
    fprintf(f, "%s %s. Shows the run in Blender (3.0 or later):\n#     blender --python ", vv_blender_mark,
            vvVersion());
    vv_put_quoted(f, b->file);
    fputs("\n\nNAME = ", f);
    vv_put_quoted(f, vvRunSceneName(b->run)[0] ? vvRunSceneName(b->run) : "visviva");
    fputs("\nRATE = ", f);
    put_number(f, b->rate);
    fprintf(f, "  # samples a second\nSAMPLES = %d\nUP = \"%c\"  # of the run; Blender's is Z\n", b->samples,
            vv_up_axis(b->run));
    fputs("BODIES = [  # name, mesh, point cache, colour, thickness (0: none)\n", f);
    for (int i = 0; i < b->count; i++) {
        const char *const texts[] = { b->bodies[i].name, b->bodies[i].mesh, b->bodies[i].cache };
        fputs("    (", f);
        for (int k = 0; k < 3; k++) {
            vv_put_quoted(f, texts[k]);
            fputs(", ", f);
        }
        put_colour(f, b->bodies[i].colour);
        fputs(", ", f);
        put_number(f, b->bodies[i].thickness);
        fputs("),\n", f);
    }
    fputs("]\n", f);
    vvStatus status = put_obstacles(b, f, error);
    fputs("LOW, HIGH = ", f); /* of everything that moves */
    put_triple(f, any ? b->bounds.low : none);
    fputs(", ", f);
    put_triple(f, any ? b->bounds.high : none);
    fputc('\n', f);
    for (size_t i = 0; i < sizeof script / sizeof *script; i++)
        fprintf(f, "%s\n", script[i]);
    return status;
}
