import { Writable } from 'node:stream';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import { documentFormats } from '../../../src/programs/cli/options.ts';
import { Output } from '../../../src/programs/cli/print.ts';
import { printConversation, turnOutput } from '../../../src/programs/cli/turn-output.ts';
import { startLiveAgent } from '../../../src/programs/inspector/live.ts';
import { LoadedTimeline } from '../../../src/programs/inspector/page/loaded-timeline.ts';
import { readTimeline } from '../../../src/programs/inspector/timeline/read.ts';
import { createConversationMirror } from '../../../src/records/mirror/mirror.ts';
import { type MirrorMessage, publishConversation } from '../../../src/records/mirror/publish.ts';
import { foldTraffic } from '../../../src/records/recording/fold-traffic.ts';
import { type ScriptedAgent, scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import type { PanelChannel } from '../../../src/ui/panel/channel.ts';
import { connectPanel } from '../../../src/ui/panel/connect.ts';
import { servePanel } from '../../../src/ui/panel/serve.ts';
import { everything } from '../../support/agents.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { type AgentMessage, messagesOf, type Shape, sessionIdOf, sessionsOf } from './shapes.ts';

/** An output of the command line to a file, and how many characters were written. */
function countedOutput(): { readonly output: Output; readonly written: () => number } {
  let written = 0;
  const stream = () =>
    new Writable({
      decodeStrings: false,
      write(chunk: string, _encoding, done) {
        written += chunk.length;
        done();
      },
    });
  const host = { stdout: stream(), stderr: stream(), env: {} };
  // Of a standard stream, the command line uses what a file has, and what only a terminal has if it is one.
  const output = new Output(host as unknown as Pick<NodeJS.Process, 'stdout' | 'stderr' | 'env'>);
  return { output, written: () => written };
}

/** What a stage did. */
export interface Result {
  /** How many characters it sent to a page, a mirror or a terminal. */
  readonly posted: number;
  /** What those who use it keep. */
  readonly kept: unknown;
}

/** The work of a stage, after everything was prepared for it. */
export interface Prepared {
  readonly work: () => Promise<Result>;
  readonly close: () => Promise<void>;
}

export type Stage = (shape: Shape, size: number) => Promise<Prepared>;

const dialect = 'v2-baseline';
const cwd = '/home/user/project';
const clientInfo = { name: 'growth', version: '0' };
const options = { clientInfo, onDiagnostic() {}, handlers: { extensions: { _flush: () => null } } };
const never = new Promise<never>(() => {});

const lengthOf = (value: unknown) => JSON.stringify(value).length;
const lineOf = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

function newAgent(): ScriptedAgent {
  let sessions = 0;
  return scriptedAgent()
    .on('initialize', everything[dialect])
    .on('session/list', { sessions: [] })
    .on('session/new', () => ({ sessionId: sessionIdOf(sessions++) }));
}

/** The messages of a shape, in the pieces in which the agent writes them. */
function piecesOf(shape: Shape, size: number): readonly string[] {
  const lines = messagesOf(shape, size).map(lineOf);
  return shape.arrives === 'together' ? [lines.join('')] : lines;
}

/** Writes each piece alone, as a slow agent does: the client handles it before the next one comes. */
async function send(agent: ScriptedAgent, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) {
    agent.channel.write(piece);
    await new Promise(setImmediate);
  }
  await agent.request('_flush');
  await new Promise(setImmediate);
}

/** What follows a session, and what it made of it. */
type Follower = (session: Session) => () => Promise<Result>;

/** A client of the agent, with one follower for each session. */
const client =
  (follow: Follower): Stage =>
  async (shape, size) => {
    const agent = newAgent();
    const handlers = { ...options.handlers, requestPermission: () => never };
    const connection = await connect(agent.transport, { ...options, handlers });
    const sessions: Session[] = [];
    for (let count = sessionsOf(shape, size); count > 0; count--)
      sessions.push(await connection.newSession({ cwd }));
    const pieces = piecesOf(shape, size);
    return {
      async work() {
        const finish = sessions.map(follow);
        await send(agent, pieces);
        const results = await Promise.all(finish.map((one) => one()));
        return { posted: results.reduce((sum, { posted }) => sum + posted, 0), kept: [sessions, results] };
      },
      close: () => connection.close(),
    };
  };

/** Snapshots, their differences as patches, and what a mirror makes of them. */
const mirror: Follower = (session) => {
  let posted = 0;
  const mirror = createConversationMirror(session.sessionId, {
    requestResend(reason) {
      throw reason;
    },
  });
  const send = (message: MirrorMessage) => {
    const json = JSON.stringify(message);
    posted += json.length;
    mirror.receive(JSON.parse(json));
  };
  publishConversation(session.store, { send });
  return async () => ({ posted, kept: mirror });
};

const turn = (format: 'text' | 'jsonl'): Follower => {
  return (session) => {
    const { output, written } = countedOutput();
    const turn = turnOutput(format, output);
    const read = () => session.conversation;
    turn.follow(session);
    return async () => {
      await turn.finishTurn(read());
      await turn.finish(read());
      return { posted: written(), kept: turn };
    };
  };
};

/** A recording of the shape, as its text. */
function recordingOf(shape: Shape, size: number): string {
  const called = (id: number, method: string, params: object, result: object) => [
    { dir: 'out', msg: { jsonrpc: '2.0', id, method, params } },
    { dir: 'in', msg: { jsonrpc: '2.0', id, result } },
  ];
  const sessions = Array.from({ length: sessionsOf(shape, size) }, (_, index) =>
    called(index + 1, 'session/new', { cwd, mcpServers: [] }, { sessionId: sessionIdOf(index) }),
  );
  const sent = (message: AgentMessage) => ({ dir: 'in', msg: { jsonrpc: '2.0', ...message } });
  const initialize = { protocolVersion: 2, info: clientInfo, capabilities: {} };
  return [
    ...called(0, 'initialize', initialize, everything[dialect]),
    ...sessions.flat(),
    ...messagesOf(shape, size).map(sent),
  ]
    .map((record, t) => `${JSON.stringify({ ...record, t })}\n`)
    .join('');
}

const recorded =
  (play: (text: string) => Promise<Result>): Stage =>
  async (shape, size) => {
    const text = recordingOf(shape, size);
    return { work: () => play(text), close: async () => {} };
  };

/** A page of a panel, with the channel to it. */
function openPage(attach: (channel: PanelChannel) => void) {
  const toHost = new Set<(message: unknown) => void>();
  const toPage = new Set<(message: unknown) => void>();
  let posted = 0;
  const end = (own: Set<(message: unknown) => void>, other: Set<(message: unknown) => void>) => ({
    post(message: unknown) {
      const json = JSON.stringify(message);
      if (own === toHost) posted += json.length;
      setImmediate(() => {
        for (const listener of other) listener(JSON.parse(json));
      });
    },
    listen(listener: (message: unknown) => void) {
      own.add(listener);
      return () => own.delete(listener) && undefined;
    },
  });
  attach(end(toHost, toPage));
  return { panel: connectPanel(end(toPage, toHost)), posted: () => posted };
}

const panel: Stage = async (shape, size) => {
  const agent = newAgent();
  const served = servePanel({ agent: () => agent.transport, connect: options, workspace: () => ({ cwd }) });
  await served.started;
  const page = openPage((channel) => served.attach(channel));
  await page.panel.newSession();
  for (let count = sessionsOf(shape, size); count > 1; count--) await served.connection?.newSession({ cwd });
  const pieces = piecesOf(shape, size);
  const before = page.posted();
  return {
    async work() {
      await send(agent, pieces);
      // What changed before arrives before the result of a call.
      await page.panel.refreshSessions();
      return { posted: page.posted() - before, kept: [served, page.panel] };
    },
    async close() {
      page.panel.close();
      await served.close();
    },
  };
};

const liveInspector: Stage = async (shape, size) => {
  const agent = newAgent();
  const live = startLiveAgent({
    title: 'agent',
    agent: { command: 'agent' },
    open: async () => agent.transport,
    connect: { clientInfo, handlers: options.handlers },
    workspace: { cwd },
  });
  await live.panel.started;
  for (let count = sessionsOf(shape, size); count > 0; count--) {
    await live.panel.connection?.newSession({ cwd });
  }
  const pieces = piecesOf(shape, size);
  const { timeline } = live;
  const first = timeline.lines.length;
  return {
    async work() {
      await send(agent, pieces);
      const posted = timeline.lines.slice(first).reduce((sum, line) => sum + lengthOf(line), 0);
      return { posted, kept: live };
    },
    close: () => live.panel.close(),
  };
};

/**
 * The ways from an agent to those who see a conversation. Each has the fold in it, and all but the documents a snapshot of
 * each change.
 */
export const stages = {
  mirror: client(mirror),
  'panel with a page': panel,
  'live inspector': liveInspector,
  'inspector of a recording': recorded(async (text) => {
    const json = JSON.stringify(await readTimeline(text));
    const page = new LoadedTimeline('recording', JSON.parse(json));
    const shown = page.conversationAt(page.shownAt(page.length) ?? 0, page.length);
    return { posted: json.length, kept: [page, shown] };
  }),
  'text of a turn': client(turn('text')),
  'events of a turn': client(turn('jsonl')),
  'documents of a recording': recorded(async (text) => {
    const { sessions } = await foldTraffic(text);
    const { output, written } = countedOutput();
    for (const { conversation } of sessions) {
      for (const format of documentFormats) await printConversation(conversation, format, output);
    }
    return { posted: written(), kept: sessions };
  }),
} satisfies Record<string, Stage>;

export type StageName = keyof typeof stages;

/** What a run of a stage takes. */
interface Measured {
  readonly cpuMs: number;
  /** What it sent, in characters. */
  readonly posted: number;
  /** The memory of what is kept when it has ended. */
  readonly heapKb: number;
}

type Measure = keyof Measured;

/** How much twice as many may take: a multiple of what half of them takes, and what can be by chance. */
const limits: Readonly<Record<Measure, { readonly times: number; readonly more: number }>> = {
  cpuMs: { times: 3, more: 10 },
  posted: { times: 2.5, more: 40_000 },
  heapKb: { times: 3, more: 1500 },
};

/** Stages that look at the conversation after each message, also after those that arrive together. */
const looksAtEachMessage: ReadonlySet<StageName> = new Set([
  'live inspector',
  'inspector of a recording',
  'events of a turn',
]);

/** What is measured. */
function measuresOf(name: StageName, { arrives, isWholeInEvents = false }: Shape): Set<Measure> {
  const measures = new Set<Measure>(['cpuMs', 'posted', 'heapKb']);
  // These stages copy after each message what a snapshot copies.
  if (arrives === 'together' && looksAtEachMessage.has(name)) measures.delete('cpuMs');
  if (name === 'events of a turn' && isWholeInEvents)
    for (const one of ['cpuMs', 'posted'] as const) measures.delete(one);
  return measures;
}

setFlagsFromString('--expose-gc');
// Without it, V8 keeps the layouts of objects that are gone for two more collections.
setFlagsFromString('--retain-maps-for-n-gc=0');
const collectGarbage: () => void = runInNewContext('gc');

function heapKb(): number {
  collectGarbage();
  return getHeapStatistics().used_heap_size / 1024;
}

async function measure(stage: Stage, shape: Shape, size: number): Promise<Measured> {
  const { work, close } = await stage(shape, size);
  const heapBefore = heapKb();
  const before = cpuMs();
  const result = await work();
  const after = cpuMs();
  const heap = heapKb() - heapBefore;
  // What is kept must live until the heap was measured.
  expect(result).toHaveProperty('kept');
  await close();
  return { cpuMs: after - before, posted: result.posted, heapKb: heap };
}

const maxRounds = 5;
/** Only for a test that hangs. Each message waits for a turn of the event loop, which can be long on a busy machine. */
const testTimeoutMs = 600_000;
const printsTimes = process.env['GROWTH_TIMES'] !== undefined;

/**
 * Registers a test for each of the shapes. It uses CPU time, because a test that waits for another process must not fail.
 * What is quadratic takes four times as much. Each measure must be within its limit in one of the rounds: the machine can
 * be busy, and the first runs compile the code.
 */
export function testGrowth(name: StageName, stage: Stage, shapes: readonly Shape[]): void {
  test.each(shapes)(
    '[security: linear-time] twice as many $name take about twice the time, the memory and the bytes',
    async (shape) => {
      const open = measuresOf(name, shape);
      const rounds: string[] = [];
      while (rounds.length < maxRounds && open.size > 0) {
        const once = await measure(stage, shape, shape.size);
        const twice = await measure(stage, shape, 2 * shape.size);
        for (const one of [...open]) {
          const { times, more } = limits[one];
          // What was there before can be freed meanwhile.
          if (twice[one] <= times * Math.max(once[one], 0) + more) open.delete(one);
        }
        const text = (one: Measure) => `${one} ${once[one].toFixed()} → ${twice[one].toFixed()}`;
        rounds.push(`${text('cpuMs')}, ${text('posted')}, ${text('heapKb')}`);
      }
      if (printsTimes) process.stderr.write(`${name}: ${shape.name}: ${rounds.join('; ')}\n`);
      expect([...open], rounds.join('\n')).toEqual([]);
    },
    testTimeoutMs,
  );
}
