import { Button } from './controls.tsx';
import { keyTarget } from './list-keys.ts';
import type { PageState } from './page-state.ts';
import { secondsText } from './rows.ts';

/** How many messages Page Down goes on in time. */
const pageSteps = 20;

/** The slider through time. Equal distances are equal times, but for long pauses. */
export function TimeBar({ state }: { readonly state: PageState }) {
  const { timeline, choices, position, isPlaying } = state;
  const { drawnTimes } = timeline;
  const row = timeline.rows[position];
  const text = row ? `${position + 1} of ${timeline.length}, at ${secondsText(row.item.t)} s` : 'nothing yet';
  // Many messages can have the same time: the keys go from one to the next.
  const onKeyDown = (event: KeyboardEvent) => {
    const target = keyTarget(event, position, timeline.length, pageSteps);
    if (target === undefined) return;
    event.preventDefault();
    state.goTo(target);
  };
  return (
    <footer class="time-bar">
      <Step label="Previous message" icon="◀" onClick={() => state.goTo(position - 1)} />
      <Step
        label={isPlaying ? 'Pause' : 'Play'}
        icon={isPlaying ? '❚❚' : '▷'}
        onClick={() => (isPlaying ? state.pause() : state.play())}
      />
      <Step label="Next message" icon="▶" onClick={() => state.goTo(position + 1)} />
      <input
        id="time"
        type="range"
        aria-label="Time"
        aria-valuetext={text}
        min={0}
        max={Math.max(1, drawnTimes.at(-1) ?? 1)}
        value={drawnTimes[position] ?? 0}
        onInput={({ currentTarget }) => state.goTo(timeline.indexAt(Number(currentTarget.value)))}
        onKeyDown={onKeyDown}
      />
      <span class="now-text">
        {row ? `${position + 1}/${timeline.length} · ${secondsText(row.item.t)} s` : '–'}
        {timeline.isShortened && ' · pauses shortened'}
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
  return <Button class="step" text={icon} aria-label={label} title={label} onClick={onClick} />;
}
