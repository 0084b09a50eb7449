import { useMemo } from 'preact/hooks';
import type { MarkdownPlan } from '../../../core/model/plan.ts';
import { Markdown, onMarkdownClick } from '../markdown/markdown.tsx';
import type { PanelProps } from '../use-part.ts';
import { FileName } from './file-name.tsx';

interface Props extends PanelProps {
  readonly plan: MarkdownPlan;
  /** The `key` of the entry that has the text, if the plan is not one of the conversation. */
  readonly entryKey?: string | undefined;
}

/** A plan that is a document, with the name of its file. */
export function PlanDocument({ panel, plan: { planId, content, path }, entryKey }: Props) {
  const block = useMemo(() => ({ text: content }), [content]);
  const place = entryKey === undefined ? { 'data-plan': planId } : { 'data-entry': entryKey };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click, too
    // biome-ignore lint/a11y/noStaticElementInteractions: the links and buttons in it are what is clicked
    <div className="plan-document" {...place} onClick={(event) => onMarkdownClick(panel, event)}>
      {path !== undefined && (
        <p className="note">
          <FileName panel={panel} place={{ kind: 'plan', planId }} path={path} />
        </p>
      )}
      <Markdown block={block} />
    </div>
  );
}
