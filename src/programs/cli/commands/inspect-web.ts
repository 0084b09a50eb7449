import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { errorMessage } from '../../../core/base/diagnostic.ts';
import { secretsInHeaders, secretsInUrl } from '../../../core/base/secrets.ts';
import { deferred, onAbort } from '../../../core/base/wait.ts';
import { nodeFileSystem } from '../../../node/files/file-system.ts';
import { startLiveAgent } from '../../inspector/live.ts';
import { serveInspector } from '../../inspector/server/serve.ts';
import { GrowingTimeline } from '../../inspector/timeline/growing.ts';
import type { TimelineLine } from '../../inspector/timeline/items.ts';
import { readTimeline } from '../../inspector/timeline/read.ts';
import { readTranscript } from '../../inspector/timeline/read-transcript.ts';
import { showWhile } from '../activity.ts';
import { connectOptions, headersOf, openerOf, openTrace } from '../agent.ts';
import { type Invocation, usesFilesHere } from '../arguments.ts';
import type { Context } from '../context.ts';
import { notRecording, usageError } from '../errors.ts';

type Web = NonNullable<Invocation['web']>;

/** Serves the inspector until Ctrl-C: for an agent, or for recordings. */
export async function inspectWeb(invocation: Invocation, web: Web, context: Context): Promise<void> {
  const page = await readPage();
  if (web.recordings.length > 0) return serveRecordings(page, web, context);
  const trace = openTrace(invocation);
  const { cwd = context.host.cwd() } = invocation;
  // A wrong address or token is an error now, and not a problem of the page.
  const { agent, open } = await openerOf(invocation, context);
  const headers = headersOf(invocation, context.host.env);
  const live = startLiveAgent({
    title: titleOf(invocation.agent),
    agent,
    open: async (onStderr) => open(onStderr),
    secrets: 'url' in agent ? [...secretsInHeaders(headers), ...secretsInUrl(agent.url)] : [],
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
    await showWhile(context, () => 'Ending the agent', live.panel.close());
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

async function serveRecordings(page: string, { port, recordings }: Web, context: Context): Promise<void> {
  const names = recordings.map((path) => basename(path));
  const titles = new Set(names).size === names.length ? names : recordings;
  const timelines: GrowingTimeline[] = [];
  for (const [index, path] of recordings.entries()) {
    const lines = await linesOf(path, context);
    if (recordings.length > 1 && lines.some((line) => 'item' in line && line.item.type === 'transcript')) {
      throw usageError(
        `inspect --web compares the messages of recordings, and ${path} is a transcript without messages. Show it alone.`,
      );
    }
    timelines.push(new GrowingTimeline(titles[index] ?? path, lines, 'complete'));
  }
  await serveUntilInterrupted({ page, timelines, port }, context);
}

async function linesOf(path: string, context: Context): Promise<readonly TimelineLine[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw usageError(`${path} cannot be read: ${errorMessage(error)}.`);
  });
  const transcript = readTranscript(path, text);
  if (transcript) return transcript;
  let share = 0;
  const progress = () => `Reading ${basename(path)}, ${Math.floor(share * 100)} %`;
  const reading = readTimeline(text, async (read) => {
    share = read;
    // The status moves, and Ctrl-C is noticed.
    await setImmediate();
    context.interrupts.signal.throwIfAborted();
  });
  const lines = await showWhile(context, progress, reading);
  const isNoise = (line: TimelineLine) =>
    'item' in line && line.item.type === 'diagnostic' && line.item.rule === 'transport.noise';
  if (lines.length > 0 && lines.every(isNoise)) throw notRecording(path);
  return lines;
}

async function serveUntilInterrupted(
  options: Parameters<typeof serveInspector>[0],
  { output, interrupts }: Context,
): Promise<void> {
  const ended = deferred();
  const stopCatching = interrupts.catchNext(ended.resolve);
  onAbort(interrupts.signal, ended.resolve);
  const inspector = await serveInspector(options).catch((error: unknown) => {
    throw usageError(`The inspector cannot be served: ${errorMessage(error)}.`);
  });
  try {
    await output.result(`${inspector.url}\n`);
    const danger = options.hands ? 'drive the agent' : 'read the recording';
    output.note(
      `Open this address in a browser. Do not share it: anyone who has it can ${danger}. Ctrl-C ends the inspector.`,
    );
    await ended.promise;
  } finally {
    stopCatching();
    await inspector.close();
  }
}

/** What the page calls the agent. */
function titleOf(agent: Invocation['agent']): string {
  if (agent === undefined) return 'demo agent';
  if ('name' in agent) return agent.name;
  return 'url' in agent ? new URL(agent.url).host : basename(agent.command);
}
