import { type DiffLine, type FileDiff, plainText } from 'acp-client-sdk/conversation';

const signs: Readonly<Record<DiffLine['change'], string>> = {
  same: ' ',
  added: '+',
  removed: '-',
  position: '',
  note: '',
};

/** The changes of one file, in both versions of the protocol. */
export function DiffView({ file: { path, lines } }: { readonly file: FileDiff }) {
  return (
    <figure className="diff">
      <figcaption>{plainText(path)}</figcaption>
      <pre>
        {lines.map(({ change, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and the diff comes whole
          <span key={index} data-change={change}>
            {signs[change] + text}
            {'\n'}
          </span>
        ))}
      </pre>
    </figure>
  );
}
