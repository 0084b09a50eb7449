import {
  type ConversationTerminal,
  isToolCallFinished,
  plainText,
  type ToolCallEntry,
  type ToolOutputItem,
  terminalText,
} from 'acp-client-sdk/conversation';
import type { Panel } from 'acp-client-sdk/panel';
import { Block } from './block.tsx';
import { FileChanges, fileName } from './diff.tsx';

interface Props {
  readonly panel: Panel;
  readonly entry: ToolCallEntry;
  readonly output: readonly ToolOutputItem[];
}

export function ToolCall({ panel, entry, output }: Props) {
  const { key, title, name, toolKind, status, locations } = entry;
  const isOpen = !isToolCallFinished(status) || toolKind === 'edit' || status === 'failed';
  return (
    <details className="tool" data-entry={key} data-status={status} open={isOpen}>
      <summary>
        <span className="tool-title">{plainText(title ?? name ?? toolKind)}</span>{' '}
        <small>{status.replaceAll('_', ' ')}</small>
      </summary>
      {locations.length > 0 && (
        <ul className="locations" aria-label="Files">
          {locations.map(({ path, line }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the agent sends all locations again
            <li key={index}>
              <button
                type="button"
                className="link"
                title={plainText(path)}
                onClick={() => panel.openLocation({ kind: 'location', entryKey: key, index })}
              >
                {plainText(fileName(path))}
                {line != null && `:${line}`}
              </button>
            </li>
          ))}
        </ul>
      )}
      {output.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the agent appends output or replaces all of it
        <Output key={index} panel={panel} entryKey={key} index={index} item={item} />
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
}

/** An item of the output. Colors and cursor movements are left out: a terminal emulator such as xterm.js would show them. */
function Output({ panel, entryKey, index, item }: OutputProps) {
  switch (item.type) {
    case 'content':
      return item.content.type === 'text' ? (
        <pre>{plainText(item.content.text)}</pre>
      ) : (
        <Block block={item.content} />
      );
    case 'diff':
      return item.files.map((file, change) => (
        <FileChanges
          key={file.path}
          file={file}
          onOpen={() => panel.openDiff({ kind: 'diff', entryKey, index, change })}
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
