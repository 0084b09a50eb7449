import type { Panel } from '../../../ui/panel/connect.ts';
import { SessionList } from '../../../ui/panel-element/sessions/session-list.tsx';
import { usePart } from '../../../ui/panel-element/use-part.ts';
import { Button } from './controls.tsx';
import type { PageState } from './page-state.ts';
import { PanelParts } from './panel-parts.tsx';

interface SessionsViewProps {
  readonly state: PageState;
  readonly panel: Panel;
  /** Whether there is a transcript to go back to. */
  readonly hasTranscript: boolean;
}

/** Prompts to begin with. The demo agent answers the first one with a permission and an edit. */
const prompts = ['Please edit my notes.', 'What can you do?'];

/** The sessions that the agent has listed, to open one of them, and prompts to begin one. */
export function SessionsView({ state, panel, hasTranscript }: SessionsViewProps) {
  const phase = usePart(panel, (snapshot) => snapshot.phase);
  const showNewest = () => state.choose({ conversation: null, position: null, pane: 'transcript' });
  return (
    <section class="pane" aria-labelledby="sessions-title">
      <div class="bar">
        <h2 id="sessions-title">Sessions</h2>
        <span class="grow" />
        <Button
          text="New session"
          disabled={phase !== 'open'}
          onClick={() => void panel.newSession().then(showNewest, () => {})}
        />
        {hasTranscript && <Button text="Transcript" onClick={() => state.choose({ pane: 'transcript' })} />}
      </div>
      {phase === 'open' ? (
        <p class="none">
          Open a session, or write a prompt to begin one, such as:
          <span class="buttons">
            {prompts.map((text) => (
              <Button key={text} class="link" text={text} onClick={() => panel.setDraft(text)} />
            ))}
          </span>
        </p>
      ) : (
        <p class="none">The agent is not ready: {phase}.</p>
      )}
      <PanelParts panel={panel} class="page">
        {(shown) => <SessionList panel={shown} onChosen={showNewest} />}
      </PanelParts>
    </section>
  );
}
