import { createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import type { ConversationEntry } from '../../core/model/conversation.ts';
import type { FileChange, ToolCallDiff } from '../../core/model/tool-call.ts';
import { webAddress } from '../markdown/options.ts';
import type { Panel } from '../panel/connect.ts';
import type { PanelEditor } from '../panel/options.ts';
import type { PanelPlace, PanelState } from '../panel/state.ts';
import type { AcpPanelEventMap } from './panel-element.d.ts';
import { useSurface } from './surface.ts';
import { usePart } from './use-part.ts';

type Events = Pick<AcpPanelEventMap, 'acp-open-file' | 'acp-open-diff' | 'acp-insert-text'>;

/** The action of the host that each event comes before. */
const actionOf: Readonly<Record<keyof Events, keyof PanelEditor>> = {
  'acp-open-file': 'openLocation',
  'acp-open-diff': 'openDiff',
  'acp-insert-text': 'insertText',
};

/** The names of the editor actions that are possible: those of the host, and those that the page handles. */
export const Actions = createContext<readonly string[]>([]);

/** The value of {@link Actions}. One part of the panel subscribes to it, and not each entry. */
export function useActions(panel: Panel): readonly string[] {
  const { handles } = useSurface();
  const actions = usePart(panel, (state) => state.actions);
  return useMemo(() => {
    const handled = Object.entries(actionOf).filter(([event]) => handles.includes(event));
    return [...actions, ...handled.map(([, action]) => action)];
  }, [actions, handles]);
}

export function useAction(action: keyof PanelEditor): boolean {
  return useContext(Actions).includes(action);
}

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
      if (!change) return panel.openDiff(place);
      const { path, oldText = null, newText = null } = change;
      return isTaken('acp-open-diff', { path, oldText, newText }) ? Promise.resolve() : panel.openDiff(place);
    },
    insertText: (text) => (isTaken('acp-insert-text', { text }) ? Promise.resolve() : panel.insertText(text)),
    openLink(url) {
      if (panel.getSnapshot().actions.includes('openLink') || !webAddress.test(url))
        return panel.openLink(url);
      // The page is in a browser, which opens it.
      window.open(url, '_blank', 'noopener');
      return Promise.resolve();
    },
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
