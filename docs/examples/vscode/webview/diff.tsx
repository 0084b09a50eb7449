import { type DiffLine, type FileDiff, plainText } from 'acp-client-sdk/conversation';

const signs: Readonly<Record<DiffLine['change'], string>> = {
  same: ' ',
  added: '+',
  removed: '-',
  position: '',
  note: '',
};

interface Props {
  readonly file: FileDiff;
  /** Opens the change in the editor. */
  readonly onOpen: () => void;
}

/** The changes of one file. */
export function FileChanges({ file: { path, lines }, onOpen }: Props) {
  return (
    <figure className="diff">
      <figcaption>
        <span className="path" title={plainText(path)}>
          {plainText(fileName(path))}
        </span>
        <button type="button" className="link open-diff" onClick={onOpen}>
          Open diff
        </button>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable with the keyboard */}
      <pre tabIndex={0}>
        {lines.map(({ change, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff do not change
          <span key={index} data-change={change}>{`${signs[change]}${text}\n`}</span>
        ))}
      </pre>
    </figure>
  );
}

/** The last part of a path of any system. */
export function fileName(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== '') ?? path;
}
