import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { textOf } from '../../../core/conversation/select.ts';
import type { ContentBlockInput } from '../../../core/model/content.ts';
import type { ConversationEntry, MessageEntry } from '../../../core/model/conversation.ts';
import { plainText } from '../../../core/render/clean.ts';
import type { ToolOutputItem } from '../../../core/render/tool-output.ts';
import type { Panel } from '../../panel/connect.ts';
import { IconButton } from '../icon.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { memo } from '../memo.tsx';
import { usePart } from '../use-part.ts';
import { Block } from './block.tsx';
import { ToolCall } from './tool-call.tsx';

interface Props {
  readonly panel: Panel;
  readonly entry: ConversationEntry;
  /** What a tool call shows. Empty for other entries. */
  readonly output: readonly ToolOutputItem[];
}

export const EntryView = memo(function EntryView({ panel, entry, output }: Props) {
  if (entry.kind === 'message') return <Message entry={entry} />;
  if (entry.kind === 'toolCall') return <ToolCall panel={panel} entry={entry} output={output} />;
  if (entry.kind === 'turnFailure') return <Failure panel={panel} entry={entry} />;
  if (entry.kind === 'compaction') return <Note>The agent summarized the earlier conversation.</Note>;
  if (entry.kind === 'sessionMessage') {
    return <Note>To or from a subagent: {plainText(textOf(entry))}</Note>;
  }
  return <Note>The agent sent “{plainText(entry.tag)}”.</Note>;
});

function Note({ children }: { readonly children: ComponentChildren }) {
  return (
    <p className="note" part="entry">
      {children}
    </p>
  );
}

/** Why a turn failed. While it is the last entry, its prompt can be sent again. */
function Failure({
  panel,
  entry: { key, reason },
}: Pick<Props, 'panel'> & { readonly entry: Extract<ConversationEntry, { kind: 'turnFailure' }> }) {
  const canSend = usePart(panel, (state) => state.phase === 'open' && state.readOnly === null);
  const prompt = usePart(panel, ({ conversation }) => {
    if (conversation?.activity.state !== 'idle') return undefined;
    if (conversation.entries.at(-1)?.key !== key) return undefined;
    return conversation.entries.findLast((each) => each.kind === 'message' && each.role === 'user');
  });
  const sendAgain = (content: MessageEntry['content']) => {
    const { draft } = panel.getSnapshot();
    // The blocks of a conversation have the form of the blocks of a prompt.
    void panel.prompt(content as readonly ContentBlockInput[]);
    // A prompt clears what the user has written.
    panel.setDraft(draft);
  };
  return (
    <div className="failure" part="entry">
      <p dir="auto">{plainText(reason)}</p>
      {canSend && prompt?.kind === 'message' && (
        <button type="button" className="secondary" onClick={() => sendAgain(prompt.content)}>
          Send again
        </button>
      )}
    </div>
  );
}

const speakers = { user: 'You', agent: 'Agent' } as const;

function Message({ entry }: { readonly entry: MessageEntry }) {
  const { key, role, origin, content } = entry;
  // The agent has only announced it.
  if (content.every((block) => block.type === 'text' && block.text === '')) return null;
  // The agent appends blocks or replaces all of them, so the index identifies a block.
  const blocks = content.map((block, index) =>
    block.type === 'text' && role !== 'user' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <Markdown key={index} block={block} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <Block key={index} block={block} />
    ),
  );
  if (role === 'thought') {
    return (
      <details className="thought" part="entry" data-entry={key}>
        <summary>Thought</summary>
        {blocks}
      </details>
    );
  }
  return (
    <article className={role} part="entry" data-entry={key} data-origin={origin} aria-label={speakers[role]}>
      {blocks}
      {role === 'agent' && <CopyAnswer entry={entry} />}
    </article>
  );
}

/** Copies the Markdown of an answer, as far as it is there. */
function CopyAnswer({ entry }: { readonly entry: MessageEntry }) {
  const [copied, setCopied] = useState<MessageEntry>();
  const copy = async () => {
    await navigator.clipboard.writeText(plainText(textOf(entry)));
    setCopied(entry);
  };
  const isCopied = copied === entry;
  return (
    <div className="copy-answer">
      <IconButton
        name={isCopied ? 'done' : 'copy'}
        label={isCopied ? 'Copied' : 'Copy answer'}
        onClick={copy}
      />
    </div>
  );
}
