import { useMemo, useState } from 'preact/hooks';
import type { ConversationTerminal, ToolCallEntry } from '../../../core/model/conversation.ts';
import { isToolCallFinished } from '../../../core/model/tool-call.ts';
import { plainText } from '../../../core/render/clean.ts';
import { terminalSpans } from '../../../core/render/spans.ts';
import type { ToolOutputItem } from '../../../core/render/tool-output.ts';
import type { Panel } from '../../panel/connect.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { usePart } from '../use-part.ts';
import { Block } from './block.tsx';
import { FileChanges } from './diff.tsx';
import { FileName } from './file-name.tsx';

interface Props {
  readonly panel: Panel;
  readonly entry: ToolCallEntry;
  readonly output: readonly ToolOutputItem[];
}

/** What a tool does. */
const kinds = new Map(
  Object.entries({
    read: '≡',
    edit: '✎',
    delete: '⌫',
    move: '→',
    search: '⌕',
    execute: '❯',
    think: '∴',
    fetch: '↓',
  }),
);

/** How it goes. A state without a mark is written out. */
const marks = new Map(
  Object.entries({
    pending: '○',
    in_progress: '…',
    completed: '✓',
    failed: '✗',
    cancelled: '✕',
  }),
);

/** The states whose word is read, and not shown beside the mark. */
const isSilent = (status: string) => ['pending', 'in_progress', 'completed'].includes(status);

export function ToolCall({ panel, entry, output }: Props) {
  const { key, title, name, toolKind, status, locations } = entry;
  // A plan that the user approved is read as such.
  const isPlan = toolKind === 'switch_mode';
  // The question shows the same.
  const isAsked = usePart(panel, ({ questions }) =>
    questions.some((question) => question.kind === 'permission' && question.toolCallKey === key),
  );
  const isOpen = !isAsked && (!isToolCallFinished(status) || toolKind === 'edit' || status === 'failed');
  return (
    <details className="tool" part="entry tool" data-entry={key} data-status={status} open={isOpen}>
      <summary>
        <span className="tool-kind" aria-hidden="true">
          {kinds.get(toolKind) ?? '•'}
        </span>
        <span className="tool-title" dir="auto">
          {plainText(title ?? name ?? toolKind)}
        </span>{' '}
        <span className="tool-mark" aria-hidden="true">
          {marks.get(status)}
        </span>
        <small className={isSilent(status) ? 'sr-only' : undefined}>{status.replaceAll('_', ' ')}</small>
      </summary>
      {locations.length > 0 && (
        <ul className="locations" aria-label="Files">
          {locations.map(({ path, line }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the agent sends all locations again
            <li key={index}>
              <FileName
                panel={panel}
                place={{ kind: 'location', entryKey: key, index }}
                path={path}
                line={line}
              />
            </li>
          ))}
        </ul>
      )}
      {output.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the agent appends output or replaces all of it
        <Output key={index} panel={panel} entryKey={key} index={index} item={item} isPlan={isPlan} />
      ))}
    </details>
  );
}

interface OutputProps {
  readonly panel: Panel;
  readonly entryKey: string;
  /** The place of the item in the output of the tool call. */
  readonly index: number;
  readonly item: ToolOutputItem;
  /** Whether its text is Markdown. */
  readonly isPlan?: boolean;
}

/** An item of the output. */
export function Output({ panel, entryKey, index, item, isPlan = false }: OutputProps) {
  switch (item.type) {
    case 'content':
      if (item.content.type !== 'text') return <Block block={item.content} />;
      if (isPlan || isFenced(item.content.text)) return <Markdown block={item.content} />;
      return <LongText text={item.content.text} />;
    case 'diff':
      return item.files.map((file, change) => (
        <FileChanges
          key={file.path}
          panel={panel}
          file={file}
          place={{ kind: 'diff', entryKey, index, change }}
        />
      ));
    case 'terminal':
      return item.terminal && <Terminal terminal={item.terminal} />;
    case 'session':
      return <p className="note">{plainText(item.subagent?.title ?? 'Another session')} works on this.</p>;
    case 'unknown':
      return <p className="note">Output of type “{plainText(item.content.type)}”</p>;
  }
}

/** Whether a text is a block of code in Markdown, as some agents send the output of a command. */
function isFenced(text: string): boolean {
  return /^\s*(?:```|~~~)/.test(text);
}

/** So many characters of a long text are shown at first. */
const shownCharacters = 20_000;

/** The start of a text, and all of it after a click. */
function LongText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const rest = isWhole ? 0 : text.length - shownCharacters;
  return (
    <>
      <pre dir="auto">{plainText(rest > 0 ? text.slice(0, shownCharacters) : text)}</pre>
      {rest > 0 && (
        <button type="button" className="link more" onClick={() => setWhole(true)}>
          Show {rest.toLocaleString('en')} more characters
        </button>
      )}
    </>
  );
}

/**
 * The end of the output, with its colors, and each line as the terminal shows it last. What is before it is shown when the user asks, so that long output does not slow the page.
 */
function Terminal({ terminal }: { readonly terminal: ConversationTerminal }) {
  const [shown, setShown] = useState(shownCharacters);
  const { command, exitStatus, output } = terminal;
  const hidden = Math.max(0, output.length - shown);
  // From the start of a line, so that no character is cut.
  const start = hidden === 0 ? 0 : output.indexOf('\n', hidden) + 1 || hidden;
  const spans = useMemo(() => terminalSpans(output.slice(start)), [output, start]);
  return (
    <>
      {start > 0 && (
        <button type="button" className="link more" onClick={() => setShown(shown * 8)}>
          Show earlier output ({start.toLocaleString('en')} characters)
        </button>
      )}
      <pre className="terminal">
        {command !== null && <b>{`$ ${plainText(command)}\n`}</b>}
        {spans.map(({ sgr, text }, index) =>
          sgr === '' ? (
            text
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: the output grows at its end
            <span key={index} className={sgr.replaceAll(';', ' s').trim()}>
              {text}
            </span>
          ),
        )}
        {exitStatus && <i>exit code {exitStatus.exitCode ?? exitStatus.signal}</i>}
      </pre>
    </>
  );
}
