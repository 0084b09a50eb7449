import { useState } from 'preact/hooks';
import type { SessionInfo } from '../../../model/session.ts';
import type { Panel } from '../../../panel/connect.ts';
import type { PanelState } from '../../../panel/state.ts';
import type { Feature } from '../../../protocol/feature.ts';
import { maxListedSessions } from '../listed-sessions.ts';
import { Button } from './controls.tsx';
import { useChanges } from './hooks.ts';
import type { PageState } from './page-state.ts';
import { dateText } from './rows.ts';

interface SessionsViewProps {
  readonly state: PageState;
  readonly panel: Panel;
  /** Whether there is a transcript to go back to. */
  readonly hasTranscript: boolean;
}

/** A session that was deleted here, and its row. It stays, so that no other row moves under the pointer. */
interface Deleted {
  readonly session: SessionInfo;
  readonly row: number;
}

/** The sessions by their directory, with those that were deleted since the list was asked for. */
function groupsOf(sessions: readonly SessionInfo[], deleted: readonly Deleted[]) {
  const groups = new Map<string, SessionInfo[]>();
  const groupOf = (cwd: string) => groups.get(cwd) ?? groups.set(cwd, []).get(cwd);
  for (const session of sessions) groupOf(session.cwd)?.push(session);
  const byRow = [...deleted].sort((one, other) => one.row - other.row);
  for (const { session, row } of byRow) groupOf(session.cwd)?.splice(row, 0, session);
  return [...groups];
}

/** All sessions that the agent has listed, by their directory. */
export function SessionsView({ state, panel, hasTranscript }: SessionsViewProps) {
  useChanges(panel);
  const { features, sessions, phase } = panel.getSnapshot();
  const [deletions, setDeletions] = useState<readonly Deleted[]>([]);
  const listed = new Set(sessions.map(({ sessionId }) => sessionId));
  const deleted = deletions.filter(({ session }) => !listed.has(session.sessionId));
  const showNewest = () => state.choose({ conversation: null, position: null, pane: 'transcript' });
  return (
    <section class="pane sessions" aria-labelledby="sessions-title">
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
          onClick={() => {
            setDeletions([]);
            void panel.refreshSessions();
          }}
        />
        {hasTranscript && <Button text="Transcript" onClick={() => state.choose({ pane: 'transcript' })} />}
      </div>
      <div class="groups">
        <p class="none">{introduction(panel.getSnapshot())}</p>
        {groupsOf(sessions, deleted).map(([cwd, group]) => (
          <section key={cwd} aria-label={cwd}>
            <h3>
              <code>{cwd}</code> <small>{group.length}</small>
            </h3>
            <ul>
              {group.map((session, row) =>
                listed.has(session.sessionId) ? (
                  <Session
                    key={session.sessionId}
                    {...{ state, panel, session, showNewest }}
                    onDelete={() => setDeletions([...deleted, { session, row }])}
                  />
                ) : (
                  <li key={session.sessionId}>
                    <div class="facts">
                      <s>{session.title || 'Without a title'}</s>
                      <span>Deleted</span>
                    </div>
                  </li>
                ),
              )}
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
  if (sessions.length > 0) return 'Open a session, or write a prompt to begin one.';
  if (features['session.list'] !== true) {
    return 'This agent does not list its sessions. Write a prompt to begin one.';
  }
  return 'The agent has listed no sessions. Write a prompt to begin one.';
}

interface SessionProps extends Pick<SessionsViewProps, 'state' | 'panel'> {
  readonly session: SessionInfo;
  readonly showNewest: () => void;
  readonly onDelete: () => void;
}

function Session({ state, panel, session, showNewest, onDelete }: SessionProps) {
  const [isAsked, setIsAsked] = useState(false);
  const { sessionId, cwd, title, updatedAt } = session;
  const snapshot = panel.getSnapshot();
  const button = (text: string, feature: Feature, onClick: () => void) =>
    snapshot.features[feature] === true && <Button text={text} onClick={onClick} />;
  const resume = () => state.edit('session/resume', { sessionId, cwd });
  const remove = () => {
    onDelete();
    void panel.deleteSession(sessionId);
  };
  return (
    <li aria-current={sessionId === snapshot.sessionId}>
      <div class="facts">
        <b>{title || 'Without a title'}</b>
        <span>
          <code>{sessionId}</code> {updatedAt && <span class="when">{dateText(updatedAt)}</span>}
        </span>
      </div>
      <div class="buttons">
        <Button text="Open" onClick={() => void panel.openSession(sessionId).then(showNewest, () => {})} />
        {button('Resume…', 'session.resume', resume)}
        {button('Close', 'session.close', () => void panel.closeSession(sessionId))}
        {button('Delete…', 'session.delete', () => setIsAsked(true))}
      </div>
      {/* Below the buttons, so that a second click at the same place asks once more. */}
      {isAsked && (
        <div class="buttons sure">
          <span role="alert">Delete this session for good?</span>
          <Button text="Delete" onClick={remove} />
          <Button text="Keep" onClick={() => setIsAsked(false)} />
        </div>
      )}
    </li>
  );
}
