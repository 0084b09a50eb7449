// Writes messages as fast as it can and exits with code 9: flood.mjs <count>
import { writeSync } from 'node:fs';

const count = Number(process.argv[2]);
const padding = 'x'.repeat(1000);
for (let index = 0; index < count; index++) {
  const line = Buffer.from(`${JSON.stringify({ index, padding })}\n`);
  for (let written = 0; written < line.length; ) written += writeSync(1, line, written);
}
process.exit(9);
