import { useMemo } from 'preact/hooks';
import { Button } from './controls.tsx';
import { compareRows, type Difference } from './difference.ts';
import type { LoadedTimeline } from './loaded-timeline.ts';
import type { PageState } from './page-state.ts';

/** How many messages are listed. */
const maxListed = 500;

const texts = {
  changed: 'differs',
  removed: 'only in the first',
  added: 'only in the second',
} as const satisfies Record<Difference['kind'], string>;

interface CompareViewProps {
  readonly state: PageState;
  readonly other: LoadedTimeline;
}

/** The messages in which the timeline differs from the other one. */
export function CompareView({ state, other }: CompareViewProps) {
  const { timeline } = state;
  // The rows are the same list while it grows.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const { equal, differences } = useMemo(
    () => compareRows(timeline.rows, other.rows),
    [timeline.length, other.length],
  );
  const count = (kind: Difference['kind']) => differences.filter((each) => each.kind === kind).length;
  return (
    <div class="page">
      <p class="none" role="status">
        First: <b>{timeline.title}</b>. Second: <b>{other.title}</b>. {equal} equal, {count('changed')}{' '}
        changed, {count('removed')} only in the first, {count('added')} only in the second, without ids and
        times.
      </p>
      <ol class="cards">
        {differences.slice(0, maxListed).map(({ kind, name, index, fields }) => (
          <li key={`${kind} ${index} ${name} ${fields}`} class="card">
            <div class="bar">
              {index === null ? (
                <b>{name}</b>
              ) : (
                <Button
                  class="link"
                  text={`#${index + 1} ${name}`}
                  onClick={() => state.showMessage(index)}
                />
              )}
              <span class="facts">{texts[kind]}</span>
            </div>
            <ul>
              {fields.map((field) => (
                <li key={field}>
                  <code>{field}</code>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
      {differences.length > maxListed && (
        <p class="none">
          These are the first {maxListed} of {differences.length} messages.
        </p>
      )}
    </div>
  );
}
