// Prints a bill of materials in CycloneDX of the packages in a release. Usage: bill-of-materials.mjs rust|javascript VERSION
import { crates, packages } from './components.mjs';

const [language, version] = process.argv.slice(2);
const { list, type } = { rust: { list: crates, type: 'cargo' }, javascript: { list: packages, type: 'npm' } }[language];

const address = ({ name, version: its }) => `pkg:${type}/${name.replace('@', '%40')}@${encodeURIComponent(its)}`;
const all = list().sort((one, other) => (address(one) < address(other) ? -1 : 1));
const addresses = new Map(all.map((one) => [`${one.name} ${one.version}`, address(one)]));
const about = { type: 'application', 'bom-ref': 'diffsan', name: 'diffsan', version };
const bill = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { component: about },
  components: all.map((one) => ({
    type: 'library',
    'bom-ref': address(one),
    name: one.name,
    version: one.version,
    hashes: [one.hash],
    // Some packages separate licences by a slash, which means a choice.
    licenses: [{ expression: one.licence.replaceAll(/\s*\/\s*/g, ' OR ') }],
    purl: address(one),
  })),
  dependencies: [
    { ref: 'diffsan', dependsOn: [...addresses.values()] },
    ...all.map((one) => ({ ref: address(one), dependsOn: [...new Set(one.dependencies.map((other) => addresses.get(other)))].sort() })),
  ],
};
console.log(JSON.stringify(bill, null, 2));
