// Converts a SCIP index to lines of tab-separated text, one for each reference whose definition is in the index:
// path, line and column of the reference (from 0, in bytes), then `path:line:column` of each definition. FOLDER has the sources. A place
// that refers to several symbols, such as a property in short form, is one line with the definitions of all.
//
//     node tests/bench/symbols/scip.mjs index.scip FOLDER > references.tsv
import { readFileSync } from "node:fs";
import path from "node:path";

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
    const document = { path: "", occurrences: [], utf16: true };
    read(value, (number, value) => {
        if (number === 1) document.path = value.toString();
        // 1: UTF-8. Without an encoding, most writers count UTF-16 units.
        if (number === 6) document.utf16 = value !== 1;
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

const lines = new Map();
/** Returns a place as `line:column` in bytes. */
function place({ path: file, utf16 }, [line, column]) {
    if (!utf16) return `${line}:${column}`;
    if (!lines.has(file)) lines.set(file, readFileSync(path.join(process.argv[3], file), "utf8").split("\n"));
    return `${line}:${Buffer.byteLength((lines.get(file)[line] ?? "").slice(0, column))}`;
}

const DEFINITION = 1;
const definitions = new Map();
const key = (document, symbol) => (symbol.startsWith("local ") ? `${document.path} ${symbol}` : symbol);
for (const document of documents) {
    for (const { range, symbol, roles } of document.occurrences) {
        if (!(roles & DEFINITION)) continue;
        const places = definitions.get(key(document, symbol)) ?? new Set();
        definitions.set(key(document, symbol), places.add(`${document.path}:${place(document, range)}`));
    }
}
for (const document of documents) {
    const references = new Map();
    for (const { range, symbol, roles } of document.occurrences) {
        const places = definitions.get(key(document, symbol));
        if (roles & DEFINITION || !places) continue;
        const at = place(document, range).replace(":", "\t");
        references.set(at, new Set([...(references.get(at) ?? []), ...places]));
    }
    for (const [at, places] of references) console.log([document.path, at, ...places].join("\t"));
}
