// A worker of Node.js as visviva-threads.worker.js expects one of a browser.
import { parentPort } from 'node:worker_threads';

globalThis.self = globalThis;
globalThis.location = { href: import.meta.url };
globalThis.importScripts = () => {};
globalThis.postMessage = message => parentPort.postMessage(message);
await import('./visviva-threads.worker.js');
parentPort.on('message', data => globalThis.onmessage({ data }));
