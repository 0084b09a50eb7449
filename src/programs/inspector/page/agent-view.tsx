import type { Panel } from '../../../panel/connect.ts';
import type { Feature } from '../../../protocol/feature.ts';
import { Button, Checkbox, Select, Table } from './controls.tsx';
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
  return (
    <div class="page">
      <Sessions state={state} panel={panel} />
      <Settings panel={panel} />
      <Logins panel={panel} />
      <RequestForm state={state} server={server} sessionId={panel.getSnapshot().sessionId} />
    </div>
  );
}

function Sessions({ state, panel }: Pick<AgentViewProps, 'state' | 'panel'>) {
  const { features, sessions, sessionId, phase } = panel.getSnapshot();
  const showNewest = () => state.choose({ conversation: null, position: null });
  const button = (text: string, feature: Feature, onClick: () => void) => (
    <Button text={text} disabled={features[feature] !== true} onClick={onClick} />
  );
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
          onClick={() => void panel.newSession().then(showNewest)}
        />
        {button('List', 'session.list', () => void panel.refreshSessions())}
      </div>
      {sessions.length === 0 ? (
        <p class="none">The agent has listed no sessions.</p>
      ) : (
        <Table columns={['Session', 'Directory', 'Updated', 'Actions']}>
          {sessions.map(({ sessionId: id, title, cwd, updatedAt }) => (
            <tr key={id} aria-current={id === sessionId}>
              <th scope="row">
                {title ?? ''} <code>{id}</code>
              </th>
              <td>
                <code>{cwd}</code>
              </td>
              <td>{updatedAt ?? ''}</td>
              <td class="buttons">
                <Button text="Open" onClick={() => void panel.openSession(id).then(showNewest, () => {})} />
                {button('Resume…', 'session.resume', () => resume(id, cwd ?? null))}
                {button('Close', 'session.close', () => void panel.closeSession(id))}
                {button('Delete', 'session.delete', () => void panel.deleteSession(id))}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

function Settings({ panel }: { readonly panel: Panel }) {
  const { settings } = panel.getSnapshot();
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
              <Checkbox
                checked={value === true}
                onChange={(chosen) => void panel.changeSetting(settingId, chosen)}
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

function Logins({ panel }: { readonly panel: Panel }) {
  const { authMethods, features } = panel.getSnapshot();
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
