import type { Panel } from '../../../panel/connect.ts';
import type { PanelState } from '../../../panel/state.ts';
import { useChanges } from './hooks.ts';
import type { PageState } from './page-state.ts';
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
    const serial = (state.choices.draft?.serial ?? 0) + 1;
    state.choose({ draft: { method: 'session/resume', params, serial } });
  };
  return (
    <section aria-labelledby="sessions-title">
      <div class="bar">
        <h3 id="sessions-title">Sessions</h3>
        <span class="chip">{phase}</span>
        <span class="grow" />
        <button
          type="button"
          disabled={phase !== 'open'}
          onClick={() =>
            void panel.newSession().then(() => state.choose({ conversation: null, position: null }))
          }
        >
          New session
        </button>
        <button
          type="button"
          disabled={features['session.list'] !== true}
          onClick={() => void panel.refreshSessions()}
        >
          List
        </button>
      </div>
      {sessions.length === 0 ? (
        <p class="none">The agent has listed no sessions.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Session</th>
              <th scope="col">Directory</th>
              <th scope="col">Updated</th>
              <th scope="col">Actions</th>
            </tr>
          </thead>
          <tbody>
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
                  <button type="button" onClick={() => open(session.sessionId)}>
                    Open
                  </button>
                  <button
                    type="button"
                    disabled={features['session.resume'] !== true}
                    onClick={() => resume(session.sessionId, session.cwd ?? null)}
                  >
                    Resume…
                  </button>
                  <button
                    type="button"
                    disabled={features['session.close'] !== true}
                    onClick={() => void panel.closeSession(session.sessionId)}
                  >
                    Close
                  </button>
                  <button
                    type="button"
                    disabled={features['session.delete'] !== true}
                    onClick={() => void panel.deleteSession(session.sessionId)}
                  >
                    Delete
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
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
              <select
                value={String(value)}
                onChange={({ currentTarget }) => void panel.changeSetting(settingId, currentTarget.value)}
              >
                {choices.map((choice) => (
                  <option key={choice.value} value={choice.value}>
                    {choice.group === null ? choice.name : `${choice.group}: ${choice.name}`}
                  </option>
                ))}
              </select>
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
        {authMethods.map(({ methodId, name, description }) => (
          <button
            key={methodId}
            type="button"
            title={description ?? undefined}
            onClick={() => void panel.login(methodId)}
          >
            {name}
          </button>
        ))}
        {features['auth.logout'] === true && (
          <button type="button" onClick={() => void panel.logout()}>
            Log out
          </button>
        )}
      </div>
    </section>
  );
}
