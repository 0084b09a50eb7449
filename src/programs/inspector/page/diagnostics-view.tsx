import { Button } from './controls.tsx';
import type { PageState } from './page-state.ts';
import { secondsText } from './rows.ts';

/** At most this many are drawn. */
const maxShown = 500;

const severityMarks = { error: '✕ error', warning: '! warning', info: 'i info' } as const;

/** The problems that the library reported. */
export function DiagnosticsView({ state }: { readonly state: PageState }) {
  const found = state.timeline.rows.flatMap(({ item, index }) =>
    item.type === 'diagnostic' ? [{ item, index }] : [],
  );
  if (found.length === 0) {
    return (
      <div class="page">
        <p class="none">No diagnostics. The library has found no fault in what the agent sent.</p>
      </div>
    );
  }
  return (
    <div class="page">
      <ol class="cards">
        {found.slice(0, maxShown).map(({ item, index }) => {
          const { cause } = item;
          return (
            <li key={index} class={`card ${item.severity}`}>
              <div class="bar">
                <span class="severity">{severityMarks[item.severity]}</span>
                <h3>{item.rule}</h3>
                <span class="facts">at {secondsText(item.t)} s</span>
                <span class="grow" />
                <Button
                  class="link"
                  text={
                    cause === undefined
                      ? 'show on the wire'
                      : `caused by #${cause + 1} ${state.timeline.rows[cause]?.label ?? ''}`
                  }
                  onClick={() => state.showMessage(cause ?? index)}
                />
              </div>
              <p>{item.message}</p>
              {item.received !== undefined && (
                <p class="facts">
                  received <code>{item.received}</code>
                </p>
              )}
            </li>
          );
        })}
      </ol>
      {found.length > maxShown && <p>And {found.length - maxShown} more.</p>}
    </div>
  );
}
