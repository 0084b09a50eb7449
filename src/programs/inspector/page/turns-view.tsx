import { useMemo } from 'preact/hooks';
import { Button } from './controls.tsx';
import type { LoadedTimeline } from './loaded-timeline.ts';
import type { PageState } from './page-state.ts';
import { RowList } from './row-list.tsx';
import { durationText, secondsText } from './rows.ts';
import { type Action, actionsOf } from './turns.ts';

const icons = { turn: '▶', load: '↺', tool: '⚙', question: '?' } as const satisfies Record<
  Action['kind'],
  string
>;

/** The turns and what took time in them, with their duration, beside the messages. */
export function TurnsView({ state }: { readonly state: PageState }) {
  const { timeline, choices } = state;
  // The timeline is the same object while it grows.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const list = useMemo(() => actionsOf(timeline), [timeline.version]);
  const active = list.findIndex(({ first }) => first === choices.message);
  const open = (place: number) => {
    const action = list[place];
    if (action) state.showRows(action.first, action.last ?? timeline.length - 1);
  };
  return (
    <div class="pane wire">
      <div class="bar">
        <Button text="Show its messages" disabled={active === -1} onClick={() => open(active)} />
        {timeline.isShortened && <span class="facts">The bars have no pause longer than 2 s.</span>}
      </div>
      <RowList
        id="turns"
        label="Turns and tool calls"
        count={list.length}
        active={active}
        follows={state.follows}
        onActivate={(place) => {
          const action = list[place];
          if (action) state.chooseMessage(action.first);
        }}
        onOpen={open}
        row={(place) => {
          const action = list[place];
          return {
            class: `action at-${action?.kind ?? ''} ${(action?.first ?? 0) > state.position ? 'later' : ''}`,
            children: action && <ActionCells action={action} timeline={timeline} />,
          };
        }}
        empty={timeline.isReading ? 'The recording is being read.' : 'No turn has begun.'}
      />
    </div>
  );
}

function ActionCells(props: { readonly action: Action; readonly timeline: LoadedTimeline }) {
  const { action, timeline } = props;
  const { times, drawnTimes } = timeline;
  const last = action.last ?? timeline.length - 1;
  const start = times[action.first] ?? 0;
  const stop = times[last] ?? start;
  const from = drawnTimes[action.first] ?? 0;
  const to = drawnTimes[last] ?? from;
  const share = (time: number) => `${(100 * time) / Math.max(1, drawnTimes.at(-1) ?? 0)}%`;
  return (
    <>
      <span class="dim">{secondsText(start).padStart(8)} </span>
      <span class="dim">{(action.last === null ? '…' : durationText(stop - start)).padStart(9)} </span>
      <span class="grow">
        {action.kind === 'tool' || action.kind === 'question' ? '  ' : ''}
        {icons[action.kind]} {action.title}
        {action.outcome !== null && <span class="dim"> {action.outcome}</span>}
      </span>
      <span class="span" style={{ '--from': share(from), '--length': share(to - from) }} />
    </>
  );
}
