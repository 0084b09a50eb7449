import type { SessionInfo } from '../../../core/model/session.ts';
import type { Panel } from '../../../ui/panel/connect.ts';
import type { PanelState } from '../../../ui/panel/state.ts';
import { maxListedSessions } from '../listed-sessions.ts';
import { Button } from './controls.tsx';
import { useChanges } from './hooks.ts';
import type { PageState } from './page-state.ts';

interface SessionsViewProps {
  readonly state: PageState;
  readonly panel: Panel;
  /** Whether there is a transcript to go back to. */
  readonly hasTranscript: boolean;
}

/**
 * The sessions that the agent has listed, by their directory, to open one of them, and prompts to begin one. The demo
 * agent answers the first of these with a permission and an edit.
 */
export function SessionsView({ state, panel, hasTranscript }: SessionsViewProps) {
  useChanges(panel);
  const snapshot = panel.getSnapshot();
  const { features, sessions, phase } = snapshot;
  const groups = new Map<string, SessionInfo[]>();
  for (const session of sessions) {
    groups.set(session.cwd, [...(groups.get(session.cwd) ?? []), session]);
  }
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
        <Button
          text="List"
          title="Ask the agent for its sessions again"
          disabled={features['session.list'] !== true}
          onClick={() => void panel.refreshSessions()}
        />
        {hasTranscript && <Button text="Transcript" onClick={() => state.choose({ pane: 'transcript' })} />}
      </div>
      <div class="page">
        <p class="none">
          {introduction(snapshot)}
          {phase === 'open' && (
            <span class="buttons">
              {['Please edit my notes.', 'What can you do?'].map((text) => (
                <Button key={text} class="link" text={text} onClick={() => panel.setDraft(text)} />
              ))}
            </span>
          )}
        </p>
        {[...groups].map(([cwd, group]) => (
          <section key={cwd} aria-label={cwd}>
            <h3>
              <code>{cwd}</code> <small>{group.length}</small>
            </h3>
            <ul class="cards">
              {group.map(({ sessionId, title, updatedAt }) => (
                <li key={sessionId} class="session" aria-current={sessionId === snapshot.sessionId}>
                  <div class="grow">
                    <b>{title || 'Without a title'}</b>
                    <p class="facts">
                      <code>{sessionId}</code> {updatedAt}
                    </p>
                  </div>
                  <Button
                    text="Open"
                    onClick={() => void panel.openSession(sessionId).then(showNewest, () => {})}
                  />
                </li>
              ))}
            </ul>
          </section>
        ))}
        {sessions.length >= maxListedSessions && (
          <p class="none">These are the first {maxListedSessions} sessions of the agent.</p>
        )}
      </div>
    </section>
  );
}

/** What can be done here, or why there is nothing. */
function introduction({ phase, features, sessions }: PanelState): string {
  if (phase !== 'open') return `The agent is not ready: ${phase}.`;
  if (sessions.length > 0) return 'Open a session, or write a prompt to begin one, such as:';
  if (features['session.list'] !== true) {
    return 'This agent does not list its sessions. Write a prompt to begin one, such as:';
  }
  return 'The agent has listed no sessions. Write a prompt to begin one, such as:';
}
