import type { Panel } from '../../../panel/connect.ts';
import { Button, Checkbox, Select } from './controls.tsx';
import { useChanges } from './hooks.ts';
import type { PageState } from './page-state.ts';
import { LoginButtons } from './question-view.tsx';
import { RequestForm } from './request-form.tsx';
import type { Hands } from './server.ts';

/** What the user can do with the agent: settings, login, and requests by hand. */
export function AgentView({ state, hands }: { readonly state: PageState; readonly hands: Hands }) {
  const { panel } = hands;
  useChanges(panel);
  return (
    <div class="page">
      <Settings panel={panel} />
      <Logins panel={panel} />
      <RequestForm state={state} hands={hands} />
    </div>
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
