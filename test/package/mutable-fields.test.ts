import ts from 'typescript';
import { expect, test } from 'vitest';
import { files, sourceOf } from './imports.ts';

/** More state than this is a table with named states. */
const most = 5;

/** The classes that have more, with how many fields can change. The list only becomes shorter, and a number smaller. */
const exceptions: Readonly<Record<string, number>> = {
  'core/client/reconnect.ts#Restarter': 7,
  'core/conversation/draft.ts#Draft': 9,
  'core/conversation/entry-list.ts#EntryList': 7,
  'core/transport/http/event-stream.ts#EventStream': 8,
  'core/transport/lines.ts#LineDecoder': 7,
  'core/transport/message-pump.ts#MessagePump': 6,
  'core/transport/websocket.ts#WebSocketTransport': 10,
  'programs/cli/live.ts#LiveTranscript': 6,
  'programs/inspector/page/lines.ts#WireLines': 7,
  'programs/inspector/timeline/recorder.ts#TimelineRecorder': 6,
  'records/recording/session-fold.ts#SessionFold': 6,
  'records/transcripts/recording.ts#Recording': 13,
  'ui/ag-ui/followed-turn.ts#FollowedTurn': 8,
  'ui/markdown/reader.ts#MarkdownReader': 9,
  'ui/panel/host.ts#PanelHost': 9,
};

/** How many fields of each class can change: those that are not `readonly`. */
function mutableFields(file: string): readonly (readonly [name: string, count: number])[] {
  const found: [string, number][] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isClassLike(node)) {
      const fields = node.members.filter(
        (member) =>
          ts.isPropertyDeclaration(member) &&
          !member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword),
      );
      found.push([`${file}#${node.name?.text ?? ''}`, fields.length]);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, sourceOf(file), ts.ScriptTarget.Latest));
  return found;
}

test('no class has more than five fields that can change, but for those in the list', () => {
  const classes = files.flatMap(mutableFields);
  expect(classes.length).toBeGreaterThan(100);
  expect(Object.fromEntries(classes.filter(([, count]) => count > most))).toEqual(exceptions);
});
