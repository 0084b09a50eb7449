import { plainText } from '../../../core/render/clean.ts';
import type { PanelProps } from '../panel-props.ts';
import { usePart } from '../use-part.ts';
import { Composer } from './composer.tsx';

/** The input, or why the session that is shown takes none. */
export function Input({ panel }: PanelProps) {
  // While the agent opens a saved session, the input waits for it.
  const reason = usePart(panel, (state) => (state.loading === null ? state.readOnly : null));
  const isReady = usePart(panel, (state) => state.phase === 'open');
  if (reason === null) return <Composer panel={panel} />;
  return (
    <section className="read-only" aria-label="Read only">
      <p role="status" dir="auto">
        This session can only be read. {plainText(reason)}
      </p>
      <button type="button" disabled={!isReady} onClick={() => panel.newSession()}>
        Start a new session
      </button>
    </section>
  );
}
