import { useEffect, useRef } from 'preact/hooks';
import type { PageState } from './page-state.ts';
import { secondsText } from './rows.ts';

/** In pixels. */
const barWidth = 3;
const scaleHeight = 10;

/** A bar for each part of the time, as high as there are messages from and to the agent, with a scale. */
export function Overview({ state }: { readonly state: PageState }) {
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
  canvas.width = width * devicePixelRatio;
  canvas.height = height * devicePixelRatio;
  context.scale(devicePixelRatio, devicePixelRatio);
  const { rows, times } = state.timeline;
  const duration = times.at(-1) ?? 0;
  const count = Math.max(1, Math.floor(width / barWidth));
  const received = new Float64Array(count);
  const sent = new Float64Array(count);
  const faults = new Uint8Array(count);
  rows.forEach(({ item, kind }, index) => {
    const share = duration === 0 ? 0 : (times[index] ?? 0) / duration;
    const place = Math.min(count - 1, Math.floor(share * count));
    if (item.type === 'message') {
      const bars = item.dir === 'in' ? received : sent;
      bars[place] = (bars[place] ?? 0) + 1;
    }
    if (kind === 'error' || (item.type === 'diagnostic' && item.severity !== 'info')) faults[place] = 1;
  });
  const style = getComputedStyle(canvas);
  // Colors that are computed: a custom property with light-dark() is no color of a canvas.
  const color = (name: string) => computedColor(canvas, style.getPropertyValue(name));
  paintScale(context, duration, width, height, { line: color('--line'), text: color('--dim') });
  const most = Math.max(1, ...received, ...sent);
  const middle = (height - scaleHeight) / 2;
  const bars = (values: Float64Array, fill: string, topOf: (size: number) => number) => {
    context.fillStyle = fill;
    values.forEach((value, place) => {
      if (value === 0) return;
      // By its root: one message is seen beside a thousand.
      const size = Math.max(2, Math.sqrt(value / most) * (middle - 1));
      context.fillRect(place * barWidth, topOf(size), barWidth - 1, size);
    });
  };
  bars(sent, color('--out'), (size) => middle - size);
  bars(received, color('--in'), () => middle);
  context.fillStyle = color('--error');
  faults.forEach((fault, place) => {
    if (fault) context.fillRect(place * barWidth, 0, barWidth - 1, 3);
  });
}

/** The least distance of two lines of the scale, in pixels. */
const leastDistance = 90;
const labelWidth = 40;

/** A line and its time at round numbers of seconds. */
function paintScale(
  context: CanvasRenderingContext2D,
  duration: number,
  width: number,
  height: number,
  colors: { readonly line: string; readonly text: string },
): void {
  const least = (duration / width) * leastDistance;
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 0.1)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= least) ?? least;
  if (!(duration > 0)) return;
  context.font = '9px ui-monospace, monospace';
  for (let time = step; time < duration; time += step) {
    const x = Math.round((time / duration) * width);
    context.fillStyle = colors.line;
    context.fillRect(x, 0, 1, height);
    context.fillStyle = colors.text;
    if (x + labelWidth < width) context.fillText(`${Number(secondsText(time))} s`, x + 3, height - 1);
  }
}

function computedColor(element: HTMLElement, color: string): string {
  const before = element.style.color;
  element.style.color = color;
  const computed = getComputedStyle(element).color;
  element.style.color = before;
  return computed;
}
