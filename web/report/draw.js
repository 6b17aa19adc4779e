// Draws runs side by side in one canvas: bodies, obstacles, the ground with its grid and shadow.

const TUBE_SIDES = 6;

const CREASE = Math.cos((55 * Math.PI) / 180); // edges that fold by more in the first frame stay sharp

function faceNormals(run) {
    const { triangles } = run.data,
        normals = new Float32Array(triangles.length);
    for (let t = 0; t < triangles.length; t += 3) {
        const [a, b, c] = [0, 1, 2].map(i => placeOf(run, 0, triangles[t + i]));
        normals.set(unit(cross(along(b, -1, a), along(c, -1, a))), t);
    }
    return normals;
}

/**
 * Triangles' corners as numbers of vertices, of which those on creases are several: `sources` are the vertices
 * that these stand for.
 */
function splitCreases(run) {
    const { triangles } = run.data,
        n = run.film.vertices,
        normals = faceNormals(run),
        corners = triangles.slice(),
        sources = [];
    const start = new Uint32Array(n + 1);
    for (const v of triangles) start[v + 1]++;
    for (let v = 0; v < n; v++) start[v + 1] += start[v];
    const next = start.slice(),
        around = new Uint32Array(triangles.length);
    triangles.forEach((v, corner) => {
        around[next[v]++] = corner;
    });
    const others = corner => {
        const t = corner - (corner % 3);
        return [triangles[t + ((corner + 1) % 3)], triangles[t + ((corner + 2) % 3)]];
    };
    const smooth = (a, b) => {
        const s = a - (a % 3),
            t = b - (b % 3);
        return normals[s] * normals[t] + normals[s + 1] * normals[t + 1] + normals[s + 2] * normals[t + 2] > CREASE;
    };
    for (let v = 0; v < n; v++) {
        const fan = [...around.subarray(start[v], start[v + 1])];
        for (let groups = 0; fan.length; groups++) {
            // triangles side by side that do not fold
            const group = [fan.pop()];
            for (let g = 0; g < group.length; g++)
                for (let i = fan.length - 1, mine = others(group[g]); i >= 0; i--)
                    if (smooth(group[g], fan[i]) && others(fan[i]).some(u => mine.includes(u)))
                        group.push(...fan.splice(i, 1));
            if (groups > 0) {
                for (const corner of group) corners[corner] = n + sources.length;
                sources.push(v);
            }
        }
    }
    return { corners, sources };
}

/** Vertices, normals and values of a run's present frame, and the buffers that hold them. */
class Shown {
    constructor(gl, run) {
        const { film, data } = run,
            edges = data.edges.length / 2;
        this.gl = gl;
        this.run = run;
        this.frame = -1;
        const split = splitCreases(run);
        this.triangles = split.corners;
        this.sources = split.sources;
        this.tubes = film.vertices + this.sources.length; // the first vertex of tubes, which have their own
        const count = this.tubes + 2 * TUBE_SIDES * edges;
        this.places = new Float32Array(3 * count);
        this.normals = new Float32Array(3 * count);
        this.values = new Float32Array(count);
        const corners = new Uint32Array(data.triangles.length + 6 * TUBE_SIDES * edges);
        corners.set(this.triangles);
        this.fillTubeCorners(corners, data.triangles.length, edges);
        this.array = gl.createVertexArray();
        gl.bindVertexArray(this.array);
        this.buffers = [
            [this.places, 3],
            [this.normals, 3],
            [this.values, 1],
        ].map(([numbers, size], at) => {
            const buffer = gl.createBuffer();
            gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
            gl.bufferData(gl.ARRAY_BUFFER, numbers.byteLength, gl.DYNAMIC_DRAW);
            gl.enableVertexAttribArray(at);
            gl.vertexAttribPointer(at, size, gl.FLOAT, false, 0, 0);
            return buffer;
        });
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
        gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, corners, gl.STATIC_DRAW);
        gl.bindVertexArray(null);
    }

    fillTubeCorners(corners, at, edges) {
        for (let e = 0; e < edges; e++)
            for (let i = 0, a = this.tubes + 2 * TUBE_SIDES * e; i < TUBE_SIDES; i++) {
                const j = (i + 1) % TUBE_SIDES;
                corners.set([a + i, a + j, a + TUBE_SIDES + i, a + j, a + TUBE_SIDES + j, a + TUBE_SIDES + i], at);
                at += 6;
            }
    }

    /** Reads a frame; `middle` is what places are relative to. */
    set(frame, middle) {
        if (frame === this.frame && middle === this.middle) return;
        const { film, data } = this.run,
            n = film.vertices,
            from = 3 * frame * n;
        for (let k = 0; k < 3; k++) {
            const low = film.low[k] - middle[k],
                { step } = film;
            for (let v = 0, at = from + k * n, to = k; v < n; v++, to += 3)
                this.places[to] = low + step * data.places[at + v];
        }
        this.frame = frame;
        this.middle = middle;
        this.sources.forEach((v, i) => this.places.copyWithin(3 * (n + i), 3 * v, 3 * v + 3));
        this.findNormals(this.triangles);
        this.layTubes();
        this.upload(0, this.places);
        this.upload(1, this.normals);
    }

    findNormals(triangles) {
        const x = this.places,
            n = this.normals;
        n.fill(0, 0, 3 * this.tubes);
        for (let t = 0; t < triangles.length; t += 3) {
            const a = 3 * triangles[t],
                b = 3 * triangles[t + 1],
                c = 3 * triangles[t + 2];
            const ux = x[b] - x[a],
                uy = x[b + 1] - x[a + 1],
                uz = x[b + 2] - x[a + 2],
                wx = x[c] - x[a],
                wy = x[c + 1] - x[a + 1],
                wz = x[c + 2] - x[a + 2];
            const nx = uy * wz - uz * wy,
                ny = uz * wx - ux * wz,
                nz = ux * wy - uy * wx;
            n[a] += nx;
            n[a + 1] += ny;
            n[a + 2] += nz;
            n[b] += nx;
            n[b + 1] += ny;
            n[b + 2] += nz;
            n[c] += nx;
            n[c + 1] += ny;
            n[c + 2] += nz;
        }
    }

    layTubes() {
        const { film, data } = this.run,
            place = v => this.places.subarray(3 * v, 3 * v + 3);
        for (const part of film.parts)
            for (let e = part.edges[0]; e < part.edges[0] + part.edges[1]; e++) {
                const ends = [place(data.edges[2 * e]), place(data.edges[2 * e + 1])],
                    d = unit([0, 1, 2].map(k => ends[1][k] - ends[0][k]));
                const a = unit(cross(d, Math.abs(d[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0])),
                    b = cross(d, a);
                for (let i = 0; i < 2 * TUBE_SIDES; i++) {
                    const turn = (2 * Math.PI * i) / TUBE_SIDES,
                        c = Math.cos(turn),
                        s = Math.sin(turn),
                        to = 3 * (this.tubes + 2 * TUBE_SIDES * e + i);
                    for (let k = 0; k < 3; k++) {
                        this.normals[to + k] = c * a[k] + s * b[k];
                        this.places[to + k] = ends[i < TUBE_SIDES ? 0 : 1][k] + part.radius * this.normals[to + k];
                    }
                }
            }
    }

    /** Values between 0 and 1 for the vertices, by a function of the vertex. */
    colour(valueOf) {
        const { film, data } = this.run;
        for (let v = 0; v < film.vertices; v++) this.values[v] = valueOf(v);
        this.sources.forEach((v, i) => {
            this.values[film.vertices + i] = this.values[v];
        });
        for (let e = 0; e < data.edges.length / 2; e++)
            for (let i = 0; i < 2 * TUBE_SIDES; i++)
                this.values[this.tubes + 2 * TUBE_SIDES * e + i] =
                    this.values[data.edges[2 * e + (i < TUBE_SIDES ? 0 : 1)]];
        this.upload(2, this.values);
    }

    upload(which, numbers) {
        this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffers[which]);
        this.gl.bufferSubData(this.gl.ARRAY_BUFFER, 0, numbers);
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
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
    for (const [place, offset] of [
        [0, 0],
        [1, 12],
    ]) {
        gl.enableVertexAttribArray(place);
        gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 24, offset);
    }
    gl.bindVertexArray(null);
    return { array, count: corners.length };
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
        this.shadow = makeProgram(gl, SHADOW);
        this.middle = orbit.room.middle;
        this.tiles = runs
            .filter(run => run.film)
            .map(run => ({
                run,
                shown: new Shown(gl, run),
                solid: makeSolid(gl, run.data.obstacles, this.middle),
                planes: run.film.planes.map(plane => this.makePlane(plane)),
            }));
    }

    /** A large square around the middle of the picture, in the plane. */
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
        const half = (ground ? 40 : 3) * this.orbit.room.half,
            array = gl.createVertexArray();
        const corner = (a, b) => along(along(centre, a * half, u), b * half, v);
        gl.bindVertexArray(array);
        gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
        gl.bufferData(
            gl.ARRAY_BUFFER,
            new Float32Array([corner(-1, -1), corner(1, -1), corner(-1, 1), corner(1, 1)].flat()),
            gl.STATIC_DRAW,
        );
        gl.enableVertexAttribArray(0);
        gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
        gl.bindVertexArray(null);
        return { array, normal: n, level, centre, ground, first: u, second: v };
    }

    use({ program, places }, values) {
        const { gl } = this;
        gl.useProgram(program);
        for (const [name, value] of Object.entries(values)) {
            const place = places[name];
            if (place === undefined) continue;
            if (value instanceof Float32Array) gl.uniformMatrix4fv(place, false, value);
            else if (Array.isArray(value)) gl.uniform3fv(place, value.flat());
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
        gl.enable(gl.SCISSOR_TEST);
        this.tiles.forEach((tile, i) => {
            const x = (i % columns) * w,
                y = this.canvas.height - (Math.floor(i / columns) + 1) * h;
            gl.viewport(x, y, w, h);
            gl.scissor(x, y, w, h);
            gl.clearColor(...look.colours.paper, 1);
            gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
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
        const light = {
            view: m,
            eye,
            up: orbit.up,
            stops: STOPS.map(colourOf),
            right,
            above,
            back,
            pixels: height / Math.tan(VIEW_ANGLE / 2),
        };
        for (const plane of tile.planes) this.drawPlane(plane, m, eye, look, moved);
        for (const plane of tile.planes)
            if (plane.ground && dot(eye, plane.normal) > plane.level) this.drawShadow(tile, plane, m);
        this.drawSolid(tile.solid, { ...light, scaled: false, colour: look.colours.solid });
        this.drawParts(tile, { ...light, scaled: look.scaled }, look);
    }

    drawPlane(plane, view, eye, look, moved) {
        const { gl } = this,
            { half } = this.orbit.room;
        if (dot(eye, plane.normal) < plane.level) return; // seen from below it would hide all
        const centre = along(plane.centre, 1, moved);
        this.use(this.plane, {
            view,
            first: plane.first,
            second: plane.second,
            paper: look.colours.paper,
            line: look.colours.line,
            centre,
            cell: niceNumber(half / 3),
            reach: (plane.ground ? 5 : 2) * half,
        });
        gl.bindVertexArray(plane.array);
        gl.enable(gl.POLYGON_OFFSET_FILL);
        gl.polygonOffset(1, 2);
        gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
        gl.disable(gl.POLYGON_OFFSET_FILL);
    }

    drawShadow(tile, plane, view) {
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
        for (const part of tile.run.film.parts) this.drawTriangles(tile, part);
        gl.depthMask(true);
        gl.disable(gl.STENCIL_TEST);
        gl.disable(gl.BLEND);
    }

    drawSolid(solid, light) {
        if (!solid) return;
        this.use(this.surface, light);
        this.gl.bindVertexArray(solid.array);
        this.gl.drawArrays(this.gl.TRIANGLES, 0, solid.count);
    }

    drawParts(tile, light, look) {
        const { gl } = this,
            { film } = tile.run;
        gl.bindVertexArray(tile.shown.array);
        let bodies = 0;
        for (const part of film.parts) {
            const colour = part.obstacle ? look.colours.solid : colourOf(BODIES[bodies++ % BODIES.length]),
                own = { ...light, scaled: light.scaled && !part.obstacle, colour };
            this.use(part.points ? this.balls : this.surface, { ...own, radius: part.radius });
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
