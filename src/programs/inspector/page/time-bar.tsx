import { Button } from './controls.tsx';
import { Overview } from './overview.tsx';
import type { PageState } from './page-state.ts';
import { secondsText } from './rows.ts';

/** The slider through time, with a picture of what happened when. Equal distances are equal times. */
export function TimeBar({ state }: { readonly state: PageState }) {
  const { timeline, choices, position } = state;
  const { times } = timeline;
  const last = timeline.length - 1;
  const row = timeline.rows[position];
  const text = row ? `${position + 1} of ${timeline.length}, at ${secondsText(row.item.t)} s` : 'nothing yet';
  // Many messages can have the same time: the keys go from one to the next.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const targets: Readonly<Record<string, number>> = {
      ArrowRight: position + 1,
      ArrowUp: position + 1,
      ArrowLeft: position - 1,
      ArrowDown: position - 1,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    state.goTo(target);
  };
  return (
    <footer class="time-bar">
      <div class="steps">
        <Step label="First message" icon="|◀" onClick={() => state.goTo(0)} />
        <Step label="Previous message" icon="◀" onClick={() => state.goTo(position - 1)} />
        {state.isPlaying ? (
          <Step label="Pause" icon="❚❚" onClick={() => state.pause()} />
        ) : (
          <Step label="Play" icon="▷" onClick={() => state.play()} />
        )}
        <Step label="Next message" icon="▶" onClick={() => state.goTo(position + 1)} />
        <Step label="Last message" icon="▶|" onClick={() => state.goTo(last)} />
      </div>
      <div class="track">
        <Overview state={state} />
        <input
          id="time"
          type="range"
          aria-label="Time"
          aria-valuetext={text}
          min={0}
          max={Math.max(1, times[last] ?? 1)}
          value={times[position] ?? 0}
          onInput={({ currentTarget }) => state.goTo(timeline.indexAt(Number(currentTarget.value)))}
          onKeyDown={onKeyDown}
        />
      </div>
      <span class="now-text">
        {row ? (
          <>
            <b>{position + 1}</b>/{timeline.length} · {secondsText(row.item.t)} s
          </>
        ) : (
          '–'
        )}
      </span>
      <Button
        class="live"
        text={state.isLive ? 'Live' : 'End'}
        aria-pressed={choices.position === null}
        onClick={() => state.goLive()}
      />
    </footer>
  );
}

function Step(props: { readonly label: string; readonly icon: string; readonly onClick: () => void }) {
  const { label, icon, onClick } = props;
  return <Button class="icon" text={icon} aria-label={label} title={label} onClick={onClick} />;
}
