// Serves a folder on this machine alone: serve.mjs FOLDER [PORT]. Prints the address once it listens; ends with Ctrl-C. Pages are isolated from those of other
// origins: then workers may share memory, and the library has threads.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import zlib from 'node:zlib';

const root = path.resolve(process.argv[2]),
    wanted = Number(process.argv[3] ?? 8000),
    types = {
        html: 'text/html',
        js: 'text/javascript',
        css: 'text/css',
        json: 'application/json',
        wasm: 'application/wasm',
        txt: 'text/plain',
    },
    always = {
        'Cache-Control': 'no-cache',
        'X-Content-Type-Options': 'nosniff',
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cross-Origin-Embedder-Policy': 'require-corp',
        'Cross-Origin-Resource-Policy': 'same-origin',
    },
    packed = new Map(); // by file and time, deflated once

function answer(request, response) {
    const url = new URL(request.url, 'http://localhost'),
        file = path.join(
            root,
            decodeURIComponent(url.pathname.endsWith('/') ? `${url.pathname}index.html` : url.pathname),
        ),
        about = file.startsWith(root + path.sep) && fs.existsSync(file) && fs.statSync(file);
    if (!about || !about.isFile()) {
        response.writeHead(404, { 'Content-Type': 'text/plain', ...always });
        return response.end('There is no such file.\n');
    }
    const key = `${file} ${about.mtimeMs}`;
    if (!packed.has(key)) packed.set(key, zlib.gzipSync(fs.readFileSync(file)));
    response.writeHead(200, {
        'Content-Type': `${types[path.extname(file).slice(1)] ?? 'application/octet-stream'}; charset=utf-8`,
        'Content-Encoding': 'gzip',
        ...always,
    });
    return response.end(packed.get(key));
}

const server = http.createServer((request, response) => {
    try {
        answer(request, response);
    } catch {
        response.writeHead(400).end();
    }
});
// the next free port, where that one is in use
server.on('error', error => {
    if (error.code !== 'EADDRINUSE' || server.tried === wanted + 20) {
        console.error(`The playground cannot be served: ${error.message}`);
        process.exit(1);
    }
    server.tried = (server.tried ?? wanted) + 1;
    server.listen(server.tried, '127.0.0.1');
});
server.on('listening', () => console.log(`http://127.0.0.1:${server.address().port}/`));
server.listen(wanted, '127.0.0.1');
