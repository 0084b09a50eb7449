import { type AGUIEvent, HttpAgent, type Message } from '@ag-ui/client';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Session } from '../../src/core/client/session/session.ts';
import type { PromptTurn } from '../../src/core/client/session/turn.ts';
import { eventObserver } from '../../src/core/conversation/events.ts';
import { emptyConversation } from '../../src/core/conversation/fold.ts';
import { createSessionStore } from '../../src/core/conversation/store.ts';
import type { AnyUpdate } from '../../src/core/model/client-update.ts';
import type { Conversation } from '../../src/core/model/conversation.ts';
import type { ConversationEvent } from '../../src/core/model/event.ts';
import { type AgUiRunOptions, toAgUiEvents } from '../../src/ui/ag-ui/events.ts';
import { toAgUiMessages } from '../../src/ui/ag-ui/messages.ts';
import { toAgUiState } from '../../src/ui/ag-ui/state.ts';
import { eventsBetween } from '../../src/ui/bridges/conversation-events.ts';
import { anyUpdate } from './arbitrary-updates.ts';
import { plain } from './ui-messages.ts';

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

/** A session folds updates. Those after the first `before` are those of a turn. A page sees snapshots only. */
function fold(updates: readonly AnyUpdate[], before: number) {
  const events: ConversationEvent[] = [];
  const seen: ConversationEvent[] = [];
  const store = createSessionStore(emptyConversation('s'), () => {});
  for (const update of updates.slice(0, before)) store.apply(update);
  let shown = store.getSnapshot();
  const start = idle(shown);
  store.observe(eventObserver((event) => events.push(event)));
  for (const update of updates.slice(before)) {
    store.apply(update);
    seen.push(...eventsBetween(shown, store.getSnapshot()));
    shown = store.getSnapshot();
  }
  return { start, events, seen, end: idle(shown) };
}

function idle(conversation: Conversation): Conversation {
  return { ...conversation, activity: { state: 'idle', stopReason: null } };
}

export async function* each<T>(values: readonly T[]) {
  yield* values;
}

/** The events of a turn for AG-UI. */
export async function eventsOf(turn: Parameters<typeof toAgUiEvents>[0], options: AgUiRunOptions = {}) {
  const run: AGUIEvent[] = [];
  for await (const event of toAgUiEvents(turn, { runId: 'run', ...options })) run.push(event);
  return run;
}

/** What AG-UI's reader has after a turn that began with this conversation. */
async function readTurn(turn: Parameters<typeof toAgUiEvents>[0], start: Conversation): Promise<HttpAgent> {
  const messages = toAgUiMessages(start);
  const run = await eventsOf(turn, { threadId: 'thread', messages, conversation: start });
  const reader = readerOf(run, messages, toAgUiState(start));
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

/** What a page sees of a turn, and the events of the turn for a reader with the conversation before it, for one with its messages, and for a new one. */
export async function agUiEvents(updates: readonly AnyUpdate[], before: number) {
  const { start, events, seen } = fold(updates, before);
  const conversation: Conversation = { ...start, activity: { state: 'running', stopReason: null } };
  const messages = toAgUiMessages(conversation);
  const sent = await Promise.all(
    [{ messages, conversation }, { messages }, {}].map((options) => eventsOf(each(events), options)),
  );
  return [seen, ...sent];
}

const byId = (a: Message, b: Message): number => (a.id < b.id ? -1 : 1);

// The history that is added after an interruption is not part of a turn.
const update = anyUpdate.filter(({ sessionUpdate }) => sessionUpdate !== 'history_added');

/** The updates of a conversation, and how many of them are before the turn. */
export const agUiTurn = fc.tuple(fc.array(update, { maxLength: 30, size: 'max' }), fc.nat(10));

/** Checks the law for a generated turn: the events and the finished conversation give the same messages. */
export async function checkGeneratedAgUi([updates, before]: [AnyUpdate[], number]): Promise<void> {
  const { start, events, seen, end } = fold(updates, before);
  const isOrdered = !updates.some(isEmptyMessage);
  const inOrder = (messages: readonly Message[]) => {
    const said = messages.filter(hasContent);
    return isOrdered ? said : said.toSorted(byId);
  };
  for (const happened of [events, seen]) {
    const reader = await readTurn(each(happened), start);
    expect(inOrder(reader.messages)).toEqual(plain(inOrder(toAgUiMessages(end))));
    expect(reader.state).toEqual(plain(toAgUiState(end)));
  }
}

/** Checks the law for a turn of a session. Returns the number of messages. */
export async function checkAgUiTurn(session: Session, turn: PromptTurn): Promise<number> {
  const reading = readTurn(turn, session.conversation).catch((error: unknown) => error);
  let atEnd: Conversation | undefined;
  // What follows the end of a turn of version 2 in the recording is folded before a promise can tell of the end.
  const stop = session.onUpdate((update) => {
    if (update.sessionUpdate === 'state_update' && update.state === 'idle')
      atEnd = idle(session.conversation);
  });
  const read = () => atEnd ?? session.conversation;
  const conversation = await turn.then(read, read);
  stop();
  const reader = await reading;
  if (!(reader instanceof HttpAgent)) throw reader;
  const expected = toAgUiMessages(conversation);
  // The messages of the user are no events of a turn.
  const said = (messages: readonly Message[]) => messages.filter(({ role }) => role !== 'user');
  expect(said(reader.messages)).toEqual(plain(said(expected)));
  return said(reader.messages).length;
}
