// SPDX-License-Identifier: Apache-2.0
// embed.mjs DIRECTORY FILE.cpp: the files of the directory, as they are and compressed, as a source of the program.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const most = 300 * 1024;
const [directory, output] = process.argv.slice(2);

const files = readdirSync(directory, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(directory.length + 1))
  .sort();

let total = 0;
const arrays = [];
const entries = [];
for (const [i, name] of files.entries()) {
  const plain = readFileSync(join(directory, name));
  const gzip = gzipSync(plain, { level: 9 });
  gzip[9] = 255; // the operating system: unknown, so that the same sources give the same bytes
  total += gzip.length;
  const array = (kind, bytes) => {
    const lines = [];
    for (let at = 0; at < bytes.length; at += 24) lines.push('    ' + [...bytes.subarray(at, at + 24)].join(',') + ',');
    arrays.push(`const unsigned char ${kind}_${i}[] = {\n${lines.join('\n')}\n};`);
    return `{reinterpret_cast<const char *>(${kind}_${i}), sizeof ${kind}_${i}}`;
  };
  entries.push(`    {${JSON.stringify(name)}, ${array('plain', plain)}, ${array('gzip', gzip)}},`);
}
if (total > most) {
  console.error(`the dashboard has ${total} bytes, compressed; expected ${most} at most`);
  process.exit(1);
}
writeFileSync(
  output,
  `// Made by web/embed.mjs.
#include "api/web_assets.h"

namespace berth::api {
namespace {

${arrays.join('\n')}

const WebAsset files[] = {
${entries.join('\n')}
};

}  // namespace

std::span<const WebAsset> web_assets() { return files; }

}  // namespace berth::api
`,
);
console.log(`The dashboard: ${files.length} files, ${total} bytes compressed`);
