import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { ConversationUpdate } from '../../../src/core/model/update.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { foldTraffic } from '../../../src/records/recording/fold-traffic.ts';
import { transcriptOf } from '../../../src/records/recording/transcript-of.ts';
import { outlineOf } from '../../process/cli/command-line.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';
import { expectGolden, type Makers } from '../../support/golden-sections.ts';

const recordings = fileURLToPath(new URL('../../fixtures/traffic', import.meta.url));

test('a session says the same live and loaded again, where the agent replays all of it', async () => {
  const [live] = (await foldTraffic(read('codex-2.6.0.v2.ndjson'))).sessions;
  const [again] = (await foldTraffic(read('codex-2.6.0.v2reload.ndjson'))).sessions;
  // The agent does not keep a prompt that was cancelled before it began, and gives it no id.
  const said = (session: typeof live, origin: string) =>
    session?.conversation.entries.flatMap((each) =>
      each.kind === 'message' && each.role === 'user' && each.origin === origin ? (each.messageId ?? []) : [],
    );
  expect(said(live, 'live')).toHaveLength(10);
  expect(said(again, 'replay')).toEqual(said(live, 'live'));
});

test('the text of a recording is folded as its lines', async () => {
  const lines = read('opencode-1.18.33.ndjson');
  const folded = await foldTraffic(lines.join('\n'));
  expect(folded.sessions.length).toBeGreaterThan(1);
  expect(folded).toEqual(await foldTraffic(lines));
});

const initialized = [
  out({ id: 0, method: 'initialize', params: { protocolVersion: 1 } }),
  into({ id: 0, result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } }),
];

const linesOf = (given: string | (Partial<Record<'in' | 'out', object>> & { readonly says?: string })) => {
  if (typeof given === 'string') return given === 'initialize' ? initialized : [given];
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: given.says } };
  return [
    ...(given.in ? [into(given.in)] : []),
    ...(given.out ? [out(given.out)] : []),
    ...(given.says ? [into({ method: 'session/update', params: { sessionId: 's', update } })] : []),
  ];
};

/** What a recording has, without what the lines of its conversations say. */
async function summaryOf(lines: readonly string[], dialect?: DialectName) {
  const folded = await foldTraffic(lines, { dialect });
  const sessions = folded.sessions.flatMap(({ conversation, updates }) => {
    const { sessionId, activity, modes, entries } = conversation;
    const asks = entries.flatMap((entry) => (entry.kind === 'toolCall' && entry.permission?.options) || []);
    const mode = modes?.currentModeId;
    const info = { sessionId, updates, entries: entries.length, activity, mode, asks };
    return [{ dialect: folded.dialect, ...info }, ...outlineOf(conversation)];
  });
  return [...sessions, ...folded.diagnostics.map(({ rule, message }) => `${rule}: ${message}`)];
}

const makers: Makers = {
  'what real agents replayed, in all recordings with this end of a name': async (end: string) => {
    const names = readdirSync(recordings).filter((name) => name.endsWith(end));
    const all = names.map(async (name) => [name, ...(await summaryOf(read(name)))]);
    return (await Promise.all(all)).flat();
  },
  'what a recording folds to': (
    ...given: readonly (Parameters<typeof linesOf>[0] & { readonly dialect?: DialectName })[]
  ) => summaryOf(given.flatMap(linesOf), given[0]?.dialect),
  'a conversation in a few lines': (...updates: readonly ConversationUpdate[]) =>
    transcriptOf(foldUpdates(emptyConversation('s1'), updates)).split('\n'),
};

test('what lines of traffic and conversations come to is what the golden file says', () =>
  expectGolden(new URL('golden/everything.txt', import.meta.url), makers));

function read(name: string): readonly string[] {
  return readFileSync(`${recordings}/${name}`, 'utf8').split('\n');
}

function into(msg: object): string {
  return JSON.stringify({ dir: 'in', t: 0, msg: { jsonrpc: '2.0', ...msg } });
}

function out(msg: object): string {
  return JSON.stringify({ dir: 'out', t: 0, msg: { jsonrpc: '2.0', ...msg } });
}
