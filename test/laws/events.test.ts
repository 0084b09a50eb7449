import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventObserver } from '../../src/core/conversation/events.ts';
import { emptyConversation } from '../../src/core/conversation/fold.ts';
import { textOf } from '../../src/core/conversation/select.ts';
import { createSessionStore } from '../../src/core/conversation/store.ts';
import type { AnyUpdate } from '../../src/core/model/client-update.ts';
import type { ContentBlock } from '../../src/core/model/content.ts';
import type {
  CompactionEntry,
  Conversation,
  ConversationTerminal,
  SessionMessageEntry,
  ToolCallEntry,
} from '../../src/core/model/conversation.ts';
import type { ConversationEvent } from '../../src/core/model/event.ts';
import { anyUpdate } from '../support/arbitrary-updates.ts';
import { assertFrozen } from './saved-conversations.ts';

/** What a program knows that reads events only. */
class Follower {
  readonly texts = new Map<string, string>();
  readonly toolCalls = new Map<string, ToolCallEntry>();
  readonly plans = new Map<string, unknown>();
  readonly terminals = new Map<string, ConversationTerminal>();
  readonly sessionMessages = new Map<string, SessionMessageEntry>();
  readonly compactions = new Map<string, CompactionEntry>();
  fields: object = {};

  take(event: ConversationEvent): void {
    switch (event.type) {
      case 'text':
      case 'thought':
      case 'userText':
        this.texts.set(event.key, (this.texts.get(event.key) ?? '') + event.text);
        break;
      case 'messageReplaced':
        this.texts.set(event.message.key, textOf(event.message));
        break;
      case 'entryRemoved':
        this.texts.delete(event.key);
        this.toolCalls.delete(event.key);
        break;
      case 'toolCall':
      case 'permission':
        if (!event.toolCall) break;
        this.toolCalls.set(event.toolCall.key, event.toolCall);
        break;
      case 'toolCallContent': {
        const toolCall = this.toolCalls.get(event.key);
        if (!toolCall) throw new Error(`Output of the unknown tool call ${event.key}.`);
        expect(event.toolCallId).toBe(toolCall.toolCallId);
        this.toolCalls.set(event.key, { ...toolCall, content: [...toolCall.content, event.content] });
        break;
      }
      case 'plan':
        this.plans.set(event.plan.planId, event.plan);
        break;
      case 'planRemoved':
        this.plans.delete(event.planId);
        break;
      case 'terminal':
        this.terminals.set(event.terminal.terminalId, event.terminal);
        break;
      case 'terminalOutput': {
        const terminal = this.terminals.get(event.terminalId);
        if (!terminal) throw new Error(`Output of the unknown terminal ${event.terminalId}.`);
        this.terminals.set(event.terminalId, { ...terminal, output: terminal.output + event.text });
        break;
      }
      case 'sessionMessage':
        this.sessionMessages.set(event.message.messageId, event.message);
        break;
      case 'sessionMessageContent': {
        const message = this.sessionMessages.get(event.messageId);
        if (!message) throw new Error(`Content of the unknown message ${event.messageId}.`);
        expect(event.key).toBe(message.key);
        this.sessionMessages.set(event.messageId, { ...message, content: [...message.content, event.block] });
        break;
      }
      case 'compaction':
        this.compactions.set(event.compaction.compactionId, event.compaction);
        break;
      case 'compactionContent': {
        const compaction = this.compactions.get(event.compactionId);
        if (!compaction) throw new Error(`Content of the unknown compaction ${event.compactionId}.`);
        this.compactions.set(event.compactionId, {
          ...compaction,
          summary: joined([...compaction.summary, event.block]),
        });
        break;
      }
      case 'fields':
        this.fields = { ...this.fields, ...event.changed };
        break;
    }
  }
}

/** Joins neighboring blocks of plain text, as the conversation does. */
function joined(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const isPlain = (block: ContentBlock | undefined) => block?.type === 'text' && !block.annotations;
  const all: ContentBlock[] = [];
  for (const block of blocks) {
    const last = all.at(-1);
    if (last?.type === 'text' && block.type === 'text' && isPlain(last) && isPlain(block))
      all[all.length - 1] = { type: 'text', text: last.text + block.text };
    else all.push(block);
  }
  return all;
}

function follow(updates: readonly AnyUpdate[]) {
  const events: ConversationEvent[] = [];
  const store = createSessionStore(emptyConversation('s'), () => {});
  store.observe(eventObserver((event) => events.push(event)));
  for (const update of updates) store.apply(update);
  const follower = new Follower();
  for (const event of events) follower.take(event);
  return { events, follower, conversation: store.getSnapshot() };
}

const updateList = fc.array(anyUpdate, { maxLength: 40, size: 'max' });
const check = (law: (followed: ReturnType<typeof follow>) => void) =>
  fc.assert(fc.property(updateList, (updates) => law(follow(updates))));

/** The texts of all messages, by key. Messages without text are left out: no event is about their text. */
const textsOf = ({ entries }: Conversation) =>
  new Map(
    entries.flatMap((entry): [string, string][] => {
      const said = entry.kind === 'message' ? textOf(entry) : '';
      return entry.kind === 'message' && said !== '' ? [[entry.key, said]] : [];
    }),
  );

describe('the events of a conversation', () => {
  test('carry its texts: the deltas of a message, in order, are the text of the message', () => {
    check(({ follower, conversation }) => {
      const texts = new Map([...follower.texts].filter(([, said]) => said !== ''));
      expect(texts).toEqual(textsOf(conversation));
    });
  });

  test('carry its tool calls, with the output that is appended', () => {
    check(({ follower, conversation }) => {
      const toolCalls = conversation.entries.filter((entry) => entry.kind === 'toolCall');
      expect([...follower.toolCalls.values()]).toEqual(expect.arrayContaining(toolCalls));
      expect(follower.toolCalls.size).toBe(toolCalls.length);
    });
  });

  test('carry its messages between sessions', () => {
    check(({ follower, conversation }) => {
      const folded = conversation.entries.filter((entry) => entry.kind === 'sessionMessage');
      const plain = (message: SessionMessageEntry) => ({ ...message, content: joined(message.content) });
      expect([...follower.sessionMessages.values()].map(plain)).toEqual(
        expect.arrayContaining(folded.map(plain)),
      );
      expect(folded).toHaveLength(follower.sessionMessages.size);
    });
  });

  test('carry its plans, terminals, compactions and fields', () => {
    check(({ follower, conversation }) => {
      expect(new Map(conversation.plans.map((plan) => [plan.planId, plan]))).toEqual(follower.plans);
      // An event has text: the bytes of a character that is not complete are in the conversation alone.
      const shown = ({ incompleteBytes: _, ...terminal }: ConversationTerminal) => terminal;
      expect(Object.values(conversation.terminals).map(shown)).toEqual(
        [...follower.terminals.values()].map(shown),
      );
      const compactions = conversation.entries.filter((entry) => entry.kind === 'compaction');
      expect(
        [...follower.compactions.values()].map((entry) => ({ ...entry, summary: joined(entry.summary) })),
      ).toEqual(
        expect.arrayContaining(compactions.map((entry) => ({ ...entry, summary: joined(entry.summary) }))),
      );
      expect(compactions).toHaveLength(follower.compactions.size);
      // The conversation has no empty list of messages that wait.
      expect({ pendingMessages: [], ...conversation }).toMatchObject(follower.fields);
    });
  });

  test('are frozen', () => {
    check(({ events }) => {
      for (const event of events) for (const part of Object.values(event)) assertFrozen(part);
    });
  });

  test('do not change the conversation that is folded', () => {
    fc.assert(
      fc.property(updateList, (updates) => {
        const plain = createSessionStore(emptyConversation('s'), () => {});
        for (const update of updates) plain.apply(update);
        expect(follow(updates).conversation).toEqual(plain.getSnapshot());
      }),
    );
  });
});
