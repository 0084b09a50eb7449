import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { PermissionOutcome } from '../../src/client/requests/handlers.ts';
import type { Session } from '../../src/client/session/session.ts';
import type { DialectName } from '../../src/protocol/dialect.ts';
import { RequestError } from '../../src/rpc/request-error.ts';
import { dialectNames, everything, settle } from '../support/agents.ts';
import {
  asks,
  closeAll,
  cwd,
  endTurn,
  expectSame,
  type Live,
  live,
  loadMethod,
  params,
  reopened,
  says,
  toolCall,
  works,
} from '../support/recorded-session.ts';

afterEach(closeAll);

const steps = [
  'a prompt',
  'a prompt that is refused',
  'text',
  'a tool call',
  'the end of a tool call',
  'the usage',
  'the end of a turn',
  'a request',
  'an answer of the user',
  'a cancel',
  'a load',
  'a load that fails',
  'a crash',
] as const;
type Step = (typeof steps)[number];

/** A session in which any step is possible at any time. */
class RecordedSession {
  readonly run: Live;
  readonly session: Session;
  readonly #dialect: DialectName;
  readonly #answers: ((outcome: PermissionOutcome) => void)[];
  readonly #ended = new Set<unknown>();
  readonly #load: { fails: boolean };
  #texts = 0;

  private constructor(run: Live, session: Session, dialect: DialectName, user: User) {
    this.run = run;
    this.session = session;
    this.#dialect = dialect;
    this.#answers = user.answers;
    this.#load = user.load;
  }

  static async open(dialect: DialectName): Promise<RecordedSession> {
    const user: User = { answers: [], load: { fails: false } };
    const run = await live(
      everything[dialect],
      (agent) =>
        agent
          .on('session/prompt', (prompt, by) => {
            if (JSON.stringify(prompt).includes('No.')) throw new RequestError(-32603, 'Not now.');
            return works(dialect)(prompt, by);
          })
          .on('session/resume', {})
          .on(loadMethod(dialect), () => {
            agent.update('s1', says('Before.'), toolCall(dialect, { toolCallId: 'old' }));
            if (user.load.fails) throw new RequestError(-32603, 'The history cannot be read.');
            return {};
          }),
      {
        reconnect: { firstDelayMs: 1 },
        handlers: {
          requestPermission: () => new Promise((resolve) => user.answers.push(resolve)),
        },
      },
    );
    return new RecordedSession(run, await run.connection.newSession({ cwd }), dialect, user);
  }

  async take(step: Step): Promise<void> {
    await this.#steps[step]();
    await settle();
  }

  get #agent() {
    const agent = this.run.agents.at(-1);
    if (!agent) throw new Error('An agent runs from the start.');
    return agent;
  }

  readonly #steps: Readonly<Record<Step, () => unknown>> = {
    'a prompt': () => void this.session.prompt('Go.').catch(() => {}),
    'a prompt that is refused': () => void this.session.prompt('No.').catch(() => {}),
    text: () => this.#agent.update('s1', says(`Text ${++this.#texts}.`)),
    'a tool call': () => this.#agent.update('s1', toolCall(this.#dialect)),
    'the end of a tool call': () =>
      this.#agent.update('s1', {
        sessionUpdate: 'tool_call_update',
        toolCallId: 't1',
        status: 'completed',
      }),
    'the usage': () =>
      this.#agent.update('s1', { sessionUpdate: 'usage_update', used: ++this.#texts, size: 1000 }),
    'the end of a turn': () => {
      const call = this.#agent.calls('session/prompt').find((prompt) => !this.#ended.has(prompt));
      this.#ended.add(call);
      if (call?.id != null) endTurn(this.#dialect, this.#agent, call.id);
    },
    'a request': () => void asks(this.#dialect, this.#agent).catch(() => {}),
    'an answer of the user': () => this.#answers.shift()?.({ outcome: 'selected', optionId: 'yes' }),
    'a cancel': () => this.session.cancel().catch(() => {}),
    'a load': () => this.#reload(false),
    'a load that fails': () => this.#reload(true),
    'a crash': async () => {
      const back = reopened(this.run.connection);
      this.#agent.channel.exit({ exitCode: 3 });
      await back;
    },
  };

  async #reload(fails: boolean): Promise<void> {
    this.#load.fails = fails;
    await this.run.connection.loadSession(params).catch(() => {});
    this.#load.fails = false;
  }
}

interface User {
  readonly answers: ((outcome: PermissionOutcome) => void)[];
  readonly load: { fails: boolean };
}

test.each(dialectNames)(
  'a recording folds to the conversation of the live session, after any steps (%s)',
  async (dialect) => {
    const seen = new Set<Step>();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...steps), { maxLength: 16, size: 'max' }), async (taken) => {
        const recorded = await RecordedSession.open(dialect);
        for (const step of taken) {
          await recorded.take(step);
          seen.add(step);
        }
        await expectSame(recorded.run, recorded.session);
        await closeAll();
      }),
      { numRuns: 60 },
    );
    expect([...seen].sort()).toEqual([...steps].sort());
  },
);
