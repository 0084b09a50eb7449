import { expect, test } from 'vitest';
import { transcriptOf } from '../../../src/records/recording/transcript-of.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';

test('a conversation in a few lines', () => {
  const text = (said: string) => ({ type: 'text' as const, text: said });
  const conversation = foldUpdates(emptyConversation('s1'), [
    {
      sessionUpdate: 'user_message',
      messageId: 'm1',
      content: [text('Look at this:'), { type: 'image', data: '', mimeType: 'image/png' }],
    },
    { sessionUpdate: 'agent_thought_chunk', messageId: 'm2', content: text('A cat.\nOr a dog.') },
    {
      sessionUpdate: 'tool_call',
      toolCallId: 't1',
      title: 'Edit a.txt',
      kind: 'edit',
      status: 'completed',
      content: [
        { type: 'content', content: text('done\nand done') },
        { type: 'diff', changes: [{ operation: 'modify', path: '/a.txt' }], patch: null },
        { type: 'terminal', terminalId: 'x' },
        { type: 'session', sessionId: 'child' },
        { type: 'terminal', terminalId: 'ended' },
        { type: 'terminal', terminalId: 'runs' },
      ],
    },
    { sessionUpdate: 'terminal_started', terminalId: 'ended', command: 'npm test', argv: null, cwd: null },
    { sessionUpdate: 'terminal_printed', terminalId: 'ended', text: '\u001b[31mfailed ✗\u001b[0m\n' },
    {
      sessionUpdate: 'terminal_exited',
      terminalId: 'ended',
      exitStatus: { exitCode: 1, signal: null },
    },
    { sessionUpdate: 'terminal_update', terminalId: 'runs', command: 'top' },
    { sessionUpdate: 'tool_call', toolCallId: 't2' },
    {
      sessionUpdate: 'permission_update',
      toolCallId: 't2',
      permission: {
        title: null,
        description: null,
        options: [
          { optionId: 'a', name: 'Allow', kind: 'allow_once' },
          { optionId: 'r', name: 'Reject', kind: 'reject_once' },
        ],
      },
    },
    { sessionUpdate: 'session_message_chunk', messageId: 'm3', content: text('Look for\nmore.') },
    { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'in_progress' },
    { sessionUpdate: '_unknown', update: { sessionUpdate: '_news', text: 'x' } },
    {
      sessionUpdate: 'prompt_submitted',
      key: 'p',
      content: [text('And now?'), { type: 'resource_link', name: 'a', uri: 'file:///a' }],
    },
    {
      sessionUpdate: 'plan_update',
      plan: {
        type: 'items',
        planId: 'plan',
        entries: [{ content: 'Rest', priority: 'low', status: 'pending' }],
      },
    },
    {
      sessionUpdate: 'plan_update',
      plan: { type: 'markdown', planId: 'm', content: '# Plan\n1. Rest\n', path: '/w/PLAN.md' },
    },
    { sessionUpdate: 'plan_update', plan: { type: '_graph', planId: 'g', nodes: [1] } },
    { sessionUpdate: 'state_update', state: 'running' },
  ]);
  expect(transcriptOf(conversation)).toMatchInlineSnapshot(`
    "user: Look at this:[image image/png]
    thought: A cat.
      Or a dog.
    tool: Edit a.txt (edit, completed)
      done
      and done
      [modify /a.txt]
      [terminal]
      [session]
      $ npm test
      failed ✗
      [exit 1]
      $ top
    tool: ? (other, pending, asks: Allow | Reject)
    session message: Look for
      more.
    compaction (in_progress):
    unknown: _news
    user (unconfirmed): And now?[link file:///a]
    plan: [pending] Rest
    plan: # Plan
      1. Rest
      [file /w/PLAN.md]
    plan: [_graph]
    session: running"
  `);
});

test('a conversation in which nothing was said is empty', () => {
  expect(transcriptOf(emptyConversation('s1'))).toBe('');
});
