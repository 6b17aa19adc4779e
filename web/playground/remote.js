// A world in a worker of its own.

/** What a worker said, or that there is none any more. */
class Refusal extends Error {
    constructor({ message, status }) {
        super(message);
        this.status = status;
    }
}

class Remote {
    constructor() {
        this.worker = new Worker('worker.js', { type: 'module' });
        this.waiting = new Map();
        this.number = 0;
        this.threads = 1;
        this.worker.onmessage = ({ data: { id, result, error } }) => {
            const call = this.waiting.get(id);
            this.waiting.delete(id);
            if (error) call?.reject(new Refusal(error));
            else call?.resolve(result);
        };
        this.worker.onerror = e => {
            e.preventDefault();
            this.end(e.message || 'the worker could not be started');
        };
    }

    call(name, args = [], transfer = []) {
        if (!this.worker) return Promise.reject(new Refusal({ message: 'The library is not there.', status: 'lost' }));
        const id = ++this.number;
        return new Promise((resolve, reject) => {
            this.waiting.set(id, { resolve, reject });
            this.worker.postMessage({ id, call: name, args }, transfer);
        });
    }

    get busy() {
        return this.waiting.size > 0;
    }

    end(why) {
        this.worker?.terminate();
        this.worker = null;
        for (const { reject } of this.waiting.values()) reject(new Refusal({ message: why, status: 'lost' }));
        this.waiting.clear();
    }
}
