// Writes to both outputs and exits: exit.mjs <exit code or signal> <stdout> <stderr>
import { writeSync } from 'node:fs';

const [, , end = '0', stdout = '', stderr = ''] = process.argv;
writeSync(1, stdout);
writeSync(2, stderr);
if (end.startsWith('SIG')) process.kill(process.pid, end);
else process.exit(Number(end));
