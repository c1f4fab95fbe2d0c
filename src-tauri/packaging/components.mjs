// The packages of other authors that are part of the programs or of the page.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** The target whose packages are listed. The windows of other systems use other packages with the same licences (deny.toml). */
const target = 'x86_64-unknown-linux-gnu';
const run = (args) => execFileSync('cargo', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });

/** Returns the labels `NAME VERSION` in the dependency tree of packages. */
function tree(packages, edges, depth = []) {
  const selected = packages.flatMap((name) => ['--package', name]);
  const lines = run(['tree', '--locked', '--offline', ...selected, '--edges', edges, '--target', target, ...depth, '--prefix', 'none', '--format', '{p}']);
  return lines.split('\n').map((line) => /^(\S+) v(\S+)/.exec(line)).filter(Boolean).map(([, name, version]) => `${name} ${version}`);
}

/** Returns the SHA-256 sums of packages in Cargo.lock, by label. */
function sums() {
  const entries = readFileSync(path.join(root, 'Cargo.lock'), 'utf8').split('[[package]]');
  const field = (text, name) => new RegExp(`^${name} = "(.*)"$`, 'm').exec(text)?.[1];
  return new Map(entries.map((text) => [`${field(text, 'name')} ${field(text, 'version')}`, field(text, 'checksum')]));
}

/** Returns the packages that are linked into the programs: name, version, licence, folder, sum, and labels of dependencies. */
export function crates() {
  const metadata = JSON.parse(run(['metadata', '--format-version', '1', '--filter-platform', target, '--locked', '--offline']));
  const label = (one) => `${one.name} ${one.version}`;
  const byLabel = new Map(metadata.packages.map((one) => [label(one), one]));
  const byId = new Map(metadata.packages.map((one) => [one.id, label(one)]));
  const edges = new Map(metadata.resolve.nodes.map((node) => [byId.get(node.id), node.dependencies.map((id) => byId.get(id))]));
  // The sources of grammars are compiled into the programs by a build script.
  const grammars = tree(['diffsan-grammars'], 'build', ['--depth', '1']).filter((name) => name.startsWith('tree-sitter-'));
  const labels = new Set([...tree(['diffsan-desktop', 'diffsan'], 'normal'), ...grammars]);
  const checksums = sums();
  return [...labels]
    .filter((name) => byLabel.get(name)?.source)
    .map((name) => {
      const one = byLabel.get(name);
      const dependencies = edges.get(name).filter((other) => labels.has(other) && byLabel.get(other).source);
      const hash = { alg: 'SHA-256', content: checksums.get(name) };
      return { name: one.name, version: one.version, licence: one.license ?? 'see its text', folder: path.dirname(one.manifest_path), hash, dependencies };
    });
}

/** Returns the packages that are bundled into the page, with the same fields. */
export function packages() {
  const lock = JSON.parse(readFileSync(path.join(root, 'ui/package-lock.json'), 'utf8'));
  const manifest = JSON.parse(readFileSync(path.join(root, 'ui/package.json'), 'utf8'));
  const wanted = Object.entries(lock.packages).filter(([place, one]) => place && !one.dev && !one.optional).map(([place]) => place);
  // The framework is a development dependency, but its code is part of the bundle.
  const places = new Set([...wanted, ...(manifest.devDependencies?.svelte ? ['node_modules/svelte'] : [])]);
  const name = (place) => place.replace(/^.*node_modules\//, '');
  const labels = new Map([...places].map((place) => [name(place), `${name(place)} ${lock.packages[place].version}`]));
  return [...places].map((place) => {
    const one = lock.packages[place];
    const [algorithm, sum] = one.integrity.split('-');
    const hash = { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(sum, 'base64').toString('hex') };
    const dependencies = Object.keys(one.dependencies ?? {}).filter((other) => labels.has(other)).map((other) => labels.get(other));
    return { name: name(place), version: one.version, licence: one.license ?? 'see its text', folder: path.join(root, 'ui', place), hash, dependencies };
  });
}
