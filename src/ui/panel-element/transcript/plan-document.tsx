import { useMemo } from 'preact/hooks';
import type { MarkdownPlan } from '../../../core/model/plan.ts';
import { plainText } from '../../../core/render/clean.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { onMarkdownClick } from '../markdown/markdown-clicks.ts';
import type { PanelProps } from '../panel-props.ts';
import { usePart } from '../use-part.ts';
import { fileName } from './diff.tsx';

interface Props extends PanelProps {
  readonly plan: MarkdownPlan;
  /** The `key` of the entry that has the text, if the plan is not one of the conversation. */
  readonly entryKey?: string | undefined;
}

/** A plan that is a document. A button opens its file, where the editor can open files. */
export function PlanDocument({ panel, plan: { planId, content, path }, entryKey }: Props) {
  const canOpen = usePart(panel, (state) => state.actions.includes('openLocation'));
  const block = useMemo(() => ({ text: content }), [content]);
  const place = entryKey === undefined ? { 'data-plan': planId } : { 'data-entry': entryKey };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click, too
    // biome-ignore lint/a11y/noStaticElementInteractions: the links and buttons in it are what is clicked
    <div className="plan-document" {...place} onClick={(event) => onMarkdownClick(panel, event)}>
      {path !== undefined && (
        <p className="note">
          {canOpen ? (
            <button
              type="button"
              className="link"
              title={plainText(path)}
              onClick={() => panel.openLocation({ kind: 'plan', planId })}
            >
              {plainText(fileName(path))}
            </button>
          ) : (
            plainText(path)
          )}
        </p>
      )}
      <Markdown block={block} />
    </div>
  );
}
