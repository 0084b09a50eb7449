import type { ConversationEntry } from '../../core/model/conversation.ts';
import type { FileChange, ToolCallDiff } from '../../core/model/tool-call.ts';
import type { Panel } from '../panel/connect.ts';
import type { PanelPlace, PanelState } from '../panel/state.ts';
import type { AcpPanelEventMap } from './panel-element.d.ts';

type Events = Pick<AcpPanelEventMap, 'acp-open-file' | 'acp-open-diff' | 'acp-insert-text'>;

/** The panel, whose actions for an editor are events of the element first. */
export function withEvents(panel: Panel, element: HTMLElement): Panel {
  const isTaken = <Name extends keyof Events>(name: Name, detail: Events[Name]['detail']) =>
    !element.dispatchEvent(
      new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }),
    );
  // The promises are those of the panel, whose rejections need no handler.
  return {
    ...panel,
    openLocation(place) {
      const file = fileAt(place, panel.getSnapshot());
      return file && isTaken('acp-open-file', file) ? Promise.resolve() : panel.openLocation(place);
    },
    openDiff(place) {
      const change = changeAt(place, panel.getSnapshot());
      const diff = change && {
        path: change.path,
        oldText: change.oldText ?? null,
        newText: change.newText ?? null,
      };
      return diff && isTaken('acp-open-diff', diff) ? Promise.resolve() : panel.openDiff(place);
    },
    insertText: (text) => (isTaken('acp-insert-text', { text }) ? Promise.resolve() : panel.insertText(text)),
  };
}

type File = Events['acp-open-file']['detail'];

function fileAt(place: PanelPlace, state: PanelState): File | undefined {
  if (place.kind === 'link') return { path: place.uri, line: null };
  if (place.kind === 'diff') {
    const change = changeAt(place, state);
    return change && { path: change.path, line: null };
  }
  if (place.kind === 'location') {
    const entry = entryAt(place.entryKey, state);
    const location = entry?.kind === 'toolCall' ? entry.locations[place.index] : undefined;
    // The protocol allows 0, which no line has.
    return location && { path: location.path, line: location.line || null };
  }
  const plan = state.conversation?.plans.find(({ planId }) => planId === place.planId);
  const path = place.uri ?? (plan?.type === 'markdown' ? plan.path : undefined);
  return path === undefined ? undefined : { path, line: null };
}

function changeAt(
  { entryKey, index, change = 0 }: Extract<PanelPlace, { kind: 'diff' }>,
  state: PanelState,
): FileChange | undefined {
  const entry = entryAt(entryKey, state);
  const item = entry?.kind === 'toolCall' ? entry.content[index] : undefined;
  // An unknown type begins with an underscore, so the type says that it is a diff.
  return item?.type === 'diff' ? (item as ToolCallDiff).changes[change] : undefined;
}

function entryAt(key: string, { conversation }: PanelState): ConversationEntry | undefined {
  return conversation?.entries.find((entry) => entry.key === key);
}
