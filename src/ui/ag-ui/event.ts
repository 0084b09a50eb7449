import type { ActivityMessage, AGUIEvent, JsonPatchOperation } from '@ag-ui/client';

/** An event with the name of its type as text. */
type Named<E extends AGUIEvent> = E extends AGUIEvent
  ? Omit<E, 'type'> & { readonly type: `${E['type']}` }
  : never;

/** Gives an event its type. The enum of AG-UI has the same texts as values, so its package is not loaded for them. */
export function event(named: Named<AGUIEvent>): AGUIEvent {
  // Sound: the members of the enum are these texts.
  return named as AGUIEvent;
}

/** What shows a change: events, and a snapshot of all messages where events cannot. */
export interface Change {
  readonly events: readonly AGUIEvent[];
  readonly needsSnapshot: boolean;
}

/** A change of an activity message. None if nothing changes. */
export function activityDelta(
  messageId: string,
  activityType: string,
  patch: JsonPatchOperation[],
): readonly AGUIEvent[] {
  return patch.length === 0 ? [] : [event({ type: 'ACTIVITY_DELTA', messageId, activityType, patch })];
}

/** An activity message as a whole. */
export function activitySnapshot({ id, activityType, content }: ActivityMessage): AGUIEvent {
  return event({ type: 'ACTIVITY_SNAPSHOT', messageId: id, activityType, content });
}
