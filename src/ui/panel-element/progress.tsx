import { useEffect, useState } from 'preact/hooks';

/** How long the page has seen it. */
export function Seconds({ isShown = true }: { readonly isShown?: boolean }) {
  const now = useTime(performance);
  const [since] = useState(now);
  const seconds = Math.round((now - since) / 1000);
  if (!isShown || seconds < 1) return null;
  const text = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return (
    <span className="seconds" aria-hidden="true">
      {text}
    </span>
  );
}

/** The time of a clock, in milliseconds. The part is drawn again each second. */
export function useTime(clock: { now(): number }): number {
  const [now, setNow] = useState(() => clock.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(clock.now()), 1000);
    return () => clearInterval(timer);
  }, [clock]);
  return now;
}

/** Something moves. */
export function Dots() {
  return (
    <span className="dots" aria-hidden="true">
      <i />
      <i />
      <i />
    </span>
  );
}
