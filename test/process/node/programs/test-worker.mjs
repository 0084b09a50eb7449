// A worker of the tests with a program that does not end by itself.
import { spawn } from '../../../support/spawn.mjs';

const { pid } = spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
process.send([process.pid, pid]);
setInterval(() => {}, 1000);
