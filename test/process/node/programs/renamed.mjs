// Starts commands in sessions of their own, without its environment, and with names that contain what separates the
// fields of files in /proc. Linux only.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const names = ['a b', ')', '(', ') S 1', ') Z 1 1', '*', '\\n', 'a\nb', 'a\n)', 'x) S 1 1\n'];
const script = `printf %s "$1" >/proc/self/comm; sleep 987654 & echo $$; wait`;
const children = await Promise.all(
  names.map(async (name) => {
    const options = { detached: true, env: { PATH: process.env.PATH }, stdio: ['ignore', 'pipe', 'ignore'] };
    const [pid] = await once(spawn('sh', ['-c', script, 'sh', name], options).stdout, 'data');
    return Number(pid);
  }),
);
console.log(JSON.stringify({ pid: process.pid, children }));
process.stdin.resume();
setInterval(() => {}, 1000);
