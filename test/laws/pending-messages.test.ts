import { describe, expect, test } from 'vitest';
import type { ClientConnection } from '../../src/core/client/connection.ts';
import type { Session } from '../../src/core/client/session/session.ts';
import { textOf } from '../../src/core/conversation/select.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { noAnswer, type ScriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything, refuses } from '../support/agents.ts';
import { eventually } from '../support/eventually.ts';
import { cwd, messages } from '../support/open-session.ts';
import { connectRestarting } from '../support/restarting-agent.ts';
import { repeats, stateUpdate } from '../support/updates.ts';

/** A turn runs, and messages of each kind wait. */
interface Busy {
  readonly dialect: DialectName;
  readonly connection: ClientConnection;
  readonly session: Session;
  /** Each start of the agent. */
  readonly agents: readonly ScriptedAgent[];
  readonly stop: AbortController;
}

const params = { sessionId: 's1', cwd };

const refuse = refuses(-32603, 'No.');

const endTurn = ({ dialect, agents: [agent] }: Busy, stopReason: string) => {
  if (dialect !== 'v1') agent?.update('s1', stateUpdate('idle', { stopReason }));
  else agent?.answer(agent.calls('session/prompt')[0]?.id ?? '', { stopReason });
};

/** What can end while messages wait. Each ends the wait. */
const ends: Readonly<Record<string, (busy: Busy) => unknown>> = {
  'the turn': (busy) => endTurn(busy, 'end_turn'),
  'the turn, cancelled': async (busy) => {
    await busy.session.cancel();
    endTurn(busy, 'cancelled');
  },
  'the turn, with an error': (busy) => {
    const { dialect, agents } = busy;
    const error = { code: -32603, message: 'The model failed.' };
    const [prompt] = agents[0]?.calls('session/prompt') ?? [];
    if (dialect === 'v1') agents[0]?.channel.send({ jsonrpc: '2.0', id: prompt?.id ?? '', error });
    else agents[0]?.update('s1', stateUpdate('idle', { stopReason: 'error', error }));
  },
  'the wait for the turn': (busy) => {
    busy.stop.abort();
    endTurn(busy, 'cancelled');
  },
  'the session, closed': ({ session }) => session.close(),
  'the session, deleted': ({ connection }) => connection.deleteSession('s1'),
  'the connection': ({ connection }) => connection.close(),
  'the agent, which is started again': ({ agents }) => agents[0]?.channel.exit(),
  'the agent, which does not open the session again': ({ agents }) => {
    refusing = true;
    agents[0]?.channel.exit();
  },
  'the agent, which does not start again': ({ agents }) => {
    starting = false;
    agents[0]?.channel.exit();
  },
  'a load that the agent answers': async (busy) => {
    await busy.connection.loadSession(params, { duringTurn: 'load' });
    endTurn(busy, 'end_turn');
  },
  'a load that the agent refuses': async (busy) => {
    refusing = true;
    await expect(busy.connection.loadSession(params, { duringTurn: 'load' })).rejects.toThrow('No.');
    endTurn(busy, 'end_turn');
  },
};

/** How the next starts of the agent behave. */
let refusing = false;
let starting = true;

describe.each(dialectNames)('a message of the user that waits, in %s,', (dialect) => {
  test.each(Object.keys(ends))(
    'ends in the transcript, in a rejection or with the user: %s ends',
    async (name) => {
      refusing = false;
      starting = true;
      const busy = await begin(dialect);
      const { session, stop, agents } = busy;
      const prompt = session.prompt('The prompt.', { signal: stop.signal });
      const first = agents[0];
      if (!first) throw new Error('No agent was started.');
      await first.called('session/prompt');
      await eventually(() => session.conversation.activity.state).toBe('running');
      const given: Readonly<Record<string, Promise<{ readonly stopReason?: unknown }>>> = {
        'The prompt.': prompt,
        'The queued one.': session.queue('The queued one.'),
        'The next one.': session.queue('The next one.'),
      };
      // The agent takes the first one, and never answers the second one.
      const taken = session.steer('The taken one.');
      const steered = { 'The taken one.': taken, 'The open one.': session.steer('The open one.') };
      const settled = [...Object.values(given), ...Object.values(steered)].map((call) =>
        call.then(
          () => {},
          () => {},
        ),
      );
      await taken;
      await ends[name]?.(busy);
      const isOver = () => session.isClosed || session.conversation.activity.state === 'idle';
      await eventually(isOver).toBe(true);
      // Without an end of the session, the agent still can answer.
      if (!session.isClosed)
        for (const { id } of steerCalls(first).slice(1))
          first.answer(id ?? '', { outcome: 'promptRequired' });
      await Promise.all(settled);
      for (const [text, call] of Object.entries(given)) {
        const outcome = await call.then(
          ({ stopReason }) => stopReason,
          () => 'rejected',
        );
        // Without an error, the user has ended the session or its connection, and so what waited.
        const end = session.isClosed ? await session.closed : undefined;
        const isEndedByUser = outcome === 'cancelled' && end !== undefined && end.error === undefined;
        expect([text, outcome === 'rejected' || isEndedByUser || shows(session, text)]).toEqual([text, true]);
      }
      for (const [text, call] of Object.entries(steered)) {
        const isRejected = await call.then(
          () => false,
          () => true,
        );
        expect([text, isRejected || shows(session, text)]).toEqual([text, true]);
      }
      // Only what the agent has taken under an id can wait on, at the agent.
      const waiting = session.isClosed ? [] : (session.conversation.pendingMessages ?? []);
      expect(waiting.map(({ state, messageId }) => [state, messageId])).toEqual(
        waiting.map(() => ['accepted', 'u9']),
      );
    },
  );
});

/** Whether the user sees a message: in the transcript, or as one that the agent has. */
function shows({ conversation, isClosed }: Session, text: string): boolean {
  const { entries, pendingMessages = [] } = conversation;
  const waiting = isClosed ? [] : pendingMessages;
  return JSON.stringify([messages({ entries }).map(textOf), waiting]).includes(text);
}

function steerCalls(agent: ScriptedAgent) {
  return [...agent.calls('session/inject'), ...agent.calls('_session/steering')];
}

/** Opens a session whose agent works on its first prompt, and answers each later one at once. */
async function begin(dialect: DialectName): Promise<Busy> {
  const script = (agent: ScriptedAgent) => {
    if (!starting) throw new Error('The agent is not there.');
    const open = () => {
      if (refusing) refuse();
      // The history has what the agent has taken.
      agent.update('s1', repeats('The prompt.', 'u1'), repeats('The taken one.', 'u9'));
      return {};
    };
    const steer = () =>
      steerCalls(agent).length === 1 ? { outcome: 'injected', messageId: 'u9' } : noAnswer;
    agent
      .on('initialize', everything[dialect])
      .on('session/load', open)
      .on('session/resume', open)
      .on('session/close', {})
      .on('session/delete', {})
      .on('session/inject', steer)
      .on('_session/steering', steer)
      .on('session/prompt', ({ prompt }) => answerPrompt(dialect, agent, prompt));
  };
  const reconnect = { firstDelayMs: 1, maxDelayMs: 5, maxAttempts: 2 };
  const { connection, agents } = await connectRestarting(script, { reconnect });
  const session = await connection.newSession({ cwd });
  return { dialect, connection, session, agents, stop: new AbortController() };
}

function answerPrompt(dialect: DialectName, agent: ScriptedAgent, prompt: unknown): object | typeof noAnswer {
  const isFirst = JSON.stringify(prompt).includes('The prompt.');
  if (dialect === 'v1') return isFirst ? noAnswer : { stopReason: 'end_turn' };
  const messageId = isFirst ? 'u1' : `u${agent.calls('session/prompt').length + 20}`;
  agent.update('s1', { sessionUpdate: 'user_message', messageId, content: prompt });
  agent.update('s1', stateUpdate('running'));
  if (!isFirst) agent.update('s1', stateUpdate('idle', { stopReason: 'end_turn' }));
  return { messageId };
}
