import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SessionEffect } from '../../src/core/client/session/machine/effects.ts';
import type { SessionEvent } from '../../src/core/client/session/machine/events.ts';
import {
  initialState,
  type SessionState,
  statusOf,
  type TurnRules,
} from '../../src/core/client/session/machine/state.ts';
import { transition } from '../../src/core/client/session/machine/transitions.ts';
import { ReplayStores } from '../../src/core/client/session/replay-stores.ts';
import { textOf } from '../../src/core/conversation/select.ts';
import type { AnyUpdate } from '../../src/core/model/client-update.ts';
import type { Conversation, ConversationEntry } from '../../src/core/model/conversation.ts';
import { runs } from '../support/runs.ts';

const rules = ['response', 'state_update'] as const;

const nothing = () => {};

/** Rare orders of events are found in hundreds of cases. */
const cases = { numRuns: runs(600) };

const ended = { reason: 'connectionClosed' } as const;

/** An event before it has a key: keys of prompts and ids of requests are given out in order. */
type Step =
  | {
      readonly do: 'prompt' | 'request' | 'cancel' | 'close' | 'close_failed' | 'cancel_requests' | 'stalled';
    }
  | { readonly do: 'answer' | 'fail' | 'abandon'; readonly prompt: number; readonly messageId: string | null }
  | { readonly do: 'request_answered' | 'request_withdrawn'; readonly request: number }
  | { readonly do: 'queue' | 'steer' }
  | { readonly do: 'requeue' | 'revoked' | 'delivered'; readonly message: number }
  | { readonly do: 'steer_accepted'; readonly message: number; readonly messageId: string | null }
  | { readonly do: 'update'; readonly update: AnyUpdate }
  | { readonly do: 'load' | 'resume' | 'opened' | 'quiet' | 'late_answer' }
  | { readonly do: 'load_failed'; readonly isAbandoned: boolean }
  | {
      readonly do: 'progress';
      readonly toolCallId: string;
      readonly progress: { readonly progress: number } | null;
    }
  | { readonly do: 'link_lost' | 'restored' | 'ready' | 'closed' };

const messageId = fc.constantFrom('m1', 'm2', 'm3', 'm4');
const toolCallId = fc.constantFrom('t1', 't2');
const text = fc.constantFrom('a', 'b', 'c').map((said) => ({ type: 'text' as const, text: said }));

const history: fc.Arbitrary<AnyUpdate> = fc.oneof(
  fc.record({
    sessionUpdate: fc.constantFrom('user_message_chunk' as const, 'agent_message_chunk' as const),
    messageId: fc.option(messageId, { nil: null }),
    content: text,
  }),
  fc.record({
    sessionUpdate: fc.constantFrom('tool_call' as const, 'tool_call_update' as const),
    toolCallId,
    title: fc.constant('Run'),
    status: fc.constantFrom('pending', 'in_progress', 'completed'),
  }),
);

const reported: fc.Arbitrary<AnyUpdate> = fc.record({
  sessionUpdate: fc.constant('state_update' as const),
  state: fc.constantFrom('idle', 'running', 'requires_action'),
  stopReason: fc.constantFrom('end_turn', 'cancelled', 'error'),
});

const numbered = { prompt: fc.nat(3), messageId: fc.option(messageId, { nil: null }) };

/** What can happen while the session is open and while it is being loaded. */
const working: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom('prompt' as const, 'request' as const, 'cancel' as const, 'stalled' as const),
  }),
  fc.record({ do: fc.constantFrom('answer' as const, 'fail' as const, 'abandon' as const), ...numbered }),
  fc.record({
    do: fc.constantFrom('request_answered' as const, 'request_withdrawn' as const),
    request: fc.nat(3),
  }),
);

/** Messages that wait. A message can be any of those that were queued or steered. */
const messages: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('queue' as const, 'queue' as const, 'steer' as const, 'steer' as const) }),
  fc.record({
    do: fc.constantFrom('requeue' as const, 'revoked' as const, 'delivered' as const),
    message: fc.nat(5),
  }),
  fc.record({
    do: fc.constant('steer_accepted' as const),
    message: fc.nat(5),
    messageId: fc.option(fc.constantFrom('m3', 'm4', 'm5'), { nil: null }),
  }),
);

const anything: readonly fc.MaybeWeightedArbitrary<Step>[] = [
  { weight: 6, arbitrary: working },
  { weight: 4, arbitrary: messages },
  { weight: 4, arbitrary: history.map((update): Step => ({ do: 'update', update })) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('progress' as const),
      toolCallId,
      progress: fc.option(fc.record({ progress: fc.nat(3) }), { nil: null }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom(
        ...([
          'load',
          'resume',
          'opened',
          'quiet',
          'late_answer',
          'close',
          'close_failed',
          'cancel_requests',
        ] as const),
        ...(['link_lost', 'restored'] as const),
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('load_failed' as const), isAbandoned: fc.boolean() }),
  },
];

/** Only agents of version 2 report their state. */
const stateReports = { weight: 2, arbitrary: reported.map((update): Step => ({ do: 'update', update })) };

/** Runs the state machine and performs its effects on a conversation, as the runner does on a store. */
class Run {
  state: SessionState = initialState();
  readonly effects: SessionEffect[] = [];
  readonly prompts: string[] = [];
  readonly requests: string[] = [];
  /** The ids of the messages that were queued or steered. */
  readonly messages: string[] = [];
  /** The messages of the queue that were sent, in order, with the keys of their prompts. */
  readonly sent: { readonly id: string; readonly key: string; readonly turns: number }[] = [];
  /** The ids that the agent gave to steered messages, with the messages. */
  readonly named = new Map<string, string>();
  /** The ids that the agent gave to prompts. */
  readonly answered = new Set<string>();
  /** How often each cancellation and each close was sent, or skipped. */
  readonly calls = new Map<string, number>();
  readonly #rules: TurnRules;
  readonly #next: SessionEvent[] = [];
  readonly #stores = new ReplayStores('s1', nothing);

  constructor(turnRules: TurnRules) {
    this.#rules = turnRules;
    this.dispatch({ type: 'opened', opened: {}, mayReplayOn: false });
  }

  get conversation(): Conversation {
    return this.#stores.shown.getSnapshot();
  }

  take(step: Step): void {
    const event = this.#eventOf(step);
    if (event) this.dispatch(event);
  }

  dispatch(event: SessionEvent): void {
    this.#next.push(event);
    for (let next = this.#next.shift(); next; next = this.#next.shift()) {
      const { state, effects } = transition(this.state, next, this.#rules);
      const printed: SessionState = JSON.parse(JSON.stringify(state));
      expect(printed).toEqual(state);
      // What was printed and read goes on, so that each law holds for it.
      this.state = printed;
      for (const effect of effects) this.#perform(effect);
      this.effects.push(...effects);
    }
  }

  #perform(effect: SessionEffect): void {
    const { is } = this.state.history;
    if (effect.type === 'fold') this.#stores.fold(effect.update, is);
    if (effect.type === 'fold_history') this.#stores.receive(effect.update, is, this.#rules);
    if (effect.type === 'stores') this.#stores[effect.change]();
    if (effect.type === 'reset') this.#stores.show(effect.conversation);
    if (effect.type === 'send' || effect.type === 'skip')
      this.calls.set(effect.id, (this.calls.get(effect.id) ?? 0) + 1);
    if (effect.type === 'send_queued') this.#sendQueued(effect.id);
  }

  /** The runner dispatches the prompt as the next event. */
  #sendQueued(id: string): void {
    this.prompts.push(`prompt:${this.prompts.length + 1}`);
    const key = `prompt:${this.prompts.length}`;
    this.sent.push({ id, key, turns: this.state.turns.length });
    this.#next.push({
      type: 'prompt',
      key,
      queued: id,
      content: [{ type: 'text', text: id }],
    });
  }

  #eventOf(step: Step): SessionEvent | undefined {
    switch (step.do) {
      case 'queue': {
        const id = `queue:${this.messages.push(`queue:${this.messages.length + 1}`)}`;
        return { type: 'queued', id, content: [{ type: 'text', text: id }] };
      }
      case 'steer': {
        // Prompts have other numbers.
        const id = `prompt:${100 + this.messages.length}`;
        this.messages.push(id);
        const content = [{ type: 'text' as const, text: id }];
        const isNaming = this.#rules === 'state_update';
        this.calls.set(id, 0);
        return { type: 'steered', id, content, isNaming };
      }
      case 'requeue': {
        // Only what the agent has not taken.
        const message = this.state.pending.find(({ id }) => id === this.messages[step.message]);
        if (message?.kind !== 'steer' || message.state !== 'sending') return undefined;
        return { type: 'queued', id: message.id, content: message.content };
      }
      case 'revoked':
      case 'delivered':
        return { type: step.do, id: this.messages[step.message] ?? 'none' };
      case 'steer_accepted': {
        // The agent answers once.
        const id = this.messages[step.message] ?? 'none';
        const isAnswered = this.state.pending.some((each) => each.id === id && each.state === 'accepted');
        if (isAnswered) return undefined;
        // An agent can give one id to two messages. The second one is then a message without an id.
        const isNew = step.messageId !== null && !this.named.has(step.messageId);
        if (isNew) this.named.set(step.messageId, id);
        return { type: 'steer_accepted', id, messageId: isNew ? step.messageId : null };
      }
      case 'prompt':
        this.prompts.push(`prompt:${this.prompts.length + 1}`);
        return {
          type: 'prompt',
          key: `prompt:${this.prompts.length}`,
          content: [{ type: 'text', text: 'Go.' }],
        };
      case 'request': {
        const id = `request:${this.requests.length + 1}`;
        this.requests.push(id);
        const permission = { title: 'May I?', description: null, options: [] };
        return { type: 'request', request: { id, kind: 'permission', toolCallId: 't1', permission } };
      }
      case 'answer': {
        const stopReason = this.#rules === 'response' ? { stopReason: 'end_turn' } : {};
        if (step.messageId !== null) this.answered.add(step.messageId);
        const answer = { ...stopReason, ...(step.messageId !== null && { messageId: step.messageId }) };
        return { type: 'prompt_answered', key: this.#keyOf(step.prompt), answer };
      }
      case 'fail':
        return {
          type: 'prompt_failed',
          key: this.#keyOf(step.prompt),
          error: new Error('failed'),
          failure: { code: -32603, message: 'failed' },
          isKept: this.#rules === 'response',
        };
      case 'abandon':
        return {
          type: 'prompt_abandoned',
          key: this.#keyOf(step.prompt),
          reason: 'aborted',
        };
      case 'request_answered':
        return { type: step.do, id: this.requests[step.request] ?? 'none' };
      case 'request_withdrawn':
        return { type: step.do, id: this.requests[step.request] ?? 'none', reason: 'withdrawn' };
      case 'update':
        return { type: 'update', update: step.update };
      case 'progress':
        return { type: 'tool_progress', toolCallId: step.toolCallId, progress: step.progress };
      case 'load':
        return { type: 'reopen', mode: 'replace' };
      case 'resume':
        return { type: 'reopen', mode: 'keep', shown: this.conversation };
      case 'restored':
        this.#next.push({ type: 'opened', opened: {}, mayReplayOn: false });
        return { type: 'link_restored' };
      case 'opened':
        return { type: 'opened', opened: {}, mayReplayOn: true, replayed: this.conversation };
      case 'load_failed':
        return { type: 'reopen_failed', isAbandoned: step.isAbandoned, replayed: this.conversation };
      case 'link_lost':
        return {
          type: 'link_lost',
          error: new Error('exited'),
          interruption: 'The agent exited.',
        };
      case 'ready':
        return { type: 'link_restored' };
      case 'closed':
        return { type: 'closed', end: ended, error: new Error('ended') };
      case 'cancel':
        return { type: step.do, id: this.#called() };
      case 'close':
        return { type: step.do, id: this.#called() };
      default:
        return { type: step.do };
    }
  }

  /** The id of what is to be sent or skipped once. */
  #called(): string {
    const id = `call:${this.calls.size}`;
    this.calls.set(id, 0);
    return id;
  }

  #keyOf(prompt: number): string {
    return this.prompts[prompt] ?? 'none';
  }
}

function run(turnRules: TurnRules, ...all: readonly (readonly Step[])[]): Run {
  const made = new Run(turnRules);
  for (const step of all.flat()) made.take(step);
  return made;
}

function countOf(effects: readonly SessionEffect[], isMeant: (effect: SessionEffect) => boolean): number {
  return effects.filter(isMeant).length;
}

describe.each(rules)('a session whose turns end with the %s', (turnRules) => {
  const possible = turnRules === 'response' ? anything : [...anything, stateReports];
  const steps = fc.array(fc.oneof(...possible), { maxLength: 40, size: 'max' });

  test('that is closed has settled each turn, request, call and message of the queue once, and changes no more', () => {
    fc.assert(
      fc.property(steps, steps, (before, after) => {
        const closed = run(turnRules, before, [{ do: 'closed' }]);
        const { state, conversation, effects } = closed;
        const open = new Set([...closed.prompts, ...closed.requests]);
        const { length } = effects;
        for (const step of after) closed.take(step);
        const { prompts, requests, messages, sent, calls } = closed;
        const settled = (key: string) =>
          countOf(effects, (effect) => effect.type === 'settle' && effect.key === key);
        expect(prompts.map(settled)).toEqual(prompts.map(() => 1));
        for (const id of requests) {
          expect(countOf(effects, (effect) => effect.type === 'answer' && effect.id === id)).toBe(1);
        }
        expect([...calls.values()]).toEqual([...calls].map(() => 1));
        for (const id of messages) {
          const times = settled(id) + sent.filter((each) => each.id === id).length;
          if (id.startsWith('queue')) expect(times).toBe(1);
          else expect(times).toBeLessThanOrEqual(1);
        }
        const queued = sent.map(({ id }) => id).filter((id) => id.startsWith('queue'));
        expect(queued).toEqual(messages.filter((id) => queued.includes(id)));
        expect(sent.every(({ turns }) => turns === 0)).toBe(true);
        expect(countOf(effects, ({ type }) => type === 'end')).toBe(1);
        expect(closed.state).toEqual(state);
        expect(closed.conversation).toBe(conversation);
        for (const effect of effects.slice(length)) {
          expect(['settle', 'answer', 'send', 'skip']).toContain(effect.type);
          // Only what was asked after the end is answered.
          if (effect.type === 'settle') expect(open).not.toContain(effect.key);
          if (effect.type === 'answer') expect(open).not.toContain(effect.id);
        }
      }),
      cases,
    );
  });

  test('shows each message that waits, and each steered one once: as one that waits, or in the transcript', () => {
    fc.assert(
      fc.property(steps, (random) => {
        const made = run(turnRules, [{ do: 'prompt' }]);
        const taken = new Set<string>();
        for (const step of random) {
          const before = made.state;
          made.take(step);
          const { state, conversation } = made;
          expect(conversation.pendingMessages ?? []).toEqual(state.pending);
          const accepted = state.pending.filter((each) => each.state === 'accepted');
          for (const { id } of accepted) taken.add(id);
          // What a load replaces or brings back is the history of the agent.
          if (state.history.before || before.history.before || step.do === 'load') return;
          if (step.do === 'revoked') taken.delete(made.messages[step.message] ?? '');
          // What the agent says is one message is one entry.
          for (const id of made.answered) taken.delete(made.named.get(id) ?? '');
          for (const id of taken) {
            const inTranscript = conversation.entries.filter(({ key }) => key === id).length;
            const waits = state.pending.filter((each) => each.id === id).length;
            expect(inTranscript + waits).toBe(1);
          }
        }
      }),
      cases,
    );
  });

  test('shows the progress of a tool until it ends, is not busy when nothing is pending, and says once that it is over', () => {
    fc.assert(
      fc.property(steps, (random) => {
        const made = run(turnRules);
        for (const step of random) {
          // What is replayed has happened before.
          const isLive = made.state.history.is === 'live';
          made.take(step);
          const { toolProgress } = made.state;
          for (const entry of made.conversation.entries) {
            if (entry.kind !== 'toolCall') continue;
            const progress = toolProgress.find((each) => each.toolCallId === entry.toolCallId)?.progress;
            if (!progress) expect(entry.progress).toBe(undefined);
            const isReported =
              step.do === 'update' &&
              'toolCallId' in step.update &&
              step.update.toolCallId === entry.toolCallId;
            const isOpen = entry.status === 'pending' || entry.status === 'in_progress';
            const { toolCallId } = entry;
            // Of several open calls with one id, one shows it.
            const calls = made.conversation.entries.filter(
              (other) => 'toolCallId' in other && other.toolCallId === toolCallId,
            );
            if (isReported && isLive && isOpen && calls.at(-1) === entry)
              expect(calls).toContainEqual(progress ? expect.objectContaining({ progress }) : entry);
          }
        }
        const { state, conversation, effects } = made;
        expect(countOf(effects, ({ type }) => type === 'end')).toBe(statusOf(state) === 'closed' ? 1 : 0);
        if (state.turns.length > 0 || state.requests.length > 0) return;
        const isReportedBusy = turnRules === 'state_update' && state.reported !== 'idle';
        if (!isReportedBusy) expect(['running', 'requires_action']).not.toContain(statusOf(state));
        if (turnRules === 'response' && !state.history.before)
          expect(conversation.activity.state).toBe('idle');
      }),
      cases,
    );
  });

  test('has the previous conversation after a load that failed, with what was not part of the replay', () => {
    const duringLoad = fc.array(
      fc.oneof(
        working.map((step) => [step, step] as const),
        history.map((update) => [{ do: 'update', update } as Step, undefined] as const),
      ),
      { maxLength: 15 },
    );
    const prefix = fc.array(
      fc.oneof(
        working,
        history.map((update): Step => ({ do: 'update', update })),
      ),
      {
        maxLength: 15,
      },
    );
    fc.assert(
      fc.property(prefix, duringLoad, fc.boolean(), (before, during, isAbandoned) => {
        const withLoad = during.map(([step]) => step);
        const withoutLoad = during.flatMap(([, step]) => (step ? [step] : []));
        // What goes on with an entry before the replay has begun is not part of it.
        const begin: Step = { do: 'update', update: { sessionUpdate: 'user_message', messageId: 'm0' } };
        const failed: Step = { do: 'load_failed', isAbandoned };
        const loaded = run(turnRules, before, [{ do: 'load' }, begin], withLoad, [failed]);
        expect(loaded.conversation).toEqual(run(turnRules, before, withoutLoad).conversation);
      }),
      cases,
    );
  });

  test('ignores the rest of a replay whose load was abandoned', () => {
    fc.assert(
      fc.property(steps, fc.array(history, { maxLength: 10 }), (before, rest) => {
        const made = run(turnRules, before, [{ do: 'load' }, { do: 'load_failed', isAbandoned: true }]);
        const { state, conversation } = made;
        if (state.history.is !== 'skip') return;
        for (const update of rest) made.take({ do: 'update', update });
        expect(made.conversation).toBe(conversation);
        expect(made.state).toEqual(state);
      }),
      cases,
    );
  });

  test('that lost its agent is idle, whatever the agent reported, and keeps each entry and its key when the agent is started again', () => {
    fc.assert(
      fc.property(steps, fc.array(history, { maxLength: 10 }), (before, replayed) => {
        const made = run(turnRules, before, [{ do: 'link_lost' }]);
        const { entries, activity } = made.conversation;
        expect(['interrupted', 'closing', 'closed']).toContain(statusOf(made.state));
        expect(activity.state).toBe('idle');
        const isUnfinished = (entry: ConversationEntry) =>
          entry.kind === 'toolCall' && ['pending', 'in_progress'].includes(entry.status);
        const isUnconfirmed = (entry: ConversationEntry) => 'origin' in entry && entry.origin === 'local';
        expect(entries.filter((entry) => isUnfinished(entry) || isUnconfirmed(entry))).toEqual([]);
        if (statusOf(made.state) !== 'interrupted') return;
        const replay = replayed.map((update): Step => ({ do: 'update', update }));
        for (const step of [{ do: 'resume' } as Step, ...replay, { do: 'restored' } as Step]) made.take(step);
        const now = made.conversation.entries.slice(0, entries.length);
        const end = entries.findLastIndex(({ kind }) => kind === 'turnFailure');
        const isCut = ({ key }: ConversationEntry) => entries.findIndex((each) => each.key === key) < end;
        // What is replayed is added, or completes what was cut.
        expect(now.map((entry, index) => completes(entry, entries[index], isCut) ?? entry)).toEqual(entries);
        const keys = made.conversation.entries.map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
      }),
      cases,
    );
  });
});

/**
 * The entry that was there before, if another one has more of it: an id, or of what was cut off a longer text, or how a
 * cancelled tool call ended.
 */
function completes(
  now: ConversationEntry,
  cut: ConversationEntry | undefined,
  isCut: (entry: ConversationEntry) => boolean,
): ConversationEntry | undefined {
  if (!cut || now.key !== cut.key) return undefined;
  if (now.kind === 'message' && cut.kind === 'message') {
    const isLonger = isCut(cut) && textOf(now).length > textOf(cut).length;
    const isNamed = cut.messageId === null && now.messageId !== null;
    return {
      ...now,
      content: isLonger ? cut.content : now.content,
      messageId: isNamed ? null : now.messageId,
    };
  }
  if (!isCut(cut)) return undefined;
  if (now.kind !== 'toolCall' || cut.kind !== 'toolCall' || cut.status !== 'cancelled') return undefined;
  return now.toolCallId === cut.toolCallId && ['completed', 'failed'].includes(now.status) ? cut : undefined;
}

test('an agent of version 1 can answer before, amid or after its replay: the transcript is the same', () => {
  const crashed = fc.array(fc.oneof(...anything), { maxLength: 40, size: 'max' });
  fc.assert(
    fc.property(crashed, fc.array(history, { maxLength: 10 }), fc.nat(10), (before, replayed, early) => {
      const replay = replayed.map((update): Step => ({ do: 'update', update }));
      const reconnect = (count: number) =>
        run(
          'response',
          before,
          [{ do: 'link_lost' }, { do: 'resume' }],
          replay.slice(0, count),
          [{ do: 'opened' }, { do: 'ready' }],
          replay.slice(count),
          [{ do: 'prompt' }],
        );
      expect(reconnect(early).conversation).toEqual(reconnect(replay.length).conversation);
    }),
    cases,
  );
});

/** A state that an agent of version 2 reports. */
interface Report {
  readonly state: 'idle' | 'running' | 'requires_action';
  readonly stopReason?: string;
  readonly background?: readonly { readonly type: string }[];
}

/** What happens in a session of version 2. An answer and an echo are about the oldest prompt that has none. */
type TurnStep = 'prompt' | 'queue' | 'answer' | 'echo' | 'speak' | Report;

const reports: fc.Arbitrary<TurnStep> = fc.record(
  {
    state: fc.constantFrom('idle', 'idle', 'running', 'requires_action'),
    stopReason: fc.constantFrom('end_turn', 'cancelled'),
    background: fc.constantFrom([], [{ type: 'terminal', terminalId: 'x1' }]),
  },
  { requiredKeys: ['state'] },
);
const turnSteps = fc.array(
  fc.oneof(fc.constantFrom<TurnStep[]>('prompt', 'queue', 'answer', 'answer', 'echo', 'speak'), reports),
  { maxLength: 25, size: 'max' },
);

/** An open turn, as one sees it who reads all messages. */
interface SeenTurn {
  readonly messageId: string;
  isAnswered: boolean;
  isReported: boolean;
  /** Whether the agent was at work while the prompt was open. */
  hasWork: boolean;
  /** Whether it was at work on this one as far as that is known. */
  hasBegun: boolean;
  /** Whether the agent became idle meanwhile with a new stop reason. */
  hasNews: boolean;
}

function watch(all: readonly TurnStep[]): void {
  const turns = new Map<string, SeenTurn>();
  let state: SessionState = initialState();
  let count = 0;
  let now = 'idle';
  let lastReason: string | undefined;
  let reportsWork = false;
  const content = [{ type: 'text' as const, text: 'Go.' }];

  const prompt = (queued?: string): SessionEvent => {
    const messageId = `u${++count}`;
    const nothingYet = { isAnswered: false, isReported: false, hasBegun: false, hasNews: false };
    turns.set(messageId, { messageId, ...nothingYet, hasWork: now !== 'idle' });
    return { type: 'prompt', key: messageId, content, ...(queued && { queued }) };
  };
  /** Returns the turns that end. */
  const dispatch = (event: SessionEvent): SeenTurn[] => {
    const made = transition(state, event, 'state_update');
    state = made.state;
    return made.effects.flatMap((effect) => {
      if (effect.type === 'send_queued') {
        expect([turns.size, now]).toEqual([0, 'idle']);
        return dispatch(prompt(effect.id));
      }
      const turn = effect.type === 'settle' && turns.get(effect.key);
      if (!turn) return [];
      turns.delete(turn.messageId);
      return [turn];
    });
  };
  const work = (open: readonly SeenTurn[]) => {
    for (const turn of open) {
      turn.hasWork = true;
      turn.hasBegun ||= turn.isAnswered || turn === open[0];
    }
  };
  const send = (sessionUpdate: 'user_message' | 'agent_message', messageId: string) =>
    expect(dispatch({ type: 'update', update: { sessionUpdate, messageId, content } })).toEqual([]);

  const act: Readonly<Record<Exclude<TurnStep, Report>, (open: readonly SeenTurn[]) => void>> = {
    prompt: () => expect(dispatch(prompt())).toEqual([]),
    queue: () => expect(dispatch({ type: 'queued', id: `q${++count}`, content })).toEqual([]),
    echo(open) {
      const turn = open.find(({ isReported }) => !isReported);
      if (turn) send('user_message', turn.messageId);
      if (turn) turn.isReported = true;
    },
    speak(open) {
      work(open);
      send('agent_message', `m${++count}`);
    },
    answer(open) {
      const turn = open.find(({ isAnswered }) => !isAnswered);
      if (!turn) return;
      turn.isAnswered = true;
      const { messageId } = turn;
      const ends = dispatch({ type: 'prompt_answered', key: messageId, answer: { messageId } });
      expect(ends.every((each) => each === turn && (turn.hasWork || turn.hasNews))).toBe(true);
    },
  };
  const become = (report: Report, open: readonly SeenTurn[]) => {
    const wasAtWork = now !== 'idle';
    const isRepeated = reportsWork && report.stopReason === lastReason;
    const isNews = report.stopReason !== undefined && !isRepeated;
    now = report.state;
    reportsWork ||= now !== 'idle';
    if (now !== 'idle') work(open);
    else for (const turn of open) turn.hasNews ||= isNews;
    const ends = dispatch({ type: 'update', update: { sessionUpdate: 'state_update', ...report } });
    if (now !== 'idle') return expect(ends).toEqual([]);
    const isEnd = wasAtWork || isNews;
    expect(ends.every(({ hasWork }) => isEnd || hasWork)).toBe(true);
    const due = open.filter(({ isAnswered, hasBegun }) => isAnswered && (isEnd || hasBegun));
    expect(due.filter((turn) => !ends.includes(turn))).toEqual([]);
    if (isEnd || ends.length > 0) lastReason = report.stopReason;
  };

  dispatch({ type: 'opened', opened: {}, mayReplayOn: false });
  for (const step of all) {
    const open = [...turns.values()];
    if (typeof step === 'string') act[step](open);
    else become(step, open);
  }
}

test('an idle state ends what has begun, and nothing else unless it has a new stop reason', () => {
  fc.assert(fc.property(turnSteps, watch), { numRuns: runs(2000) });
});
