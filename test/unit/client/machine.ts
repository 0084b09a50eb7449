import type { SessionEffect } from '../../../src/core/client/session/machine/effects.ts';
import type { SessionEvent } from '../../../src/core/client/session/machine/events.ts';
import type { SessionEnd } from '../../../src/core/client/session/machine/session-end.ts';
import {
  type AgentFailure,
  initialState,
  type SessionState,
  type TurnRules,
} from '../../../src/core/client/session/machine/state.ts';
import { transition } from '../../../src/core/client/session/machine/transitions.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import { text } from '../../support/agents.ts';
import { emptyConversation, foldUpdate } from '../../support/fold-any.ts';

/** The events of a session, in short, and what the state machine makes of them. */

export const opened: SessionEvent = { type: 'opened', opened: {}, mayReplayOn: false };
export const close: SessionEvent = { type: 'close', id: 'close' };
export const closeFailed: SessionEvent = { type: 'close_failed' };
export const end: SessionEnd = { reason: 'closed' };
export const lost: SessionEvent = {
  type: 'link_lost',
  error: new Error('exited'),
  interruption: 'It exited.',
};
export const cancel: SessionEvent = { type: 'cancel', id: 'cancel' };
export const prompt = (key: string): SessionEvent => ({
  type: 'prompt',
  key,
  content: [text('Go.')],
});
export const failed = (
  key: string,
  failure: AgentFailure = { code: 429, message: 'session/prompt: Too many.', reason: 'Too many.' },
): SessionEvent => ({
  type: 'prompt_failed',
  key,
  error: new Error('failed'),
  failure,
  isKept: true,
});
export const abandoned = (key: string): SessionEvent => ({
  type: 'prompt_abandoned',
  key,
  reason: 'enough',
});
export const load: SessionEvent = {
  type: 'reopen',
  mode: 'replace',
};
export const loadFailed: SessionEvent = { type: 'reopen_failed', isAbandoned: false };
export const loadAbandoned: SessionEvent = { type: 'reopen_failed', isAbandoned: true };
export const loaded: SessionEvent = { type: 'opened', opened: {}, mayReplayOn: true };
export const answered = (key: string, answer: object): SessionEvent => ({
  type: 'prompt_answered',
  key,
  answer,
});
export const update = (fields: AnyUpdate): SessionEvent => ({ type: 'update', update: fields });
export const userMessage = (messageId: string) =>
  update({ sessionUpdate: 'user_message', messageId, content: [text('Go.')] });
export const says = update({ sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: text('Yes.') });
export const toolCallUpdate = (toolCallId: string, status: string) =>
  update({ sessionUpdate: 'tool_call_update', toolCallId, status });
export const reported = (state: string, fields: object = {}) =>
  update({ sessionUpdate: 'state_update', state, ...fields });
export const permission = { title: 'May I?', description: null, options: [] };
export const request = (
  id: string,
  toolCallId: string | null,
  kind: 'permission' | 'elicitation' = 'permission',
): SessionEvent => ({
  type: 'request',
  request: { id, kind, toolCallId, permission: kind === 'permission' ? { ...permission } : null },
});

/** The state after these events, the effects of the last one, and the conversation without replays. */
export function play(rules: TurnRules, ...events: readonly SessionEvent[]) {
  let state: SessionState = initialState();
  let effects: readonly SessionEffect[] = [];
  let conversation: Conversation = emptyConversation('s1');
  for (const event of [opened, ...events]) {
    ({ state, effects } = transition(state, event, rules));
    for (const effect of effects) {
      if (effect.type === 'fold' || effect.type === 'fold_history')
        conversation = foldUpdate(conversation, effect.update);
    }
  }
  return { state, effects, conversation };
}

export const settled = (effects: readonly SessionEffect[]) =>
  effects.flatMap((effect) => (effect.type === 'settle' ? [effect.key] : []));
export const answers = (effects: readonly SessionEffect[]) =>
  effects.flatMap((effect) => (effect.type === 'answer' ? [[effect.id, effect.reason]] : []));
export const folds = (effects: readonly SessionEffect[]) =>
  effects.flatMap((effect) => (effect.type === 'fold' ? [effect.update] : []));
export const stateUpdates = (effects: readonly SessionEffect[]) =>
  folds(effects).filter(({ sessionUpdate }) => sessionUpdate === 'state_update');
export const foldedKinds = (effects: readonly SessionEffect[]) =>
  folds(effects).map(({ sessionUpdate }) => sessionUpdate);
/** What is sent, or left out, because an event had its turn. */
export const sent = (effects: readonly SessionEffect[]) =>
  effects.flatMap((effect) =>
    effect.type === 'send' || effect.type === 'skip' ? [[effect.type, effect.id]] : [],
  );
export const permissionUpdates = (effects: readonly SessionEffect[]) =>
  effects.flatMap((effect) =>
    effect.type === 'fold' && effect.update.sessionUpdate === 'permission_update'
      ? [effect.update.permission]
      : [],
  );

/** Says a message for the running turn. */
export const steered = (id: string, { isNaming }: { readonly isNaming: boolean }): SessionEvent => ({
  type: 'steered',
  id,
  content: [text(`Steered ${id}.`)],
  isNaming,
});
