// Writes ui/public/licences.txt: all packages that are part of the program or the window, with the texts of their licences.
// With --check, it checks whether that file lists the packages in the lock files.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crates, packages, root } from '../src-tauri/packaging/components.mjs';

const file = path.join(root, 'ui/public/licences.txt');

function texts(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^(licen[cs]e|copying|notice|unlicense|ofl)/i.test(name) && !/\.(rs|js|html)$/.test(name))
    .sort()
    .flatMap((name) => {
      try {
        return [readFileSync(path.join(folder, name), 'utf8').replace(/\r\n/g, '\n').trim()];
      } catch {
        return [];
      }
    });
}

const by = (a, b) => (a.name === b.name ? (a.version < b.version ? -1 : 1) : a.name < b.name ? -1 : 1);
const all = [...crates(), ...packages()].sort(by);
const line = ({ name, version, licence }) => `${name} ${version}  ${licence}`;
const list = all.map(line).join('\n');
if (process.argv.includes('--check')) {
  const kept = existsSync(file) ? readFileSync(file, 'utf8').split('\n\n')[0] : '';
  if (kept.trim() !== list.trim()) {
    console.error('ui/public/licences.txt does not name what is linked now: run `make licences` and commit the result.');
    process.exit(1);
  }
  console.log(`${all.length} packages, up to date`);
} else {
  const absent = all.filter((one) => !existsSync(one.folder)).map(line);
  if (absent.length > 0) {
    console.error(`The texts of ${absent.length} packages are not on this machine, such as ${absent[0].trim()}: run \`make setup\` first.`);
    process.exit(1);
  }
  const found = new Map();
  for (const one of all) {
    for (const text of texts(one.folder)) {
      // Texts that differ only in their copyright lines are listed once.
      const owners = text.split('\n').filter((each) => /^\s*(copyright|©|\(c\))/i.test(each)).map((each) => each.trim());
      const body = text.split('\n').filter((each) => !owners.includes(each.trim())).join('\n').trim();
      const apache = body.includes('TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION');
      const plain = body.replace(/^(#+ |the )?(mit|isc) licen[cs]e( \(mit\))?$/gim, '').replace(/[^a-z0-9]+/gi, ' ').trim().toLowerCase();
      const key = apache ? 'apache' : createHash('sha256').update(plain).digest('hex');
      const entry = found.get(key) ?? { body, of: new Map() };
      const known = entry.of.get(one.name) ?? new Set();
      for (const owner of owners.filter((each) => !/\[(yyyy|year)\]/i.test(each)).slice(0, 12)) known.add(owner);
      entry.of.set(one.name, known);
      found.set(key, entry);
    }
  }
  const credit = ([name, owners]) => [name, ...[...owners].map((owner) => `  ${owner}`)].join('\n');
  const bodies = [...found.values()].map(({ body, of }) => `${'─'.repeat(72)}\n${[...of].map(credit).join('\n')}\n\n${body}`);
  writeFileSync(file, `${list}\n\n${bodies.join('\n\n')}\n`);
  console.log(`wrote ui/public/licences.txt: ${all.length} packages, ${found.size} texts`);
}
