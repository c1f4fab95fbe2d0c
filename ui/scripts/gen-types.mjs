// In: the OpenRPC document and the tables of errors and export formats that the core generates. Out: `src/rpc/types.gen.ts`.
// `--check` writes nothing and fails if the committed file differs; `--schema FILE` reads another document.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compile } from 'json-schema-to-typescript';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { values } = parseArgs({ options: { check: { type: 'boolean' }, schema: { type: 'string' } } });
const source = values.schema ?? here('../../config/schema/openrpc.json');
const target = here('../src/rpc/types.gen.ts');
const table = async (name) => JSON.parse(await readFile(here(`../../config/schema/${name}.json`), 'utf8'));
const errors = await table('errors');
const formats = await table('export-formats');

/** Points references at `$defs`. Words beside a reference would make a second copy of its type, so they go. */
function clean(node) {
  if (Array.isArray(node)) return node.map(clean);
  if (node === null || typeof node !== 'object') return node;
  if (typeof node.$ref === 'string') return { $ref: `#/$defs/${nameOf(node)}` };
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, clean(value)]));
}

const nameOf = (ref) => ref.$ref.split('/').pop();

const openrpc = JSON.parse(await readFile(source, 'utf8'));
const $defs = clean(openrpc.components.schemas);
// json-schema-to-typescript emits what a root reaches; this root reaches everything.
const properties = Object.fromEntries(Object.keys($defs).map((name) => [name, { $ref: `#/$defs/${name}` }]));
const all = await compile({ title: 'Everything', type: 'object', properties, $defs }, 'Everything', {
  additionalProperties: false,
  bannerComment: '',
  style: { printWidth: 110, singleQuote: true },
});
const types = all.replace(/export interface Everything \{[^}]*\}\n/, '');

const method = (one) => {
  const params = one['x-params'] ? nameOf(one['x-params']) : 'undefined';
  return `  '${one.name}': { params: ${params}; result: ${nameOf(one.result.schema)} };`;
};
const subscription = (one) => {
  const { notification, unsubscribe, event } = one['x-subscription'];
  const params = one['x-params'] ? nameOf(one['x-params']) : 'undefined';
  return `  '${one.name}': { params: ${params}; event: ${nameOf(event)}; notification: '${notification}'; unsubscribe: '${unsubscribe}' };`;
};
const streams = openrpc.methods.filter((one) => one['x-subscription']);
const calls = openrpc.methods.filter((one) => !one['x-subscription'] && one.result?.schema?.$ref);
const unsubscribe = streams.map((one) => `  '${one.name}': '${one['x-subscription'].unsubscribe}',`);

const quoted = (text) => (text.includes("'") ? JSON.stringify(text) : `'${text}'`);
const presentation = ([code, { heading, next }]) =>
  `  ${code}: { heading: ${quoted(heading)}, next: '${next}' },`;

const text = `// Generated from config/schema/openrpc.json by \`npm run types\`. Do not edit.

${types.trim()}

/** What can be called: its parameters and its result. */
export interface Methods {
${calls.map(method).join('\n')}
}

/** What can be subscribed to: its parameters and its events. */
export interface Subscriptions {
${streams.map(subscription).join('\n')}
}

/** How each subscription is ended. */
export const unsubscribeOf = {
${unsubscribe.join('\n')}
} as const satisfies { [Name in keyof Subscriptions]: Subscriptions[Name]['unsubscribe'] };

/** The action that the interface offers for a failure. */
export type NextStep = ${[...new Set(Object.values(errors).map(({ next }) => `'${next}'`))].join(' | ')};

/** The heading and the action for each error code. */
export const presentations: Record<ErrorCode, { heading: string; next: NextStep }> = {
${Object.entries(errors).map(presentation).join('\n')}
};

/** The formats of an exported review. */
export const exportFormats = [
${formats.map(({ name, title }) => `  { name: ${quoted(name)}, title: ${quoted(title)} },`).join('\n')}
] as const;

/** The name of an export format. */
export type ExportFormat = (typeof exportFormats)[number]['name'];
`;

if (values.check) {
  const committed = await readFile(target, 'utf8').catch(() => '');
  if (committed !== text) {
    console.error(
      'src/rpc/types.gen.ts differs from config/schema/openrpc.json. Repair: npm run types (in ui/)',
    );
    process.exit(1);
  }
  console.log('src/rpc/types.gen.ts is up to date');
} else {
  await writeFile(target, text);
}
