// Closes its input or its output, and goes on running: close.mjs <input|output>
import { closeSync, writeSync } from 'node:fs';

const [, , channel] = process.argv;
if (channel === 'input') closeSync(0);
writeSync(1, `${JSON.stringify({ pid: process.pid })}\n`);
if (channel === 'output') closeSync(1);
setInterval(() => {}, 1000);
