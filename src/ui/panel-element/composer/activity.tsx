import { useState } from 'preact/hooks';
import type { SessionActivity } from '../../../core/model/conversation.ts';
import { plainText } from '../../../core/render/clean.ts';
import type { PanelState } from '../../panel/state.ts';
import { useAction } from '../events.ts';
import { Dots, Seconds, useTime } from '../progress.tsx';
import { hasAgent } from '../shown-agent.ts';
import { type PanelProps, usePart } from '../use-part.ts';

interface Shown {
  readonly text: string;
  /** What the seconds count. `null`: nothing moves, and nothing is counted. */
  readonly counts: 'start' | 'restart' | 'load' | 'turn' | null;
}

const still = (text: string): Shown => ({ text, counts: null });

/** What is shown for a phase of the agent. */
const phases: Readonly<Record<Exclude<PanelState['phase'], 'open'> | 'loading', Shown>> = {
  disconnected: still('Connecting…'),
  starting: { text: 'Starting the agent…', counts: 'start' },
  reconnecting: { text: 'Starting the agent again…', counts: 'restart' },
  closed: still('The agent is not running'),
  loading: { text: 'Loading the session…', counts: 'load' },
};

/** What is shown for an activity of the session. */
const activities: Readonly<Record<string, Shown>> = {
  running: { text: 'Working…', counts: 'turn' },
  requires_action: still('Waiting for you'),
};

/** Why the last turn ended, where the user would not expect it. */
const stops: Readonly<Record<string, string>> = {
  end_turn: '',
  cancelled: 'Cancelled',
  refusal: 'The agent refused',
  max_tokens: 'Stopped: too many tokens',
  max_turn_requests: 'Stopped: too many steps',
  error: 'Failed',
};

interface Situation {
  readonly phase: PanelState['phase'];
  readonly isChosen: boolean;
  readonly isLoading: boolean;
  readonly isAsked: boolean;
  readonly activity: SessionActivity | undefined;
}

function shownFor({ phase, isChosen, isLoading, isAsked, activity }: Situation): Shown {
  if (!isChosen) return still('');
  if (phase !== 'open') return phases[phase];
  if (isLoading) return phases.loading;
  const { state, stopReason } = activity ?? { state: 'idle', stopReason: null };
  // An agent that asks for a login does not know that it waits for the user.
  if (state !== 'idle') return activities[isAsked ? 'requires_action' : state] ?? still(state);
  return still(stopReason === null ? '' : (stops[stopReason] ?? stopReason));
}

/** What the agent does, with a sign of life. A screen reader reads the text, and not each second. */
export function Activity({ panel }: PanelProps) {
  const phase = usePart(panel, (state) => state.phase);
  const loading = usePart(panel, (state) => state.loading);
  const isChosen = usePart(panel, hasAgent);
  const nextAttemptAt = usePart(panel, (state) => state.nextAttemptAt);
  const activity = usePart(panel, (state) => state.conversation?.activity);
  const isAsked = usePart(panel, (state) => state.questions.length > 0);
  const { text, counts } = shownFor({ phase, isChosen, isLoading: loading !== null, isAsked, activity });
  const isTurn = activity !== undefined && activity.state !== 'idle';
  // The seconds of a turn continue while a question waits.
  const counted = counts ?? (isTurn ? 'turn' : null);
  if (nextAttemptAt !== null) return <Offline key={nextAttemptAt} panel={panel} until={nextAttemptAt} />;
  return (
    <p className="note activity" hidden={text === ''}>
      {counts && <Dots />}
      <span role="status">{text}</span>
      {loading && loading.updates > 0 && (
        <span aria-hidden="true">{loading.updates.toLocaleString()} updates</span>
      )}
      {counted && <Seconds key={counted} isShown={counts !== null} />}
      {(counts === 'start' || counts === 'restart') && <LongStart key={counts} panel={panel} />}
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
