// The camera: it turns about a point, with `up` upwards, and stands in the same place for all runs.

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => {
    const l = Math.hypot(...a) || 1;
    return a.map(x => x / l);
};
const along = (a, s, b) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];

const FIRST = 0.6; // radians: around, at first; above as the film says
const VIEW_ANGLE = 0.6; // radians, from the picture's lower edge to its upper one

/** What the camera must see of all runs: the middle of a box, its corners relative to that, and half the diagonal. */
function roomOf(runs) {
    const low = [Infinity, Infinity, Infinity],
        high = [-Infinity, -Infinity, -Infinity];
    for (const { film } of runs)
        for (let k = 0; film && k < 3; k++) {
            low[k] = Math.min(low[k], film.seenLow[k]);
            high[k] = Math.max(high[k], film.seenHigh[k]);
        }
    const middle = low.map((x, k) => (x + high[k]) / 2),
        half = Math.hypot(...low.map((x, k) => high[k] - x)) / 2 || 0.5;
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map(c => low.map((x, k) => ((c >> k) & 1 ? high[k] : x) - middle[k]));
    return { middle, half, corners };
}

class Orbit {
    constructor(runs) {
        this.look(runs);
    }

    /** At these runs, as at first. */
    look(runs) {
        const film = runs.find(run => run.film).film;
        this.room = roomOf(runs);
        this.up = unit(film.up);
        const aside = Math.abs(this.up[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
        this.side = unit(cross(this.up, aside));
        this.front = cross(this.side, this.up);
        this.first = [FIRST, (film.rise * Math.PI) / 180];
        const size = film.seenHigh.map((x, k) => x - film.seenLow[k]),
            flat = size.findIndex(x => x < 1e-6 * Math.hypot(...size));
        if (flat >= 0 && Math.abs(this.up[flat]) < 0.5) this.first = [Math.atan2(this.side[flat], this.front[flat]), 0]; // seen from the front
        this.whole();
    }

    /** Everything that moves just fits. */
    whole() {
        [this.turn, this.rise] = this.first;
        this.away = 1;
        this.shift = [0, 0, 0];
    }

    rotate(x, y) {
        this.turn -= x;
        this.rise = Math.max(-1.5, Math.min(1.5, this.rise + y));
    }

    zoom(factor) {
        this.away = Math.max(0.02, Math.min(20, this.away * factor));
    }

    /** By parts of the picture's height. */
    move(x, y) {
        const { right, above } = this.axes(),
            reach = 2 * Math.tan(VIEW_ANGLE / 2) * this.distance(1);
        this.shift = along(along(this.shift, -x * reach, right), y * reach, above);
    }

    axes() {
        const c = Math.cos(this.rise),
            s = Math.sin(this.rise),
            across = along(
                this.front.map(x => x * Math.cos(this.turn)),
                Math.sin(this.turn),
                this.side,
            );
        const back = along(
                across.map(x => x * c),
                s,
                this.up,
            ),
            right = unit(cross(this.up, across));
        return { back, right, above: cross(back, right) };
    }

    /** From where the box just fits as it is seen at first: turning the view does not change it. */
    distance(aspect) {
        const { turn, rise } = this,
            tall = Math.tan(VIEW_ANGLE / 2);
        [this.turn, this.rise] = this.first;
        const { back, right, above } = this.axes();
        [this.turn, this.rise] = [turn, rise];
        const reach = c =>
            dot(c, back) + 1.12 * Math.max(Math.abs(dot(c, right)) / (tall * aspect), Math.abs(dot(c, above)) / tall);
        return this.away * Math.max(0.4 * this.room.half, ...this.room.corners.map(reach));
    }

    /** The matrix from places relative to `middle` to the picture, by columns; and where the eye is, relative to it. */
    matrix(aspect) {
        const { back, right, above } = this.axes(),
            away = this.distance(aspect),
            eye = along(this.shift, away, back);
        const near = away * 0.02,
            far = away + 60 * this.room.half,
            f = 1 / Math.tan(VIEW_ANGLE / 2);
        const rows = [
            right.map(x => (x * f) / aspect),
            above.map(x => x * f),
            back.map(x => (x * (far + near)) / (near - far)),
            back.map(x => -x),
        ];
        const last = [
            -dot(rows[0], eye),
            -dot(rows[1], eye),
            -dot(rows[2], eye) + (2 * far * near) / (near - far),
            dot(back, eye),
        ];
        const m = new Float32Array(16);
        for (let r = 0; r < 4; r++) {
            for (let c = 0; c < 3; c++) m[4 * c + r] = rows[r][c];
            m[12 + r] = last[r];
        }
        return { m, eye };
    }
}

/** From the eye through a point of the picture, -1 to 1 to the right and upwards. */
function rayThrough(orbit, aspect, x, y) {
    const { right, above, back } = orbit.axes(),
        tall = Math.tan(VIEW_ANGLE / 2),
        way = along(along(along([0, 0, 0], -1, back), x * tall * aspect, right), y * tall, above);
    return { eye: orbit.matrix(aspect).eye, way: unit(way) };
}

/**
 * Drags, wheels and pinches on `canvas` move `orbit`; `changed` draws. A `hand` may take hold of something first:
 * `grab(event)` promises whether it does, and then `move(event)` and `release()` follow.
 */
function attachOrbit(canvas, orbit, changed, hand = null) {
    const touches = new Map();
    let holding = null; // the pointer that holds, or may soon
    const spread = () => {
        const [a, b] = [...touches.values()];
        return Math.hypot(a.x - b.x, a.y - b.y) || 1;
    };
    const release = () => {
        if (holding?.held) hand.release();
        holding = null;
    };
    canvas.addEventListener('pointerdown', e => {
        canvas.setPointerCapture(e.pointerId);
        touches.set(e.pointerId, { x: e.clientX, y: e.clientY });
        canvas.style.cursor = 'grabbing';
        if (touches.size > 1) release();
        else if (hand && e.button === 0 && !e.shiftKey) {
            const mine = (holding = { id: e.pointerId, held: false });
            hand.grab(e).then(met => {
                if (holding !== mine) {
                    if (met) hand.release();
                } else if (met) {
                    mine.held = true;
                    if (mine.last) hand.move(mine.last);
                } else holding = null;
            });
        }
    });
    canvas.addEventListener('pointermove', e => {
        const last = touches.get(e.pointerId);
        if (!last) return;
        const x = e.clientX - last.x,
            y = e.clientY - last.y,
            before = touches.size === 2 ? spread() : 0;
        if (holding?.id === e.pointerId) {
            holding.last = e;
            if (holding.held) hand.move(e);
            touches.set(e.pointerId, { x: e.clientX, y: e.clientY });
            return;
        }
        touches.set(e.pointerId, { x: e.clientX, y: e.clientY });
        if (touches.size === 2) {
            orbit.zoom(before / spread());
            orbit.move(x / canvas.clientHeight / 2, y / canvas.clientHeight / 2);
        } else if (e.shiftKey || e.buttons & 6) orbit.move(x / canvas.clientHeight, y / canvas.clientHeight);
        else orbit.rotate(x * 0.008, y * 0.008);
        changed();
    });
    for (const name of ['pointerup', 'pointercancel'])
        canvas.addEventListener(name, e => {
            touches.delete(e.pointerId);
            canvas.style.cursor = '';
            if (holding?.id === e.pointerId) release();
        });
    canvas.addEventListener('contextmenu', e => e.preventDefault());
    canvas.addEventListener(
        'wheel',
        e => {
            e.preventDefault();
            orbit.zoom(Math.exp(Math.max(-0.5, Math.min(0.5, e.deltaY * 0.0012))));
            changed();
        },
        { passive: false },
    );
}
