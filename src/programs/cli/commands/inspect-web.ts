import { readFile } from 'node:fs/promises';
import { basename, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { errorMessage } from '../../../base/diagnostic.ts';
import { secretsInHeaders, secretsInUrl } from '../../../base/secrets.ts';
import { onAbort } from '../../../base/wait.ts';
import { nodeFileSystem } from '../../../node/file-system.ts';
import { spawnAgent } from '../../../node/spawn.ts';
import { type LiveOptions, startLiveAgent } from '../../inspector/live.ts';
import { serveInspector } from '../../inspector/server/serve.ts';
import { GrowingTimeline } from '../../inspector/timeline/growing.ts';
import type { TimelineItem } from '../../inspector/timeline/items.ts';
import { readTimeline } from '../../inspector/timeline/read.ts';
import { readTranscript } from '../../inspector/timeline/read-transcript.ts';
import { commandOf, connectOptions, openTrace } from '../agent.ts';
import type { Context } from '../context.ts';
import { notRecording, usageError } from '../errors.ts';
import { type Invocation, usesFilesHere, type WebChoice } from '../options.ts';
import { headersOf, remoteOpener } from '../remote-agent.ts';

/** Serves the inspector until Ctrl-C: for an agent, or for recordings. */
export async function inspectWeb(invocation: Invocation, context: Context): Promise<void> {
  const { web = { port: undefined, recordings: [] } } = invocation;
  const page = await readPage();
  if (web.recordings.length > 0) return serveRecordings(page, web, context);
  const trace = openTrace(invocation);
  const { cwd = context.host.cwd() } = invocation;
  const live = startLiveAgent({
    ...(await agentOf(invocation, context)),
    connect: {
      ...connectOptions(invocation),
      ...(usesFilesHere(invocation) && { handlers: nodeFileSystem({ roots: [cwd] }) }),
    },
    workspace: { cwd },
    onRecord: trace?.write,
  });
  try {
    const hands = { panel: live.panel, folders: [cwd] };
    await serveUntilInterrupted({ page, timelines: [live.timeline], hands, port: web.port }, context);
  } finally {
    await live.panel.close();
  }
}

/** The page, which the build puts beside the program. */
async function readPage(): Promise<string> {
  try {
    const compressed = await readFile(new URL('./inspector.html.br', import.meta.url));
    return (await promisify(brotliDecompress)(compressed)).toString();
  } catch (error) {
    const message = `The page of the inspector is missing: ${errorMessage(error)}. Install acp-client-sdk again.`;
    throw usageError(message);
  }
}

/** Reading a longer recording takes a second or more, in characters. */
const longRecording = 1_000_000;

/** A short name for each recording: of files with the same name, the end of their paths that differs. */
export function namesOf(paths: readonly string[]): readonly string[] {
  const parts = paths.map((path) => resolve(path).split(sep));
  const most = Math.max(0, ...parts.map(({ length }) => length));
  for (let count = 1; count < most; count++) {
    const names = parts.map((part) => part.slice(-count).join(sep));
    if (new Set(names).size === names.length) return names;
  }
  return paths;
}

async function serveRecordings(
  page: string,
  { port, recordings }: WebChoice,
  context: Context,
): Promise<void> {
  const timelines: GrowingTimeline[] = [];
  for (const [index, title] of namesOf(recordings).entries()) {
    const path = recordings[index] ?? '';
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      throw usageError(`${path} cannot be read: ${errorMessage(error)}.`);
    });
    if (text.length > longRecording) {
      context.output.note(`Reading ${title}, ${(text.length / 1e6).toFixed(1)} MB.`);
    }
    const items = recordings.length > 1 ? await comparedItems(path, text) : await shownItems(path, text);
    timelines.push(new GrowingTimeline(title, items, 'complete'));
  }
  await serveUntilInterrupted({ page, timelines, port }, context);
}

async function shownItems(path: string, text: string): Promise<readonly TimelineItem[]> {
  const transcript = readTranscript(path, text);
  if (transcript) return [transcript];
  const items = readTimeline(text);
  const isOther = items.every((item) => item.type === 'diagnostic' && item.rule === 'transport.noise');
  if (items.length > 0 && isOther) throw notRecording(path);
  return items;
}

async function comparedItems(path: string, text: string): Promise<readonly TimelineItem[]> {
  const items = await shownItems(path, text);
  if (items.some(({ type }) => type === 'transcript')) {
    throw usageError(
      `inspect --web compares the messages of recordings, and ${path} is a transcript without messages. Show it alone.`,
    );
  }
  return items;
}

async function serveUntilInterrupted(
  options: Parameters<typeof serveInspector>[0],
  { output, interrupts }: Context,
): Promise<void> {
  // Reading a long recording takes a while.
  interrupts.signal.throwIfAborted();
  let stopCatching = () => {};
  const ended = new Promise<void>((resolve) => {
    stopCatching = interrupts.catchNext(resolve);
    onAbort(interrupts.signal, resolve);
  });
  const inspector = await serveInspector(options).catch((error: unknown) => {
    throw usageError(`The inspector cannot be served: ${errorMessage(error)}.`);
  });
  try {
    await output.result(`${inspector.url}\n`);
    output.note(
      'Open this address in a browser. Do not share it: anyone who has it can drive the agent. Ctrl-C ends the inspector.',
    );
    await ended;
  } finally {
    stopCatching();
    await inspector.close();
  }
}

/** What the inspector runs or reaches. */
async function agentOf(
  invocation: Invocation,
  context: Context,
): Promise<Pick<LiveOptions, 'title' | 'agent' | 'open' | 'secrets'>> {
  const { agent } = invocation;
  if (agent && 'url' in agent) {
    const { url } = agent;
    const headers = headersOf(invocation, context.host.env);
    // A wrong address or token is an error now, and not a problem of the page.
    const open = remoteOpener(url, invocation, context);
    const title = URL.canParse(url) ? new URL(url).host : 'agent';
    const secrets = [...secretsInHeaders(headers), ...secretsInUrl(url)];
    return { title, agent: { url }, open: async () => open(), secrets };
  }
  const command = await commandOf(agent, invocation, context);
  const title = agent === undefined ? 'demo agent' : 'name' in agent ? agent.name : basename(agent.command);
  return { title, agent: command, open: async (onStderr) => spawnAgent({ ...command, onStderr }) };
}
