import { useMemo } from 'preact/hooks';
import { Button, Table } from './controls.tsx';
import { compareRows, type Difference } from './difference.ts';
import type { LoadedTimeline } from './loaded-timeline.ts';
import type { PageState } from './page-state.ts';

/** How many differences are shown. */
const maxDifferences = 1000;

/** How much of a value is shown, in characters, and how much of that comes before what differs. */
const maxShown = 300;
const shownBefore = 40;

/** How the timeline differs from the other one. */
export function CompareView({ state }: { readonly state: PageState }) {
  const { other, timeline } = state;
  return other && <Differences state={state} other={other} key={`${timeline.length} ${other.length}`} />;
}

function Differences({ state, other }: { readonly state: PageState; readonly other: LoadedTimeline }) {
  const { rows, title } = state.timeline;
  const { counts, differences } = useMemo(() => compareRows(rows, other.rows), [rows, other.rows]);
  return (
    <div class="page">
      <div class="bar">
        <span class="facts" role="status">
          {counts.equal} equal, {counts.changed} changed, {counts.removed} only in the first, {counts.added}{' '}
          only in the second, without ids and times
        </span>
      </div>
      {differences.length === 0 ? (
        <p class="none">The recordings have no differences.</p>
      ) : (
        <Table class="differences" columns={['Message', `First: ${title}`, `Second: ${other.title}`]}>
          {differences.slice(0, maxDifferences).map((difference) => (
            <DifferenceRow
              key={`${difference.index} ${difference.path}`}
              state={state}
              difference={difference}
            />
          ))}
        </Table>
      )}
      {differences.length > maxDifferences && (
        <p class="none">
          These are the first {maxDifferences} of {differences.length} differences.
        </p>
      )}
    </div>
  );
}

function DifferenceRow({
  state,
  difference,
}: {
  readonly state: PageState;
  readonly difference: Difference;
}) {
  const { index, name, path, left, right } = difference;
  const [first, second] = textsOf(left, right);
  return (
    <tr>
      <td>
        {index === null ? (
          name
        ) : (
          <Button class="link" text={`#${index + 1} ${name}`} onClick={() => state.showMessage(index)} />
        )}{' '}
        <code>{path.join('.')}</code>
      </td>
      <td>
        <code>{first}</code>
      </td>
      <td>
        <code>{second}</code>
      </td>
    </tr>
  );
}

/** Two values as JSON, from a little before what differs. */
function textsOf(...values: readonly [left: unknown, right: unknown]): readonly string[] {
  const texts = values.map((value) => JSON.stringify(value) ?? '—');
  const [left = '', right = ''] = texts;
  let same = 0;
  while (same < left.length && left[same] === right[same]) same++;
  const start = Math.max(0, same - shownBefore);
  const end = start + maxShown;
  return texts.map(
    (text) => (start > 0 ? '…' : '') + text.slice(start, end) + (text.length > end ? '…' : ''),
  );
}
