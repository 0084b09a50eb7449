import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { connect } from '../../src/agents/connect.ts';
import type { ClientConnection } from '../../src/core/client/connection.ts';
import type { Session } from '../../src/core/client/session/session.ts';
import { textOf } from '../../src/core/conversation/select.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { noAnswer, type ScriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything, loadMethod } from '../support/agents.ts';
import { cwd, messages } from '../support/open-session.ts';
import { runs } from '../support/runs.ts';
import { type TransportName, transportNames } from '../support/transports/names.ts';
import { hasOneOrder, scriptedAgentOver } from '../support/transports/table.ts';
import { says, stateUpdate } from '../support/updates.ts';

/** The calls that are open at the same time, one for each session at most, and what the agent does then. */
interface Round {
  readonly calls: readonly ('load' | 'prompt' | 'custom' | 'none')[];
  /** Each number is a session: the agent sends an update of it, or the answer to its call. */
  readonly deeds: readonly { readonly session: number; readonly isAnswer: boolean }[];
}

const sessionCount = 3;
const deeds = fc.array(fc.record({ session: fc.nat(sessionCount - 1), isAnswer: fc.boolean() }), {
  maxLength: 20,
  size: 'max',
});
const round: fc.Arbitrary<Round> = fc.record({
  calls: fc.array(fc.constantFrom('load', 'prompt', 'custom', 'none'), {
    minLength: sessionCount,
    maxLength: sessionCount,
  }),
  deeds,
});

const customMethod = '_test/call';
const flushMethod = '_test/flush';
const textsOf = (session: Session) =>
  messages(session.conversation).flatMap((message) => (message.role === 'agent' ? [textOf(message)] : []));

/** A connection on which the agent sends its messages in any order that it likes. */
class Order {
  readonly #connection: ClientConnection;
  readonly #agent: ScriptedAgent;
  readonly #dialect: DialectName;
  readonly #isExact: boolean;
  readonly #sessions: Session[] = [];
  /** What the agent has said in each session since its last load. */
  readonly #said = new Map<string, string[]>();
  #count = 0;

  constructor(connection: ClientConnection, agent: ScriptedAgent, dialect: DialectName, isExact: boolean) {
    this.#connection = connection;
    this.#agent = agent;
    this.#dialect = dialect;
    this.#isExact = isExact;
    for (const method of ['session/new', 'session/prompt', loadMethod(dialect), customMethod]) {
      agent.on(method, () => noAnswer);
    }
  }

  /** Opens the sessions, while the agent already sends updates of them. */
  async open(deeds: Round['deeds']): Promise<void> {
    this.#sessions.length = 0;
    const ids = Array.from({ length: sessionCount }, () => `s${++this.#count}`);
    const before = this.#agent.calls('session/new').length;
    const opening = ids.map(() => this.#connection.newSession({ cwd }));
    await this.#agent.called('session/new', before + sessionCount);
    const requests = this.#agent.calls('session/new').slice(before);
    const checks = ids.map((sessionId, index) => ({
      sessionId,
      answer: () => this.#agent.answer(requests[index]?.id ?? -1, { sessionId }),
      settled: opening[index] as Promise<Session>,
      isExact: this.#isExact,
    }));
    await this.#play(checks, deeds);
    this.#sessions.push(...(await Promise.all(opening)));
  }

  async round({ calls, deeds }: Round): Promise<void> {
    const checks = await Promise.all(
      calls.map(async (call, index) => {
        const session = this.#sessions[index];
        if (!session || call === 'none') return undefined;
        return this.#calls[call](session);
      }),
    );
    await this.#play(checks, deeds);
  }

  readonly #calls: Readonly<Record<'load' | 'prompt' | 'custom', (session: Session) => Promise<Check>>> = {
    load: async (session) => {
      const { sessionId } = session;
      this.#said.set(sessionId, []);
      const settled = this.#connection.loadSession({ sessionId, cwd });
      const id = await this.#requestOf(loadMethod(this.#dialect), sessionId);
      return { sessionId, answer: () => this.#agent.answer(id, {}), settled, isExact: this.#isExact };
    },
    prompt: async (session) => {
      const { sessionId } = session;
      const settled = session.prompt('Go.').then(() => session);
      const id = await this.#requestOf('session/prompt', sessionId);
      if (this.#dialect === 'v1') {
        const answer = () => this.#agent.answer(id, { stopReason: 'end_turn' });
        return { sessionId, answer, settled, isExact: this.#isExact };
      }
      const answer = () => {
        this.#agent.answer(id, { messageId: `u${++this.#count}` });
        this.#agent.update(sessionId, stateUpdate('idle', { stopReason: 'end_turn' }));
      };
      // The turn ends with an update, after which reading goes on at once.
      return { sessionId, answer, settled, isExact: false };
    },
    custom: async (session) => {
      const { sessionId } = session;
      const settled = this.#connection.request(customMethod, { sessionId }).then(() => session);
      const id = await this.#requestOf(customMethod, sessionId);
      return { sessionId, answer: () => this.#agent.answer(id, {}), settled, isExact: this.#isExact };
    },
  };

  /** The id of the newest request of this session. */
  async #requestOf(method: string, sessionId: string): Promise<string | number> {
    for (let times = this.#agent.calls(method).length + 1; ; times++) {
      const { id, params } = await this.#agent.called(method, times);
      if (id !== undefined && params?.['sessionId'] === sessionId) return id;
    }
  }

  async #play(checks: readonly (Check | undefined)[], deeds: Round['deeds']): Promise<void> {
    const open = new Map(checks.flatMap((check, index) => (check ? [[index, check]] : [])));
    const outcomes: Promise<void>[] = [];
    const answer = (check: Check) => {
      const before = [...this.#saidIn(check.sessionId)];
      outcomes.push(check.settled.then((session) => this.#compare(session, before, check.isExact)));
      check.answer();
    };
    for (const { session, isAnswer } of deeds) {
      const check = open.get(session);
      if (isAnswer && check) {
        open.delete(session);
        answer(check);
      }
      const sessionId = checks[session]?.sessionId ?? this.#sessions[session]?.sessionId;
      if (!isAnswer && sessionId !== undefined) this.#say(sessionId);
    }
    for (const check of open.values()) answer(check);
    await Promise.all(outcomes);
    // What the agent sent after its answers has arrived before the next calls are made.
    const sessionIds = checks.map((check, index) => check?.sessionId ?? this.#sessions[index]?.sessionId);
    await Promise.all(
      sessionIds.map((sessionId) => this.#agent.request(flushMethod, { sessionId: sessionId ?? '' })),
    );
  }

  #say(sessionId: string): void {
    const said = `Text ${++this.#count}.`;
    this.#saidIn(sessionId).push(said);
    this.#agent.update(sessionId, says(said, `m${this.#count}`));
  }

  #saidIn(sessionId: string): string[] {
    const said = this.#said.get(sessionId) ?? [];
    this.#said.set(sessionId, said);
    return said;
  }

  #compare(session: Session, before: readonly string[], isExact: boolean): void {
    const shown = textsOf(session);
    const expected = isExact
      ? before
      : this.#saidIn(session.sessionId).slice(0, Math.max(shown.length, before.length));
    expect(shown).toEqual(expected);
  }
}

/** A call that the agent has received and not answered. */
interface Check {
  readonly sessionId: string;
  answer(): void;
  readonly settled: Promise<Session>;
  /** Whether nothing must be shown that was sent after the answer. */
  readonly isExact: boolean;
}

/** Every order over memory, which takes the least time. The others show that each transport keeps the order. */
const runsOver = { memory: 50, stdio: 4, websocket: 4, 'streamable-http': 8 } satisfies Record<
  TransportName,
  number
>;

describe.each(transportNames)('over %s', (name) => {
  test.each(dialectNames)(
    '[reliability: remote-order] when a call resolves, what the agent sent before its answer is folded, in its order (%s)',
    async (dialect) => {
      const agent = (await scriptedAgentOver(name)).on('initialize', everything[dialect]);
      const connection = await connect(agent.transport, {
        clientInfo: { name: 'test', version: '0' },
        onDiagnostic: () => {},
        handlers: { extensions: { [flushMethod]: () => null } },
      });
      const order = new Order(connection, agent, dialect, hasOneOrder[name]);
      const property = fc.asyncProperty(
        deeds,
        fc.array(round, { minLength: 1, maxLength: 4 }),
        async (first, rounds) => {
          await order.open(first);
          for (const each of rounds) await order.round(each);
        },
      );
      try {
        await fc.assert(property, { numRuns: runs(runsOver[name]) });
      } finally {
        await connection.close();
      }
    },
  );
});
