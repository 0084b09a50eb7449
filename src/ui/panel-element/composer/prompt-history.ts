import type { TargetedKeyboardEvent } from 'preact';
import { useRef } from 'preact/hooks';
import { textOf } from '../../../core/conversation/select.ts';
import { plainText } from '../../../core/render/clean.ts';
import type { Panel } from '../../panel/connect.ts';

/** The prompts of the user in the session that is shown, the last one first. */
function promptsOf(panel: Panel): readonly string[] {
  const entries = panel.getSnapshot().conversation?.entries ?? [];
  const texts = entries.flatMap((entry) =>
    entry.kind === 'message' && entry.role === 'user' ? plainText(textOf(entry)).trim() : [],
  );
  return [...new Set(texts.reverse())].filter((text) => text !== '');
}

/**
 * Arrow up in an empty prompt recalls the last one, and then those before it. Arrow down goes back. Returns the handler of
 * keys, which returns whether the key was for it. A text that the user has written or changed is never replaced.
 */
export function usePromptHistory(
  panel: Panel,
  draft: string,
  setDraft: (text: string) => void,
): (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => boolean {
  const recalled = useRef({ text: '', index: -1 });
  return (event) => {
    const step = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (step === 0 || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false;
    const { text, index } = draft === '' ? { text: '', index: -1 } : recalled.current;
    // In a text of several lines, the arrows move between the lines first.
    const { selectionStart, selectionEnd } = event.currentTarget;
    const passed = step === 1 ? draft.slice(0, selectionStart) : draft.slice(selectionEnd);
    if (draft !== text || passed.includes('\n')) return false;
    const prompts = promptsOf(panel);
    const next = index + step;
    if (next < -1 || next >= prompts.length) return false;
    event.preventDefault();
    recalled.current = { text: prompts[next] ?? '', index: next };
    setDraft(recalled.current.text);
    return true;
  };
}
