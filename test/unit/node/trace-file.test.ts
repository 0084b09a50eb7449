import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { traceFile, traceLines } from '../../../src/node/process/trace-file.ts';
import { foldTraffic } from '../../../src/records/recording/fold-traffic.ts';
import { playback, readRecords } from '../../../src/records/recording/playback.ts';
import { transcriptOf } from '../../../src/records/recording/transcript-of.ts';
import { scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { isWindows } from '../../process/node/processes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const clientInfo = { name: 'test', version: '0.0.0' };
const onDiagnostic = () => {};
let folder = '';
let path = '';

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, 'bug.ndjson');
});

function greeter() {
  const agent = scriptedAgent()
    .on('initialize', { protocolVersion: 1, agentCapabilities: {} })
    .on('session/new', { sessionId: 's1' })
    .on('session/prompt', () => {
      const content = { type: 'text', text: 'Hello, too.' };
      agent.update('s1', { sessionUpdate: 'agent_message_chunk', content });
      return { stopReason: 'end_turn' };
    });
  return agent;
}

/** Takes a turn with an agent that is recorded to the file, and returns the transcript. */
async function recordTurn(): Promise<string> {
  const { transport } = greeter();
  const trace = traceFile(path);
  const connection = await connect(transport, { clientInfo, trace, onDiagnostic });
  const session = await connection.newSession({ cwd: '/project' });
  await session.prompt('hello');
  await connection.close();
  return transcriptOf(session.conversation);
}

test('traceFile writes each message, and playback and foldTraffic take the text, the lines and the records', async () => {
  const transcript = await recordTurn();
  const text = await readFile(path, 'utf8');
  expect(transcript).toContain('user: hello');
  for (const recording of [traceLines(path), text, text.split('\n'), readRecords(text)]) {
    const { sessions, diagnostics } = await foldTraffic(recording);
    expect(diagnostics).toEqual([]);
    expect(sessions.map(({ conversation }) => transcriptOf(conversation))).toEqual([transcript]);
    const connection = await connect(playback(recording), { clientInfo, onDiagnostic });
    const session = await connection.newSession({ cwd: '/project' });
    await session.prompt('hello');
    expect(transcriptOf(session.conversation)).toBe(transcript);
    await connection.close();
  }
});

test('traceFile makes a file that only this user can read', async () => {
  await recordTurn();
  if (!isWindows) expect((await stat(path)).mode & 0o777).toBe(0o600);
});

// Windows has no such modes.
test.skipIf(isWindows)('traceFile replaces a file that other users could read', async () => {
  await writeFile(path, 'What was here.\n', { mode: 0o644 });
  // Whatever the umask is.
  await chmod(path, 0o644);
  await recordTurn();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(path, 'utf8')).not.toContain('What was here.');
});

test.skipIf(isWindows)('traceFile takes a device, and leaves its mode', async () => {
  const { mode } = await stat('/dev/null');
  traceFile('/dev/null').write({ dir: 'in', t: 0, msg: {} });
  expect((await stat('/dev/null')).mode).toBe(mode);
});

test('traceFile has the options of a trace', async () => {
  const { transport } = greeter();
  const trace = traceFile(path, { redact: () => 'gone' });
  const connection = await connect(transport, { clientInfo, trace, onDiagnostic });
  await connection.close();
  expect(readRecords(await readFile(path, 'utf8')).map(({ msg }) => msg)).toContain('gone');
});

test('a path that cannot be used is refused at once, with what to do', () => {
  expect(() => traceFile(join(folder, 'no', 'x'))).toThrow(/^traceFile: .*ENOENT.* Pass the path/);
  expect(() => traceLines(join(folder, 'no'))).toThrow(/^traceLines: .*ENOENT.* Pass the path/);
});
