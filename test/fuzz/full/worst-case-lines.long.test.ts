import { expect, test } from 'vitest';
import type { ConversationEntry } from '../../../src/core/model/conversation.ts';
import { conversation, message, text, toolCall } from '../../unit/render/example.ts';
import { megabytes, renderers } from '../../unit/render/hostile.ts';

function changing(oldText: string | null, newText: string): ConversationEntry {
  const change = { operation: 'modify', path: '/a', oldText, newText };
  return toolCall({ content: [{ type: 'diff', changes: [change], patch: null }] });
}

function patching(patch: string): ConversationEntry {
  const changes = [{ operation: 'modify', path: '/a' }];
  return toolCall({ content: [{ type: 'diff', changes, patch: { format: 'git_patch', text: patch } }] });
}

test.each<readonly [input: string, entry: () => ConversationEntry]>([
  ['a message of 8 million lines', () => message('agent', text(megabytes(16, 'a\n')))],
  ['a message of a million fences', () => message('agent', text(megabytes(4, '```\n')))],
  ['a patch of 8 million lines without hunks', () => patching(`diff --git a b\n${megabytes(16, 'a\n')}`)],
  ['a patch of 2 million changed lines', () => patching(`@@\n${megabytes(4, '+\n-\n')}`)],
  ['a file of 2 million lines that is replaced', () => changing(megabytes(4, 'a\n'), megabytes(4, 'b\n'))],
  ['a line of 16 MB that changes', () => changing(megabytes(16, 'a'), `${megabytes(16, 'a')}b`)],
  [
    'output of 8 million lines',
    () => toolCall({ content: [{ type: 'content', content: text(megabytes(16, 'a\n')) }] }),
  ],
])('renders %s', (_, entry) => {
  const entries = [entry()];
  for (const render of renderers) {
    expect(render(conversation({ entries })).endsWith('\n')).toBe(true);
  }
});
