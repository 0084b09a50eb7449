import fc from 'fast-check';
import { expect, onTestFinished, vi } from 'vitest';
import {
  noAnswer,
  type ReceivedMessage,
  type ScriptedAgent,
} from '../../../src/records/testing/scripted-agent.ts';
import { connectPanel, type Panel } from '../../../src/ui/panel/connect.ts';
import type { RememberedSession } from '../../../src/ui/panel/options.ts';
import { type ServedPanel, servePanel } from '../../../src/ui/panel/serve.ts';
import type { PanelState } from '../../../src/ui/panel/state.ts';
import { text } from '../agents.ts';
import { askPermission, cwd, hostOptions } from '../panel-pair.ts';
import { BadChannel } from './channel.ts';
import { anySteps, type Step } from './steps.ts';

/** A question of an agent. */
interface Asked {
  readonly agent: ScriptedAgent;
  readonly id: number;
}

/** An action of a page. */
interface Action {
  readonly name: string;
  /** The text of a prompt, which no other has. */
  readonly text: string | undefined;
  outcome: 'open' | 'done' | { readonly code: string };
}

/** What a play left. */
interface Played {
  readonly page: PanelState;
  readonly host: PanelState;
  readonly actions: readonly Action[];
  /** How often the agents got each text. */
  readonly prompted: ReadonlyMap<string, number>;
  /** How many answers each question got. The agent that asked can have ended. */
  readonly answers: readonly { readonly count: number; readonly isLast: boolean }[];
  /** How many messages the two ends sent in a minute in which nothing happened. */
  readonly idleMessages: number;
}

/** A host, a page, the agents and the channel between the two, in simulated time. */
class Play {
  readonly channel = new BadChannel();
  readonly agents: ScriptedAgent[] = [];
  readonly actions: Action[] = [];
  readonly asked: Asked[] = [];
  readonly #open: { readonly agent: ScriptedAgent; readonly id: string | number }[] = [];
  readonly #closing: Promise<void>[] = [];
  #remembered: RememberedSession | undefined;
  #count = 0;
  #hostEnd = this.channel.hostEnd();
  host: ServedPanel = this.#serve();
  page: Panel = connectPanel(this.channel.pageEnd());

  #serve(): ServedPanel {
    const { options: host } = hostOptions({
      script: (agent) => this.#script(agent),
      options: {
        memory: {
          get: () => this.#remembered,
          set: (session) => {
            this.#remembered = session;
          },
        },
      },
    });
    return servePanel(host, this.#hostEnd.channel);
  }

  #script(agent: ScriptedAgent): void {
    this.agents.push(agent);
    agent
      .on('session/new', () => ({ sessionId: `s${++this.#count}` }))
      .on('session/list', { sessions: [{ sessionId: 'listed', cwd }] })
      .on('session/prompt', (_, __, id) => {
        this.#open.push({ agent, id });
        return noAnswer;
      })
      .on('session/load', ({ sessionId }) => {
        agent.update(String(sessionId), {
          sessionUpdate: 'agent_message_chunk',
          messageId: 'old',
          content: text('Old.'),
        });
        return {};
      })
      .on('session/resume', {})
      .on('session/delete', {})
      .on('session/close', {});
  }

  async take(step: Step): Promise<void> {
    const { page } = this;
    const state = page.getSnapshot();
    const agent = this.agents.at(-1);
    const sessionId = this.host.state.sessionId ?? 'none';
    const at = 'which' in step ? step.which : 0;
    const sessions = state.sessions.map((each) => each.sessionId);
    const chosen = sessions[at % Math.max(1, sessions.length)] ?? 'none';
    const words = `text ${++this.#count}`;
    const steps: { readonly [K in Step['do']]: () => unknown } = {
      fates: () => 'fates' in step && this.channel.setFates(step.direction, step.fates),
      'deliver late': () => this.channel.deliverLate(),
      pass: () => 'ms' in step && this.pass(step.ms),
      'new session': () => this.#act('newSession', page.newSession()),
      refresh: () => this.#act('refresh', page.refreshSessions()),
      cancel: () => this.#act('cancel', page.cancel()),
      restart: () => this.#act('restart', page.restart()),
      dismiss: () => this.#act('dismiss', page.dismissProblem()),
      open: () => this.#act('open', page.openSession(chosen)),
      close: () => this.#act('close', page.closeSession(chosen)),
      delete: () => this.#act('delete', page.deleteSession(chosen)),
      prompt: () => this.#act('prompt', page.prompt(words), words),
      queue: () => this.#act('queue', page.queue(words), words),
      draft: () => page.setDraft(words),
      revoke: () => {
        const { pendingMessages = [] } = state.conversation ?? {};
        return this.#act('revoke', page.revoke(pendingMessages[at]?.id ?? 'none'));
      },
      answer: () => {
        const id = state.questions[at]?.id ?? state.questions[0]?.id ?? 'none';
        return this.#act('answer', page.answer(id, { optionId: 'yes' }));
      },
      say: () => agent?.update(sessionId, chunk(words)),
      ask: () => agent && this.#ask(agent, sessionId, words),
      crash: () => agent?.channel.exit({ exitCode: 1 }),
      'end turn': () => {
        const [turn] = this.#open.splice(at, 1);
        turn?.agent.answer(turn.id, { stopReason: 'end_turn' });
      },
      withdraw: () => {
        const question = this.asked[at];
        question?.agent.notify('$/cancel_request', { requestId: question.id });
      },
      'reload page': () => {
        page.close();
        this.page = connectPanel(this.channel.pageEnd());
      },
      'reload host': () => this.#startHost(),
      'kill host': () => {
        this.#hostEnd.cut();
        this.#startHost();
      },
    };
    await steps[step.do]();
    await settle();
  }

  #startHost(): void {
    // The end of an agent can take time, which passes in the next steps.
    this.#closing.push(this.host.close());
    this.#hostEnd = this.channel.hostEnd();
    this.host = this.#serve();
  }

  #act(name: string, promise: Promise<unknown>, words?: string): void {
    const action: Action = { name, text: words, outcome: 'open' };
    this.actions.push(action);
    const settled = (outcome: Action['outcome']) => {
      if (action.outcome !== 'open') throw new Error('A promise settled twice.');
      action.outcome = outcome;
    };
    promise.then(
      () => settled('done'),
      (error: unknown) => settled({ code: String(Reflect.get(Object(error), 'code')) }),
    );
  }

  #ask(agent: ScriptedAgent, sessionId: string, title: string): void {
    const request = askPermission(agent, title, sessionId);
    this.asked.push({ agent, id: request.id });
    request.catch(() => {});
  }

  /** Lets time pass, in steps: what a timer sends arrives before the next step. */
  async pass(ms: number): Promise<void> {
    const stepMs = Math.max(50, ms / 15);
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      await vi.advanceTimersByTimeAsync(stepMs);
      await settle();
    }
  }

  /** The agents end their turns and withdraw their questions. */
  endTurns(): void {
    for (const { agent, id } of this.#open.splice(0)) agent.answer(id, { stopReason: 'end_turn' });
    for (const { agent, id } of this.asked) agent.notify('$/cancel_request', { requestId: id });
  }

  received(isMeant: (message: ReceivedMessage) => boolean): readonly ReceivedMessage[] {
    return this.agents.flatMap(({ received }) => received.filter(isMeant));
  }

  async end(): Promise<void> {
    this.page.close();
    this.#closing.push(this.host.close());
    await this.pass(20_000);
    await Promise.all(this.#closing);
  }
}

function chunk(words: string) {
  return { sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: text(words) };
}

/** Lets what is on its way arrive: messages of the agents and of the channel. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await new Promise(setImmediate);
}

/** The longest time until the two ends are equal, in milliseconds: the longest pause of a question, and its answer. */
const recoveryMs = 11_000;

/** Plays a script. Then each message arrives, and the two ends have time to recover. */
async function play(steps: readonly Step[]): Promise<Played> {
  const made = new Play();
  try {
    await made.pass(100);
    for (const step of steps) await made.take(step);
    made.channel.repair();
    await made.pass(recoveryMs);
    const states = { page: made.page.getSnapshot(), host: made.host.state };
    // A message of the queue is sent when the turn before it has ended.
    for (let round = 0; round <= steps.length; round++) {
      made.endTurns();
      await made.pass(100);
    }
    await made.pass(recoveryMs);
    // A page that was loaded again is asked for about a minute.
    await made.pass(60_000);
    const { posted } = made.channel;
    await made.pass(60_000);
    const prompted = new Map<string, number>();
    for (const { params } of made.received(({ method }) => method === 'session/prompt')) {
      const words = JSON.stringify(params?.['prompt']);
      prompted.set(words, (prompted.get(words) ?? 0) + 1);
    }
    return {
      ...states,
      actions: made.actions,
      prompted,
      answers: made.asked.map((question) => ({
        count: answersTo(question),
        isLast: question.agent === made.agents.at(-1),
      })),
      idleMessages: made.channel.posted - posted,
    };
  } finally {
    await made.end();
  }
}

function answersTo({ agent, id }: Asked): number {
  return agent.received.filter((message) => message.method === undefined && message.id === id).length;
}

/** Stops the clock until the test is over. */
export function stopPanelClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

/**
 * Whatever the channel does: nothing is done or answered twice, nothing stays open, and page and host are equal when the
 * channel has carried messages again for as long as the longest pause of a question.
 */
export const pageAndHostRecover = fc.asyncProperty(anySteps, async (steps) => {
  const { page, host, actions, prompted, answers, idleMessages } = await play(steps);
  expect(page).toEqual(host);
  expect(actions.filter(({ outcome }) => outcome === 'open')).toEqual([]);
  for (const [words, times] of prompted) expect([words, times]).toEqual([words, 1]);
  const sent = [...prompted.keys()].join();
  const lost = actions.filter(
    ({ name, text, outcome }) => name === 'prompt' && outcome === 'done' && !sent.includes(`"${text}"`),
  );
  expect(lost).toEqual([]);
  for (const { count, isLast } of answers) {
    expect(count).toBeLessThanOrEqual(1);
    if (isLast) expect(count).toBe(1);
  }
  expect(idleMessages).toBe(0);
});
