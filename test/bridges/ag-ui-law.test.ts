import { type AGUIEvent, HttpAgent, type Message } from '@ag-ui/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toAgUiEvents } from '../../src/bridges/ag-ui/events.ts';
import { toAgUiMessages } from '../../src/bridges/ag-ui/messages.ts';
import { toAgUiState } from '../../src/bridges/ag-ui/state.ts';
import { eventObserver } from '../../src/conversation/events.ts';
import { emptyConversation } from '../../src/conversation/fold.ts';
import { createSessionStore } from '../../src/conversation/store.ts';
import type { AnyUpdate } from '../../src/model/client-update.ts';
import type { Conversation } from '../../src/model/conversation.ts';
import type { ConversationEvent } from '../../src/model/event.ts';
import { anyUpdate } from '../support/arbitrary-updates.ts';

/** AG-UI's reader of a run, which gets its events over `fetch`. */
function readerOf(events: readonly AGUIEvent[], messages: Message[], state: object): HttpAgent {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const headers = { 'content-type': 'text/event-stream' };
  return new HttpAgent({
    url: 'http://localhost/',
    threadId: 'thread',
    initialMessages: messages,
    initialState: state,
    fetch: async () => new Response(body, { headers }),
  });
}

/** A session folds updates. Those after the first `before` are those of a turn. */
function fold(updates: readonly AnyUpdate[], before: number) {
  const events: ConversationEvent[] = [];
  const store = createSessionStore(emptyConversation('s'), () => {});
  for (const update of updates.slice(0, before)) store.apply(update);
  const start = idle(store.getSnapshot());
  store.observe(eventObserver((event) => events.push(event)));
  for (const update of updates.slice(before)) store.apply(update);
  return { start, events, end: idle(store.getSnapshot()) };
}

function idle(conversation: Conversation): Conversation {
  return { ...conversation, activity: { state: 'idle', stopReason: null } };
}

async function* each<T>(values: readonly T[]) {
  yield* values;
}

async function readTurn({ start, events }: ReturnType<typeof fold>) {
  const messages = toAgUiMessages(start);
  const state = toAgUiState(start);
  const options = { threadId: 'thread', runId: 'run', messages, conversation: start };
  const run: AGUIEvent[] = [];
  for await (const event of toAgUiEvents(each(events), options)) run.push(event);
  const reader = readerOf(run, messages, state);
  await reader.runAgent({ runId: 'run' });
  return reader;
}

/**
 * Whether a message is announced without content. No event says so: in the reader, its place is where its content
 * begins.
 */
function isEmptyMessage(update: AnyUpdate): boolean {
  const names = ['user_message', 'agent_message', 'agent_thought', 'prompt_submitted'];
  const content = 'content' in update ? update.content : null;
  return names.includes(update.sessionUpdate) && !(Array.isArray(content) && content.length > 0);
}

/** A message that was emptied stays in the reader, and the conversation gives none. */
function hasContent(message: Message): boolean {
  return message.content !== '' || message.metadata !== undefined || message.role === 'tool';
}

const byId = (a: Message, b: Message): number => (a.id < b.id ? -1 : 1);

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the events of a turn, read by AG-UI', () => {
  test('are the messages of the conversation after the turn', async () => {
    // The history that is added after an interruption is not part of a turn.
    const update = anyUpdate.filter(({ sessionUpdate }) => sessionUpdate !== 'history_added');
    const turn = fc.tuple(fc.array(update, { maxLength: 30, size: 'max' }), fc.nat(10));
    await fc.assert(
      fc.asyncProperty(turn, async ([updates, before]) => {
        const folded = fold(updates, before);
        const reader = await readTurn(folded);
        const expected = toAgUiMessages(folded.end);
        const isOrdered = !updates.some(isEmptyMessage);
        const inOrder = (messages: readonly Message[]) => {
          const said = messages.filter(hasContent);
          return isOrdered ? said : said.toSorted(byId);
        };
        expect(inOrder(reader.messages)).toEqual(plain(inOrder(expected)));
        expect(reader.state).toEqual(plain(toAgUiState(folded.end)));
      }),
      { numRuns: 100 },
    );
  });
});
