import { useState } from 'preact/hooks';
import { plainText } from '../../../core/render/clean.ts';
import type { PanelState } from '../../panel/state.ts';
import { useAction } from '../events.ts';
import { Dots, Seconds, useTime } from '../progress.tsx';
import { hasAgent, hasTurn } from '../shown-agent.ts';
import { type PanelProps, usePart } from '../use-part.ts';

/** What is shown for a phase of the agent, and for a state of its session. */
const texts = new Map(
  Object.entries({
    none: '',
    disconnected: 'Connecting…',
    starting: 'Starting the agent…',
    reconnecting: 'Starting the agent again…',
    closed: 'The agent is not running',
    loading: 'Loading the session…',
    running: 'Working…',
    requires_action: 'Waiting for you',
  }),
);

/** Why the last turn ended, where the user would not expect it. */
const stops = new Map(
  Object.entries({
    end_turn: '',
    cancelled: 'Cancelled',
    refusal: 'The agent refused',
    max_tokens: 'Stopped: too many tokens',
    max_turn_requests: 'Stopped: too many steps',
    error: 'Failed',
  }),
);

/** In which of them something moves, and seconds are counted. */
const moving: readonly string[] = ['starting', 'reconnecting', 'loading', 'running'];

/** The phase of the agent or the state of its session: what is shown of both. */
function shownState(state: PanelState): string {
  if (!hasAgent(state)) return 'none';
  if (state.phase !== 'open') return state.phase;
  if (state.loading) return 'loading';
  // An agent that asks for a login does not know that it waits for the user.
  if (hasTurn(state) && state.questions.length > 0) return 'requires_action';
  return state.conversation?.activity.state ?? 'idle';
}

function shownText(state: PanelState): string {
  const shown = shownState(state);
  if (shown !== 'idle') return texts.get(shown) ?? shown;
  const stopReason = state.conversation?.activity.stopReason ?? 'end_turn';
  return stops.get(stopReason) ?? stopReason;
}

/** What the agent does, with a sign of life. A screen reader reads the text, and not each second. */
export function Activity({ panel }: PanelProps) {
  const shown = usePart(panel, shownState);
  const text = usePart(panel, shownText);
  const loading = usePart(panel, (state) => state.loading);
  const nextAttemptAt = usePart(panel, (state) => state.nextAttemptAt);
  const isTurn = usePart(panel, hasTurn);
  const isMoving = moving.includes(shown);
  // The seconds of a turn continue while a question waits.
  const counted = isMoving ? shown : isTurn && 'running';
  if (nextAttemptAt !== null) return <Offline key={nextAttemptAt} panel={panel} until={nextAttemptAt} />;
  return (
    <p className="note activity" hidden={text === ''}>
      {isMoving && <Dots />}
      <span role="status">{text}</span>
      {loading && loading.updates > 0 && (
        <span aria-hidden="true">{loading.updates.toLocaleString()} updates</span>
      )}
      {counted && <Seconds key={counted} isShown={isMoving} />}
      {(shown === 'starting' || shown === 'reconnecting') && <LongStart key={shown} panel={panel} />}
    </p>
  );
}

/** A start that takes longer than so many seconds says why, and can be ended. */
const longStartSeconds = 8;

/** What the user can do about a start that takes long. */
function LongStart({ panel }: PanelProps) {
  const note = usePart(panel, ({ agents }) => agents.find(({ isChosen }) => isChosen)?.note ?? null);
  const canShowLog = useAction('showLog');
  const now = useTime(performance);
  const [since] = useState(now);
  if (now - since < longStartSeconds * 1000) return null;
  return (
    <span className="long-start">
      {note !== null && <span role="status">{plainText(note)}</span>}
      {canShowLog && (
        <button type="button" className="link" onClick={() => panel.showLog()}>
          Show log
        </button>
      )}
      <button type="button" className="link" onClick={() => panel.stop()}>
        Stop
      </button>
    </span>
  );
}

/** The agent is not reached. The user need not wait for the next attempt. */
function Offline({ panel, until }: PanelProps & { readonly until: number }) {
  const now = useTime(Date);
  const seconds = Math.max(0, Math.ceil((until - now) / 1000));
  return (
    <p className="note activity">
      <span role="status">Offline.</span>
      <span className="seconds" aria-hidden="true">
        Next try in {seconds} s
      </span>
      <button type="button" className="link" onClick={() => panel.retryNow()}>
        Try now
      </button>
    </p>
  );
}
