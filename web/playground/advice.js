// Which entries of the menus a scene does not take: the program is asked, in a worker of its own, once a scene or a setting is there for a while.

const QUIET = 800; // ms

class Advice {
    constructor(panel) {
        this.panel = panel;
        this.asked = null;
        this.ready = true; // nothing is left to ask
    }

    /** Anew for a scene (its JSON), and the files that it names. */
    ask(text, files) {
        this.asked = { text, files };
        this.ready = false;
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.work(), QUIET);
    }

    async work() {
        const { asked } = this;
        if (this.working) return; // which looks whether something else is asked
        this.working = true;
        try {
            if (!this.remote) {
                this.remote = new Remote();
                await this.remote.call('load');
            }
            for (const { path, names } of this.panel.menus()) {
                if (asked !== this.asked) break;
                const why = await this.remote.call('refused', [asked.text, asked.files, path, names]);
                if (asked === this.asked) this.panel.refuse(path, why);
            }
        } catch {
            // the worker ended, for want of memory: what the program refuses it says when it is chosen
            this.remote.end();
            this.remote = null;
        }
        this.working = false;
        if (asked !== this.asked) this.work();
        else this.ready = true;
    }
}
