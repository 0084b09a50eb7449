import { expect, test } from 'vitest';
import { EventStream } from '../../../src/client/session/stream.ts';
import { maxKeptChanges, maxKeptCharacters, TurnEvents } from '../../../src/client/session/turn-events.ts';
import { emptyConversation } from '../../../src/conversation/fold.ts';
import { text } from '../../support/agents.ts';

const sessionUpdate = 'agent_message_chunk';
const chunk = (said: string) => ({
  update: { sessionUpdate, content: text(said), messageId: null } as const,
  origin: 'live' as const,
});
/** The characters of a chunk without those of its text: its other texts, and 8 for each member that is no text. */
const withoutText = sessionUpdate.length + 8 + 'text'.length + 8;

test.each([
  ['changes', Array.from({ length: maxKeptChanges }, () => chunk('x'))],
  ['characters', [chunk('x'.repeat(maxKeptCharacters - withoutText))]],
])('a turn keeps as many %s as its limit, and not one more', async (_, changes) => {
  const turn = new TurnEvents(emptyConversation('s1'));
  for (const change of changes) turn.keep(change);
  expect((await firstEvent(turn)).value).toMatchObject({ type: 'text' });
  turn.keep(chunk(''));
  await expect(firstEvent(turn)).rejects.toThrow('began too late');
});

/** The first event of a loop that begins now. */
function firstEvent(turn: TurnEvents) {
  const stream = new EventStream(() => {});
  turn.follow(stream);
  return stream.next();
}
