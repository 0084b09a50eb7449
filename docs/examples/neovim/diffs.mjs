import { basename } from 'node:path';
import { diffLines, plainText } from 'acp-client-sdk/conversation';

/** The files that a tool call changes, in the agent's order. */
export function filesOf(toolCall) {
  const diffs = toolCall?.content.filter(({ type }) => type === 'diff') ?? [];
  return diffs.flatMap((diff) => diffLines(diff).map((file) => ({ ...file, change: changeOf(diff, file) })));
}

/** What an agent of version 1 sent about a file: its text before and after. */
const changeOf = ({ changes }, { path }) => changes.find((change) => change.path === path);

/** A file with the number of its lines that were added and removed, such as `NOTES.md +1 -0`. */
export function fileText({ path, lines }) {
  const count = (wanted) => lines.filter(({ change }) => change === wanted).length;
  return `${plainText(path)} +${count('added')} -${count('removed')}`;
}

/** The lines of both sides. A patch has only the hunks: their positions separate them. */
export function sidesOf({ path, lines, change }) {
  const side = (without) => lines.filter((line) => line.change !== without).map(({ text }) => text);
  const isWhole = change?.newText !== undefined;
  const textLines = (text) => plainText(text).replace(/\n$/, '').split('\n');
  return {
    name: plainText(basename(path.replaceAll('\\', '/'))),
    before: isWhole ? textLines(change.oldText ?? '') : side('added'),
    after: isWhole ? textLines(change.newText) : side('removed'),
  };
}
