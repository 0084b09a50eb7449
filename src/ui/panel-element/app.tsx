import { useState } from 'preact/hooks';
import { Input } from './composer/composer.tsx';
import { Actions, useActions } from './events.ts';
import { Header } from './header.tsx';
import { Problem } from './problem.tsx';
import { Questions } from './questions/questions.tsx';
import { Subject } from './questions/subject.tsx';
import { Found, type FoundWords } from './transcript/highlight.ts';
import { Plans } from './transcript/plans.tsx';
import { Transcript } from './transcript/transcript.tsx';
import { type PanelProps, usePart } from './use-part.ts';
import { Welcome } from './welcome.tsx';

/** The parts of the panel. Each reads its own part of the state, so a change draws only what it changes. */
export function App({ panel }: PanelProps) {
  const [found, setFound] = useState<FoundWords | null>(null);
  return (
    <Found value={{ found, setFound }}>
      <Actions value={useActions(panel)}>
        <Header panel={panel} />
        <Problem panel={panel} />
        <Content panel={panel} />
        <Plans panel={panel} />
        <Questions panel={panel} subject={Subject} />
        <Input panel={panel} />
      </Actions>
    </Found>
  );
}

function Content({ panel }: PanelProps) {
  const conversation = usePart(panel, (state) => state.conversation);
  const sessionId = usePart(panel, (state) => state.sessionId);
  const isLoading = usePart(panel, (state) => state.loading !== null);
  if (!conversation || (conversation.entries.length === 0 && !isLoading)) return <Welcome panel={panel} />;
  return <Transcript key={sessionId} panel={panel} conversation={conversation} />;
}
