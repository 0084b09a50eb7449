import { Activity } from './activity.tsx';
import { Agents } from './agents.tsx';
import { Composer } from './composer.tsx';
import { Header } from './header.tsx';
import type { PanelProps } from './panel-props.ts';
import { Plans } from './plans.tsx';
import { Problem } from './problem.tsx';
import { Questions } from './questions.tsx';
import { Transcript } from './transcript.tsx';
import { usePart } from './use-part.ts';

/** The parts of the page. Each reads its own part of the state, so a change draws only what it changes. */
export function App({ panel }: PanelProps) {
  return (
    <>
      <Header panel={panel} />
      <Problem panel={panel} />
      <Content panel={panel} />
      <Plans panel={panel} />
      <Questions panel={panel} />
      <Composer panel={panel} />
    </>
  );
}

function Content({ panel }: PanelProps) {
  const conversation = usePart(panel, (state) => state.conversation);
  const sessionId = usePart(panel, (state) => state.sessionId);
  const isOpen = usePart(panel, (state) => state.phase === 'open' && state.loading === null);
  const hasAgents = usePart(panel, (state) => state.agents.length > 0);
  if (conversation) return <Transcript key={sessionId} panel={panel} conversation={conversation} />;
  return (
    <main className="welcome">
      {isOpen ? <p>Ask the agent, or open an earlier session.</p> : <Activity panel={panel} />}
      {hasAgents && <Agents panel={panel} />}
    </main>
  );
}
