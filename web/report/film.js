// Time: one clock for all runs. It stands at the time of a frame of one of them; each run shows its last frame up
// to then. Only while it plays slower than the runs were it stands between frames.

/** The last index whose time is not after t. */
function lastUntil(times, t) {
    let low = 0,
        high = times.length - 1;
    const slack = 1e-9 * Math.max(1, Math.abs(times[high]));
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (times[middle] <= t + slack) low = middle;
        else high = middle - 1;
    }
    return low;
}

class Clock {
    /**
     * `changed(clock)` is called whenever the time or playing is another. Runs without frames have the times of
     * their ledgers.
     */
    constructor(runs, changed) {
        const films = runs.filter(run => run.film).map(run => run.film.times);
        const lists = films.length ? films : runs.filter(run => run.ledger).map(run => [...run.ledger.columns.time]);
        this.times = [...new Set(lists.flat())]
            .sort((a, b) => a - b)
            .filter((t, i, all) => i === 0 || t - all[i - 1] > 1e-12 * Math.abs(t));
        if (!this.times.length) this.times = [0];
        this.index = 0;
        this.playing = false;
        this.speed = 1;
        this.changed = changed;
    }

    get time() {
        return this.between ? Math.min(this.moving, this.times[this.last]) : this.times[this.index];
    }

    /** Slower than it was, the film goes from frame to frame in straight lines. */
    get between() {
        return this.playing && this.speed < 1;
    }

    get last() {
        return this.times.length - 1;
    }

    seek(index) {
        const to = Math.max(0, Math.min(this.last, index));
        if (to === this.index) return;
        this.index = to;
        this.moving = this.time;
        this.changed(this);
    }

    /** The frame nearest to a time. */
    seekTime(t) {
        const before = lastUntil(this.times, t),
            after = Math.min(before + 1, this.last);
        this.seek(t - this.times[before] > this.times[after] - t ? after : before);
    }

    play(on = !this.playing) {
        if (on === this.playing || this.last === 0) return;
        this.playing = on;
        if (on) {
            if (this.index === this.last) this.index = 0;
            this.moving = this.time;
            this.before = performance.now();
            requestAnimationFrame(now => this.tick(now));
        }
        this.changed(this);
    }

    tick(now) {
        if (!this.playing) return;
        this.moving += (Math.max(0, now - this.before) / 1000) * this.speed;
        this.before = now;
        if (this.moving > this.times[this.last] + 0.5)
            // it stands still at the end for a moment, and begins again
            this.moving = this.times[0];
        const index = lastUntil(this.times, this.moving);
        if (index !== this.index || this.between) {
            this.index = index;
            this.changed(this);
        }
        requestAnimationFrame(next => this.tick(next));
    }
}

/** The frame that a run shows at a time, and the part of the way to the next one where it lies between the two. */
function frameAt(run, t) {
    const { times } = run.film,
        frame = lastUntil(times, t),
        part = frame + 1 < times.length ? (t - times[frame]) / (times[frame + 1] - times[frame]) : 0;
    return { frame, part: Math.max(0, Math.min(1, part)) };
}

/**
 * What bodies can be coloured by: fields that all runs have, and their height. `at(run, frame)` is a function of
 * the vertex, from 0 to 1.
 */
function colourings(runs, up) {
    const films = runs.filter(run => run.film),
        list = [{ name: 'body', title: 'body' }];
    if (!films.length) return list;
    const { levels } = facts;
    films[0].film.fields.forEach((field, i) => {
        const fields = films.map(run => run.film.fields[i]),
            least = Math.min(...fields.map(f => f.least)),
            most = Math.max(...fields.map(f => f.most));
        const at = (run, frame) => {
            const own = run.film.fields[i],
                values = run.data.fields[i],
                from = frame * run.film.vertices;
            const scale = (own.most - own.least) / levels / (most - least),
                first = (own.least - least) / (most - least);
            return v => first + scale * values[from + v];
        };
        list.push({
            name: field.name,
            title: field.title,
            unit: field.unit,
            least,
            most,
            largest: Math.max(...fields.map(f => f.largest)),
            at,
        });
    });
    const corners = films.flatMap(({ film }) =>
        [0, 1, 2, 3, 4, 5, 6, 7].map(c =>
            dot(
                up,
                [0, 1, 2].map(k => ((c >> k) & 1 ? film.seenHigh[k] : film.seenLow[k])),
            ),
        ),
    );
    const least = Math.min(...corners),
        most = Math.max(...corners, least + 1e-9);
    list.push({
        name: 'height',
        title: 'height',
        unit: 'm',
        least,
        most,
        largest: most,
        at: (run, frame) => {
            const { film, data } = run,
                n = film.vertices,
                from = 3 * frame * n,
                base = dot(up, film.low);
            return v =>
                (base +
                    film.step *
                        (up[0] * data.places[from + v] +
                            up[1] * data.places[from + n + v] +
                            up[2] * data.places[from + 2 * n + v]) -
                    least) /
                (most - least);
        },
    });
    return list;
}

/** The middle of a body in a frame. */
function middleIn(run, frame, part) {
    const sum = [0, 0, 0],
        [first, count] = part.vertices,
        n = run.film.vertices;
    for (let k = 0; k < 3; k++)
        for (let v = first, at = (3 * frame + k) * n; v < first + count; v++) sum[k] += run.data.places[at + v];
    return sum.map((x, k) => run.film.low[k] + (run.film.step * x) / count);
}

/** And where it is on the way to the next one. */
function middleOf(run, { frame, part: way }, part) {
    const here = middleIn(run, frame, part);
    return way > 0 ? here.map((x, k) => x + way * (middleIn(run, frame + 1, part)[k] - x)) : here;
}
