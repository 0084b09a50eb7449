// Writes to both outputs in turn, and splits a character between two writes.
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const bytes = Buffer.from('ü');
writeSync(1, 'out ');
await sleep(50);
writeSync(2, 'err ');
await sleep(50);
writeSync(1, bytes, 0, 1);
await sleep(50);
writeSync(2, '! ');
await sleep(50);
writeSync(1, bytes, 1, 1);
