import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FlowingText } from '../../src/cli/flowing-text.ts';
import { LiveTranscript } from '../../src/cli/live-transcript.ts';
import { emptyConversation, foldUpdate } from '../../src/conversation/fold.ts';
import type { Conversation } from '../../src/model/conversation.ts';
import type { ConversationUpdate } from '../../src/model/update.ts';

describe('a text that grows', () => {
  function written(pieces: readonly string[], width = 80): string {
    let shown = '';
    const text = new FlowingText(
      (more) => {
        shown += more;
      },
      (piece) => piece,
      width,
    );
    let whole = '';
    for (const piece of pieces) {
      whole += piece;
      text.grow(whole);
    }
    text.flush();
    return shown;
  }

  test('is indented, and broken at spaces', () => {
    expect(written(['one two three four'], 12)).toBe('  one two \n  three four\n');
    expect(written(['\n\none\n\ntwo'])).toBe('  one\n\n  two\n');
    expect(written(['a-word-that-does-not-fit-at-all'], 10)).toBe('  a-word-that-does-not-fit-at-all\n');
    expect(written(['茶茶 茶茶'], 10)).toBe('  茶茶 \n  茶茶\n');
  });

  test('is the same however it is cut', () => {
    const pieces = fc.array(
      fc.constantFrom('a', 'word ', ' ', '\n', '茶', '\x1b[31m', '\x1b', '[2J', 'x'.repeat(70)),
    );
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 20 }), (parts, size) => {
        const text = parts.join('');
        const cut = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
        const shown = written(cut);
        expect(shown.replace(/[\s]/g, '')).toBe(written([text]).replace(/\s/g, ''));
        expect(shown).not.toContain('\x1b');
      }),
    );
  });

  test('shows what has come but for its last word', () => {
    let shown = '';
    const text = new FlowingText(
      (more) => {
        shown += more;
      },
      (piece) => piece,
      80,
    );
    text.grow('Hello wor');
    expect(shown).toBe('  Hello ');
    text.grow('Hello world, ');
    expect(shown).toBe('  Hello world, ');
  });
});

describe('a transcript on a terminal', () => {
  function stage() {
    let conversation: Conversation = emptyConversation('s');
    let shown = '';
    const live = new LiveTranscript({ color: false, width: 40 }, (text) => {
      shown += text;
    });
    return {
      live,
      take(...updates: readonly ConversationUpdate[]): string {
        for (const update of updates) conversation = foldUpdate(conversation, update);
        live.show(conversation);
        return shown;
      },
      finish(): string {
        live.finish(conversation);
        return shown;
      },
    };
  }
  const says = (text: string, messageId = 'm'): ConversationUpdate => ({
    sessionUpdate: 'agent_message_chunk',
    messageId,
    content: { type: 'text', text },
  });
  const tool = (status: string): ConversationUpdate => ({
    sessionUpdate: 'tool_call_update',
    toolCallId: 't',
    title: 'Boil the water',
    status,
  });

  test('grows with a message', () => {
    const { take } = stage();
    expect(take(says('Good mor'))).toBe('Agent\n  Good ');
    expect(take(says('ning, '))).toBe('Agent\n  Good morning, ');
  });

  test('leaves out the prompt, which the user has just typed', () => {
    const { take } = stage();
    expect(
      take({ sessionUpdate: 'prompt_submitted', key: 'k', content: [{ type: 'text', text: 'Tea!' }] }),
    ).toBe('');
  });

  test('shows a tool call when it begins and when it has ended', () => {
    const { take } = stage();
    expect(take(tool('pending'))).toBe('○ Boil the water\n\n');
    expect(take(tool('in_progress'))).toBe('○ Boil the water\n\n');
    expect(take(tool('completed'))).toBe('○ Boil the water\n\n✓ Boil the water\n\n');
    expect(take(tool('completed'), says('Hot. '))).toMatch(/✓ Boil the water\n\nAgent\n {2}Hot\. $/);
  });

  test('takes up a message again that was interrupted', () => {
    const { take } = stage();
    take(says('First '), tool('pending'));
    expect(take(says('second '))).toBe('Agent\n  First \n\n○ Boil the water\n\nAgent\n  second ');
  });

  test('writes a message anew that the agent changed', () => {
    const { take } = stage();
    take(says('Tea. '));
    const coffee = { type: 'text', text: 'Coffee. ' } as const;
    expect(take({ sessionUpdate: 'agent_message', messageId: 'm', content: [coffee] })).toBe(
      'Agent\n  Tea. \n\nAgent\n  Coffee. ',
    );
  });

  test('stands still while it is paused', () => {
    const { live, take } = stage();
    const before = take(says('One '));
    live.pause();
    expect(take(says('two '))).toBe(`${before}\n\n`);
    live.resume();
    expect(take()).toBe(`${before}\n\nAgent\n  two `);
  });

  test('ends with what did not end, and with how it went', () => {
    const { take, finish } = stage();
    take(tool('in_progress'), says('So'), {
      sessionUpdate: 'state_update',
      state: 'idle',
      stopReason: 'refusal',
    });
    const end = finish();
    expect(end).toContain('○ Boil the water (in progress)');
    expect(end).toMatch(/So\n[\s\S]*s · refusal\n$/);
  });
});
