import { type AcpError, ConnectionClosedError, NotFoundError } from '../../core/base/errors.ts';
import type { JsonObject } from '../../core/base/json.ts';
import { updateOfAnswer } from '../../core/client/raw-request.ts';
import { promptKeyPrefix } from '../../core/client/session/prompt-keys.ts';
import { withChoice } from '../../core/client/session/setting-changes.ts';
import { reasonOf } from '../../core/client/session/steering.ts';
import { knownMessage, promptFailed } from '../../core/client/session/user-messages.ts';
import { modelSettingId, modeSettingId } from '../../core/conversation/settings.ts';
import { steeredKeyPrefix } from '../../core/conversation/steered.ts';
import type { AnyUpdate } from '../../core/model/client-update.ts';
import type { ContentBlock } from '../../core/model/content.ts';
import type { CallName, Calls } from '../../core/protocol/calls.ts';
import type { SessionFold } from './session-fold.ts';

/** What the answer to a call changes. */
export interface OpenCall {
  answered(result: unknown): void;
  failed(error: AcpError): void;
  /** The client gave up the call. Absent if that is like a failure, and a later answer changes nothing. */
  readonly abandoned?: () => void;
}

/** A call on a session, with the editor's paths. */
export interface SessionCall {
  readonly session: SessionFold;
  readonly method: string;
  readonly params: JsonObject;
  /** Reads an answer. Throws if it does not match the protocol. */
  readonly read: <K extends CallName>(name: K, result: unknown) => Calls[K][1];
}

const none = () => {};

/** The calls that change the conversation of a session, by their methods. */
export const sessionCalls: Readonly<Record<string, (call: SessionCall) => OpenCall>> = {
  'session/prompt': prompt,
  '_session/steering': (call) => steer(call, 'steer', call.params['prompt']),
  'session/inject': (call) => steer(call, 'inject', call.params['content']),
  'session/revoke_inject': revoke,
  'session/cancel': ({ session }) => {
    session.dispatch({ type: 'cancel', id: 'cancel' });
    return { answered: none, failed: none };
  },
  'session/set_mode': (call) =>
    change(call, [modeSettingId], (_, isAsked) => {
      const currentModeId = String(call.params['modeId']);
      return isAsked ? { sessionUpdate: 'current_mode_update', currentModeId } : undefined;
    }),
  'session/set_model': (call) =>
    change(call, [modelSettingId], (_, isAsked) => {
      const { models } = call.session.conversation;
      const currentModelId = String(call.params['modelId']);
      if (!models || !isAsked) return undefined;
      return { sessionUpdate: 'models_update', models: { ...models, currentModelId } };
    }),
  'session/set_config_option': setConfigOption,
  'session/set_title': (call) => change(call, [], (result) => updateOfAnswer(call.method, result)),
  'session/close': (call) => end(call, 'closed'),
  'session/delete': (call) => end(call, 'deleted'),
};

/** The content of a message, which the recorded client has checked. */
function contentOf(content: unknown): readonly ContentBlock[] {
  return Array.isArray(content) ? content : [];
}

function prompt({ session, params, read }: SessionCall): OpenCall {
  const { idempotencyKey } = params;
  const earlier = idempotencyKey === undefined ? undefined : session.sentKeys.get(idempotencyKey);
  // A prompt that is sent again is the same entry.
  const before = earlier === undefined ? undefined : session.conversation;
  const key = earlier ?? session.nextKey(promptKeyPrefix);
  session.sentKeys.set(idempotencyKey, key);
  session.dispatch({ type: 'prompt', key, content: contentOf(params['prompt']) });
  return {
    answered(result) {
      const answer = read('prompt', result);
      const known = before && knownMessage(before, answer.messageId);
      session.dispatch({ type: 'prompt_answered', key, answer, ...(known && { known }) });
    },
    failed: (error) =>
      session.dispatch(promptFailed(session.state, session.rules, { key, error, answer: error })),
    // The turn goes on until the agent ends it.
    abandoned: none,
  };
}

function steer({ session, read }: SessionCall, name: 'steer' | 'inject', content: unknown): OpenCall {
  const id = session.nextKey(steeredKeyPrefix);
  const steered = { type: 'steered', id, content: contentOf(content), isNaming: name === 'inject' } as const;
  session.dispatch(steered);
  // What no turn takes waits in the client, and is not in the recording.
  const revoked = () => session.dispatch({ type: 'revoked', id });
  return {
    answered(result) {
      const { outcome, messageId = null } = read(name, result);
      if (outcome !== 'injected' && outcome !== 'startedNewTurn') revoked();
      else session.dispatch({ type: 'steer_accepted', id, messageId });
    },
    failed: revoked,
  };
}

function revoke({ session, params }: SessionCall): OpenCall {
  const message = session.state.pending.find(({ messageId }) => messageId === params['messageId']);
  const over = (type: 'revoked' | 'delivered') => message && session.dispatch({ type, id: message.id });
  return {
    answered: () => over('revoked'),
    failed(error) {
      const reason = reasonOf(error);
      if (reason === 'already_delivered') over('delivered');
      if (reason === 'unknown_message_id') over('revoked');
    },
  };
}

/** A change of a setting. What was asked for counts, unless the agent has reported the setting before its answer. */
function change(
  { session }: SessionCall,
  settings: readonly string[],
  changed: (result: unknown, isAsked: boolean) => AnyUpdate | undefined,
): OpenCall {
  const before = settings.map((setting) => session.reports.get(setting));
  return {
    answered(result) {
      const isUnreported = settings.every((setting, at) => session.reports.get(setting) === before[at]);
      const update = changed(result, isUnreported);
      if (update) session.dispatch({ type: 'changed', update });
    },
    failed: none,
  };
}

function setConfigOption(call: SessionCall): OpenCall {
  const { session, params, read } = call;
  const configId = String(params['configId']);
  const value = typeof params['value'] === 'boolean' ? params['value'] : String(params['value']);
  const option = session.conversation.configOptions.find((known) => known.configId === configId);
  return change(call, [configId, option?.category ?? configId], (result, isAsked) => {
    const { configOptions: known } = session.conversation;
    const told = read('setConfigOption', result).configOptions;
    const configOptions = told ?? (isAsked ? withChoice(known, configId, value) : undefined);
    return configOptions && { sessionUpdate: 'config_option_update', configOptions };
  });
}

function end({ session }: SessionCall, reason: 'closed' | 'deleted'): OpenCall {
  session.dispatch({ type: 'close', id: 'close' });
  const closed = () => session.dispatch({ type: 'closed', end: { reason } });
  return {
    answered: closed,
    failed(error) {
      // A session that the agent does not know is closed. The call is sent again to the next agent.
      if (reason === 'closed' && error instanceof NotFoundError) closed();
      else if (!(error instanceof ConnectionClosedError)) session.dispatch({ type: 'close_failed' });
    },
  };
}
