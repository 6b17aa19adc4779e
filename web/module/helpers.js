// Workers that help the library in its loops, where they can share its memory (visviva-threads). Each is there before the library asks for it: the library
// waits for its threads to end, so that one that never began would hold it up for ever.

const PATIENCE = 20000, // ms
    PAGE = 65536, // bytes
    FIRST = 2 ** 25, // bytes at the start, as the library was linked (cmake/web.cmake)
    MOST = [2 ** 31, 2 ** 29]; // bytes to which it may grow: some telephones do not give away the first

const inNode = typeof process === 'object' && Boolean(process.versions?.node);

/** Why there can be no threads here; '': there can. */
export function findWhyOneThread() {
    if (typeof SharedArrayBuffer === 'function' && (inNode || globalThis.crossOriginIsolated)) return '';
    return 'the page is not isolated from other origins (headers Cross-Origin-Opener-Policy and Cross-Origin-Embedder-Policy)';
}

/** Memory that workers can share. How far it may grow is settled at once, and browsers set aside as many addresses. */
export function sharedMemory() {
    let refused = null;
    for (const most of MOST)
        try {
            return new WebAssembly.Memory({ initial: FIRST / PAGE, maximum: most / PAGE, shared: true });
        } catch (error) {
            refused = error;
        }
    throw refused;
}

async function newWorker() {
    if (!inNode) return new Worker(new URL('./visviva-threads.worker.js', import.meta.url));
    const { Worker: NodeWorker } = await import('node:worker_threads'),
        worker = new NodeWorker(new URL('./node-helper.js', import.meta.url), { execArgv: [] });
    worker.on('message', data => worker.onmessage({ data }));
    worker.on('error', error => worker.onerror(error));
    worker.unref(); // the program may end
    return worker;
}

async function newHelper(core) {
    const worker = await newWorker();
    let timer = 0;
    try {
        await new Promise((done, fail) => {
            core.PThread.loadWasmModuleToWorker(worker, done);
            worker.onerror = event => {
                event.preventDefault?.();
                fail(new Error(`a worker could not be started${event.message ? `: ${event.message}` : ''}`));
            };
            timer = setTimeout(() => fail(new Error(`a worker was not ready after ${PATIENCE / 1000} s`)), PATIENCE);
        });
    } catch (error) {
        worker.terminate();
        throw error;
    } finally {
        clearTimeout(timer);
    }
    core.PThread.unusedWorkers.push(worker);
}

/** How many helpers are free, up to `count`, and why not so many. */
export async function freeHelpers(core, count) {
    if (!core.PThread) return { helpers: 0, refused: 'the library was loaded without threads' };
    const free = () => Math.min(count, core.PThread.unusedWorkers.length),
        started = await Promise.allSettled(Array.from({ length: count - free() }, () => newHelper(core)));
    const refused = started.find(({ status }) => status === 'rejected')?.reason.message ?? '';
    return { helpers: free(), refused: free() < count ? refused : '' };
}
