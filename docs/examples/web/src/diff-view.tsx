import type { ToolCallDiff } from 'acp-client-sdk/conversation';
import { diffLines, type Line, patchLines } from './diff-lines.ts';

/** The changes of files: version 1 of the protocol gives both texts, version 2 a patch. */
export function DiffView({ diff }: { readonly diff: ToolCallDiff }) {
  if (diff.patch) {
    return (
      <Lines caption={diff.changes.map(({ path }) => path).join(', ')} lines={patchLines(diff.patch.text)} />
    );
  }
  return diff.changes.map(({ path, oldText, newText = '' }) => (
    <Lines key={path} caption={path} lines={diffLines(oldText ?? '', newText)} />
  ));
}

function Lines({ caption, lines }: { readonly caption: string; readonly lines: readonly Line[] }) {
  return (
    <figure className="diff">
      <figcaption>{caption}</figcaption>
      <pre>
        {lines.map(({ change, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and the diff comes whole
          <span key={index} data-change={change}>
            {text}
            {'\n'}
          </span>
        ))}
      </pre>
    </figure>
  );
}
