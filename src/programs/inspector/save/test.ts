import { applyPatch } from '../../../conversation/patch.ts';
import type { Conversation } from '../../../model/conversation.ts';
import { transcriptOf } from '../../../recording/transcript-of.ts';
import type { TimelineItem } from '../timeline/items.ts';
import { type ClientScript, clientScript } from './client-script.ts';
import { literal } from './literal.ts';
import { recordingText } from './recording.ts';

/**
 * A test for vitest that replays the session, and compares the transcripts with those that the inspector showed. If the
 * client made its calls one after the other, and all succeeded, the test makes them with `playback`, so that it can be
 * changed. Otherwise `foldTraffic` makes them.
 */
export function testText(items: readonly TimelineItem[], { title }: { readonly title: string }): string {
  const conversations = conversationsAfter(items);
  const script = clientScript(items);
  const body = script ? played(script, conversations) : folded(conversations);
  const replay = script ? 'playback' : 'foldTraffic';
  const names = [replay, 'transcriptOf'].sort().join(', ');
  const records = recordingText(items).trimEnd().split('\n');
  return `// A session that the inspector of acp-client-sdk saved. It needs the packages acp-client-sdk and vitest.
${script ? "import { connect } from 'acp-client-sdk';\n" : ''}import { ${names} } from 'acp-client-sdk/testing';
import { expect, test } from 'vitest';

/** One record per line. */
const recording = [
${records.map((record) => `  ${literal(record)},`).join('\n')}
].join('\\n');

test(${literal(title)}, async () => {
${body.map((line) => `  ${line}`).join('\n')}
});
`;
}

function played(
  { lines, sessions }: ClientScript,
  conversations: readonly Conversation[],
): readonly string[] {
  const checks = conversations.flatMap((conversation) => {
    const session = sessions.get(conversation.sessionId);
    return session === undefined
      ? []
      : [`expect(transcriptOf(${session}.conversation)).toBe(`, ...transcript(conversation), ');'];
  });
  return [...lines, ...checks, 'await connection.close();'];
}

function folded(conversations: readonly Conversation[]): readonly string[] {
  return [
    'const { sessions } = await foldTraffic(recording);',
    'expect(sessions.map(({ conversation }) => transcriptOf(conversation))).toEqual([',
    ...conversations.flatMap(transcript),
    ']);',
  ];
}

function transcript(conversation: Conversation): readonly string[] {
  const lines = transcriptOf(conversation).split('\n');
  return ['  [', ...lines.map((line) => `    ${literal(line)},`), "  ].join('\\n'),"];
}

function conversationsAfter(items: readonly TimelineItem[]): readonly Conversation[] {
  const conversations: Conversation[] = [];
  for (const { conversation, patch } of items.flatMap(({ changes = [] }) => changes)) {
    conversations[conversation] = applyPatch(conversations[conversation], patch);
  }
  return conversations.filter(Boolean);
}
