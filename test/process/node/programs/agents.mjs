// The small agents: agents.mjs <name> [arguments…]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onLine } from '../../../support/lines.mjs';

const hello = (fields) => JSON.stringify({ pid: process.pid, ...fields });
const goOn = () => setInterval(() => {}, 1000);
const ignore = (signal) => process.on(signal, () => {});

/** Starts a child that ends only by SIGKILL. Calls back once it ignores SIGTERM, which is after its first output. */
function startStubborn(options, started) {
  const program = [fileURLToPath(import.meta.url), 'stubborn'];
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'ignore'], ...options });
  child.stdout.once('data', () => started(child));
}

/** Starts shells in sessions of their own. Resolves to the process ids that they print first. */
function startShells(shells, options = {}) {
  const pids = shells.map(async (args) => {
    const shell = { detached: true, stdio: ['ignore', 'pipe', 'ignore'], ...options };
    const child = spawn('sh', ['-c', ...args], shell);
    const [pid] = await once(child.stdout, 'data');
    child.stdout.destroy();
    return Number(pid);
  });
  return Promise.all(pids);
}

const agents = {
  /** Prints its arguments, its folder and its variables whose names begin with ACP_TEST_. */
  describe(...args) {
    const env = Object.entries(process.env).filter(([name]) => name.startsWith('ACP_TEST_'));
    console.log(hello({ cwd: process.cwd(), args, env: Object.fromEntries(env) }));
  },
  /** Answers each message with itself. Ends when its input does. */
  echo() {
    console.log(hello());
    onLine(process.stdin, (line) => console.log(line));
  },
  /** Ignores the end of its input, and exits on SIGTERM. */
  polite() {
    process.on('SIGTERM', () => process.exit(0));
    process.stdin.resume();
    goOn();
    console.log(hello());
  },
  /** Only SIGKILL ends it. */
  stubborn() {
    ignore('SIGTERM');
    ignore('SIGHUP');
    process.stdin.resume();
    goOn();
    console.log(hello());
  },
  /** Has one child. Both end only by SIGKILL. */
  parent() {
    ignore('SIGTERM');
    process.stdin.resume();
    startStubborn({}, ({ pid }) => console.log(hello({ children: [pid] })));
  },
  /** Starts a child in its own session, which ends only by SIGKILL. Exits at the end of its input, if not stubborn. */
  detached(kind) {
    const isStubborn = kind === 'stubborn';
    if (isStubborn) ignore('SIGTERM');
    startStubborn({ detached: true }, ({ pid }) => console.log(hello({ children: [pid] })));
    process.stdin.resume();
    process.stdin.once('end', () => {
      if (!isStubborn) process.exit();
    });
  },
  /** Leaves children behind that hold stdout and stderr open and ignore SIGTERM, and exits with code 7. */
  orphan() {
    startStubborn({ stdio: ['ignore', 'pipe', 'inherit'] }, (child) => {
      const holds = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)';
      const holder = spawn(process.execPath, ['-e', holds], { stdio: ['ignore', 'inherit', 'inherit'] });
      console.log(hello({ children: [child.pid, holder.pid] }));
      process.exit(7);
    });
  },
  /** Closes its input or its output, and goes on running. */
  close(channel) {
    if (channel === 'input') closeSync(0);
    writeSync(1, `${hello()}\n`);
    if (channel === 'output') closeSync(1);
    goOn();
  },
  /** Writes to both outputs, and exits with a code or by a signal. */
  exit(end = '0', stdout = '', stderr = '') {
    writeSync(1, stdout);
    writeSync(2, stderr);
    if (end.startsWith('SIG')) process.kill(process.pid, end);
    else process.exit(Number(end));
  },
  /** Writes messages as fast as it can and exits with code 9. */
  flood(count) {
    const padding = 'x'.repeat(1000);
    for (let index = 0; index < Number(count); index++) {
      const line = Buffer.from(`${JSON.stringify({ index, padding })}\n`);
      for (let written = 0; written < line.length; ) written += writeSync(1, line, written);
    }
    process.exit(9);
  },
  /** Leaves a daemon behind, in its own session and without its parent, that holds stdout and stderr open. */
  daemon() {
    const script = `
      const daemon = require('node:child_process').spawn(
        process.execPath,
        ['-e', 'setInterval(() => {}, 1000)'],
        { detached: true, stdio: ['ignore', 3, 'inherit'] },
      );
      console.log(daemon.pid);
      process.exit();
    `;
    const starter = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit', 1] });
    starter.stdout.once('data', (pid) => {
      starter.once('exit', () => console.log(hello({ daemon: Number(pid) })));
    });
    process.stdin.resume();
    process.stdin.once('end', () => process.exit());
  },
  /**
   * Starts commands in sessions of their own: one whose parent is this program, one whose parent has exited, and one whose
   * parent is another command. Answers `initialize`. Exits at the end of its input, or says that it came.
   */
  async scattered(kind) {
    const sleeping = 'echo $$; exec sleep 987654';
    const shells = [sleeping, `setsid sh -c '${sleeping}' &`, `setsid sh -c '${sleeping}' & wait`];
    const children = await startShells(shells.map((shell) => [shell]));
    console.log(hello({ children }));
    onLine(process.stdin, (line) => {
      const result = { protocolVersion: 1, _meta: { children } };
      console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result }));
    });
    process.stdin.once('end', () => {
      if (kind !== 'stubborn') process.exit();
      console.log(JSON.stringify({ input: 'ended' }));
      goOn();
    });
  },
  /**
   * Starts commands in sessions of their own, without its environment, and with names that contain what separates the
   * fields of files in /proc. Linux only.
   */
  async renamed() {
    const names = ['a b', ')', '(', ') S 1', ') Z 1 1', '*', '\\n', 'a\nb', 'a\n)', 'x) S 1 1\n'];
    const script = 'printf %s "$1" >/proc/self/comm; sleep 987654 & echo $$; wait';
    const env = { PATH: process.env.PATH };
    const children = await startShells(
      names.map((name) => [script, 'sh', name]),
      { env },
    );
    console.log(hello({ children }));
    process.stdin.resume();
    goOn();
  },
  /** Writes to both outputs: more than one read takes, with characters of two bytes from an odd place on. */
  outputs() {
    process.stdout.write(`x${'ü'.repeat(100_000)}`);
    process.stderr.write('err !');
  },
};

const [, , name, ...args] = process.argv;
await agents[name](...args);
