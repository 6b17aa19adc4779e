// How many threads the worlds compute with: chosen in a menu, given to their workers.

const MANY_CORES = 4; // from so many on a world has two threads at first

class Threads {
    /** `whyOneThread`: why there can be one only; '': there can be as many as cores. */
    constructor(page, select, whyOneThread) {
        const most = whyOneThread ? 1 : Math.max(1, navigator.hardwareConcurrency || 1);
        this.page = page;
        this.select = select;
        this.wanted = most >= MANY_CORES ? 2 : 1;
        for (let n = 1; n <= most; n++) select.append(new Option(n, n));
        select.value = this.wanted;
        select.disabled = most === 1;
        select.title = whyOneThread
            ? `One: ${whyOneThread}.`
            : 'with how many threads a world computes; the motion is the same for any number';
        select.addEventListener('change', () => {
            this.wanted = Number(select.value);
            this.use();
        });
    }

    /** Each world with as many as are chosen, or as can be had. One change after the other; steps go on meanwhile. */
    use() {
        this.changing = Promise.resolve(this.changing).then(() => this.page.tried(() => this.give()));
        return this.changing;
    }

    async give() {
        const { wanted } = this,
            runs = [...this.page.runs];
        let refused = '';
        for (const { remote } of runs) {
            if (remote.threads === wanted || !remote.worker) continue;
            try {
                const got = await remote.call('threads', [wanted]);
                remote.threads = got.threads;
                refused ||= got.refused;
            } catch (error) {
                if (remote.worker) throw error; // else it ended meanwhile
            }
        }
        for (const run of runs) run.forgetTimes();
        if (!refused || this.wanted !== wanted) return;
        this.wanted = Math.min(...runs.map(({ remote }) => remote.threads));
        this.select.value = this.wanted;
        this.page.say(`${this.wanted} of ${wanted} threads: ${refused}.`, true);
    }
}
