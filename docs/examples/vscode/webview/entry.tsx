import {
  type ContentBlock,
  type Conversation,
  type ConversationEntry,
  isToolCallFinished,
  type ToolCallContent,
  type ToolCallDiff,
  type ToolCallEntry,
  terminalText,
  textOf,
} from 'acp-client-sdk/conversation';
import { memo } from 'react';
import { diffLines, type Line, patchLines } from './diff-lines.ts';

interface Props<T extends ConversationEntry = ConversationEntry> {
  readonly entry: T;
  readonly terminals: Conversation['terminals'];
}

export const EntryView = memo(function EntryView({ entry, terminals }: Props) {
  if (entry.kind === 'toolCall') return <ToolCall entry={entry} terminals={terminals} />;
  if (entry.kind === 'turnFailure') return <p className="failure">{entry.reason}</p>;
  if (entry.kind === 'compaction')
    return <p className="note">The agent summarized the earlier conversation.</p>;
  if (entry.kind === 'sessionMessage') return <p className="note">To or from a subagent: {textOf(entry)}</p>;
  if (entry.kind !== 'message') return <p className="note">The agent sent “{entry.tag}”.</p>;
  // The agent appends blocks or replaces all of them, so the index identifies a block.
  // biome-ignore lint/suspicious/noArrayIndexKey: see above
  const blocks = entry.content.map((block, index) => <Block key={index} block={block} />);
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
  // Inline, because a message can consist of several blocks of text that belong together.
  if (block.type === 'text') return <span className="text">{block.text}</span>;
  if (block.type === 'image') {
    return (
      <img src={`data:${block.mimeType};base64,${block.data}`} alt={block.uri ?? 'Image of the agent'} />
    );
  }
  if (block.type === 'resource_link') return <p className="note">{block.title ?? block.name}</p>;
  if (block.type === 'resource' && 'text' in block.resource) return <pre>{block.resource.text}</pre>;
  return <p className="note">Content of type “{block.type}”</p>;
}

function ToolCall({ entry, terminals }: Props<ToolCallEntry>) {
  const isOpen = !isToolCallFinished(entry.status) || entry.toolKind === 'edit';
  return (
    <details className="tool" data-status={entry.status} open={isOpen}>
      <summary>
        <span>{entry.title ?? entry.name ?? entry.toolKind}</span>{' '}
        <small>{entry.status.replace('_', ' ')}</small>
      </summary>
      {entry.content.map((content, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the agent appends output or replaces all of it
        <Output key={index} content={content} terminals={terminals} />
      ))}
    </details>
  );
}

// Colors and cursor movements. A terminal emulator such as xterm.js would show them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence starts with this character
const escapeSequences = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;

function Output({ content, terminals }: { readonly content: ToolCallContent } & Pick<Props, 'terminals'>) {
  if (content.type === 'content') {
    return content.content.type === 'text' ? (
      <pre>{content.content.text}</pre>
    ) : (
      <Block block={content.content} />
    );
  }
  if (content.type === 'diff') return <DiffView diff={content} />;
  const terminal = content.type === 'terminal' ? terminals[content.terminalId] : undefined;
  if (!terminal) return null;
  const { command, exitStatus } = terminal;
  return (
    <pre className="terminal">
      {command !== null && <b>{`$ ${command}\n`}</b>}
      {terminalText(terminal).replace(escapeSequences, '')}
      {exitStatus && <i>exit code {exitStatus.exitCode ?? exitStatus.signal}</i>}
    </pre>
  );
}

/** Version 1 has the texts of each file, version 2 a patch. */
function DiffView({ diff }: { readonly diff: ToolCallDiff }) {
  const paths = diff.changes.map(({ path }) => path).join(', ');
  if (diff.patch) return <Lines caption={paths} lines={patchLines(diff.patch.text)} />;
  return diff.changes.map(({ path, oldText, newText = '' }) => (
    <Lines key={path} caption={path} lines={diffLines(oldText ?? '', newText)} />
  ));
}

function Lines({ caption, lines }: { readonly caption: string; readonly lines: readonly Line[] }) {
  return (
    <figure>
      <figcaption>{caption}</figcaption>
      <pre>
        {lines.map(({ change, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff do not change
          <span key={index} data-change={change}>{`${text}\n`}</span>
        ))}
      </pre>
    </figure>
  );
}
