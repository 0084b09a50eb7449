import type { AGUIEvent, JsonPatchOperation } from '@ag-ui/client';
import type { Conversation } from '../../core/model/conversation.ts';
import type { ConversationEvent } from '../../core/model/event.ts';
import type { Plan } from '../../core/model/plan.ts';
import { event } from './event.ts';

/** What an interface shows beside the messages: the state of the agent. */
export interface AcpState
  extends Pick<Conversation, 'plans' | 'usage' | 'commands' | 'configOptions' | 'modes' | 'suggestions'> {
  /** Title of the session. `null` until the agent reports it. */
  readonly title: string | null;
  /** `null` if the agent lists no models. */
  readonly models: NonNullable<Conversation['models']> | null;
  readonly subagents: NonNullable<Conversation['subagents']>;
  /** The messages of the user that wait. */
  readonly pendingMessages: NonNullable<Conversation['pendingMessages']>;
}

/**
 * The state of a conversation for AG-UI: plans, usage, settings, slash commands, title, suggestions, subagents and the
 * messages that wait. The events of a turn change it member by member.
 *
 * @example
 * ```ts
 * agent.setState(toAgUiState(session.conversation));
 * ```
 * @see https://docs.ag-ui.com/concepts/state
 */
export function toAgUiState(conversation: Conversation): AcpState {
  const { plans, usage, commands, configOptions, modes, suggestions, info } = conversation;
  const { models = null, subagents = [], pendingMessages = [] } = conversation;
  return {
    plans,
    usage,
    commands,
    configOptions,
    modes,
    suggestions,
    title: info.title,
    models,
    subagents,
    pendingMessages,
  };
}

type FieldsChange = Extract<ConversationEvent, { readonly type: 'fields' }>['changed'];

/** The state that the reader has, as far as it is known here. */
export class StateWriter {
  /** Members that the reader does not have from here are absent. */
  #state: Partial<AcpState>;

  /** @param start - `undefined` if the conversation at the start of the turn is not known. */
  constructor(start: Conversation | undefined) {
    this.#state = start ? toAgUiState(start) : {};
  }

  /** The whole state, for the begin of a run. */
  begin(): readonly AGUIEvent[] {
    return delta(Object.entries(this.#state).map(([name, value]) => added(name, value)));
  }

  fields(changed: FieldsChange): readonly AGUIEvent[] {
    const { info, activity: _, meta: __, cursors: ___, ...rest } = changed;
    const members: Partial<AcpState> = {
      // The members of `changed` that the state has under the same name.
      ...(rest as Partial<AcpState>),
      ...(info && { title: info.title }),
      ...('models' in rest && { models: rest.models ?? null }),
    };
    this.#state = { ...this.#state, ...members };
    return delta(Object.entries(members).map(([name, value]) => added(name, value)));
  }

  plan(plan: Plan): readonly AGUIEvent[] {
    const { plans } = this.#state;
    const known = plans?.findIndex(({ planId }) => planId === plan.planId) ?? -1;
    this.#state = {
      ...this.#state,
      plans: known === -1 ? [...(plans ?? []), plan] : (plans ?? []).with(known, plan),
    };
    if (!plans) return delta([added('plans', [plan])]);
    return delta([
      known === -1 ? added('plans/-', plan) : { op: 'replace', path: `/plans/${known}`, value: plan },
    ]);
  }

  planRemoved(planId: string): readonly AGUIEvent[] {
    const { plans = [] } = this.#state;
    const known = plans.findIndex((plan) => plan.planId === planId);
    if (known === -1) return [];
    this.#state = { ...this.#state, plans: plans.toSpliced(known, 1) };
    return delta([{ op: 'remove', path: `/plans/${known}` }]);
  }
}

function added(path: string, value: unknown): JsonPatchOperation {
  return { op: 'add', path: `/${path}`, value };
}

function delta(operations: JsonPatchOperation[]): readonly AGUIEvent[] {
  return operations.length === 0 ? [] : [event({ type: 'STATE_DELTA', delta: operations })];
}
