import { useMemo, useState } from 'preact/hooks';
import { plainText } from '../../../core/render/clean.ts';
import type { FileDiff } from '../../../core/render/diff-lines.ts';
import { type DiffLine, looks } from '../../../core/render/patch-sections.ts';
import type { PanelPlace } from '../../panel/state.ts';
import { useAction } from '../events.ts';
import { memo } from '../memo.tsx';
import type { PanelProps } from '../use-part.ts';
import { fileName } from './file-name.tsx';

/** So many lines are shown at first, and more with each click. */
const shownLines = 500;

/** So many lines are one element, which is skipped as a whole. */
const partSize = 100;

interface Props extends PanelProps {
  readonly file: FileDiff;
  readonly place: Extract<PanelPlace, { kind: 'diff' }>;
}

/** The changes of one file. */
export function FileChanges({ panel, file: { path, lines }, place }: Props) {
  const canOpen = useAction('openDiff');
  const [shown, setShown] = useState(shownLines);
  const { added, removed } = useMemo(() => countsOf(lines), [lines]);
  const parts = Math.ceil(Math.min(shown, lines.length) / partSize);
  const rest = lines.length - parts * partSize;
  return (
    <figure className="diff">
      <figcaption>
        <span className="path" title={plainText(path)}>
          {plainText(fileName(path))}
        </span>
        <span className="counts" title="Lines added and removed">
          <ins>+{added.toLocaleString('en')}</ins> <del>-{removed.toLocaleString('en')}</del>
        </span>
        {canOpen && (
          <button type="button" className="link open-diff" onClick={() => panel.openDiff(place)}>
            Open diff
          </button>
        )}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable with the keyboard */}
      <pre tabIndex={0}>
        {Array.from({ length: parts }, (_, part) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff do not change
          <Lines key={part} lines={lines} start={part * partSize} />
        ))}
      </pre>
      {rest > 0 && (
        <button type="button" className="link more" onClick={() => setShown(shown + shownLines)}>
          Show {Math.min(rest, shownLines)} more of {lines.length.toLocaleString('en')} lines
        </button>
      )}
    </figure>
  );
}

interface LinesProps {
  readonly lines: readonly DiffLine[];
  readonly start: number;
}

const Lines = memo(function Lines({ lines, start }: LinesProps) {
  return (
    <span className="lines">
      {lines.slice(start, start + partSize).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff do not change
        <span key={index} data-change={line.change}>
          {line.change === 'position'
            ? positionText(lines, start + index)
            : `${looks[line.change].sign}${line.text}\n`}
        </span>
      ))}
    </span>
  );
});

/** A line with how many lines before a hunk are not shown: empty if none. The position itself, if that is not known. */
function positionText(lines: readonly DiffLine[], index: number): string {
  const next = lines[index + 1]?.oldLine ?? null;
  // The line before can be one that was added, which has no number in the old text.
  let before = index - 1;
  while (before >= 0 && lines[before]?.oldLine === null) before--;
  const hidden = next === null ? null : next - (lines[before]?.oldLine ?? 0) - 1;
  if (hidden === null) return `${lines[index]?.text ?? ''}\n`;
  return hidden > 0 ? `${hidden.toLocaleString('en')} unchanged ${hidden === 1 ? 'line' : 'lines'}\n` : '';
}

/** How many lines a change adds and removes. */
export function countsOf(lines: readonly DiffLine[]): { readonly added: number; readonly removed: number } {
  const count = (kind: DiffLine['change']) => lines.filter(({ change }) => change === kind).length;
  return { added: count('added'), removed: count('removed') };
}
