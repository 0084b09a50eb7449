// A program that misbehaves in one way: node hostile.mjs <way>. It appends the ids of its processes to the file in PIDS.
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync } from 'node:fs';
import { onLine } from '../../../support/lines.mjs';

const noted = (pid) => process.env.PIDS && appendFileSync(process.env.PIDS, `${pid}\n`);
noted(process.pid);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const stay = () => setInterval(() => {}, 1000);
const endless = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);';
const version1 = {
  protocolVersion: 1,
  agentInfo: { name: 'hostile', version: '6.6.6' },
  agentCapabilities: {},
};

function listen(methods) {
  onLine(process.stdin, (line) => {
    const message = JSON.parse(line);
    methods[message.method]?.(message);
  });
}
const initialize = ({ id }) => send({ id, result: version1 });
const newSession = ({ id }) => send({ id, result: { sessionId: 's' } });

/** Starts a process that ignores SIGTERM and moves to a session of its own. */
function fork(options) {
  noted(spawn(process.execPath, ['-e', endless], { stdio: 'ignore', detached: true, ...options }).pid);
}

const ways = {
  'never-answers': stay,
  'ignores-sigterm': () => {
    process.on('SIGTERM', () => {});
    stay();
  },
  'floods-stderr': () => {
    const line = `${'loading '.repeat(1000)}\n`;
    const more = () => process.stderr.write(line, () => setImmediate(more));
    more();
  },
  'floods-stdout': () => {
    const line = `${'<html> '.repeat(1000)}\n`;
    const more = () => process.stdout.write(line, () => setImmediate(more));
    more();
  },
  'writes-garbage': () => {
    process.stdout.write('Welcome to my program!\n> ');
    stay();
  },
  'exits-with-usage': () => {
    process.stdout.write('usage: hostile [--acp]\n', () => process.exit(2));
  },
  'exits-with-reason': () => {
    process.stderr.write('There is no model here.\n', () => process.exit(3));
  },
  'is-killed': () => process.kill(process.pid, 'SIGKILL'),
  'writes-a-huge-line': () => {
    const part = 'x'.repeat(1024 * 1024);
    const more = () => process.stdout.write(part, more);
    process.stdout.write('{"jsonrpc":"2.0","id":0,"result":"', more);
  },
  'answers-twice': () =>
    listen({
      initialize(message) {
        initialize(message);
        initialize(message);
      },
      'session/new': newSession,
    }),
  'answers-nonsense': () => listen({ initialize: ({ id }) => send({ id, result: 'hello' }) }),
  echoes: () => process.stdin.pipe(process.stdout),
  'speaks-version-7': () => listen({ initialize: ({ id }) => send({ id, result: { protocolVersion: 7 } }) }),
  'closes-its-output': () => {
    closeSync(1);
    stay();
  },
  'hangs-in-session': () => listen({ initialize }),
  'crashes-in-session': () =>
    listen({
      initialize,
      'session/new': () => process.stderr.write('Out of memory.\n', () => process.exit(9)),
    }),
  'hangs-in-close': () => {
    const capabilities = { sessionCapabilities: { close: {}, delete: {} } };
    listen({
      initialize: ({ id }) => send({ id, result: { ...version1, agentCapabilities: capabilities } }),
      'session/new': newSession,
    });
    process.on('SIGTERM', () => {});
  },
  'forks-and-ignores-sigterm': () => {
    fork();
    process.on('SIGTERM', () => {});
    listen({ initialize, 'session/new': newSession });
    stay();
  },
  'forks-and-exits': () => {
    fork();
    process.stderr.write('I left something.\n', () => process.exit(1));
  },
  'leaves-a-daemon': () => {
    // The starter exits, so that the daemon has no parent.
    const script = `const { pid } = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(endless)}], { detached: true, stdio: 'ignore' }); console.log(pid); process.exit();`;
    const starter = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    starter.stdout.once('data', (pid) => {
      noted(Number(pid));
      starter.once('exit', () => listen({ initialize, 'session/new': newSession }));
    });
    process.stdin.once('end', () => process.exit());
  },
};

ways[process.argv[2]]();
