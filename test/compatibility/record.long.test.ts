import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { connect } from '../../src/agents/connect.ts';
import { spawnAgent } from '../../src/agents/spawn-agent.ts';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { foldTraffic } from '../../src/records/recording/fold-traffic.ts';
import { recordTraffic } from '../../src/records/recording/record-traffic.ts';
import { openTranscripts } from '../../src/records/transcripts/open-transcripts.ts';
import { programs, root } from '../package/docs/pages.ts';
import { dialectNames } from '../support/agents.ts';
import { buildDemoAgent } from '../support/build.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { filesOf, type Recorded, readRelease } from './releases.ts';

/** Recordings of real agents, one for each version of the protocol. The others are in `test/fixtures` only. */
const realAgents = ['opencode-1.18.33.reload', 'codex-2.6.0.v2reload'];
const maxBytes = 360_000;

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** The version that is about to be released. */
const version: string = process.env['COMPATIBILITY_VERSION'] ?? manifest.version;
const files = filesOf(version);

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const asJson = (value: unknown) => `${JSON.stringify(value)}\n`;

/** What an editor records and saves while it works with the demo agent. */
async function workWithDemoAgent(dialect: DialectName): Promise<Recorded> {
  const recording = recordTraffic();
  const cwd = '/home/user/project';
  const command = { command: process.execPath, args: [await buildDemoAgent(), '--dialect', dialect] };
  await using connection = await connect(spawnAgent(command), {
    clientInfo: { name: 'editor', version },
    trace: recording,
    handlers: {
      requestPermission: ({ options: [first] }) =>
        first ? { outcome: 'selected', optionId: first.optionId } : { outcome: 'cancelled' },
    },
  });
  const directory = temporaryFolder();
  const transcripts = await openTranscripts({ directory });
  const loaded = await connection.loadSession({ sessionId: 'example-lighthouse', cwd });
  transcripts.record(loaded);
  await loaded.prompt('plan');
  const created = await connection.newSession({ cwd });
  transcripts.record(created);
  for (const text of ['edit', 'run', 'unicode']) await created.prompt(text);
  await transcripts.close();
  const conversations = [loaded, created].map(({ conversation }) => JSON.parse(JSON.stringify(conversation)));
  return {
    name: `demo-${dialect}`,
    traffic: recording.toString(),
    conversations,
    // Those of the two drafts of version 2 differ in ids only: a transcript does not depend on the draft.
    transcripts: readdirSync(directory)
      .filter((file) => file.endsWith('.jsonl') && dialect !== 'v2-markers')
      .map((file) => ({ file, text: readFileSync(join(directory, file), 'utf8') })),
  };
}

/** What an editor would have saved at the end of a recording of a real agent. */
async function workWithRealAgent(name: string): Promise<Recorded> {
  const traffic = readFileSync(join(root, `test/fixtures/traffic/${name}.ndjson`), 'utf8');
  const { sessions } = await foldTraffic(traffic);
  const conversations = sessions.map(
    ({ conversation }): JsonObject => JSON.parse(JSON.stringify(conversation)),
  );
  return { name, traffic, conversations, transcripts: [] };
}

test(`what a user of ${version} has is written`, async () => {
  rmSync(join(import.meta.dirname, version), { recursive: true, force: true });
  const own = programs.filter(({ code }) => code.includes('acp-client-sdk'));
  const named = own.map(({ page, code, language }, index) => {
    const number = own.slice(0, index).filter((other) => other.page === page).length + 1;
    return [`${page}#${number}.${language}`, code];
  });
  write(files.programs, `${JSON.stringify(Object.fromEntries(named), undefined, 1)}\n`);
  const recordings = [
    ...(await Promise.all(dialectNames.map(workWithDemoAgent))),
    ...(await Promise.all(realAgents.map(workWithRealAgent))),
  ];
  for (const { name, traffic, conversations } of recordings) {
    write(files.recording(name), traffic);
    write(files.conversations(name), asJson(conversations));
  }
  const byName = recordings.map(({ name, transcripts }) => [name, transcripts]);
  write(files.transcripts, asJson(Object.fromEntries(byName)));
  const release = readRelease(version);
  expect(Object.keys(release.programs).length).toBeGreaterThan(40);
  expect(release.recordings.flatMap(({ conversations }) => conversations).length).toBeGreaterThan(6);
  expect(release.recordings.flatMap(({ transcripts }) => transcripts).length).toBeGreaterThan(3);
  const paths = [
    files.programs,
    files.transcripts,
    ...recordings.flatMap(({ name }) => [files.recording(name), files.conversations(name)]),
  ];
  expect(paths.reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThan(maxBytes);
});
