import { afterEach, expect, test } from 'vitest';
import type { ProcessExit } from '../../../src/core/base/process-exit.ts';
import type { TerminalChange } from '../../../src/core/base/terminal-change.ts';
import type { TerminalHandlers } from '../../../src/core/client/requests/handlers.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { foldTraffic } from '../../../src/records/recording/fold-traffic.ts';
import type { ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { everything, settle } from '../../support/agents.ts';
import { closeAll, cwd, expectSame, live } from '../../support/recorded-session.ts';

afterEach(closeAll);

/** Commands that print and end as the test says. */
function commands() {
  const outputs = new Map<string, string>();
  const exits = new Map<string, (exit: ProcessExit) => void>();
  const listeners = new Map<string, (change: TerminalChange) => void>();
  const terminals: TerminalHandlers = {
    create({ command }) {
      if (command === 'refused') throw new RequestError(-32602, 'There is no such command.');
      const terminalId = `t${outputs.size + 1}`;
      outputs.set(terminalId, '');
      return { terminalId };
    },
    output: ({ terminalId }) => ({
      output: outputs.get(terminalId)?.slice(-8) ?? '',
      truncated: (outputs.get(terminalId)?.length ?? 0) > 8,
    }),
    waitForExit: ({ terminalId }) => new Promise((resolve) => exits.set(terminalId, resolve)),
    kill() {},
    release() {},
  };
  const print = (terminalId: string, text: string) => {
    outputs.set(terminalId, outputs.get(terminalId) + text);
    listeners.get(terminalId)?.({ type: 'output', text });
  };
  const subscribe: TerminalHandlers['subscribe'] = (terminalId, listener) => {
    listeners.set(terminalId, listener);
    return () => listeners.delete(terminalId);
  };
  return { terminals, subscribe, exits, print };
}

async function open(terminals: TerminalHandlers) {
  const run = await live(everything.v1, () => {}, { handlers: { terminals } });
  const session = await run.connection.newSession({ cwd });
  // `live` has started one agent.
  const agent = run.agents[0] as ScriptedAgent;
  const create = (command: string) =>
    agent.request('terminal/create', { sessionId: 's1', command, args: ['it'], cwd });
  const ask = (method: string, terminalId: string) =>
    agent.request(`terminal/${method}`, { sessionId: 's1', terminalId });
  return { run, session, create, ask };
}

test('a recording folds to the terminals that the client had, as the agent read them', async () => {
  const { terminals, exits, print } = commands();
  const { run, session, create, ask } = await open(terminals);
  await Promise.all([create('make'), create('refused'), create('test')]);
  const waiting = [ask('wait_for_exit', 't2'), ask('wait_for_exit', 't1')];
  await expectSame(run, session);

  print('t1', 'one é\n');
  print('t2', 'two\n');
  await Promise.all([ask('output', 't2'), ask('output', 't1')]);
  await expectSame(run, session);
  print('t2', 'and more than the agent reads\n');
  await ask('output', 't2');
  await expectSame(run, session);

  exits.get('t1')?.({ exitCode: 3, signal: null });
  await waiting[1];
  await ask('kill', 't2');
  await ask('release', 't1');
  await ask('release', 't2');
  await expectSame(run, session);
  const { t1, t2 } = session.conversation.terminals;
  expect(t1).toMatchObject({
    command: 'make it',
    cwd,
    output: 'one é\n',
    exitStatus: { exitCode: 3 },
  });
  expect(t2).toMatchObject({ command: 'test it', output: 't reads\n', exitStatus: { exitCode: null } });
  expect(t2?.droppedBytes).toBeGreaterThan(0);
});

test('a recording has no output that the agent did not read', async () => {
  const { terminals, subscribe, print } = commands();
  const { run, session, create, ask } = await open({ ...terminals, subscribe });
  await create('make');
  print('t1', 'read\n');
  await ask('output', 't1');
  await expectSame(run, session);
  print('t1', 'unread\n');
  await settle();
  const [folded] = (await foldTraffic(run.recording.toString())).sessions;
  expect(session.conversation.terminals['t1']?.output).toBe('read\nunread\n');
  expect(folded?.conversation.terminals['t1']?.output).toBe('read\n');
});
