// The bodies of a run at a time as WebGL has them: places, normals and values of vertices, tubes, creases.

const TUBE_SIDES = 6,
    COSINES = Float64Array.from({ length: TUBE_SIDES }, (_, i) => Math.cos((2 * Math.PI * i) / TUBE_SIDES)),
    SINES = Float64Array.from({ length: TUBE_SIDES }, (_, i) => Math.sin((2 * Math.PI * i) / TUBE_SIDES));

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

const COARSE = { least: 4000, cells: 28 }; // triangles from which on a shadow may be coarser; cells along a body

/**
 * Triangles of a part for its shadow while it moves, without a graphics card: of all vertices in a cell of a grid one
 * stands for the others.
 */
function coarsen(run, part) {
    const { triangles } = run.data,
        [first, count] = part.triangles,
        places = Array.from({ length: part.vertices[1] }, (_, i) => placeOf(run, 0, part.vertices[0] + i));
    const low = [0, 1, 2].map(k => places.reduce((least, x) => Math.min(least, x[k]), Infinity)),
        size = Math.max(...[0, 1, 2].map(k => places.reduce((most, x) => Math.max(most, x[k] - low[k]), 0)));
    const cells = new Map(),
        stands = places.map((x, i) => {
            const cell = x.map((value, k) => Math.floor((COARSE.cells * (value - low[k])) / size)).join();
            if (!cells.has(cell)) cells.set(cell, part.vertices[0] + i);
            return cells.get(cell);
        });
    const list = [];
    for (let t = 3 * first; t < 3 * (first + count); t += 3) {
        const [a, b, c] = [0, 1, 2].map(i => stands[triangles[t + i] - part.vertices[0]]);
        if (a !== b && b !== c && c !== a) list.push(a, b, c);
    }
    return list;
}

/** Vertices, normals and values of a run's present frame, and the buffers that hold them. */
class Shown {
    /** `coarse`: with triangles for coarser shadows, { first, count } of each part that has them. */
    constructor(gl, run, coarse) {
        const { film, data } = run,
            edges = data.edges.length / 2;
        this.gl = gl;
        this.run = run;
        this.frame = -1;
        const split = splitCreases(run);
        this.triangles = split.corners;
        this.sources = Uint32Array.from(split.sources);
        this.tubes = film.vertices + this.sources.length; // the first vertex of tubes, which have their own
        const count = this.tubes + 2 * TUBE_SIDES * edges;
        this.places = new Float32Array(3 * count);
        this.normals = new Float32Array(3 * count);
        this.values = new Float32Array(count);
        const own = data.triangles.length + 6 * TUBE_SIDES * edges,
            more = [];
        this.shadows = film.parts.map(part => {
            if (!coarse || part.triangles[1] < COARSE.least) return null;
            const first = own + more.length;
            for (const corner of coarsen(run, part)) more.push(corner);
            return { first, count: own + more.length - first };
        });
        const corners = new Uint32Array(own + more.length);
        corners.set(this.triangles);
        this.fillTubeCorners(corners, data.triangles.length, edges);
        corners.set(more, own);
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
        this.corners = gl.createBuffer();
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.corners);
        gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, corners, gl.STATIC_DRAW);
        gl.bindVertexArray(null);
    }

    free() {
        this.gl.deleteVertexArray(this.array);
        for (const buffer of [...this.buffers, this.corners]) this.gl.deleteBuffer(buffer);
    }

    fillTubeCorners(corners, at, edges) {
        for (let e = 0; e < edges; e++)
            for (let i = 0, a = this.tubes + 2 * TUBE_SIDES * e; i < TUBE_SIDES; i++) {
                const j = (i + 1) % TUBE_SIDES;
                corners.set([a + i, a + j, a + TUBE_SIDES + i, a + j, a + TUBE_SIDES + j, a + TUBE_SIDES + i], at);
                at += 6;
            }
    }

    /** Reads a frame, or what lies between it and the next one; `middle` is what places are relative to. */
    set(frame, part, middle) {
        if (frame === this.frame && part === this.part && middle === this.middle) return;
        const n = this.run.film.vertices,
            x = this.places;
        fillPlaces(this.run, frame, part, middle, x);
        this.frame = frame;
        this.part = part;
        this.middle = middle;
        for (let i = 0, to = 3 * n; i < this.sources.length; i++)
            for (let k = 0, of = 3 * this.sources[i]; k < 3; k++) x[to++] = x[of + k];
        this.findNormals(this.triangles);
        this.layTubes();
        this.upload(0, x);
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
            x = this.places,
            n = this.normals;
        for (const part of film.parts)
            for (let e = part.edges[0]; e < part.edges[0] + part.edges[1]; e++) {
                const p = 3 * data.edges[2 * e],
                    q = 3 * data.edges[2 * e + 1],
                    length = Math.hypot(x[q] - x[p], x[q + 1] - x[p + 1], x[q + 2] - x[p + 2]) || 1;
                const dx = (x[q] - x[p]) / length,
                    dy = (x[q + 1] - x[p + 1]) / length,
                    dz = (x[q + 2] - x[p + 2]) / length,
                    near = Math.abs(dx) < 0.8; // to the x axis, else the y axis, this is across
                const size = Math.hypot(near ? dy : dx, dz) || 1,
                    ax = near ? 0 : -dz / size,
                    ay = near ? dz / size : 0,
                    az = (near ? -dy : dx) / size;
                const bx = dy * az - dz * ay,
                    by = dz * ax - dx * az,
                    bz = dx * ay - dy * ax;
                for (let i = 0, to = 3 * (this.tubes + 2 * TUBE_SIDES * e); i < 2 * TUBE_SIDES; i++, to += 3) {
                    const c = COSINES[i % TUBE_SIDES],
                        s = SINES[i % TUBE_SIDES],
                        end = i < TUBE_SIDES ? p : q;
                    n[to] = c * ax + s * bx;
                    n[to + 1] = c * ay + s * by;
                    n[to + 2] = c * az + s * bz;
                    for (let k = 0; k < 3; k++) x[to + k] = x[end + k] + part.radius * n[to + k];
                }
            }
    }

    /** Values between 0 and 1 for the vertices, by a function of the vertex; of the next frame by another. */
    colour(valueOf, next) {
        const { film, data } = this.run,
            n = film.vertices,
            values = this.values;
        for (let v = 0; v < n; v++) values[v] = valueOf(v);
        if (next) for (let v = 0; v < n; v++) values[v] += this.part * (next(v) - values[v]);
        for (let i = 0; i < this.sources.length; i++) values[n + i] = values[this.sources[i]];
        for (let e = 0, to = this.tubes; e < data.edges.length; e++)
            for (let i = 0; i < TUBE_SIDES; i++) values[to++] = values[data.edges[e]];
        this.upload(2, values);
    }

    upload(which, numbers) {
        this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffers[which]);
        this.gl.bufferSubData(this.gl.ARRAY_BUFFER, 0, numbers);
    }
}
