// What the page holds: facts in JSON, and blocks of deflated bytes in base 64. cli/report/code.c and shape.c write
// them.
// The files of this folder become one module, in the order of cmake/program.cmake: names of one are known to those
// after it.

const byId = id => document.getElementById(id);
const facts = JSON.parse(byId('facts').textContent);

/** The bytes of a block, and its text is forgotten; null: the page has none of that name. */
async function unpack(id) {
    const element = byId(id);
    if (!element) return null;
    const text = atob(element.textContent),
        bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    element.textContent = '';
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Numbers that stand byte by byte: the lowest bytes of all first. */
function unplane(bytes) {
    const count = bytes.length / 4,
        numbers = new Uint32Array(count);
    for (let i = 0; i < count; i++)
        numbers[i] = bytes[i] | (bytes[count + i] << 8) | (bytes[2 * count + i] << 16) | (bytes[3 * count + i] << 24);
    return numbers;
}

const signed = z => (z >>> 1) ^ -(z & 1);

function readShape(bytes, film) {
    const numbers = unplane(bytes),
        t = film.triangles,
        e = film.edges;
    const triangles = new Uint32Array(3 * t),
        edges = new Uint32Array(2 * e);
    for (let i = 0, first = 0; i < t; i++) {
        first += numbers[i];
        triangles[3 * i] = first;
        triangles[3 * i + 1] = first - numbers[t + i];
        triangles[3 * i + 2] = first - numbers[2 * t + i];
    }
    for (let i = 0, first = 0; i < e; i++) {
        first += signed(numbers[3 * t + i]);
        edges[2 * i] = first;
        edges[2 * i + 1] = first + signed(numbers[3 * t + e + i]);
    }
    return { triangles, edges };
}

/** Of each vertex, the neighbours with smaller numbers, as often as an element has the two. */
function linksOf(vertices, shape) {
    const start = new Uint32Array(vertices + 1);
    const each = visit => {
        for (const [list, corners] of [
            [shape.triangles, 3],
            [shape.edges, 2],
        ])
            for (let i = 0; i < list.length; i += corners)
                for (let a = i; a < i + corners; a++)
                    for (let b = i; b < i + corners; b++) if (list[b] < list[a]) visit(list[a], list[b]);
    };
    each(from => start[from + 1]++);
    for (let i = 0; i < vertices; i++) start[i + 1] += start[i];
    const next = start.slice(),
        list = new Uint32Array(start[vertices]);
    each((from, to) => {
        list[next[from]++] = to;
    });
    return { start, list };
}

/**
 * Frames x components x vertices, out of what prediction left: a part of a frame was predicted from so many frames
 * before (0, 1, 2), and (4) from what its vertices' neighbours had left.
 */
function decode(bytes, film, links, components, out) {
    const n = film.vertices,
        frames = film.times.length,
        parts = film.parts,
        change = new Int32Array(n);
    const large = new DataView(bytes.buffer, bytes.byteOffset),
        { start, list } = links;
    let at = frames * parts.length,
        far = at + frames * components * n;
    for (let f = 0, way = 0; f < frames; f++)
        for (const part of parts) {
            const order = bytes[way] & 3,
                near = bytes[way++] & 4,
                first = part.vertices[0],
                end = first + part.vertices[1];
            for (let k = 0; k < components; k++) {
                const to = (f * components + k) * n,
                    one = to - components * n,
                    two = one - components * n;
                for (let v = first; v < end; v++) {
                    let z = bytes[at++];
                    if (z === 255) {
                        z = large.getUint32(far, true);
                        far += 4;
                    }
                    let d = (z >>> 1) ^ -(z & 1);
                    const from = start[v],
                        till = start[v + 1];
                    if (near && till > from) {
                        let sum = 0;
                        for (let i = from; i < till; i++) sum += change[list[i]];
                        d += Math.floor((2 * sum + till - from) / (2 * (till - from)));
                    }
                    change[v] = d;
                    out[to + v] = d + (order === 0 ? 0 : order === 1 ? out[one + v] : 2 * out[one + v] - out[two + v]);
                }
            }
        }
    return out;
}

async function readFilm(index, film) {
    const shape = readShape(await unpack(`shape-${index}`), film),
        links = linksOf(film.vertices, shape);
    const count = film.times.length * film.vertices,
        Places = film.range < 65536 ? Uint16Array : Int32Array;
    const places = decode(await unpack(`motion-${index}`), film, links, 3, new Places(3 * count)),
        fields = [];
    for (let i = 0; i < film.fields.length; i++)
        fields.push(decode(await unpack(`field-${index}-${i}`), film, links, 1, new Uint8Array(count)));
    const solid = await unpack(`obstacles-${index}`),
        vertices = 3 * film.obstacleVertices;
    const obstacles = solid && {
        places: new Float32Array(solid.buffer, 0, vertices),
        corners: new Uint32Array(solid.buffer, 4 * vertices),
    };
    return { ...shape, places, fields, obstacles };
}

/** The fields of a line of CSV (RFC 4180), of which only names are quoted. */
function cells(line) {
    return [...`${line},`.matchAll(/"((?:[^"]|"")*)",|([^,]*),/g)].map(m =>
        m[1] !== undefined ? m[1].replaceAll('""', '"') : m[2],
    );
}

const number = text => (text === 'inf' ? Infinity : text === '-inf' ? -Infinity : text === 'nan' ? NaN : +text);

/** Columns by name, without their units; units apart. */
function readLedger(text) {
    const end = /^(?:[^"\n]|"[^"]*")*/.exec(text)[0].length, // names in quotes may hold anything
        names = cells(text.slice(0, end)),
        lines = text
            .slice(end + 1)
            .trimEnd()
            .split('\n');
    const columns = {},
        units = {},
        list = names.map(name => {
            const found = /^(.*) \[(.*)\]$/.exec(name),
                key = found ? found[1] : name;
            units[key] = found ? found[2] : '';
            return (columns[key] = new Float64Array(lines.length));
        });
    lines.forEach((line, row) => {
        const values = line.split(',');
        for (let i = 0; i < list.length; i++) list[i][row] = number(values[i]);
    });
    return { text, rows: lines.length, columns, units };
}

async function readRun(run, index) {
    const csv = await unpack(`ledger-${index}`),
        phases = await unpack(`phases-${index}`);
    return {
        ...run,
        index,
        data: run.film && (await readFilm(index, run.film)),
        ledger: csv && readLedger(new TextDecoder().decode(csv)),
        phases: phases && new Float32Array(phases.buffer),
    };
}

/** All runs, with their numbers. */
async function readRuns() {
    if (typeof DecompressionStream === 'undefined')
        throw new Error(
            'This browser cannot unpack the page: it has no DecompressionStream ' +
                '(Chrome 80, Firefox 113, Safari 16.4 and later have it).',
        );
    const runs = [];
    for (let i = 0; i < facts.runs.length; i++) runs.push(await readRun(facts.runs[i], i));
    return runs;
}

/** A place of a run's film, m. */
function placeOf(run, frame, vertex) {
    const { film, data } = run,
        at = 3 * frame * film.vertices + vertex;
    return [0, 1, 2].map(k => film.low[k] + film.step * data.places[at + k * film.vertices]);
}

/** All places of a frame, or what lies between it and the next one, relative to `middle`: three numbers a vertex. */
function fillPlaces({ film, data }, frame, part, middle, to) {
    const n = film.vertices,
        next = part > 0 ? 3 * n : 0;
    for (let k = 0; k < 3; k++) {
        const low = film.low[k] - middle[k],
            { step } = film;
        for (let v = 0, at = (3 * frame + k) * n, i = k; v < n; v++, at++, i += 3) {
            const q = data.places[at];
            to[i] = low + step * (q + part * (data.places[at + next] - q));
        }
    }
}
