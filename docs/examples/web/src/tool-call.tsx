import {
  type Conversation,
  type ConversationTerminal,
  isToolCallFinished,
  type ToolCallContent,
  type ToolCallEntry,
  terminalText,
} from 'acp-client-sdk/conversation';
import { Block } from './block.tsx';
import { DiffView } from './diff-view.tsx';

interface Props {
  readonly entry: ToolCallEntry;
  readonly terminals: Conversation['terminals'];
}

export function ToolCall({ entry, terminals }: Props) {
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
      {entry.content.map((content, index) => (
        // Content is appended or replaced as a whole, so its index identifies it.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Content key={index} content={content} terminals={terminals} />
      ))}
    </details>
  );
}

function Content({ content, terminals }: { readonly content: ToolCallContent } & Pick<Props, 'terminals'>) {
  switch (content.type) {
    case 'content':
      return content.content.type === 'text' ? (
        <pre>{content.content.text}</pre>
      ) : (
        <Block block={content.content} />
      );
    case 'diff':
      return <DiffView diff={content} />;
    case 'terminal': {
      const terminal = terminals[content.terminalId];
      return terminal ? <TerminalView terminal={terminal} /> : null;
    }
    case 'session':
      return <p className="aside">A subagent works on this.</p>;
    default:
      return <p className="aside">This page cannot show output of the type “{content.type}”.</p>;
  }
}

// Colors and cursor movements are left out. An editor would give the bytes to a terminal emulator.
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what an escape sequence begins with
const escapeSequences = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;

function TerminalView({ terminal }: { readonly terminal: ConversationTerminal }) {
  const { command, exitStatus } = terminal;
  return (
    <pre className="terminal">
      {command !== null && (
        <b>
          $ {command}
          {'\n'}
        </b>
      )}
      {terminalText(terminal).replace(escapeSequences, '')}
      {exitStatus && <i>exit {exitStatus.exitCode ?? exitStatus.signal}</i>}
    </pre>
  );
}
