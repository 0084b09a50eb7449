import {
  type ContentBlock,
  type ConversationEntry,
  type ConversationTerminal,
  type DiffLine,
  type FileDiff,
  isToolCallFinished,
  plainText,
  type ToolCallEntry,
  type ToolOutputItem,
  terminalText,
  textOf,
} from 'acp-client-sdk/conversation';
import { memo } from 'react';
import { Markdown } from './markdown.tsx';

interface Props<T extends ConversationEntry = ConversationEntry> {
  readonly entry: T;
  /** What a tool call shows. Empty for other entries. */
  readonly output: readonly ToolOutputItem[];
}

export const EntryView = memo(function EntryView({ entry, output }: Props) {
  if (entry.kind === 'toolCall') return <ToolCall entry={entry} output={output} />;
  if (entry.kind === 'turnFailure') return <p className="failure">{entry.reason}</p>;
  if (entry.kind === 'compaction')
    return <p className="note">The agent summarized the earlier conversation.</p>;
  if (entry.kind === 'sessionMessage') return <p className="note">To or from a subagent: {textOf(entry)}</p>;
  if (entry.kind !== 'message') return <p className="note">The agent sent “{entry.tag}”.</p>;
  // The agent appends blocks or replaces all of them, so the index identifies a block.
  const blocks = entry.content.map((block, index) =>
    block.type === 'text' && entry.role !== 'user' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <Markdown key={index} text={block.text} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <Block key={index} block={block} />
    ),
  );
  if (entry.role !== 'thought') {
    return (
      <article className={entry.role} data-origin={entry.origin}>
        {blocks}
      </article>
    );
  }
  return (
    <details className="thought">
      <summary>Thought</summary>
      {blocks}
    </details>
  );
});

/** A block of content. It is text of a program: React escapes it, and links are not links. */
function Block({ block }: { readonly block: ContentBlock }) {
  if (block.type === 'text') return <p className="text">{block.text}</p>;
  if (block.type === 'image') {
    return (
      <img src={`data:${block.mimeType};base64,${block.data}`} alt={block.uri ?? 'Image of the agent'} />
    );
  }
  if (block.type === 'resource_link') return <p className="note">{block.title ?? block.name}</p>;
  if (block.type === 'resource' && 'text' in block.resource) return <pre>{block.resource.text}</pre>;
  return <p className="note">Content of type “{block.type}”</p>;
}

function ToolCall({ entry, output }: Props<ToolCallEntry>) {
  const isOpen = !isToolCallFinished(entry.status) || entry.toolKind === 'edit';
  return (
    <details className="tool" data-status={entry.status} open={isOpen}>
      <summary>
        <span>{entry.title ?? entry.name ?? entry.toolKind}</span>{' '}
        <small>{entry.status.replace('_', ' ')}</small>
      </summary>
      {output.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the agent appends output or replaces all of it
        <Output key={index} item={item} />
      ))}
    </details>
  );
}

/** An item of the output. Colors and cursor movements are left out: a terminal emulator such as xterm.js would show them. */
function Output({ item }: { readonly item: ToolOutputItem }) {
  switch (item.type) {
    case 'content':
      return item.content.type === 'text' ? (
        <pre>{plainText(item.content.text)}</pre>
      ) : (
        <Block block={item.content} />
      );
    case 'diff':
      return item.files.map((file) => <FileChanges key={file.path} file={file} />);
    case 'terminal':
      return item.terminal && <Terminal terminal={item.terminal} />;
    case 'session':
      return <p className="note">{item.subagent?.title ?? 'Another session'} works on this.</p>;
    case 'unknown':
      return <p className="note">Output of type “{item.content.type}”</p>;
  }
}

function Terminal({ terminal }: { readonly terminal: ConversationTerminal }) {
  const { command, exitStatus } = terminal;
  return (
    <pre className="terminal">
      {command !== null && <b>{`$ ${plainText(command)}\n`}</b>}
      {plainText(terminalText(terminal))}
      {exitStatus && <i>exit code {exitStatus.exitCode ?? exitStatus.signal}</i>}
    </pre>
  );
}

const signs: Readonly<Record<DiffLine['change'], string>> = {
  same: ' ',
  added: '+',
  removed: '-',
  position: '',
  note: '',
};

function FileChanges({ file: { path, lines } }: { readonly file: FileDiff }) {
  return (
    <figure>
      <figcaption>{plainText(path)}</figcaption>
      <pre>
        {lines.map(({ change, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff do not change
          <span key={index} data-change={change}>{`${signs[change]}${text}\n`}</span>
        ))}
      </pre>
    </figure>
  );
}
