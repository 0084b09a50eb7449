import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { ConnectionClosedError, HttpError } from '../../src/core/base/errors.ts';
import type { PermissionOutcome } from '../../src/core/client/requests/handlers.ts';
import type { Session } from '../../src/core/client/session/session.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { RequestError } from '../../src/core/rpc/request-error.ts';
import type { ChannelFault } from '../../src/core/transport/transport.ts';
import { noAnswer } from '../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything, loadMethod, settle } from '../support/agents.ts';
import {
  asks,
  closeAll,
  cwd,
  endTurn,
  expectSame,
  type Live,
  live,
  params,
  reopened,
  says,
  toolCall,
  works,
} from '../support/recorded-session.ts';
import { runs } from '../support/runs.ts';
import { repeats, toolCallUpdate } from '../support/updates.ts';

afterEach(closeAll);

const steps = [
  'a prompt',
  'a prompt that is refused',
  'a queued message',
  'a steered message',
  'a steered message that no turn takes',
  'a report of a steered message',
  'a revoked message',
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
  'a load that takes its time',
  'the end of a load',
  'a load that is given up',
  'a crash',
  'a lost session',
  'a prompt without an answer',
] as const;
type Step = (typeof steps)[number];

const lost = new ConnectionClosedError('The server ended the stream.');
const refused = new HttpError('The proxy waited too long.', { status: 504, body: 'Gateway timeout' });

/** A session in which any step is possible at any time. */
class RecordedSession {
  readonly run: Live;
  readonly session: Session;
  readonly #dialect: DialectName;
  readonly #ended = new Set<unknown>();
  readonly #user: User;
  readonly #aborts: AbortController[] = [];
  #texts = 0;

  private constructor(run: Live, session: Session, dialect: DialectName, user: User) {
    this.run = run;
    this.session = session;
    this.#dialect = dialect;
    this.#user = user;
  }

  static async open(dialect: DialectName): Promise<RecordedSession> {
    const user: User = { answers: [], load: 'works', steering: 'takes', steered: 0 };
    const takes = () => {
      user.steered++;
      return user.steering === 'takes';
    };
    const run = await live(
      everything[dialect],
      (agent) =>
        agent
          .on('session/prompt', (prompt, by) => {
            if (JSON.stringify(prompt).includes('No.')) throw new RequestError(-32603, 'Not now.');
            return works(dialect)(prompt, by);
          })
          .on('_session/steering', () => ({ outcome: takes() ? 'injected' : 'promptRequired' }))
          .on('session/inject', () => {
            if (!takes()) throw new RequestError(-32010, 'No.', { reason: 'no_running_turn' });
            return { messageId: `steered${user.steered}` };
          })
          .on('session/revoke_inject', {})
          .on('session/resume', {})
          .on(loadMethod(dialect), () => {
            agent.update('s1', says('Before.'), toolCall(dialect, { toolCallId: 'old' }));
            const { load } = user;
            user.load = 'works';
            if (load === 'fails') throw new RequestError(-32603, 'The history cannot be read.');
            return load === 'waits' ? noAnswer : {};
          }),
      {
        reconnect: { firstDelayMs: 1 },
        // The agent also answers calls that have failed.
        onDiagnostic: () => {},
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

  /** What was never sent is not on the wire. */
  async emptyQueue(): Promise<void> {
    for (const { id, kind } of this.session.conversation.pendingMessages ?? []) {
      if (kind === 'queue') await this.session.revoke(id);
    }
  }

  get #agent() {
    const agent = this.run.agents.at(-1);
    if (!agent) throw new Error('An agent runs from the start.');
    return agent;
  }

  readonly #steps: Readonly<Record<Step, () => unknown>> = {
    'a prompt': () => void this.session.prompt('Go.').catch(() => {}),
    'a prompt that is refused': () => void this.session.prompt('No.').catch(() => {}),
    'a queued message': () => void this.session.queue('Next.').catch(() => {}),
    'a steered message': () => this.#steer('takes'),
    'a steered message that no turn takes': () => this.#steer('refuses'),
    'a report of a steered message': () =>
      this.#agent.update('s1', repeats('Also this.', `steered${this.#user.steered}`)),
    'a revoked message': async () => {
      const [first] = this.session.conversation.pendingMessages ?? [];
      if (first) await this.session.revoke(first.id).catch(() => {});
    },
    text: () => this.#agent.update('s1', says(`Text ${++this.#texts}.`)),
    'a tool call': () => this.#agent.update('s1', toolCall(this.#dialect)),
    'the end of a tool call': () => this.#agent.update('s1', toolCallUpdate({ status: 'completed' })),
    'the usage': () =>
      this.#agent.update('s1', { sessionUpdate: 'usage_update', used: ++this.#texts, size: 1000 }),
    'the end of a turn': () => {
      const id = this.#nextOpen('session/prompt');
      if (id !== undefined) endTurn(this.#dialect, this.#agent, id);
    },
    'a request': () => void asks(this.#dialect, this.#agent).catch(() => {}),
    'an answer of the user': () => this.#user.answers.shift()?.({ outcome: 'selected', optionId: 'yes' }),
    // Of an idle session, nothing is sent.
    'a cancel': () => {
      if (this.session.conversation.activity.state !== 'idle') void this.session.cancel().catch(() => {});
    },
    'a load': () => void this.#reload('works'),
    'a load that fails': () => void this.#reload('fails'),
    'a load that takes its time': () => void this.#reload('waits'),
    'the end of a load': () => this.#answerNext(loadMethod(this.#dialect), {}),
    'a load that is given up': () => this.#aborts.shift()?.abort(),
    'a crash': async () => {
      // The agent that starts again answers the calls that open its sessions.
      this.#user.load = 'works';
      const back = reopened(this.run.connection);
      this.#agent.channel.exit({ exitCode: 3 });
      await back;
    },
    'a lost session': () => {
      this.#user.load = 'works';
      // A call that was answered does not fail any more.
      const fail = (method: string) => {
        for (const { id } of this.#agent.calls(method)) {
          if (id !== undefined) this.#fail({ type: 'callFailed', id, error: lost });
        }
      };
      fail(loadMethod(this.#dialect));
      this.#fail({ type: 'sessionLost', sessionId: 's1', error: lost, canReturn: true });
      fail('session/prompt');
    },
    'a prompt without an answer': () => {
      const id = this.#nextOpen('session/prompt');
      if (id !== undefined) this.#fail({ type: 'callFailed', id, error: refused });
    },
  };

  #fail(fault: ChannelFault): void {
    this.run.channels.at(-1)?.fail(fault);
  }

  #steer(steering: User['steering']): void {
    this.#user.steering = steering;
    void this.session.steer('Also this.').catch(() => {});
  }

  async #reload(load: User['load']): Promise<void> {
    this.#user.load = load;
    const control = new AbortController();
    if (load === 'waits') this.#aborts.push(control);
    await this.run.connection.loadSession(params, { signal: control.signal }).catch(() => {});
  }

  /** The id of the first call of a method that the agent has not answered. */
  #nextOpen(method: string): string | number | undefined {
    const call = this.#agent.calls(method).find((received) => !this.#ended.has(received));
    this.#ended.add(call);
    return call?.id ?? undefined;
  }

  #answerNext(method: string, result: object): void {
    const id = this.#nextOpen(method);
    if (id !== undefined) this.#agent.answer(id, result);
  }
}

interface User {
  readonly answers: ((outcome: PermissionOutcome) => void)[];
  load: 'works' | 'fails' | 'waits';
  steering: 'takes' | 'refuses';
  /** The number of messages that were steered. */
  steered: number;
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
        await recorded.emptyQueue();
        await expectSame(recorded.run, recorded.session);
        await closeAll();
      }),
      { numRuns: runs(60) },
    );
    expect([...seen].sort()).toEqual([...steps].sort());
  },
);
