import {
  type Conversation,
  type ConversationMirror,
  type SessionSetting,
  settingsOf,
} from 'acp-client-sdk/conversation';
import { type FormEvent, type KeyboardEvent, useSyncExternalStore } from 'react';
import { type Panel, send, setDraft } from './panel.ts';

export function Composer({ panel }: { readonly panel: Panel }) {
  const { state, mirror, draft } = panel;
  const canSend = state.phase === 'open' && state.loadedUpdates === null && draft.trim() !== '';
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (!canSend) return;
    send({ type: 'prompt', text: draft });
    setDraft('');
  };
  return (
    <form onSubmit={submit}>
      <textarea
        aria-label="Prompt"
        placeholder="Ask the agent"
        rows={2}
        value={draft}
        onChange={({ target }) => setDraft(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
        }}
      />
      <div className="controls">
        {mirror ? <SessionControls mirror={mirror} /> : <span className="activity" />}
        <button type="submit" disabled={!canSend}>
          Send
        </button>
      </div>
    </form>
  );
}

const states: Readonly<Record<string, string>> = {
  idle: '',
  running: 'Working…',
  requires_action: 'Waiting for you',
};

function SessionControls({ mirror }: { readonly mirror: ConversationMirror }) {
  const conversation = useSyncExternalStore(mirror.subscribe, mirror.getSnapshot);
  const { state } = conversation.activity;
  return (
    <>
      {settingsOf(conversation).map((setting) => (
        <SettingControl key={setting.settingId} setting={setting} />
      ))}
      <span className="activity" role="status">
        {states[state] ?? state}
        {state === 'idle' && usageText(conversation)}
      </span>
      {state !== 'idle' && (
        <button type="button" className="secondary" onClick={() => send({ type: 'cancel' })}>
          Cancel
        </button>
      )}
    </>
  );
}

function SettingControl({
  setting: { settingId, name, value, choices },
}: {
  readonly setting: SessionSetting;
}) {
  const change = (next: string | boolean) => send({ type: 'change', settingId, value: next });
  if (!choices) {
    return (
      <label className="setting">
        <input type="checkbox" checked={value === true} onChange={({ target }) => change(target.checked)} />{' '}
        {name}
      </label>
    );
  }
  return (
    <select
      className="setting"
      aria-label={name}
      title={name}
      value={String(value)}
      onChange={({ target }) => change(target.value)}
    >
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.name}
        </option>
      ))}
    </select>
  );
}

const compact = new Intl.NumberFormat(undefined, { notation: 'compact' });

function usageText({ usage }: Conversation): string {
  return usage ? `${compact.format(usage.used)} of ${compact.format(usage.size)} tokens` : '';
}
