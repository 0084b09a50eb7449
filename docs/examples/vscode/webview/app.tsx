import { useSyncExternalStore } from 'react';
import { Agents } from './agents.tsx';
import { Composer } from './composer.tsx';
import { Header } from './header.tsx';
import type { PanelProps } from './panel-props.ts';
import { Plans } from './plans.tsx';
import { Problem } from './problem.tsx';
import { Questions } from './questions.tsx';
import { Transcript } from './transcript.tsx';

export function App({ panel }: Pick<PanelProps, 'panel'>) {
  const state = useSyncExternalStore(panel.subscribe, panel.getSnapshot);
  const { conversation, problem, sessionId } = state;
  return (
    <>
      <Header panel={panel} state={state} />
      {problem && <Problem panel={panel} state={state} problem={problem} />}
      {conversation ? (
        <Transcript key={sessionId} panel={panel} state={state} conversation={conversation} />
      ) : (
        <main className="welcome">
          {state.phase === 'open' && <p>Ask the agent, or open an earlier session.</p>}
          {state.agents.length > 0 && <Agents panel={panel} state={state} />}
        </main>
      )}
      {conversation && <Plans plans={conversation.plans} />}
      <Questions panel={panel} state={state} />
      <Composer key={`composer ${sessionId}`} panel={panel} state={state} />
    </>
  );
}
