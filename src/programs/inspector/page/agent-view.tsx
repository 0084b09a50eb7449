import type { Panel } from '../../../panel/connect.ts';
import type { PanelState } from '../../../panel/state.ts';
import { Button, Select, Table } from './controls.tsx';
import { useChanges } from './hooks.ts';
import type { PageState } from './page-state.ts';
import { LoginButtons } from './question-view.tsx';
import { RequestForm } from './request-form.tsx';
import type { Server } from './server.ts';

interface AgentViewProps {
  readonly state: PageState;
  readonly panel: Panel;
  readonly server: Server;
}

/** What the user can do with the agent: sessions, settings, and requests by hand. */
export function AgentView({ state, panel, server }: AgentViewProps) {
  useChanges(panel);
  const shown = panel.getSnapshot();
  return (
    <div class="page">
      <Sessions state={state} panel={panel} shown={shown} />
      <Settings panel={panel} shown={shown} />
      <Logins panel={panel} shown={shown} />
      <RequestForm state={state} server={server} sessionId={shown.sessionId} />
    </div>
  );
}

interface PartProps {
  readonly panel: Panel;
  readonly shown: PanelState;
}

function Sessions({ state, panel, shown }: PartProps & { readonly state: PageState }) {
  const { features, sessions, sessionId, phase } = shown;
  const open = (id: string) => {
    void panel.openSession(id).then(
      () => state.choose({ conversation: null, position: null }),
      () => {},
    );
  };
  const resume = (id: string, cwd: string | null) => {
    const params = { sessionId: id, ...(cwd !== null && { cwd }) };
    state.edit({ method: 'session/resume', params });
  };
  return (
    <section aria-labelledby="sessions-title">
      <div class="bar">
        <h3 id="sessions-title">Sessions</h3>
        <span class="chip">{phase}</span>
        <span class="grow" />
        <Button
          text="New session"
          disabled={phase !== 'open'}
          onClick={() =>
            void panel.newSession().then(() => state.choose({ conversation: null, position: null }))
          }
        />
        <Button
          text="List"
          disabled={features['session.list'] !== true}
          onClick={() => void panel.refreshSessions()}
        />
      </div>
      {sessions.length === 0 ? (
        <p class="none">The agent has listed no sessions.</p>
      ) : (
        <Table columns={['Session', 'Directory', 'Updated', 'Actions']}>
          {sessions.map((session) => (
            <tr key={session.sessionId} aria-current={session.sessionId === sessionId}>
              <th scope="row">
                {session.title ?? ''} <code>{session.sessionId}</code>
              </th>
              <td>
                <code>{session.cwd}</code>
              </td>
              <td>{session.updatedAt ?? ''}</td>
              <td class="buttons">
                <Button text="Open" onClick={() => open(session.sessionId)} />
                <Button
                  text="Resume…"
                  disabled={features['session.resume'] !== true}
                  onClick={() => resume(session.sessionId, session.cwd ?? null)}
                />
                <Button
                  text="Close"
                  disabled={features['session.close'] !== true}
                  onClick={() => void panel.closeSession(session.sessionId)}
                />
                <Button
                  text="Delete"
                  disabled={features['session.delete'] !== true}
                  onClick={() => void panel.deleteSession(session.sessionId)}
                />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

function Settings({ panel, shown }: PartProps) {
  const { settings } = shown;
  return (
    <section aria-labelledby="settings-title">
      <div class="bar">
        <h3 id="settings-title">Settings</h3>
      </div>
      {settings.length === 0 && <p class="none">The session has no settings.</p>}
      <div class="settings">
        {settings.map(({ settingId, name, description, value, choices }) => (
          // biome-ignore lint/a11y/noLabelWithoutControl: both branches are controls
          <label key={settingId} class="field" title={description ?? undefined}>
            <span>{name}</span>
            {choices === null ? (
              <input
                type="checkbox"
                checked={value === true}
                onChange={({ currentTarget }) => void panel.changeSetting(settingId, currentTarget.checked)}
              />
            ) : (
              <Select
                value={String(value)}
                options={choices.map(({ value: choice, group, name: text }) => [
                  choice,
                  group === null ? text : `${group}: ${text}`,
                ])}
                onChange={(chosen) => void panel.changeSetting(settingId, chosen)}
              />
            )}
          </label>
        ))}
      </div>
    </section>
  );
}

function Logins({ panel, shown }: PartProps) {
  const { authMethods, features } = shown;
  if (authMethods.length === 0) return null;
  return (
    <section aria-labelledby="login-title">
      <div class="bar">
        <h3 id="login-title">Login</h3>
      </div>
      <div class="buttons">
        <LoginButtons methods={authMethods} onLogin={(methodId) => void panel.login(methodId)} />
        {features['auth.logout'] === true && <Button text="Log out" onClick={() => void panel.logout()} />}
      </div>
    </section>
  );
}
