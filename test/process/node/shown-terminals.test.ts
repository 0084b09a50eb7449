import { expect, onTestFinished, test } from 'vitest';
import { maxTerminalBytes } from '../../../src/core/conversation/output-tail.ts';
import { renderHtml } from '../../../src/core/render/html.ts';
import { renderMarkdown } from '../../../src/core/render/markdown.ts';
import { renderText } from '../../../src/core/render/text.ts';
import { type NodeTerminals, nodeTerminals } from '../../../src/node/terminals/terminals.ts';
import { createConversationMirror } from '../../../src/records/mirror/mirror.ts';
import { publishConversation } from '../../../src/records/mirror/publish.ts';
import { flush, openSession, terminalCalls } from '../../support/open-session.ts';

async function open(terminals: NodeTerminals = nodeTerminals()) {
  onTestFinished(() => terminals.close());
  const opened = await openSession('v1', { handlers: { terminals } });
  const { conversation } = opened;
  const { call, run } = terminalCalls(opened.agent);
  const shown = (terminalId: string) => conversation().terminals[terminalId];
  return { ...opened, call, run, shown };
}

test('a command that runs is in every form of the conversation', async () => {
  const { agent, session, call, run, shown } = await open();
  const mirror = createConversationMirror('s1', { requestResend: () => expect.fail('a message was lost') });
  publishConversation(session.store, { send: (message) => mirror.receive(structuredClone(message)) });
  const terminalId = await run(`console.log('\\u001b[32mnaïve ✓ 🎉\\u001b[0m'); process.exitCode = 3`);
  agent.notify('session/update', {
    sessionId: 's1',
    update: {
      sessionUpdate: 'tool_call',
      toolCallId: 'c1',
      title: 'Run it',
      status: 'completed',
      content: [{ type: 'terminal', terminalId }],
    },
  });
  await call('wait_for_exit', { terminalId });
  await call('release', { terminalId });
  await flush(agent);
  const conversation = session.conversation;
  const terminal = shown(terminalId);
  expect(terminal?.output).toBe('\u001b[32mnaïve ✓ 🎉\u001b[0m\n');
  expect(terminal?.exitStatus).toEqual({ exitCode: 3, signal: null });
  for (const text of [renderText(conversation), renderMarkdown(conversation), renderHtml(conversation)]) {
    expect(text).toContain('naïve ✓ 🎉');
    expect(text).toContain('exit 3');
    expect(text).not.toContain('\u001b');
  }
  expect(mirror.getSnapshot()).toEqual(conversation);
  expect(JSON.parse(JSON.stringify(conversation))).toEqual(conversation);
});

test('its output arrives while it runs', async () => {
  const { session, run, shown, call } = await open();
  const sawFirst = new Promise<void>((resolve) => {
    session.onEvent((event) => event.type === 'terminalOutput' && resolve());
  });
  const terminalId = await run(`console.log('first'); setInterval(() => {}, 1000)`);
  await sawFirst;
  expect(shown(terminalId)).toMatchObject({ output: 'first\n', exitStatus: null });
  await call('kill', { terminalId });
  expect(shown(terminalId)).toMatchObject({ output: 'first\n', exitStatus: { signal: 'SIGTERM' } });
});

test('the end of a flood of output stays, although the agent asked for less', async () => {
  const { run, call, shown } = await open();
  const script = `for (let n = 0; n < 100_000; n++) console.log('line ' + n + ' ✓')`;
  const terminalId = await run(script, { outputByteLimit: 100 });
  await call('wait_for_exit', { terminalId });
  const { output = '', droppedBytes = 0 } = shown(terminalId) ?? {};
  const printed = Array.from({ length: 100_000 }, (_, n) => `line ${n} ✓\n`).join('');
  expect(Buffer.byteLength(output)).toBeLessThanOrEqual(maxTerminalBytes);
  expect(output).toBe(Buffer.from(printed).toString('utf8', droppedBytes));
});

test('output that came before the editor passed the terminal on is shown too', async () => {
  const terminals = nodeTerminals();
  const { run, shown } = await open({
    ...terminals,
    async create(request, context) {
      const created = await terminals.create(request, context);
      await terminals.waitForExit(created);
      return created;
    },
  });
  const terminalId = await run(`console.log('early'); process.exitCode = 1`);
  expect(shown(terminalId)).toMatchObject({ output: 'early\n', exitStatus: { exitCode: 1, signal: null } });
});

test('the end of the connection ends it in the conversation', async () => {
  const { connection, run, shown } = await open();
  const terminalId = await run(`setInterval(() => {}, 1000)`);
  await connection.close();
  expect(shown(terminalId)?.exitStatus).toEqual({ exitCode: null, signal: 'SIGTERM' });
});
