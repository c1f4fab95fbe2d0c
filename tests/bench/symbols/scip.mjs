// Converts a SCIP index to lines of tab-separated text, one for each reference whose definition is in the index:
// path, line and column of the reference (from 0), then `path:line:column` of each definition.
//
//     node tests/bench/symbols/scip.mjs index.scip > references.tsv
import { readFileSync } from "node:fs";

/** Calls `field(number, value)` for each field of a protobuf message. A value is a number or a Buffer. */
function read(buffer, field) {
    let at = 0;
    const varint = () => {
        let value = 0;
        for (let shift = 0; ; shift += 7) {
            const byte = buffer[at++];
            value += (byte & 0x7f) * 2 ** shift;
            if (byte < 0x80) return value;
        }
    };
    while (at < buffer.length) {
        const tag = varint();
        switch (tag & 7) {
            case 0:
                field(tag >>> 3, varint());
                break;
            case 1:
                at += 8;
                break;
            case 2: {
                const length = varint();
                field(tag >>> 3, buffer.subarray(at, at + length));
                at += length;
                break;
            }
            case 5:
                at += 4;
                break;
            default:
                throw new Error("not a SCIP index");
        }
    }
}

function numbers(buffer) {
    const found = [];
    let value = 0;
    let shift = 0;
    for (const byte of buffer) {
        value += (byte & 0x7f) * 2 ** shift;
        shift += 7;
        if (byte < 0x80) {
            found.push(value);
            value = 0;
            shift = 0;
        }
    }
    return found;
}

const documents = [];
read(readFileSync(process.argv[2]), (number, value) => {
    if (number !== 2) return;
    const document = { path: "", occurrences: [] };
    read(value, (number, value) => {
        if (number === 1) document.path = value.toString();
        if (number !== 2) return;
        const occurrence = { range: [], symbol: "", roles: 0 };
        read(value, (number, value) => {
            if (number === 1) occurrence.range = numbers(value);
            if (number === 2) occurrence.symbol = value.toString();
            if (number === 3) occurrence.roles = value;
        });
        document.occurrences.push(occurrence);
    });
    documents.push(document);
});

const DEFINITION = 1;
const definitions = new Map();
const key = (document, symbol) => (symbol.startsWith("local ") ? `${document.path} ${symbol}` : symbol);
for (const document of documents) {
    for (const { range, symbol, roles } of document.occurrences) {
        if (!(roles & DEFINITION)) continue;
        const places = definitions.get(key(document, symbol)) ?? new Set();
        definitions.set(key(document, symbol), places.add(`${document.path}:${range[0]}:${range[1]}`));
    }
}
for (const document of documents) {
    for (const { range, symbol, roles } of document.occurrences) {
        const places = definitions.get(key(document, symbol));
        if (roles & DEFINITION || !places) continue;
        console.log([document.path, range[0], range[1], ...places].join("\t"));
    }
}
