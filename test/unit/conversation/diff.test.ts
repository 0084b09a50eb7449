import { describe, expect, test } from 'vitest';
import { diffConversation } from '../../../src/conversation/diff.ts';
import { maxTerminalBytes } from '../../../src/conversation/output-tail.ts';
import { applyPatch } from '../../../src/conversation/patch.ts';
import type { AnyUpdate } from '../../../src/model/client-update.ts';
import type { Conversation } from '../../../src/model/conversation.ts';
import {
  createConversationStore,
  emptyConversation,
  foldUpdate,
  foldUpdates,
} from '../../support/fold-any.ts';

const empty = emptyConversation('s1');
const chunk = (text: string, messageId = 'm1'): AnyUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  messageId,
  content: { type: 'text', text },
});
const output = (text: string): AnyUpdate => ({
  sessionUpdate: 'terminal_output_chunk',
  terminalId: 't1',
  data: btoa(text),
});
const fromJson = (conversation: Conversation): Conversation => JSON.parse(JSON.stringify(conversation));

describe('text', () => {
  const path = ['entries', 0, 'content', 0, 'text'];

  test('that was appended in several steps is one operation', () => {
    const before = foldUpdate(empty, chunk('a'));
    const after = ['b', 'c', 'd'].reduce((next, text) => foldUpdate(next, chunk(text)), before);
    expect(diffConversation(before, after)).toEqual([{ op: 'append', path, text: 'bcd' }]);
    expect(diffConversation(fromJson(before), after)).toEqual([{ op: 'append', path, text: 'bcd' }]);
  });

  test('that was appended in more steps than are recorded is one operation', () => {
    const before = foldUpdate(empty, chunk('a'));
    const steps = Array.from({ length: 100 }, (_, step) => `${step},`);
    const after = steps.reduce((next, text) => foldUpdate(next, chunk(text)), before);
    expect(diffConversation(before, after)).toEqual([{ op: 'append', path, text: steps.join('') }]);
  });

  test('that continues one state in two ways has two patches', () => {
    const before = foldUpdate(foldUpdate(empty, chunk('a')), chunk('b'));
    const left = foldUpdate(before, chunk('left'));
    const right = foldUpdate(before, chunk('right'));
    expect(diffConversation(before, left)).toEqual([{ op: 'append', path, text: 'left' }]);
    expect(diffConversation(before, right)).toEqual([{ op: 'append', path, text: 'right' }]);
    expect(diffConversation(left, right)).toEqual([{ op: 'set', path, value: 'abright' }]);
  });

  test('that became shorter is set', () => {
    const before = foldUpdate(empty, chunk('a'));
    const after = foldUpdate(before, chunk('b'));
    expect(diffConversation(after, before)).toEqual([{ op: 'set', path, value: 'a' }]);
  });

  test('of a tool call that the agent sends as a whole is appended', () => {
    const content = (text: string) => [
      { type: 'content' as const, content: { type: 'text' as const, text } },
    ];
    const call: AnyUpdate = {
      sessionUpdate: 'tool_call',
      toolCallId: 'c1',
      title: 'Run',
      content: content('a'),
    };
    const before = foldUpdate(empty, call);
    const after = foldUpdate(before, {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c1',
      status: 'completed',
      content: content('ab'),
    });
    expect(diffConversation(before, after)).toEqual([
      { op: 'set', path: ['entries', 0, 'status'], value: 'completed' },
      { op: 'append', path: ['entries', 0, 'content', 0, 'content', 'text'], text: 'b' },
    ]);
  });
});

describe('entries', () => {
  test('that were removed, changed and added are found by their keys', () => {
    const before = foldUpdates(
      empty,
      ['m1', 'm2', 'm3', 'm4'].map((id) => chunk(id, id)),
    );
    const after = foldUpdates(empty, [
      chunk('m1', 'm1'),
      chunk('new', 'm3'),
      chunk('m5', 'm5'),
      chunk('m4', 'm4'),
    ]);
    const patch = diffConversation(before, after);
    expect(patch.map(({ op }) => op)).toEqual(['splice', 'set', 'splice']);
    const copy = applyPatch(before, patch);
    expect(copy).toEqual(after);
    expect(copy.entries[0]).toBe(before.entries[0]);
    expect(copy.entries[3]).toBe(before.entries[3]);
  });
});

describe('the output of a terminal', () => {
  test('is sent in base64, only what was added', () => {
    const before = foldUpdate(empty, output('\u001b[1mA'));
    const after = foldUpdate(foldUpdate(before, output('B\n')), output('C\n'));
    const patch = [{ op: 'output', terminalId: 't1', remove: 0, data: btoa('B\nC\n') }];
    expect(diffConversation(before, after)).toEqual(patch);
    expect(diffConversation(fromJson(before), after)).toEqual(patch);
  });

  test.each([
    ['in small chunks', 1000],
    ['in a chunk that is longer than the limit', 4 * maxTerminalBytes],
  ])('that was cut is sent without what stayed, %s', (_, length) => {
    const store = createConversationStore(empty);
    let copy = empty;
    let patchBytes = 0;
    for (let written = 0; written < 4 * maxTerminalBytes; written += length) {
      store.apply(output(String(written).padEnd(length, '.')));
      if (written % 64_000 !== 0) continue;
      const patch = diffConversation(copy, store.getSnapshot());
      patchBytes += JSON.stringify(patch).length;
      copy = applyPatch(copy, patch);
    }
    copy = applyPatch(copy, diffConversation(copy, store.getSnapshot()));
    expect(copy).toEqual(store.getSnapshot());
    expect(copy.terminals['t1']?.droppedBytes).toBeGreaterThan(0);
    expect(patchBytes).toBeLessThan((4 * maxTerminalBytes * 4) / 3 + 20_000);
  });

  test('that was replaced is sent as a whole', () => {
    const before = foldUpdate(empty, output('old'));
    const after = foldUpdate(before, {
      sessionUpdate: 'terminal_update',
      terminalId: 't1',
      output: { data: btoa('new') },
    });
    expect(diffConversation(before, after)).toEqual([
      { op: 'output', terminalId: 't1', remove: 3, data: btoa('new') },
    ]);
  });
});

test('a subagent that changed is sent without the others, and only with what changed', () => {
  const subagent = (sessionId: string, title: string): AnyUpdate => ({
    sessionUpdate: 'subagent_update',
    sessionId,
    title,
  });
  const before = foldUpdates(empty, [subagent('a', 'A'), subagent('b', 'B')]);
  const after = foldUpdates(before, [subagent('b', 'C'), subagent('c', 'D')]);
  const patch = diffConversation(before, after);
  expect(patch).toEqual([
    { op: 'set', path: ['subagents', 1, 'title'], value: 'C' },
    { op: 'splice', path: ['subagents'], at: 2, remove: 0, insert: [after.subagents?.[2]] },
  ]);
  expect(applyPatch(before, patch)).toEqual(after);
  expect(applyPatch(after, diffConversation(after, before))).toEqual(before);
});
