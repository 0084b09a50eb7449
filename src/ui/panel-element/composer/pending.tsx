import type { ContentBlock } from '../../../core/model/content.ts';
import type { PendingMessage } from '../../../core/model/conversation.ts';
import { plainText } from '../../../core/render/clean.ts';
import { type PanelProps, usePart } from '../use-part.ts';

const states: Readonly<Record<PendingMessage['kind'], string>> = {
  queue: 'Next',
  steer: 'For this turn',
};

const none: readonly PendingMessage[] = [];

/** What the user wrote while the agent works, and what the agent has not taken yet. */
export function Pending({ panel }: PanelProps) {
  const messages = usePart(panel, (state) => state.conversation?.pendingMessages ?? none);
  if (messages.length === 0) return null;
  /** Moves a message back into the input, before what the user has written meanwhile. */
  const edit = async (id: string, text: string, { form }: HTMLButtonElement) => {
    // Otherwise the agent has it already.
    if (!(await panel.revoke(id))) return;
    const { draft } = panel.getSnapshot();
    panel.setDraft(draft === '' ? text : `${text}\n\n${draft}`);
    form?.querySelector('textarea')?.focus();
  };
  return (
    <ul className="pending" aria-label="Waiting messages">
      {messages.map((message) => {
        const { id, kind, content } = message;
        const text = onlyText(content);
        return (
          <li key={id}>
            <small>{states[kind]}</small>{' '}
            <span className="shortened" dir="auto">
              {summary(message)}
            </span>
            {text !== undefined && (
              <button
                type="button"
                className="link"
                aria-label={`Edit “${summary(message)}”`}
                onClick={({ currentTarget }) => void edit(id, text, currentTarget)}
              >
                Edit
              </button>
            )}
            <button
              type="button"
              className="link"
              aria-label={`Remove “${summary(message)}”`}
              onClick={() => panel.revoke(id)}
            >
              Remove
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function summary({ content }: PendingMessage): string {
  return content
    .map((block) => (block.type === 'text' ? plainText(block.text) : `[${block.type}]`))
    .join(' ');
}

/** The text of a message that an input can show. `undefined` if the message has something else than text. */
export function onlyText(content: readonly ContentBlock[]): string | undefined {
  const texts = content.flatMap((block) => (block.type === 'text' && 'text' in block ? [block.text] : []));
  return texts.length > 0 && texts.length === content.length ? texts.join('\n') : undefined;
}
