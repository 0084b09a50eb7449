import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { agentCommand, initializeParams, replayRequest } from './agent-command.mjs';

/** What no client can do without: the bytes cut at the line feeds, and each line parsed. Keeps nothing. */
export function connectFloor(options) {
  return connectLines(options, () => {});
}

/** The same, with each update kept as it was parsed, as each client that shows it must in some form. */
export async function connectKeeper(options) {
  const kept = [];
  const connected = await connectLines(options, (update) => kept.push(update));
  return {
    ...connected,
    async replay(sessionId) {
      const replayed = await connected.replay(sessionId);
      assert.equal(kept.length, replayed.updates);
      return replayed;
    },
  };
}

async function connectLines({ version, histories }, handleUpdate) {
  const { command, args } = agentCommand(version, histories);
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const waiting = new Map();
  let updates = 0;
  let parts = [];
  const take = (line) => {
    const message = JSON.parse(line);
    if (message.id === undefined) {
      updates++;
      handleUpdate(message.params.update);
    } else waiting.get(message.id)(message.result);
  };
  child.stdout.on('data', (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      if (parts.length === 0) take(chunk.utf8Slice(start, end));
      else {
        parts.push(chunk.subarray(start, end));
        const whole = Buffer.concat(parts);
        parts = [];
        take(whole.utf8Slice(0, whole.length));
      }
      start = end + 1;
    }
    if (start < chunk.length) parts.push(start === 0 ? chunk : chunk.subarray(start));
  });
  let lastId = 0;
  const request = (method, params) =>
    new Promise((resolve) => {
      const id = ++lastId;
      waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  await request('initialize', initializeParams[version]);
  return {
    async replay(sessionId) {
      updates = 0;
      const { method, params } = replayRequest[version](sessionId);
      await request(method, params);
      return { updates };
    },
    close() {
      child.stdin.end();
      return exited;
    },
  };
}
