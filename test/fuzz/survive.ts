import { expect } from 'vitest';
import { connect } from '../../src/agents/connect.ts';
import type { Diagnostic } from '../../src/core/base/diagnostic.ts';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { ClientHandlers } from '../../src/core/client/requests/handlers.ts';
import type { Session } from '../../src/core/client/session/session.ts';
import { RequestError } from '../../src/core/rpc/request-error.ts';
import { type AgentEnd, memoryTransport } from '../../src/core/transport/memory/memory-transport.ts';
import { messages } from '../support/open-session.ts';
import type { Recording } from './corpus.ts';
import { bytesOf, type Damage } from './mutations.ts';

const cwd = '/home/user/project';
const canary = 'the canary';

/** How many lines of damage come between two lines that must arrive. */
const linesPerCanary = 10;

/** How much was sent, and what came of it. */
export interface Survival {
  readonly lines: number;
  readonly bytes: number;
  readonly diagnostics: number;
  readonly entries: number;
}

/** Handlers for everything, some of which throw. */
const handlers: ClientHandlers = {
  requestPermission: ({ options }) => {
    if (options.length === 3) throw new Error('three are too many');
    return { outcome: 'selected', optionId: options[0]?.optionId ?? '' };
  },
  readTextFile: ({ path }) => ({ content: path }),
  writeTextFile: ({ path }) => {
    throw new RequestError(-32000, `not ${path}`);
  },
  terminals: {
    create: ({ command }) => ({ terminalId: command }),
    output: ({ terminalId }) => ({ output: terminalId, truncated: false }),
    waitForExit: () => new Promise(() => {}),
    kill: () => {},
    release: () => {
      throw new Error('no release');
    },
  },
  elicit: {
    form: () => ({ action: 'decline' }),
    url: () => ({ action: 'accept' }),
    completed: () => {
      throw new Error('no completion');
    },
  },
  extensions: { '_fuzz/known': (params) => params, _fuzz: () => new Promise(() => {}) },
};

/**
 * Sends damage to a whole connection, with lines between that must arrive. Fails if one of those is lost, if a
 * conversation is no longer what it promises to be, if a promise stays open, or if a prototype was written to.
 */
export async function survive(recording: Recording, damages: readonly Damage[]): Promise<Survival> {
  const { transport, agent } = memoryTransport({ maxLineBytes: 1024 * 1024 });
  let diagnostics = 0;
  const thrown: Diagnostic[] = [];
  const flushed = answering(agent, recording.initializeResult);
  const connection = await connect(transport, {
    clientInfo: { name: 'fuzz', version: '0' },
    handlers,
    stallAfterMs: Number.POSITIVE_INFINITY,
    onDiagnostic: (diagnostic) => {
      diagnostics++;
      // Something was thrown out of our own code on the read loop.
      if (diagnostic.rule === 'client.failed') thrown.push(diagnostic);
    },
  });
  const open = (sessionId: string) =>
    connection.resumeSession({ sessionId, cwd }, { allowUnsupported: true });
  const watched = await open(canary);
  const sessions = await Promise.all(recording.sessionIds.map(open));
  const calls: Promise<unknown>[] = sessions.flatMap((session) => [
    session.prompt('Fuzz.', { allowUnsupported: true }),
    connection.newSession({ cwd }),
    session.setMode('x', { allowUnsupported: true }),
  ]);
  const settled = Promise.allSettled(calls);

  let bytes = 0;
  let sung = '';
  for (const [n, item] of damages.entries()) {
    const chunk = bytesOf(item, recording);
    bytes += chunk.length;
    agent.write(chunk);
    if (n % linesPerCanary !== 0) continue;
    sung += `${n},`;
    agent.send(song(`${n},`));
    if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  agent.send({ jsonrpc: '2.0', id: 'flush', method: '_fuzz/known', params: {} });
  await flushed;

  const heard = messages(watched.conversation).flatMap(({ content }) => content);
  expect(heard).toEqual(sung === '' ? [] : [{ type: 'text', text: sung }]);
  for (const session of sessions) assertSound(session);
  expect(Object.keys(Object.prototype)).toEqual([]);
  await connection.close();
  await settled;
  for (const session of sessions) expect(session.conversation.activity.state).toBe('idle');
  expect(thrown).toEqual([]);
  const entries = sessions.reduce((sum, session) => sum + session.conversation.entries.length, 0);
  return { lines: damages.length, bytes, diagnostics, entries };
}

const song = (text: string) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: {
    sessionId: canary,
    update: { sessionUpdate: 'agent_message_chunk', messageId: 'c', content: { type: 'text', text } },
  },
});

/** Answers what must be answered to get going, and resolves when the client has answered `flush`. */
function answering(agent: AgentEnd, initializeResult: JsonObject): Promise<void> {
  return new Promise((resolve) => {
    agent.onLine((line) => {
      const { id, method } = JSON.parse(line);
      if (method === 'initialize') agent.send({ jsonrpc: '2.0', id, result: initializeResult });
      if (method === 'session/resume') agent.send({ jsonrpc: '2.0', id, result: {} });
      if (method === undefined && id === 'flush') resolve();
    });
  });
}

/** Whether a conversation is still plain data, and folds to itself. */
function assertSound({ store: conversation }: Session): void {
  const snapshot = conversation.getSnapshot();
  expect(Object.isFrozen(snapshot)).toBe(true);
  const copy = JSON.parse(JSON.stringify(snapshot));
  expect(copy.entries).toHaveLength(snapshot.entries.length);
  structuredClone({ ...snapshot });
  const keys = new Set(snapshot.entries.map(({ key }) => key));
  expect(keys.size).toBe(snapshot.entries.length);
}
