// A world that runs, in the form in which the report's drawing and curves want a run (web/report).

const byId = id => document.getElementById(id);
const facts = { phases: [] }; // of what the report's charts ask for

/** How much of the ledger is kept, and how much the curves show: rows. */
const KEPT = 100000,
    SHOWN = 2400;

const RISE = 16; // degrees: how far above the camera stands at first

/** The ledger of a world since its start: columns that grow, of which the curves see the last part. */
class Ledger {
    constructor(columns) {
        this.names = columns.map(({ name }) => name);
        this.units = Object.fromEntries(columns.map(({ name, unit }) => [name, unit]));
        this.table = new Float64Array(256 * this.names.length);
        this.clear();
    }

    clear() {
        this.count = this.dropped = 0;
        this.columns = {};
        this.rows = 0;
    }

    add(numbers) {
        const width = this.names.length;
        if (this.count + numbers.length / width > KEPT) {
            const half = Math.floor(this.count / 2);
            this.table.copyWithin(0, half * width, this.count * width);
            this.count -= half;
            this.dropped += half;
        }
        if (this.count * width + numbers.length > this.table.length) {
            const grown = new Float64Array(2 * this.table.length + numbers.length);
            grown.set(this.table);
            this.table = grown;
        }
        this.table.set(numbers, this.count * width);
        this.count += numbers.length / width;
    }

    /** For the curves. */
    look() {
        const width = this.names.length,
            rows = Math.min(this.count, SHOWN),
            first = this.count - rows;
        if (rows !== this.rows)
            this.columns = Object.fromEntries(this.names.map(name => [name, new Float64Array(rows)]));
        this.rows = rows;
        this.names.forEach((name, c) => {
            const to = this.columns[name];
            for (let r = 0, at = first * width + c; r < rows; r++, at += width) to[r] = this.table[at];
        });
    }

    last(name) {
        return this.table[(this.count - 1) * this.names.length + this.names.indexOf(name)];
    }

    /** As `visviva export` writes it. */
    get csv() {
        const width = this.names.length,
            head = this.names.map(name => (this.units[name] ? `${name} [${this.units[name]}]` : name)),
            lines = [head.join(',')];
        const word = x => (Number.isFinite(x) ? String(x) : Number.isNaN(x) ? 'nan' : x > 0 ? 'inf' : '-inf');
        for (let r = 0; r < this.count; r++)
            lines.push(Array.from(this.table.subarray(r * width, (r + 1) * width), word).join(','));
        return lines.join('\n') + '\n';
    }
}

/** One of the worlds side by side. */
class Run {
    constructor(index, columns) {
        this.index = index;
        this.remote = new Remote();
        this.ledger = new Ledger(columns);
        this.frame = 0;
    }

    /** What the world looks like, from the worker's `shape`. */
    take(shape) {
        const { positions, row, triangles, edges, solid, parts, planes, up } = shape;
        this.positions = positions;
        this.start = shape;
        this.settings = shape.settings;
        this.timeStep = shape.timeStep;
        this.time = shape.time;
        this.frame++;
        this.note = '';
        this.asleep = 0;
        this.ledger.clear();
        this.ledger.add(row);
        const box = boxOf(positions, solid),
            size = Math.hypot(...box.low.map((x, k) => box.high[k] - x)) || 1;
        this.forgetTimes();
        this.film = {
            vertices: positions.length / 3,
            parts: parts.map(part => ({
                ...part,
                colour: part.color && parseInt(part.color.slice(1), 16),
                radius: Math.max(part.radius, 0.004 * size),
            })),
            planes,
            up,
            rise: RISE,
            ...seen(box, planes, up, size),
        };
        const corners = Uint32Array.from({ length: solid.length / 3 }, (_, i) => i);
        this.data = { triangles, edges, obstacles: solid.length ? { places: solid, corners } : null };
    }

    /** After steps. */
    move({ positions, rows, time, note, hand, each, memory, asleep }) {
        this.spare = this.positions;
        this.positions = positions;
        this.frame++;
        if (rows.length) this.ledger.add(rows);
        Object.assign(this, { time, note, hand, memory, asleep });
        const now = performance.now();
        for (const ms of each) this.times.push({ now, ms });
        while (now - this.times[0]?.now > 1000 && this.times.length > each.length) this.times.shift();
    }

    forgetTimes() {
        this.times = [];
    }

    /** What a step took, the median of those of the last second, ms; undefined: none was taken. */
    get ms() {
        return this.times.map(({ ms }) => ms).sort((a, b) => a - b)[this.times.length >> 1];
    }
}

function boxOf(...lists) {
    const low = [Infinity, Infinity, Infinity],
        high = [-Infinity, -Infinity, -Infinity];
    for (const list of lists)
        for (let i = 0; i < list.length; i++) {
            low[i % 3] = Math.min(low[i % 3], list[i]);
            high[i % 3] = Math.max(high[i % 3], list[i]);
        }
    return { low, high };
}

/** What the camera sees: the bodies and obstacles, with the ground below them where that is near. */
function seen({ low, high }, planes, up, size) {
    const seenLow = [...low],
        seenHigh = [...high];
    for (const { point, normal } of planes) {
        const n = unit(normal);
        if (dot(n, up) < 0.7) continue;
        const level = low.reduce((sum, x, k) => sum + ((x + high[k]) / 2 - point[k]) * n[k], 0);
        if (level > 8 * size) continue;
        for (let k = 0; k < 3; k++) {
            const foot = (low[k] + high[k]) / 2 - level * n[k];
            seenLow[k] = Math.min(seenLow[k], foot);
            seenHigh[k] = Math.max(seenHigh[k], foot);
        }
    }
    return { seenLow, seenHigh };
}

// The report's drawing asks by these for places (web/report/data.js has those of a recorded run).

const placeOf = (run, frame, vertex) => [0, 1, 2].map(k => run.positions[3 * vertex + k]);

function fillPlaces(run, frame, part, middle, to) {
    const { positions } = run;
    for (let i = 0; i < positions.length; i += 3) for (let k = 0; k < 3; k++) to[i + k] = positions[i + k] - middle[k];
}
