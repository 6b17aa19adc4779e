// Draws runs side by side in one canvas: bodies, obstacles, the ground with its grid and shadow.

/** Numbers that stay, as attributes of three each: their places, and where they begin in a row. */
class Fixed {
    constructor(gl, numbers, stride, attributes) {
        this.gl = gl;
        this.array = gl.createVertexArray();
        this.buffer = gl.createBuffer();
        gl.bindVertexArray(this.array);
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
        gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
        for (const [place, offset] of attributes) {
            gl.enableVertexAttribArray(place);
            gl.vertexAttribPointer(place, 3, gl.FLOAT, false, stride, offset);
        }
        gl.bindVertexArray(null);
    }

    free() {
        this.gl.deleteVertexArray(this.array);
        this.gl.deleteBuffer(this.buffer);
    }
}

/** A surface that does not move, with a normal for each triangle's corner; null: there is none. */
function makeSolid(gl, obstacles, middle) {
    if (!obstacles) return null;
    const { places, corners } = obstacles,
        numbers = new Float32Array(6 * corners.length);
    const at = i => [0, 1, 2].map(k => places[3 * corners[i] + k] - middle[k]);
    for (let i = 0; i < corners.length; i += 3) {
        const x = [at(i), at(i + 1), at(i + 2)],
            n = unit(cross(along(x[1], -1, x[0]), along(x[2], -1, x[0])));
        x.forEach((place, c) => numbers.set([...place, ...n], 6 * (i + c)));
    }
    const fixed = new Fixed(gl, numbers, 24, [
        [0, 0],
        [1, 12],
    ]);
    return { fixed, count: corners.length };
}

/** 1, 2 or 5 times a power of ten, near x. */
function niceNumber(x) {
    const power = 10 ** Math.floor(Math.log10(x)),
        rest = x / power;
    return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

/**
 * Without a graphics card four samples of a pixel take four times as long: 105 ms in place of 26 for 10,000
 * vertices.
 */
function drawsInSoftware() {
    const gl = document.createElement('canvas').getContext('webgl2'),
        more = gl?.getExtension('WEBGL_debug_renderer_info');
    const name = String(more ? gl.getParameter(more.UNMASKED_RENDERER_WEBGL) : gl?.getParameter(gl.RENDERER));
    gl?.getExtension('WEBGL_lose_context')?.loseContext();
    return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

class Painter {
    constructor(canvas, runs, orbit) {
        this.canvas = canvas;
        this.orbit = orbit;
        this.software = drawsInSoftware();
        this.gl = canvas.getContext('webgl2', {
            alpha: false,
            antialias: !this.software,
            stencil: true,
            preserveDrawingBuffer: true,
        });
        if (!this.gl)
            throw new Error(
                'This browser has no WebGL 2 here, so the motion cannot be drawn. The curves and the text are whole.',
            );
        const { gl } = this;
        this.surface = makeProgram(gl, SURFACE);
        this.balls = makeProgram(gl, BALLS);
        this.plane = makeProgram(gl, PLANE);
        this.grid = makeProgram(gl, GRID);
        this.shadow = makeProgram(gl, SHADOW);
        this.tiles = [];
        this.show(runs);
    }

    /** These runs, in place of those before. */
    show(runs) {
        const { gl } = this;
        for (const { shown, solid, planes } of this.tiles)
            for (const thing of [shown, solid?.fixed, ...planes.map(plane => plane.fixed)]) thing?.free();
        this.middle = this.orbit.room.middle;
        this.tiles = runs
            .filter(run => run.film)
            .map(run => ({
                run,
                shown: new Shown(gl, run, this.software),
                solid: makeSolid(gl, run.data.obstacles, this.middle),
                planes: run.film.planes.map(plane => this.makePlane(plane)),
            }));
    }

    /** A large square around the middle of the picture, in the plane, and behind its corners those of a grid's lines. */
    makePlane({ point, normal }) {
        const { gl } = this,
            n = unit(normal),
            u = unit(cross(n, Math.abs(n[0]) < 0.9 ? [1, 0, 0] : [0, 0, 1])),
            v = cross(n, u);
        const level = dot(
                point.map((x, k) => x - this.middle[k]),
                n,
            ),
            centre = n.map(x => x * level),
            ground = dot(n, this.orbit.up) > 0.7;
        const half = (ground ? 40 : 3) * this.orbit.room.half;
        const cell = niceNumber(this.orbit.room.half / 3),
            reach = (ground ? 5 : 2) * this.orbit.room.half,
            corner = (a, b) => along(along(centre, a, u), b, v),
            corners = [corner(-half, -half), corner(half, -half), corner(-half, half), corner(half, half)];
        const lines = Math.floor(reach / cell) + 1; // on each side of the middle
        for (let i = -lines; i <= lines; i++)
            corners.push(
                corner(i * cell, -reach),
                corner(i * cell, reach),
                corner(-reach, i * cell),
                corner(reach, i * cell),
            );
        const fixed = new Fixed(gl, new Float32Array(corners.flat()), 0, [[0, 0]]);
        return { fixed, normal: n, level, centre, ground, first: u, second: v, cell, reach, lines: corners.length - 4 };
    }

    use({ program, places }, values) {
        const { gl } = this;
        gl.useProgram(program);
        for (const name in values) {
            const place = places[name],
                value = values[name];
            if (place === undefined) continue;
            if (value instanceof Float32Array) gl.uniformMatrix4fv(place, false, value);
            else if (Array.isArray(value)) gl.uniform3fv(place, value);
            else if (typeof value === 'boolean') gl.uniform1i(place, value ? 1 : 0);
            else gl.uniform1f(place, value);
        }
    }

    /** How tiles lie: columns and rows that leave each as near to 4:3 as can be. */
    layout() {
        const count = this.tiles.length,
            { clientWidth: w, clientHeight: h } = this.canvas;
        let best = [1, count],
            least = Infinity;
        for (let columns = 1; columns <= count; columns++) {
            const rows = Math.ceil(count / columns),
                off = Math.abs(Math.log(w / columns / (h / rows) / 1.1)) + 0.2 * (columns * rows - count);
            if (off < least) {
                least = off;
                best = [columns, rows];
            }
        }
        return { columns: best[0], rows: best[1] };
    }

    /** `fine`: a picture that stands; in software these alone have more samples of a pixel. */
    resize(fine) {
        const scale = Math.min(devicePixelRatio || 1, 2) * (this.software && fine ? 2 : 1),
            w = Math.round(this.canvas.clientWidth * scale),
            h = Math.round(this.canvas.clientHeight * scale);
        if (this.canvas.width !== w || this.canvas.height !== h) {
            this.canvas.width = w;
            this.canvas.height = h;
        }
    }

    /** `look`: { colours: { paper, line, solid }, scaled, fine, follow(tile) } */
    draw(look) {
        const { gl } = this,
            { columns, rows } = this.layout();
        this.resize(look.fine);
        const w = Math.floor(this.canvas.width / columns),
            h = Math.floor(this.canvas.height / rows);
        gl.enable(gl.DEPTH_TEST);
        gl.disable(gl.SCISSOR_TEST); // the paper is also where no run stands
        gl.clearColor(...look.colours.paper, 1);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
        gl.enable(gl.SCISSOR_TEST);
        this.tiles.forEach((tile, i) => {
            const x = (i % columns) * w,
                y = this.canvas.height - (Math.floor(i / columns) + 1) * h;
            gl.viewport(x, y, w, h);
            gl.scissor(x, y, w, h);
            this.drawTile(tile, look, w / h, h);
        });
    }

    drawTile(tile, look, aspect, height) {
        const { orbit } = this,
            moved = look.follow(tile),
            kept = orbit.shift;
        orbit.shift = along(kept, 1, moved);
        const { m, eye } = orbit.matrix(aspect),
            { right, above, back } = orbit.axes();
        orbit.shift = kept;
        const v = back,
            aside = unit(cross(orbit.up, v)),
            key = unit([0, 1, 2].map(k => 0.55 * v[k] + 0.9 * orbit.up[k] - 0.45 * aside[k])),
            pixels = height / Math.tan(VIEW_ANGLE / 2),
            light = {
                view: m,
                eye,
                up: orbit.up,
                key,
                middle: unit(along(key, 1, v)),
                stops: COLOURS,
                right,
                above,
                back,
                pixels,
            };
        for (const plane of tile.planes) this.drawPlane(plane, { view: m, eye, pixels }, look, moved);
        for (const plane of tile.planes)
            if (plane.ground && dot(eye, plane.normal) > plane.level) this.drawShadow(tile, plane, m, look.fine);
        this.use(this.balls, light);
        this.use(this.surface, light);
        this.drawSolid(tile.solid, look.colours.solid);
        this.drawParts(tile, look);
    }

    drawPlane(plane, camera, look, moved) {
        const { gl } = this;
        if (dot(camera.eye, plane.normal) < plane.level) return; // seen from below it would hide all
        const centre = along(plane.centre, 1, moved),
            cells = axis => plane.cell * Math.round(dot(moved, axis) / plane.cell), // lines go along, by whole cells
            offset = along(
                plane.first.map(x => x * cells(plane.first)),
                cells(plane.second),
                plane.second,
            );
        gl.bindVertexArray(plane.fixed.array);
        this.use(this.plane, { view: camera.view, paper: look.colours.paper });
        gl.enable(gl.POLYGON_OFFSET_FILL);
        gl.polygonOffset(1, 2);
        gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
        gl.disable(gl.POLYGON_OFFSET_FILL);
        const { normal, cell, reach } = plane;
        this.use(this.grid, { ...camera, offset, normal, cell, reach, line: look.colours.line, centre });
        this.gl.enable(gl.BLEND);
        this.gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        gl.drawArrays(gl.LINES, 4, plane.lines);
        gl.disable(gl.BLEND);
    }

    drawShadow(tile, plane, view, fine) {
        const { gl } = this,
            { half } = this.orbit.room,
            light = unit(along(this.orbit.up, 0.35, this.orbit.side));
        this.use(this.shadow, { view, normal: plane.normal, light, level: plane.level, depth: 0.3, fade: half });
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        gl.enable(gl.STENCIL_TEST);
        gl.stencilFunc(gl.EQUAL, 0, 255);
        gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
        gl.depthMask(false);
        gl.bindVertexArray(tile.shown.array);
        tile.run.film.parts.forEach((part, i) => {
            const coarse = fine ? null : tile.shown.shadows[i];
            if (coarse) gl.drawElements(gl.TRIANGLES, coarse.count, gl.UNSIGNED_INT, 4 * coarse.first);
            else this.drawTriangles(tile, part);
        });
        gl.depthMask(true);
        gl.disable(gl.STENCIL_TEST);
        gl.disable(gl.BLEND);
    }

    /** With the surfaces' program, which is in use. */
    drawSolid(solid, colour) {
        if (!solid) return;
        this.use(this.surface, { scaled: false, colour });
        this.gl.bindVertexArray(solid.fixed.array);
        this.gl.drawArrays(this.gl.TRIANGLES, 0, solid.count);
    }

    drawParts(tile, look) {
        const { gl } = this;
        gl.bindVertexArray(tile.shown.array);
        let bodies = 0;
        for (const part of tile.run.film.parts) {
            const colour = part.obstacle
                ? look.colours.solid
                : part.colour === null
                  ? BODY_COLOURS[bodies % BODIES.length]
                  : colourOf(part.colour);
            bodies += part.obstacle ? 0 : 1;
            this.use(part.points ? this.balls : this.surface, {
                scaled: look.scaled && !part.obstacle,
                colour,
                radius: part.radius,
            });
            if (part.points) gl.drawArrays(gl.POINTS, part.vertices[0], part.vertices[1]);
            else this.drawTriangles(tile, part);
        }
    }

    /** A part's surface or tubes; what closes has no far side that could be seen, and no need of both for a shadow. */
    drawTriangles(tile, part) {
        const { gl } = this,
            { data } = tile.run;
        if (part.closed) gl.enable(gl.CULL_FACE);
        if (part.triangles[1])
            gl.drawElements(gl.TRIANGLES, 3 * part.triangles[1], gl.UNSIGNED_INT, 12 * part.triangles[0]);
        else if (part.edges[1])
            gl.drawElements(
                gl.TRIANGLES,
                6 * TUBE_SIDES * part.edges[1],
                gl.UNSIGNED_INT,
                4 * (data.triangles.length + 6 * TUBE_SIDES * part.edges[0]),
            );
        gl.disable(gl.CULL_FACE);
    }
}
