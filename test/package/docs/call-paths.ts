import { PassThrough } from 'node:stream';
import { vi } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { Draft } from '../../../src/conversation/draft.ts';
import { connect, ndjsonTransport, type Transport } from '../../../src/entries/index.ts';
import { settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';

/** A file on a call stack, with the functions that were entered in it, outermost first. */
export interface Visit {
  readonly file: string;
  readonly functions: readonly string[];
}

/** The files of `src` on a call stack, outermost first. A function without a name belongs to the one that passes it. */
function visitsOf(stack: string): readonly Visit[] {
  const visits: { readonly file: string; readonly functions: string[] }[] = [];
  for (const line of stack.split('\n').reverse()) {
    const [, called, file] =
      /^ +at (?:async )?(.+?) \((?:file:\/\/)?\/.*\/src\/(.+\.ts):\d+:\d+\)$/.exec(line) ?? [];
    if (called === undefined || file === undefined || called.endsWith('<anonymous>')) continue;
    // Versions of V8 differ in the names of the objects.
    const name = called.replace(/ \[as .*\]$/, '').replace(/^.*\./, '');
    const last = visits.at(-1);
    if (last?.file === file) last.functions.push(name);
    else visits.push({ file, functions: [name] });
  }
  return visits;
}

/** The agent's side of a channel: it sends lines, and sees each message when it is written, inside of the call. */
function channel(onMessage: (message: JsonObject, send: (message: JsonObject) => void) => void) {
  const output = new PassThrough();
  const send = (message: JsonObject) => {
    output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  const input = new PassThrough();
  const write = input.write.bind(input);
  input.write = (text: string, ...rest: never[]) => {
    onMessage(JSON.parse(text), send);
    return write(text, ...rest);
  };
  return { transport: ndjsonTransport(output, input), end: () => output.end() };
}

/**
 * Loads a session of version 1 whose agent asks for a permission and then exits, and returns the call stacks that were
 * seen where something leaves the library or changes the conversation, by their names.
 */
export async function observePaths(): Promise<ReadonlyMap<string, readonly Visit[]>> {
  const paths = new Map<string, readonly Visit[]>();
  const see = (name: string) => {
    if (!paths.has(name)) paths.set(name, visitsOf(new Error().stack ?? ''));
  };
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  const { append } = Draft.prototype;
  const spy = vi.spyOn(Draft.prototype, 'append').mockImplementation(function (this: Draft, entry) {
    if (entry.kind === 'message' && entry.messageId === 'second') see('update');
    if (entry.kind === 'toolCall') see('permission');
    if (entry.kind === 'turnFailure') see('crash');
    return append.call(this, entry);
  });
  const sessionId = 's';
  const answers: Readonly<Record<string, JsonObject>> = {
    initialize: { protocolVersion: 1, agentCapabilities: { loadSession: true } },
    'session/load': {},
  };
  const work = (send: (message: JsonObject) => void) => {
    for (const messageId of ['first', 'second']) {
      const content = { type: 'text', text: 'Hello.' };
      const update = { sessionUpdate: 'agent_message_chunk', messageId, content };
      send({ method: 'session/update', params: { sessionId, update } });
    }
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
    const params = { sessionId, toolCall: { toolCallId: 't' }, options };
    send({ id: 7, method: 'session/request_permission', params });
  };
  const channels: { end(): void }[] = [];
  const start = (): Transport => {
    if (channels.length > 0) see('restart');
    const opened = channel(({ id, method, result }, send) => {
      if (method === 'session/load') see('request');
      // When reading is not paused any more, the path begins at the bytes.
      if (method === 'session/prompt') void settle().then(() => work(send));
      if (result !== undefined) see('decision');
      const answer = answers[String(method)];
      if (answer && id !== undefined) send({ id, result: answer });
    });
    channels.push(opened);
    return opened.transport;
  };
  try {
    const connection = await connect(start, {
      clientInfo: { name: 'paths', version: '1.0.0' },
      reconnect: { firstDelayMs: 1 },
      handlers: { requestPermission: () => ({ outcome: 'selected', optionId: 'yes' }) },
    });
    const session = await connection.loadSession({
      sessionId,
      cwd: '/project',
      // Read where the parameters are written for the wire, and not where they are copied.
      additionalDirectories: Object.assign([], {
        [Symbol.iterator]() {
          see('call');
          return [].values();
        },
      }),
    });
    const turn = session.prompt('Go.').catch(() => undefined);
    await eventually(() => paths.has('decision')).toBe(true);
    channels[0]?.end();
    await turn;
    await eventually(() => paths.has('restart')).toBe(true);
    await connection.close();
    return paths;
  } finally {
    spy.mockRestore();
    Error.stackTraceLimit = stackTraceLimit;
  }
}
