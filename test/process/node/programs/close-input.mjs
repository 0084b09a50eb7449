// Closes its input and goes on running.
import { closeSync, writeSync } from 'node:fs';

closeSync(0);
writeSync(1, `${JSON.stringify({ pid: process.pid })}\n`);
setInterval(() => {}, 1000);
