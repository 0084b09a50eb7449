import type { TargetedKeyboardEvent } from 'preact';
import { useReducer, useState } from 'preact/hooks';
import { plainText } from '../../../core/render/clean.ts';
import type { Panel } from '../../panel/connect.ts';
import { useAction } from '../events.ts';
import { IconButton } from '../icon.tsx';
import { hasTurn, useAgentName } from '../shown-agent.ts';
import { focusPrompt, useSurface } from '../surface.ts';
import { type PanelProps, usePart } from '../use-part.ts';
import { Activity } from './activity.tsx';
import { type Attachment, attachmentOf, droppedUris, nameOfBlock } from './attachments.ts';
import { CommandList, useCommands } from './commands.tsx';
import { onlyText, Pending } from './pending.tsx';
import { usePromptHistory } from './prompt-history.ts';
import { Permissions, Settings } from './settings.tsx';

/** How a message is sent: as a prompt, into the turn that runs, or as a prompt after it. */
type Way = 'prompt' | 'steer' | 'queue';

const labels: Readonly<Record<Way, string>> = { prompt: 'Send', steer: 'Steer', queue: 'Queue' };

const hints: Readonly<Record<Exclude<Way, 'prompt'>, string>> = {
  steer: 'Add something for the turn that runs (Alt+Enter: after it)',
  queue: 'Write the next message; it is sent after this turn',
};

/** The input, or why the session that is shown takes none. */
export function Input({ panel }: PanelProps) {
  // While the agent opens a saved session, the input waits for it.
  const reason = usePart(panel, (state) => (state.loading === null ? state.readOnly : null));
  const isReady = usePart(panel, (state) => state.phase === 'open');
  if (reason === null) return <Composer panel={panel} />;
  return (
    <section className="read-only" aria-label="Read only">
      <p role="status" dir="auto">
        This session can only be read. {plainText(reason)}
      </p>
      <button type="button" disabled={!isReady} onClick={() => panel.newSession()}>
        Start a new session
      </button>
    </section>
  );
}

function Composer({ panel }: PanelProps) {
  const [draft, setDraft] = useDraft(panel);
  const sessionId = usePart(panel, (state) => state.sessionId);
  const features = usePart(panel, (state) => state.features);
  const isReady = usePart(panel, (state) => state.phase === 'open' && state.loading === null);
  const isBusy = usePart(panel, hasTurn);
  const isShown = usePart(panel, (state) => state.conversation !== null);
  const canChoose = useAction('chooseAttachments');
  const slashCommands = usePart(panel, (state) => state.commands);
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const [refusal, setRefusal] = useState('');
  const commands = useCommands(slashCommands, draft, setDraft);
  const suggestion = useSuggestion(panel, draft, setDraft);
  const recall = usePromptHistory(panel, draft, setDraft);
  const way: Way = !isBusy ? 'prompt' : features['session.steer'] ? 'steer' : 'queue';
  const { placeholder } = useSurface();
  const name = useAgentName({ panel });
  const invitation = placeholder ?? `Ask ${name ?? 'the agent'}`;
  const isEmpty = draft.trim() === '' && attachments.length === 0;
  const canSend = isReady && !isEmpty;

  // The attachments stay with the session that its first prompt opens, and not with another one.
  const [attachedTo, setAttachedTo] = useState(sessionId);
  if (attachedTo !== sessionId) {
    setAttachedTo(sessionId);
    if (attachedTo !== null) setAttachments([]);
  }

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
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void attach(files);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    const links = event.dataTransfer ? droppedUris(event.dataTransfer) : [];
    if (links.length > 0) setAttachments((present) => [...present, ...links]);
    else void attach([...(event.dataTransfer?.files ?? [])]);
  };
  const choose = async () => {
    const blocks = await panel.chooseAttachments().catch(() => []);
    const chosen = blocks.map((block) => ({ name: nameOfBlock(block), block }));
    setAttachments((present) => [...present, ...chosen]);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
    if (event.isComposing || commands.onKeyDown(event)) return;
    if (suggestion.onKeyDown(event) || recall(event)) return;
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    send(event.altKey && isBusy ? 'queue' : way);
  };

  return (
    <form
      className="composer"
      part="composer"
      aria-label="Message"
      onSubmit={(event) => {
        event.preventDefault();
        send(way);
        // The button goes, and the keys of the panel need the focus in it.
        focusPrompt(event.currentTarget);
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={onDrop}
    >
      <Pending panel={panel} />
      <CommandList commands={commands} />
      <textarea
        aria-label="Prompt"
        {...commands.aria}
        placeholder={suggestion.text ?? (way === 'prompt' ? invitation : hints[way])}
        aria-description={suggestion.text && `${suggestion.text} (Tab to take it, Escape to dismiss it)`}
        rows={2}
        dir="auto"
        value={draft}
        onInput={({ currentTarget }) => setDraft(currentTarget.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      {attachments.length > 0 && (
        <ul className="attachments" aria-label="Attachments">
          {attachments.map(({ name, block }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an attachment keeps nothing but what it draws
            <li key={index}>
              {block.type === 'image' && 'data' in block && (
                <img src={`data:${block.mimeType};base64,${block.data}`} alt="" />
              )}
              <span className="shortened">{name}</span>
              <button
                type="button"
                className="link"
                aria-label={`Remove ${name}`}
                onClick={() => setAttachments(attachments.toSpliced(index, 1))}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
      {isShown && <Activity panel={panel} />}
      <p className="note" role="status">
        {refusal}
      </p>
      <Permissions panel={panel} />
      <div className="settings">
        <Settings panel={panel} />
      </div>
      <div className="controls">
        {canChoose && <IconButton name="attach" label="Attach files" onClick={choose} />}
        <Usage panel={panel} />
        {isBusy && (
          <button type="button" className="secondary" title="Cancel (Esc)" onClick={() => panel.cancel()}>
            Cancel
          </button>
        )}
        {(!isBusy || !isEmpty) && (
          <button type="submit" disabled={!canSend}>
            {labels[way]}
          </button>
        )}
      </div>
    </form>
  );
}

const compact = new Intl.NumberFormat(undefined, { notation: 'compact' });

/** The size of the context. Empty during a turn: the buttons need the room. */
function Usage({ panel }: PanelProps) {
  const usage = usePart(panel, ({ conversation }) =>
    conversation?.activity.state === 'idle' ? conversation.usage : null,
  );
  if (!usage) return <span className="usage" />;
  const tokens = `${compact.format(usage.used)} of ${compact.format(usage.size)} tokens`;
  const text = usage.cost ? `${tokens}, ${usage.cost.amount.toFixed(2)} ${usage.cost.currency}` : tokens;
  return (
    <span className="usage" title={text}>
      {tokens}
    </span>
  );
}

/**
 * What the agent suggests, for an empty prompt. Tab takes it, and Escape dismisses it until the agent suggests something
 * else. A suggestion that is more than text is not shown: the input could not show the rest.
 */
function useSuggestion(panel: Panel, draft: string, setDraft: (text: string) => void) {
  const suggestions = usePart(panel, ({ conversation }) => conversation?.suggestions);
  const [dismissed, setDismissed] = useState<typeof suggestions>();
  const shown = draft === '' && suggestions !== dismissed ? suggestions : undefined;
  const [text] = shown?.flatMap(({ prompt }) => onlyText(prompt) ?? []) ?? [];
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const { key, shiftKey, ctrlKey, altKey, metaKey } = event;
    if (text === undefined || shiftKey || ctrlKey || altKey || metaKey) return false;
    if (key === 'Tab') setDraft(text);
    else if (key === 'Escape') setDismissed(suggestions);
    else return false;
    // Escape must not cancel the turn as well.
    event.preventDefault();
    return true;
  };
  return { text, onKeyDown };
}

/**
 * The text in the input, which other pages and the host can change too. The input is drawn at once when the user writes,
 * whenever the panel calls its listeners.
 */
function useDraft(panel: Panel): readonly [string, (text: string) => void] {
  const draft = usePart(panel, (state) => state.draft);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const setDraft = (text: string) => {
    panel.setDraft(text);
    redraw(undefined as never);
  };
  return [draft, setDraft];
}
