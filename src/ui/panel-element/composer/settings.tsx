import { asksForPermission } from '../../../agents/find.ts';
import type { SessionSetting } from '../../../core/conversation/settings.ts';
import { plainText } from '../../../core/render/clean.ts';
import { type PanelProps, usePart } from '../use-part.ts';

/** The agent's settings of the session, such as its mode and its model. */
export function Settings({ panel }: PanelProps) {
  const settings = usePart(panel, (state) => state.settings);
  return settings.map((setting) => <Setting key={setting.settingId} panel={panel} setting={setting} />);
}

function Setting({ panel, setting }: PanelProps & { readonly setting: SessionSetting }) {
  const { settingId, name, description, value, choices } = setting;
  const title = description ?? name;
  const change = (next: string | boolean) => panel.changeSetting(settingId, next);
  if (!choices) {
    return (
      <label className="setting" title={title}>
        <input
          type="checkbox"
          checked={value === true}
          onChange={({ currentTarget }) => change(currentTarget.checked)}
        />{' '}
        {name}
      </label>
    );
  }
  return (
    <select
      className="setting"
      aria-label={name}
      title={title}
      value={String(value)}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    >
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.name}
        </option>
      ))}
    </select>
  );
}

/** A warning where the agent may edit files without asking. The setting that decides it is below. */
export function Permissions({ panel }: PanelProps) {
  const name = usePart(panel, (state) => state.agent?.name);
  const settings = usePart(panel, (state) => state.settings);
  const isOpen = usePart(panel, (state) => state.sessionId !== null);
  const { asks, reason } = asksForPermission(name, settings);
  // The settings that decide it can be unknown until a session is open.
  if (asks === 'yes' || (asks === 'unknown' && !isOpen)) return null;
  return (
    <p className="note warning" dir="auto">
      <span aria-hidden="true">⚠ </span>
      {plainText(reason ?? '')}
    </p>
  );
}
