import { useRef, useState } from 'preact/hooks';

const least = 20;
const most = 75;

/** Moves the border between the two panes, by pointer and by keyboard. */
export function Splitter() {
  const [percent, setPercent] = useState(42);
  const element = useRef<HTMLDivElement>(null);
  const move = (next: number) => {
    const within = Math.round(Math.max(least, Math.min(most, next)));
    setPercent(within);
    element.current?.parentElement?.style.setProperty('--left', `${within}%`);
  };
  const onPointerMove = (event: PointerEvent) => {
    const parent = element.current?.parentElement;
    if (!parent || !element.current?.hasPointerCapture(event.pointerId)) return;
    const { left, width } = parent.getBoundingClientRect();
    move(((event.clientX - left) / width) * 100);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: hr cannot have the focus
    <div
      ref={element}
      class="splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the transcript"
      aria-valuenow={percent}
      aria-valuemin={least}
      aria-valuemax={most}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onKeyDown={(event) => {
        if (event.key === 'ArrowLeft') move(percent - 2);
        else if (event.key === 'ArrowRight') move(percent + 2);
        else return;
        event.preventDefault();
      }}
    />
  );
}
