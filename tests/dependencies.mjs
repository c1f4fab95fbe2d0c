// Checks all dependencies of all systems against deny.toml: licences, sources, and requirements without a version.
// cargo-deny does the same, but has to be built first. `make advisories` runs it where the database of advisories can be reached.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse as parseToml } from 'smol-toml';
import satisfies from 'spdx-satisfies';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { licenses } = parseToml(readFileSync(path.join(root, 'deny.toml'), 'utf8'));
const args = ['metadata', '--format-version', '1', '--locked', '--all-features'];
const metadata = JSON.parse(execFileSync('cargo', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'] }));

const exceptions = new Map((licenses.exceptions ?? []).map((one) => [one.crate, one.allow]));
const registries = new Set();
const faults = [];
for (const one of metadata.packages) {
  const label = `${one.name} ${one.version}`;
  for (const dependency of one.source ? [] : one.dependencies) {
    if (dependency.req === '*' && !dependency.path) faults.push(`${label} requires any version of ${dependency.name}`);
  }
  if (!one.source) continue;
  if (one.source.startsWith('registry+')) registries.add(one.source);
  else faults.push(`${label} comes from ${one.source}`);
  // Some packages separate licences by a slash, which means a choice.
  const expression = (one.license ?? '').replaceAll(/\s*\/\s*/g, ' OR ');
  const allowed = [...licenses.allow, ...(exceptions.get(one.name) ?? [])];
  try {
    if (!satisfies(expression, allowed)) faults.push(`${label} has the licence ${expression}`);
  } catch {
    faults.push(`${label} has an unknown licence: ${one.license ?? one.license_file}`);
  }
}
if (registries.size > 1) faults.push(`packages come from several registries: ${[...registries].join(', ')}`);
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exit(1);
}
console.log(`${metadata.packages.length} packages are allowed by deny.toml`);
