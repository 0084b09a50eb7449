// Closes its output and goes on running.
import { closeSync, writeSync } from 'node:fs';

writeSync(1, `${JSON.stringify({ pid: process.pid })}\n`);
closeSync(1);
setInterval(() => {}, 1000);
