// Serves one page for each renderer and a patch on loopback, after installing and bundling their dependencies.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

const here = import.meta.dirname;
const types = { '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf' };
/** The workers that a page starts by name. */
const workers = { pierre: '@pierre/diffs/worker/worker.js', monaco: 'monaco-editor/editor/editor.worker.js' };

/** Starts the server. Returns `address(name)` of each page in `names`, and `stop()`. */
export async function serve(patch) {
  if (!existsSync(path.join(here, 'node_modules'))) {
    const { status } = spawnSync('npm', ['ci', '--loglevel=error'], { cwd: here, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) throw new Error('npm ci failed');
  }
  const { build, stop } = await import('esbuild');
  const pages = await readdir(path.join(here, 'pages'));
  const names = pages.map((file) => path.parse(file).name);
  const folder = await mkdtemp(path.join(tmpdir(), 'diffsan-peers-'));
  const options = {
    absWorkingDir: here,
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.ttf': 'file' },
    logLevel: 'error',
  };
  // Grammars are separate chunks, as in a real application.
  await build({ ...options, splitting: true, entryPoints: pages.map((file) => path.join('pages', file)) });
  const entryPoints = Object.entries(workers).map(([name, entry]) => ({ in: entry, out: `workers/${name}` }));
  await build({ ...options, entryPoints });
  // The bundler's process would otherwise run during the measurement.
  await stop();

  const html = (name) => `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>${name}</title>
    ${existsSync(path.join(folder, `${name}.css`)) ? `<link rel="stylesheet" href="/${name}.css">` : ''}
    <style>html, body { height: 100%; margin: 0; font: 13px sans-serif } #root { height: 100%; overflow: auto }</style>
    <div id="root"></div><script type="module" src="/${name}.js"></script>`;
  const server = createServer(async (request, response) => {
    const name = new URL(request.url, 'http://peers').pathname.slice(1);
    const body = names.includes(name)
      ? html(name)
      : name === 'patch'
        ? patch
        : await readFile(path.join(folder, path.normalize(`/${name}`))).catch(() => null);
    response.writeHead(body === null ? 404 : 200, {
      'content-type': names.includes(name) ? 'text/html' : (types[path.extname(name)] ?? 'text/plain'),
    });
    response.end(body);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    names,
    address: (name) => `http://127.0.0.1:${server.address().port}/${name}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
