import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { HandlerContext, PermissionRequest } from '../../../../src/core/client/requests/handlers.ts';
import { emptyConversation, foldUpdates } from '../../../../src/core/conversation/fold.ts';
import { Interrupts } from '../../../../src/programs/cli/context.ts';
import { askUser } from '../../../../src/programs/cli/permission.ts';
import { Output } from '../../../../src/programs/cli/print.ts';
import { Terminal } from '../../../../src/programs/cli/terminal.ts';
import { eventually } from '../../../support/eventually.ts';
import { toolCall as toolCallOf } from '../../render/example.ts';

const request: PermissionRequest = {
  title: 'Remove\x1b[2J everything',
  description: 'All of it.',
  toolCall: null,
  subject: { type: 'command', command: 'rm -rf .', cwd: '/home/ada' },
  options: [
    { optionId: 'a', name: 'Yes', kind: 'allow_once' },
    { optionId: 'b', name: 'No', kind: 'reject_once' },
  ],
};

/** A terminal. The test is at the other end of its streams. */
function terminal(env: Readonly<Record<string, string>> = {}) {
  const stdin = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const shown: string[] = [];
  stderr.on('data', (chunk: Buffer) => shown.push(chunk.toString()));
  // The command line uses the streams and the events of its process.
  const host = Object.assign(Object.create(process) as NodeJS.Process, {});
  for (const [name, value] of Object.entries({ stdin, stderr, stdout: new PassThrough(), env })) {
    Object.defineProperty(host, name, { value });
  }
  const interrupts = new Interrupts(host);
  onTestFinished(() => interrupts.dispose());
  const pauses: string[] = [];
  const context = { host, output: new Output(host), interrupts, report() {} };
  const ask = askUser(context, new Terminal(context), {
    async pausedFor(question) {
      pauses.push('pause');
      const answer = await question();
      pauses.push('resume');
      return answer;
    },
    onShown() {},
  });
  const withdrawal = new AbortController();
  const plan = { type: 'markdown', planId: 'p', content: '1. Pack', path: '/w/PLAN.md' } as const;
  const session = {
    conversation: foldUpdates(emptyConversation('s'), [{ sessionUpdate: 'plan_update', plan }]),
  };
  // The handler reads only the conversation of the session.
  const handlerContext = { session, signal: withdrawal.signal } as unknown as HandlerContext;
  return {
    stdin,
    pauses,
    withdraw: () => withdrawal.abort(),
    ask: (asked = request) => Promise.resolve(ask(asked, handlerContext)),
    shown: () => shown.join(''),
  };
}

test('the user chooses by number, and is asked again after other input', async () => {
  const { stdin, ask, shown, pauses } = terminal();
  const asked = ask();
  await eventually(shown).toContain('Your choice, 1 to 2: ');
  expect(shown()).toContain('The agent asks for permission: Remove everything\n');
  expect(shown()).toContain('$ rm -rf .\n  (in /home/ada)');
  expect(shown()).toContain('1  Yes\n  2  No');
  for (const word of ['', 'yes', '0', '3', '1.5']) stdin.write(`${word}\n`);
  stdin.write('2\n');
  expect(await asked).toEqual({ outcome: 'selected', optionId: 'b' });
  expect(shown().match(/Your choice/g)).toHaveLength(6);
  expect(pauses).toEqual(['pause', 'resume']);
});

test('a plan is shown before it is approved, also one that the tool call does not repeat', async () => {
  const { stdin, ask, shown } = terminal({ NO_COLOR: '1' });
  const asked = ask({
    ...request,
    subject: null,
    toolCall: { ...toolCallOf({}), toolKind: 'switch_mode', content: [] },
  });
  await eventually(shown).toContain('Your choice, 1 to 2: ');
  expect(shown()).toContain('Plan\n  /w/PLAN.md\n\n  1. Pack\n');
  stdin.write('1\n');
  await asked;
});

test('a request without options is not a question that no line answers', async () => {
  const { ask, shown, pauses } = terminal();
  expect(await ask({ ...request, options: [] })).toEqual({ outcome: 'cancelled' });
  expect(shown()).toContain('The agent offers no choice.\nNo permission was given.');
  expect(pauses).toEqual(['pause', 'resume']);
});

test('the end of the input answers cancelled', async () => {
  const { stdin, ask, shown } = terminal();
  const asked = ask();
  stdin.end();
  expect(await asked).toEqual({ outcome: 'cancelled' });
  expect(shown()).toContain('No permission was given.');
});

test('a withdrawn request is answered cancelled, and so is the next one of the same turn', async () => {
  const { stdin, ask, shown, withdraw } = terminal();
  const first = ask();
  const second = ask();
  await eventually(shown).toContain('Your choice');
  expect(shown().match(/asks for permission/g)).toHaveLength(1);
  withdraw();
  expect(await first).toEqual({ outcome: 'cancelled' });
  // It belongs to the same turn, and is not shown.
  expect(await second).toEqual({ outcome: 'cancelled' });
  expect(shown().match(/asks for permission/g)).toHaveLength(1);
  stdin.end();
});

test('the diff that the user must judge has the colors of the transcript, if the user wants any', async () => {
  const change = {
    operation: 'modify',
    path: '/tea.txt',
    oldText: 'green\n',
    newText: '\x1b[2Jblack\n',
  } as const;
  const [toolCall] = foldUpdates(emptyConversation('s'), [
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'edit',
      title: 'Edit tea.txt',
      content: [{ type: 'diff', patch: null, changes: [change] }],
    },
  ]).entries;
  if (toolCall?.kind !== 'toolCall') throw new Error('The fold made no tool call.');
  for (const [env, removed, added] of [
    [{ TERM: 'xterm-256color' }, '\x1b[0;31m-green\x1b[0m', '\x1b[0;32m+black\x1b[0m'],
    [{ TERM: 'xterm-256color', NO_COLOR: '1' }, '    -green\n', '    +black\n'],
  ] as const) {
    const { ask, stdin, shown } = terminal(env);
    const asked = ask({ ...request, subject: null, toolCall });
    await eventually(shown).toContain('Your choice');
    stdin.end();
    await asked;
    expect(shown()).toContain(removed);
    expect(shown()).toContain(added);
    expect(shown()).not.toContain('\x1b[2J');
  }
});
