import type { Conversation, SessionActivity } from 'acp-client-sdk/conversation';
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useState } from 'react';
import { type Attachment, attachment, attachmentOf, droppedUris, nameOfBlock } from './attachments.ts';
import { CommandList, useCommands } from './commands.tsx';
import type { PanelProps } from './panel-props.ts';
import { Pending } from './pending.tsx';
import { Settings } from './settings.tsx';

/** How a message is sent: as a prompt, into the turn that runs, or as a prompt after it. */
type Way = 'prompt' | 'steer' | 'queue';

const labels: Readonly<Record<Way, string>> = { prompt: 'Send', steer: 'Steer', queue: 'Queue' };

const hints: Readonly<Record<Way, string>> = {
  prompt: 'Ask the agent',
  steer: 'Add something for the turn that runs (Alt+Enter: after it)',
  queue: 'Write the next message; it is sent after this turn',
};

export function Composer({ panel, state }: PanelProps) {
  const { conversation, draft, features, phase, loading, actions } = state;
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const [refusal, setRefusal] = useState('');
  const commands = useCommands(state.commands, draft, (text) => panel.setDraft(text));
  const isBusy = conversation !== null && conversation.activity.state !== 'idle';
  const way: Way = !isBusy ? 'prompt' : features['session.steer'] ? 'steer' : 'queue';
  const isEmpty = draft.trim() === '' && attachments.length === 0;
  const canSend = phase === 'open' && loading === null && !isEmpty;

  const send = (chosen: Way) => {
    if (!canSend) return;
    const text = draft.trim() === '' ? [] : [{ type: 'text' as const, text: draft }];
    const content = attachments.length === 0 ? draft : [...text, ...attachments.map(({ block }) => block)];
    setAttachments([]);
    panel[chosen](content).catch(() => {
      // The panel returns the text of a refused message, unless the user has written another one.
      if (panel.getSnapshot().draft === draft) setAttachments(attachments);
    });
  };

  const attach = async (files: Iterable<File>) => {
    setRefusal('');
    for (const file of files) {
      try {
        const read = await attachmentOf(file, features);
        setAttachments((present) => [...present, read]);
      } catch (error) {
        setRefusal(error instanceof Error ? error.message : String(error));
      }
    }
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    void attach(files);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    const links = droppedUris(event);
    if (links.length > 0) setAttachments((present) => [...present, ...links]);
    else void attach([...event.dataTransfer.files]);
  };
  const choose = async () => {
    const blocks = await panel.chooseAttachments().catch(() => []);
    setAttachments((present) => [
      ...present,
      ...blocks.map((block) => attachment(nameOfBlock(block), block)),
    ]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || commands.onKeyDown(event)) return;
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    send(event.altKey && isBusy ? 'queue' : way);
  };

  return (
    <form
      className="composer"
      aria-label="Message"
      onSubmit={(event) => {
        event.preventDefault();
        send(way);
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={onDrop}
    >
      <Pending panel={panel} state={state} />
      <CommandList commands={commands} />
      <textarea
        aria-label="Prompt"
        {...commands.aria}
        placeholder={hints[way]}
        rows={2}
        value={draft}
        onChange={({ target }) => panel.setDraft(target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      {attachments.length > 0 && (
        <ul className="attachments" aria-label="Attachments">
          {attachments.map(({ id, name, block }) => (
            <li key={id}>
              {block.type === 'image' && 'data' in block && (
                <img src={`data:${block.mimeType};base64,${block.data}`} alt="" />
              )}
              <span className="shortened">{name}</span>
              <button
                type="button"
                className="link"
                aria-label={`Remove ${name}`}
                onClick={() => setAttachments((present) => present.filter((other) => other.id !== id))}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
      <p className="note" role="status">
        {refusal || (conversation && activityText(conversation.activity))}
      </p>
      <div className="settings">
        <Settings panel={panel} state={state} />
      </div>
      <div className="controls">
        {actions.includes('chooseAttachments') && (
          <button
            type="button"
            className="secondary"
            aria-label="Attach files"
            title="Attach files"
            onClick={choose}
          >
            +
          </button>
        )}
        <Usage conversation={isBusy ? null : conversation} />
        {isBusy && (
          <button type="button" className="secondary" onClick={() => panel.cancel()}>
            Cancel
          </button>
        )}
        <button type="submit" disabled={!canSend}>
          {labels[way]}
        </button>
      </div>
    </form>
  );
}

const activities: Readonly<Record<string, string>> = {
  running: 'Working…',
  requires_action: 'Waiting for you',
};

const compact = new Intl.NumberFormat(undefined, { notation: 'compact' });

/** The size of the context. Empty during a turn: the buttons need the room. */
function Usage({ conversation }: { readonly conversation: Conversation | null }) {
  const usage = conversation?.usage;
  if (!usage) return <span className="usage" />;
  const tokens = `${compact.format(usage.used)} of ${compact.format(usage.size)} tokens`;
  const text = usage.cost ? `${tokens}, ${usage.cost.amount.toFixed(2)} ${usage.cost.currency}` : tokens;
  return (
    <span className="usage" title={text}>
      {tokens}
    </span>
  );
}

function activityText({ state, stopReason }: SessionActivity): string {
  if (state !== 'idle') return activities[state] ?? state;
  return stopReason === null || stopReason === 'end_turn' ? '' : (stops[stopReason] ?? stopReason);
}

const stops: Readonly<Record<string, string>> = {
  cancelled: 'Cancelled',
  refusal: 'The agent refused',
  max_tokens: 'Stopped: too many tokens',
  max_turn_requests: 'Stopped: too many steps',
  error: 'Failed',
};
