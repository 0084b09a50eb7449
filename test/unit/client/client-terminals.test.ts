import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { ProcessExit } from '../../../src/core/base/process-exit.ts';
import { deferred } from '../../../src/core/base/wait.ts';
import type { TerminalChange, TerminalHandlers } from '../../../src/core/client/requests/handlers.ts';
import type { ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, everything, refuses, settle } from '../../support/agents.ts';
import { cwd, deliver, eventsOf, flush, openSession } from '../../support/open-session.ts';
import { toolCallUpdate } from '../../support/updates.ts';

/** Commands that run as the test says. */
function commands() {
  const listeners = new Map<string, (change: TerminalChange) => void>();
  const printed = new Map<string, string>();
  const exits = new Map<string, (exit: ProcessExit) => void>();
  let nextId = 't1';
  const terminals = {
    create: () => {
      printed.set(nextId, '');
      return { terminalId: nextId };
    },
    output: ({ terminalId }) => ({ output: printed.get(terminalId) ?? '', truncated: false }),
    waitForExit: ({ terminalId }) => new Promise<ProcessExit>((resolve) => exits.set(terminalId, resolve)),
    kill() {},
    release() {},
  } satisfies TerminalHandlers;
  const followed = {
    ...terminals,
    subscribe(terminalId, listener) {
      listeners.set(terminalId, listener);
      return () => listeners.delete(terminalId);
    },
  } satisfies TerminalHandlers;
  return {
    terminals,
    followed,
    listeners,
    exits,
    /** The id of the next terminal. */
    name(terminalId: string) {
      nextId = terminalId;
    },
    print(terminalId: string, text: string) {
      printed.set(terminalId, (printed.get(terminalId) ?? '') + text);
      listeners.get(terminalId)?.({ type: 'output', text });
    },
  };
}

const create = (agent: ScriptedAgent, more: JsonObject = {}) =>
  agent.request('terminal/create', { sessionId: 's1', command: 'npm', args: ['test'], ...more });
const ask = (agent: ScriptedAgent, method: string, terminalId = 't1', sessionId = 's1') =>
  agent.request(`terminal/${method}`, { sessionId, terminalId });

async function open(terminals: TerminalHandlers) {
  const opened = await openSession('v1', { handlers: { terminals } });
  const shown = (terminalId = 't1') => opened.conversation().terminals[terminalId];
  const text = (terminalId = 't1') => shown(terminalId)?.output;
  return { ...opened, shown, text };
}

describe('a command that the client runs is in the conversation', () => {
  test('with its arguments and its folder before the agent knows its id, which can be used again, and without its environment', async () => {
    const { followed, print } = commands();
    const { agent, shown, text } = await open(followed);
    const args = ['-m', "it's done", '', 'a.b/c=d'];
    const env = [{ name: 'KEY', value: 'secret' }];
    await create(agent, { command: 'git', args, env, cwd: '/home/user' });
    expect(shown()).toEqual({
      terminalId: 't1',
      owner: 'client',
      command: "git -m 'it'\\''s done' '' a.b/c=d",
      argv: ['git', '-m', "it's done", '', 'a.b/c=d'],
      cwd: '/home/user',
      output: '',
      droppedBytes: 0,
      exitStatus: null,
      size: null,
      capabilities: null,
      meta: null,
    });
    print('t1', 'old');
    await ask(agent, 'release');
    await create(agent, { command: 'npm test | tail -5', args: null });
    const next = { command: 'npm test | tail -5', argv: null, cwd: null, exitStatus: null };
    expect(shown()).toMatchObject(next);
    print('t1', 'new');
    expect(text()).toBe('new');
  });

  test('with its output and its exit while it runs, if the handlers report them', async () => {
    const { followed, listeners, print } = commands();
    const { agent, session, shown, text } = await open(followed);
    const events = eventsOf(session);
    await create(agent);
    print('t1', '\u001b[1mone');
    print('t1', ' é\n');
    expect(text()).toBe('\u001b[1mone é\n');
    expect(shown()?.exitStatus).toBe(null);
    listeners.get('t1')?.({ type: 'exit', exitStatus: { exitCode: 3, signal: null } });
    expect(shown()?.exitStatus).toEqual({ exitCode: 3, signal: null });
    expect(events.map(({ type }) => type)).toEqual([
      'terminal',
      'terminalOutput',
      'terminalOutput',
      'terminal',
    ]);
  });

  test('with a character whose halves arrive one after the other', async () => {
    const { followed, listeners, print } = commands();
    const { agent, text } = await open(followed);
    await create(agent);
    const [high = '', low = ''] = '😀'.split('');
    print('t1', `a${high}`);
    expect(text()).toBe('a');
    print('t1', `${low}b${high}`);
    expect(text()).toBe('a😀b');
    listeners.get('t1')?.({ type: 'exit', exitStatus: { exitCode: 0, signal: null } });
    expect(text()).toBe('a😀b\ufffd');
  });

  test('with what the agent reads of it, also after its release, if the handlers do not report changes', async () => {
    const { terminals, exits, print } = commands();
    const { agent, session, shown, text } = await open(terminals);
    await create(agent);
    const events = eventsOf(session);
    print('t1', 'one\n');
    expect(text()).toBe('');
    await ask(agent, 'output');
    print('t1', 'two\n');
    await ask(agent, 'output');
    await ask(agent, 'output');
    expect(text()).toBe('one\ntwo\n');
    expect(events).toEqual([
      { type: 'terminalOutput', terminalId: 't1', text: 'one\n' },
      { type: 'terminalOutput', terminalId: 't1', text: 'two\n' },
    ]);
    const waiting = ask(agent, 'wait_for_exit');
    await settle();
    exits.get('t1')?.({ exitCode: null, signal: 'SIGKILL' });
    await waiting;
    expect(shown()?.exitStatus).toEqual({ exitCode: null, signal: 'SIGKILL' });
    await ask(agent, 'release');
    expect(shown()?.exitStatus).toEqual({ exitCode: null, signal: 'SIGKILL' });
  });

  test('with the end of its output, if the agent reads only that', async () => {
    let output = 'abc';
    const read = () => ({ output, truncated: true, exitStatus: { exitCode: 0, signal: null } });
    const { agent, shown } = await open({ ...commands().terminals, output: read });
    await create(agent);
    await ask(agent, 'output');
    expect(shown()).toMatchObject({ output: 'abc', droppedBytes: 1, exitStatus: { exitCode: 0 } });
    output = 'f';
    await ask(agent, 'output');
    expect(shown()).toMatchObject({ output: 'f', droppedBytes: 3 });
  });

  test('also where its output cannot be followed, which is reported', async () => {
    const subscribe = () => {
      throw new Error('no pipe');
    };
    const { terminals, print } = commands();
    const { agent, text, diagnostics } = await open({ ...terminals, subscribe });
    expect((await create(agent)).result).toEqual({ terminalId: 't1' });
    print('t1', 'read');
    await ask(agent, 'output');
    expect(text()).toBe('read');
    expect(diagnostics).toMatchObject([{ rule: 'handler.failed', severity: 'error' }]);
    expect(diagnostics[0]?.message).toMatch(/t1 could not be followed: no pipe/);
  });

  test('not if the agent withdrew the request before it ran, and it is released', async () => {
    const slow = deferred();
    const released: string[] = [];
    const { agent, conversation } = await open({
      ...commands().terminals,
      create: () => slow.promise.then(() => ({ terminalId: 't1' })),
      release: ({ terminalId }) => void released.push(terminalId),
    });
    const request = create(agent);
    await settle();
    agent.notify('$/cancel_request', { requestId: request.id });
    expect((await request).error?.code).toBe(-32800);
    slow.resolve();
    await settle();
    expect(conversation().terminals).toEqual({});
    expect(released).toEqual(['t1']);
  });

  test('and an answer of a wrong type changes nothing', async () => {
    // Wrong on purpose: a handler in JavaScript can return anything.
    const wrong = { ...commands().terminals, output: () => ({ output: 5 }), waitForExit: () => undefined };
    const { agent, shown } = await open(wrong as unknown as TerminalHandlers);
    await create(agent);
    const before = shown();
    expect((await ask(agent, 'output')).error?.code).toBe(-32603);
    expect(shown()).toBe(before);
  });
});

describe('the end of a terminal of the client', () => {
  test('release keeps the output, and says that the command has ended', async () => {
    const { followed, listeners, print } = commands();
    const { agent, shown, text } = await open(followed);
    await create(agent);
    print('t1', 'kept');
    await ask(agent, 'kill');
    expect(shown()?.exitStatus).toBe(null);
    await ask(agent, 'release');
    expect(text()).toBe('kept');
    expect(shown()?.exitStatus).toEqual({ exitCode: null, signal: null });
    expect(listeners.size).toBe(0);
  });

  test.each([
    ['the session', 'session'],
    ['the connection', 'connection'],
  ] as const)('the end of %s keeps the output, and says that the command has ended', async (_name, what) => {
    const { followed, listeners, print } = commands();
    const release = ({ terminalId }: { readonly terminalId: string }) =>
      listeners.get(terminalId)?.({ type: 'exit', exitStatus: { exitCode: null, signal: 'SIGTERM' } });
    const opened = await open({ ...followed, release });
    await create(opened.agent);
    print('t1', 'kept');
    opened.agent.on('session/close', {});
    await opened[what].close();
    expect(opened.text()).toBe('kept');
    expect(opened.shown()?.exitStatus).toEqual({ exitCode: null, signal: 'SIGTERM' });
  });
});

describe('the terminals of a conversation', () => {
  test('are those of its session, whichever session the agent names later', async () => {
    let ids = 0;
    const { terminals, print } = commands();
    const { agent, connection } = await connectTo(everything.v1, {
      handlers: { terminals },
      answers: { 'session/new': () => ({ sessionId: `s${++ids}` }) },
    });
    const first = await connection.newSession({ cwd });
    const second = await connection.newSession({ cwd });
    await create(agent);
    print('t1', 'mine');
    await ask(agent, 'output', 't1', 's2');
    expect(first.conversation.terminals['t1']?.output).toBe('mine');
    expect(second.conversation.terminals).toEqual({});
  });

  test('of the client are not changed by what the agent says of its own', async () => {
    const { followed, print, name } = commands();
    const { agent, shown, text } = await open(followed);
    const claim = (terminalId: string) => {
      const _meta = {
        terminal_info: { terminal_id: terminalId, command: 'fake' },
        terminal_output: { terminal_id: terminalId, data: 'fake' },
        terminal_exit: { terminal_id: terminalId, exit_code: 0 },
      };
      const update = toolCallUpdate({ _meta }, 'c1');
      agent.notify('session/update', { sessionId: 's1', update });
      return flush(agent);
    };
    await create(agent);
    print('t1', 'true');
    await claim('t1');
    expect(shown()).toMatchObject({ owner: 'client', command: 'npm test', exitStatus: null });
    expect(text()).toBe('true');

    await claim('t2');
    expect(shown('t2')).toMatchObject({ owner: 'agent', command: 'fake' });
    name('t2');
    await create(agent);
    expect(shown('t2')).toMatchObject({ owner: 'client', command: 'npm test', output: '' });
  });

  test.each([
    ['is loaded again', {}],
    ['cannot be loaded again', refuses(-32603, 'no')],
  ])('of the client stay when the session %s, and go on', async (_, answer) => {
    const { followed, print } = commands();
    const opened = await open(followed);
    const { agent, connection, session, text } = opened;
    await create(agent);
    print('t1', 'before, ');
    agent.on('session/load', async () => {
      expect(opened.conversation().entries).toEqual([]);
      print('t1', 'during, ');
      return typeof answer === 'function' ? answer() : answer;
    });
    await connection.loadSession({ sessionId: session.sessionId, cwd }).catch(() => {});
    print('t1', 'after');
    expect(text()).toBe('before, during, after');
  });

  test('of the agent are those of the replay', async () => {
    const { followed } = commands();
    const { agent, connection, session, shown } = await open(followed);
    const _meta = { terminal_info: { terminal_id: 't2', command: 'make' } };
    await deliver(agent, toolCallUpdate({ _meta }, 'c1'));
    expect(shown('t2')).toMatchObject({ owner: 'agent' });
    agent.on('session/load', {});
    await connection.loadSession({ sessionId: session.sessionId, cwd });
    expect(shown('t2')).toBeUndefined();
  });
});
