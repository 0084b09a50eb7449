import {
  type ConversationTerminal,
  isToolCallFinished,
  plainText,
  type ToolCallEntry,
  type ToolOutputItem,
  terminalText,
} from 'acp-client-sdk/conversation';
import { Block } from './block.tsx';
import { DiffView } from './diff-view.tsx';

interface Props {
  readonly entry: ToolCallEntry;
  readonly output: readonly ToolOutputItem[];
}

export function ToolCall({ entry, output }: Props) {
  return (
    <details
      className="tool-call"
      data-status={entry.status}
      open={!isToolCallFinished(entry.status) || entry.toolKind === 'edit'}
    >
      <summary>
        <span className="title">{entry.title ?? entry.name ?? entry.toolKind}</span>
        <span className="status">{entry.status.replace('_', ' ')}</span>
      </summary>
      {output.map((item, index) => (
        // Output is appended or replaced as a whole, so its index identifies an item.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <OutputItem key={index} item={item} />
      ))}
    </details>
  );
}

function OutputItem({ item }: { readonly item: ToolOutputItem }) {
  switch (item.type) {
    case 'content':
      return item.content.type === 'text' ? (
        <pre>{plainText(item.content.text)}</pre>
      ) : (
        <Block block={item.content} />
      );
    case 'diff':
      return item.files.map((file) => <DiffView key={file.path} file={file} />);
    case 'terminal':
      return item.terminal && <TerminalView terminal={item.terminal} />;
    case 'session':
      return <p className="aside">{item.subagent?.title ?? 'Another session'} works on this.</p>;
    case 'unknown':
      return <p className="aside">This page cannot show output of the type “{item.content.type}”.</p>;
  }
}

// Colors and cursor movements are left out. An editor would give the bytes to a terminal emulator.
function TerminalView({ terminal }: { readonly terminal: ConversationTerminal }) {
  const { command, exitStatus } = terminal;
  return (
    <pre className="terminal">
      {command !== null && (
        <b>
          $ {plainText(command)}
          {'\n'}
        </b>
      )}
      {plainText(terminalText(terminal))}
      {exitStatus && <i>exit {exitStatus.exitCode ?? exitStatus.signal}</i>}
    </pre>
  );
}
