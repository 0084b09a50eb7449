import { describe, expect, test } from 'vitest';
import {
  AuthRequiredError,
  CapabilityError,
  ConnectionStateError,
  NotFoundError,
} from '../../../src/core/base/errors.ts';
import { emptyConversation } from '../../../src/core/conversation/fold.ts';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import type { RememberedSession } from '../../../src/ui/panel/options.ts';
import {
  isAllowed,
  isGone,
  listSessions,
  openSessions,
  rememberedSession,
  sessionParameters,
  tellsFailure,
} from '../../../src/ui/panel/sessions.ts';
import { text } from '../../support/agents.ts';
import { cwd, hostOptions } from '../../support/panel-pair.ts';

/** A conversation with what these functions read of its entries. */
const conversationOf = (...entries: readonly object[]) =>
  // The entries have nothing else.
  ({ ...emptyConversation('s1'), entries }) as unknown as Conversation;

const message = (role: string, ...content: readonly object[]) => ({ kind: 'message', role, content });
const many = (count: number, entry: object) => Array.from({ length: count }, () => entry);
const said = message('agent', text('I said it.'));
const asked = message('user', text('  Do it. \nNow.'));

test.each([
  [9, 'Do it.'],
  [10, null],
])('the first prompt of an open session is its first line, behind %i entries: %j', (before, firstLine) => {
  const session = {
    sessionId: 's1',
    cwd,
    isClosed: false,
    conversation: conversationOf(...many(before, said), asked),
  };
  expect(openSessions({ sessions: [session] } as never)).toMatchObject([
    { sessionId: 's1', firstLine, isIdle: true },
  ]);
});

describe('an error of a turn', () => {
  const failure = { kind: 'turnFailure' };
  const accepted = Object.assign(new Error('It broke.'), { promptAccepted: true });

  test.each<readonly [what: string, isTold: boolean, entries: readonly object[], error: unknown]>([
    ['is in the last entry', true, [said, failure], accepted],
    ['is before three queued messages', true, [said, failure, ...many(3, asked)], accepted],
    ['is not in an older entry', false, [failure, ...many(4, asked)], accepted],
    ['is not in the transcript', false, [said, asked], accepted],
    ['is not told if the agent refused the prompt', false, [failure], new Error('No.')],
  ])('%s', (_, isTold, entries, error) => {
    expect(tellsFailure(conversationOf(...entries), error)).toBe(isTold);
  });
});

test.each([
  [new CapabilityError('It cannot load.', { missing: [] }), true],
  [new NotFoundError('It is gone.', { rpcCode: -32002 }), true],
  [new AuthRequiredError('Log in.', { rpcCode: -32000 }), false],
  [new ConnectionStateError('It is closed.'), false],
  [new Error('No folder is open.'), false],
])('an opening that fails with %s means that the session is gone: %j', (error, expected) => {
  expect(isGone(error)).toBe(expected);
});

/** A connection that can do what these functions ask of it, and nothing else. */
const connectionWith = (features: readonly string[], sessions: readonly object[] = []) =>
  ({
    supports: (feature: string) => features.includes(feature),
    async *listSessions() {
      yield* sessions;
    },
  }) as never;

describe('the parameters of a session', () => {
  const mcpServers = [{ name: 'files', command: 'files', args: [], env: [] }];
  const folders = ['/home/user/other'];
  const optionsOf = (workspace: object) => ({
    ...hostOptions({}).options,
    workspace: () => ({ cwd, ...workspace }),
  });

  test.each<readonly [features: readonly string[], workspace: object, expected: object]>([
    [
      ['session.additionalDirectories'],
      { additionalDirectories: folders },
      { additionalDirectories: folders },
    ],
    [['session.additionalDirectories'], { additionalDirectories: [] }, {}],
    [['session.additionalDirectories'], {}, {}],
    [[], { additionalDirectories: folders }, {}],
    [[], { mcpServers }, { mcpServers }],
  ])('of an agent with %j in %j', (features, workspace, expected) => {
    const parameters = sessionParameters(connectionWith(features), optionsOf(workspace));
    expect(parameters).toStrictEqual({ cwd, ...expected });
  });

  /** What an editor keeps can be anything. */
  const memoryOf = (kept: unknown) => ({ get: () => kept as RememberedSession, set() {} });

  test('of the memory are of this workspace, unless all sessions are allowed', () => {
    const faults: unknown[] = [];
    const kept = (session: unknown) =>
      rememberedSession({ ...hostOptions({}).options, memory: memoryOf(session) }, (error) =>
        faults.push(error),
      );
    expect(kept({ sessionId: 's1', cwd, title: 'x' })).toStrictEqual({ sessionId: 's1', cwd });
    const damaged = [{ sessionId: 's1' }, { sessionId: 7, cwd }, 'x', undefined];
    for (const session of [...damaged, { sessionId: 's1', cwd: '/elsewhere' }])
      expect(kept(session)).toBeUndefined();
    expect(faults).toEqual([]);
    const { options } = hostOptions({});
    expect(isAllowed('/elsewhere', options)).toBe(false);
    expect(isAllowed('/elsewhere', { ...options, sessions: 'all' })).toBe(true);
  });
});

describe('the list of the sessions', () => {
  const { options } = hostOptions({});
  const elsewhere = many(20, { sessionId: 'foreign', cwd: '/elsewhere' });
  const own = { sessionId: 's1', cwd };
  const list = async (sessions: readonly object[], limit = 1) =>
    (await listSessions(connectionWith(['session.list'], sessions), options, limit)).sessions;

  test('has what a page needs of a session', async () => {
    const updatedAt = '2026-01-02T03:04:05Z';
    const listed = [
      { ...own, title: 'One', updatedAt, _meta: {} },
      { sessionId: 's2', cwd, title: null, updatedAt: null },
    ];
    expect(await list(listed, 3)).toStrictEqual([
      { ...own, title: 'One', updatedAt },
      { sessionId: 's2', cwd },
    ]);
  });

  test('is looked for among twenty sessions for each that can be shown', async () => {
    expect(await list([...elsewhere.slice(1), own])).toEqual([own]);
    expect(await list([...elsewhere, own])).toEqual([]);
  });
});
