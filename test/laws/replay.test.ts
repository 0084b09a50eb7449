import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isFailedLoad } from '../../src/core/client/session/failed-load.ts';
import { textOf } from '../../src/core/conversation/select.ts';
import { settingsOf } from '../../src/core/conversation/settings.ts';
import type { Conversation } from '../../src/core/model/conversation.ts';
import { renderText } from '../../src/core/render/text.ts';
import { RequestError } from '../../src/core/rpc/request-error.ts';
import { dialects, versions } from '../oracle/ours.ts';
import { connectTo, everything } from '../support/agents.ts';
import { emptyConversation, foldUpdates } from '../support/fold-any.ts';
import { officialDefs } from '../support/official-schema.ts';
import { cwd, messages } from '../support/open-session.ts';
import { runs } from '../support/runs.ts';
import { instanceOf, mutationsOf } from '../support/schema-arbitrary.ts';
import { says } from '../support/updates.ts';
import { conversationIssues } from './saved-conversations.ts';

const complete = { sessionUpdate: 'replay_complete' };
const whole = (id: string, text: string) => ({
  sessionUpdate: 'agent_message',
  messageId: id,
  content: [{ type: 'text', text }],
});

/** What the agent sends between the request and its answer. The other session is a subagent of the first one. */
const sent = fc.array(
  fc.record({
    to: fc.constantFrom('s1', 'child'),
    what: fc.constantFrom('message', 'message', 'message', 'marker'),
  }),
  { maxLength: 8 },
);

const cases = fc.record({
  sent,
  call: fc.constantFrom('loadSession', 'resumeSession'),
  isOpen: fc.boolean(),
  /** The agent had sent a part of a known message before it had the request. */
  isOvertaken: fc.boolean(),
  answer: fc.constantFrom('opened', 'refused', 'ended'),
});

type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

/** The messages of one session that are history, and those that are not: its first marker is between them. */
function divided({ sent: all, call }: Case, to: string) {
  const own = all.map((item, at) => ({ ...item, text: `m${at}` })).filter((item) => item.to === to);
  const marker = call === 'loadSession' ? own.findIndex(({ what }) => what === 'marker') : -1;
  const said = own.map(({ what, text }) => (what === 'message' ? [text] : []));
  const end = marker < 0 ? own.length : marker;
  return { isMarked: marker >= 0, history: said.slice(0, end).flat(), live: said.slice(end).flat() };
}

const shown = (conversation: Conversation) =>
  messages(conversation).map((message) => `${message.origin} ${textOf(message)}`);

const texts = (conversation: Conversation) => messages(conversation).map(textOf);

async function play(given: Case) {
  let isOpening = given.isOpen;
  const { connection, diagnostics } = await connectTo(everything['v2-baseline'], {
    script: (by) =>
      by.on('session/resume', () => {
        const known = [whole('k0', 'First.'), whole('k1', 'The tail')];
        if (isOpening) {
          isOpening = false;
          by.update('s1', ...known, complete);
          return {};
        }
        if (given.isOpen && given.isOvertaken) by.update('s1', says(' of it', 'k1'));
        by.update('s1', { sessionUpdate: 'subagent_update', sessionId: 'child', title: 'Child' });
        for (const [at, { to, what }] of given.sent.entries())
          by.update(to, what === 'marker' ? complete : whole(`m${at}`, `m${at}`));
        if (given.answer === 'opened') return {};
        if (given.answer === 'refused') throw new RequestError(-32603, 'No.');
        by.channel.end();
        return new Promise(() => {});
      }),
  });
  const params = { sessionId: 's1', cwd };
  const before = given.isOpen ? await connection.loadSession(params) : undefined;
  const opened = await connection[given.call](params).then(
    (session) => ({ session, error: undefined }),
    (error: unknown) => ({ session: before, error }),
  );
  const children = opened.session?.subagents.map(({ conversation }) => shown(conversation));
  const conversation = opened.session?.conversation;
  await connection.close();
  return { ...opened, conversation, children, diagnostics };
}

test('a replay is complete with its marker or a successful answer, and its marker alone is its end', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (given) => {
      const { session, conversation, error, children, diagnostics } = await play(given);
      const { isMarked, history, live } = divided(given, 's1');
      const isLoad = given.call === 'loadSession';
      const replay = isMarked || given.answer === 'opened' ? 'complete' : 'truncated';
      expect(diagnostics).toEqual([]);
      if (isLoad && error !== undefined) {
        expect(error).toMatchObject({ replay });
        const kept =
          isFailedLoad(error) && error.replay === 'complete' ? texts(error.conversation) : undefined;
        expect(kept).toEqual(isMarked ? history : undefined);
      }
      if (!isLoad) expect(isFailedLoad(error)).toBe(false);
      if (!session || !conversation) return;
      const isReplayed = isLoad || given.isOpen;
      expect(session.replay).toBe(isReplayed ? (isLoad ? replay : 'complete') : null);
      if (!isLoad) return;
      const tail = given.isOvertaken ? 'The tail of it' : 'The tail';
      expect(shown(conversation)).toEqual(
        error === undefined
          ? [...history.map((text) => `replay ${text}`), ...live.map((text) => `live ${text}`)]
          : ['replay First.', `replay ${tail}`, ...live.map((text) => `live ${text}`)],
      );
      const child = divided(given, 'child');
      if (error !== undefined) return;
      expect(children).toEqual([
        [...child.history.map((text) => `replay ${text}`), ...child.live.map((text) => `live ${text}`)],
      ]);
    }),
    { numRuns: runs(400) },
  );
});

/** The fold checks no fields, so the dialect must. Seen in each run, so that the law is not shown on rejected updates only. */
const leastTaken = 60;

describe.each(versions)('an update of version %i that a dialect takes', (version) => {
  const updates = fc.array(mutationsOf(instanceOf(officialDefs(version), 'SessionUpdate')), { maxLength: 8 });

  test.each(dialects[version])('gives a valid conversation ($name)', (dialect) => {
    let taken = 0;
    fc.assert(
      fc.property(updates, (history) => {
        const updates = history.flatMap((raw) => {
          const { update, more = [] } = { more: [], ...dialect.normalize(raw) };
          return update ? [update, ...more] : [];
        });
        taken += updates.length;
        const conversation = foldUpdates(emptyConversation('s'), updates);
        expect(conversationIssues(conversation)).toEqual([]);
        settingsOf(conversation);
        renderText(conversation);
      }),
      { numRuns: runs(300) },
    );
    expect(taken).toBeGreaterThan(leastTaken);
  });
});
