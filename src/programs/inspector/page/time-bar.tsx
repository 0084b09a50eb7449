import { useEffect, useRef } from 'preact/hooks';
import { Button } from './controls.tsx';
import type { PageState } from './page-state.ts';
import { secondsText } from './rows.ts';

/** The slider through time, with a picture of what happened when. */
export function TimeBar({ state }: { readonly state: PageState }) {
  const { timeline, choices, position } = state;
  const last = timeline.length - 1;
  const row = timeline.rows[position];
  const text = row ? `${position + 1} of ${timeline.length}, at ${secondsText(row.item.t)} s` : 'nothing yet';
  return (
    <footer class="time-bar">
      <div class="steps">
        <Step label="First message" icon="|◀" onClick={() => state.goTo(0)} />
        <Step label="Previous message" icon="◀" onClick={() => state.goTo(position - 1)} />
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
          max={Math.max(0, last)}
          value={Math.max(0, position)}
          onInput={({ currentTarget }) => state.goTo(Number(currentTarget.value))}
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

/** A bar for each part of the timeline, as high as there are messages from and to the agent. */
function Overview({ state }: { readonly state: PageState }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = useRef('');
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const { clientWidth: width, clientHeight: height } = element;
    const colors = getComputedStyle(element);
    const id = [width, state.timeline.length, state.choices.theme, colors.color].join(' ');
    if (id === drawn.current) return;
    drawn.current = id;
    paint(element, state, width, height);
  });
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a canvas takes no focus
  return <canvas ref={canvas} class="overview" aria-hidden="true" />;
}

function paint(canvas: HTMLCanvasElement, state: PageState, width: number, height: number): void {
  const context = canvas.getContext('2d');
  if (!context || width === 0) return;
  const scale = devicePixelRatio;
  canvas.width = width * scale;
  canvas.height = height * scale;
  context.scale(scale, scale);
  const { rows } = state.timeline;
  const step = 3;
  const count = Math.max(1, Math.floor(width / step));
  const bytesIn = new Float64Array(count);
  const bytesOut = new Float64Array(count);
  const faults = new Uint8Array(count);
  rows.forEach(({ item, kind }, index) => {
    const place = Math.min(count - 1, Math.floor((index / Math.max(1, rows.length)) * count));
    if (item.type === 'message') {
      const bars = item.dir === 'in' ? bytesIn : bytesOut;
      bars[place] = (bars[place] ?? 0) + 1;
    }
    if (kind === 'error' || (item.type === 'diagnostic' && item.severity !== 'info')) faults[place] = 1;
  });
  const color = (name: string) => getComputedStyle(canvas).getPropertyValue(name);
  const most = Math.max(1, ...bytesIn, ...bytesOut);
  const middle = height / 2;
  const bars = (values: Float64Array, fill: string, sign: number) => {
    context.fillStyle = fill;
    values.forEach((value, place) => {
      if (value === 0) return;
      const size = Math.max(1.5, (value / most) * (middle - 2));
      context.fillRect(place * step, sign > 0 ? middle - size : middle, step - 1, size);
    });
  };
  // Colors that are computed: a custom property with light-dark() is no color of a canvas.
  bars(bytesOut, probe(canvas, color('--out')), 1);
  bars(bytesIn, probe(canvas, color('--in')), -1);
  context.fillStyle = probe(canvas, color('--error'));
  faults.forEach((fault, place) => {
    if (fault) context.fillRect(place * step, 0, step - 1, 3);
  });
}

function probe(element: HTMLElement, color: string): string {
  const before = element.style.color;
  element.style.color = color;
  const computed = getComputedStyle(element).color;
  element.style.color = before;
  return computed;
}
