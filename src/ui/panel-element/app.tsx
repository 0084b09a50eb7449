import { Agents } from './agents.tsx';
import { Activity } from './composer/activity.tsx';
import { Input } from './composer/input.tsx';
import { hasAgent } from './has-agent.ts';
import { Header } from './header.tsx';
import type { PanelProps } from './panel-props.ts';
import { Problem } from './problem.tsx';
import { Questions } from './questions/questions.tsx';
import { Plans } from './transcript/plans.tsx';
import { Transcript } from './transcript/transcript.tsx';
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
      <Input panel={panel} />
    </>
  );
}

function Content({ panel }: PanelProps) {
  const conversation = usePart(panel, (state) => state.conversation);
  const sessionId = usePart(panel, (state) => state.sessionId);
  const isOpen = usePart(panel, (state) => state.phase === 'open' && state.loading === null);
  const isAsked = usePart(panel, (state) => state.questions.length > 0);
  const canChoose = usePart(panel, (state) => state.agents.length > 0 && !hasAgent(state));
  if (conversation) return <Transcript key={sessionId} panel={panel} conversation={conversation} />;
  return (
    <main className="welcome">
      {/* A question, such as a login, comes first. */}
      {isOpen && !isAsked && <p>Ask the agent, or open an earlier session.</p>}
      {!isOpen && <Activity panel={panel} />}
      {canChoose && <Agents panel={panel} />}
    </main>
  );
}
