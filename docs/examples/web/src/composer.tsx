import type { SessionActivity } from 'acp-client-sdk/conversation';
import { type FormEvent, type KeyboardEvent, useState } from 'react';

interface Props {
  readonly open: boolean;
  readonly activity: SessionActivity;
  /** Resolves to whether the agent took the prompt. */
  readonly onPrompt: (text: string) => Promise<boolean>;
  readonly onCancel: () => void;
}

const states: Readonly<Record<string, string>> = {
  idle: 'Idle',
  running: 'Working…',
  requires_action: 'Waiting for you',
};

export function Composer({ open, activity, onPrompt, onCancel }: Props) {
  const [text, setText] = useState('');
  const busy = activity.state !== 'idle';
  const submit = async (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (!open || text.trim() === '') return;
    setText('');
    // What the agent refused is offered again, unless something else has been written meanwhile.
    if (!(await onPrompt(text))) setText((written) => written || text);
  };
  return (
    <form className="composer" onSubmit={submit}>
      <textarea
        aria-label="Prompt"
        placeholder="Ask the agent. Try “edit a note”, “run the tests”, “a plan”, “an image”, or “slow”."
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
        }}
      />
      <div className="controls">
        <span className="activity" role="status" data-state={activity.state}>
          {states[activity.state] ?? activity.state}
          {activity.stopReason && activity.stopReason !== 'end_turn' && ` (${activity.stopReason})`}
        </span>
        <button type="button" disabled={!open || !busy} onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" className="primary" disabled={!open || text.trim() === ''}>
          Send
        </button>
      </div>
    </form>
  );
}
