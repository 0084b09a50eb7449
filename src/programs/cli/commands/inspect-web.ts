import { closeSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { errorMessage } from '../../../base/diagnostic.ts';
import { secretsInHeaders, secretsInUrl } from '../../../base/secrets.ts';
import { nodeFileSystem } from '../../../node/file-system.ts';
import { spawnAgent } from '../../../node/spawn.ts';
import { type AgentDescription, type LiveOptions, startLiveAgent } from '../../inspector/live.ts';
import { type Inspector, serveInspector } from '../../inspector/server/serve.ts';
import { GrowingTimeline } from '../../inspector/timeline/growing.ts';
import { readTimeline } from '../../inspector/timeline/read.ts';
import { commandOf, openTrace } from '../agent.ts';
import type { Context } from '../context.ts';
import { CommandError, exitCodes } from '../errors.ts';
import { type Invocation, usesFilesHere, version, type WebChoice } from '../options.ts';
import { headersOf, openRemoteAgent } from '../remote-agent.ts';

/** Serves the inspector until Ctrl-C: for an agent, or for recordings. */
export async function inspectWeb(invocation: Invocation, context: Context): Promise<void> {
  const { web = { port: undefined, recordings: [] } } = invocation;
  const page = await readPage();
  if (web.recordings.length > 0) return serveRecordings(page, web, context);
  const { traceFile } = invocation;
  const trace = traceFile === undefined ? undefined : openTrace(traceFile);
  const { cwd = context.host.cwd() } = invocation;
  const live = startLiveAgent({
    ...(await agentOf(invocation, context)),
    connect: {
      clientInfo: { name: 'acp-client', version },
      ...(usesFilesHere(invocation) && { handlers: nodeFileSystem({ roots: [cwd] }) }),
      ...(invocation.protocolVersion && { protocolVersions: [invocation.protocolVersion] }),
      ...(invocation.timeoutMs !== undefined && { initializeIdleTimeoutMs: invocation.timeoutMs }),
    },
    workspace: { cwd },
    ...(trace !== undefined && {
      onRecord: (record) => void writeSync(trace, `${JSON.stringify(record)}\n`),
    }),
  });
  try {
    const hands = { panel: live.panel, folders: [cwd] };
    await serveUntilInterrupted({ page, timelines: [live.timeline], hands, port: web.port }, context);
  } finally {
    await live.panel.close();
    if (trace !== undefined) closeSync(trace);
  }
}

/** The page, which the build puts beside the program. */
async function readPage(): Promise<string> {
  try {
    return await readFile(new URL('./inspector.html', import.meta.url), 'utf8');
  } catch (error) {
    const message = `The page of the inspector is missing: ${errorMessage(error)}. Install acp-client-sdk again.`;
    throw new CommandError(message, exitCodes.usage);
  }
}

async function serveRecordings(
  page: string,
  { port, recordings }: WebChoice,
  context: Context,
): Promise<void> {
  const timelines: GrowingTimeline[] = [];
  for (const path of recordings) {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      throw new CommandError(`${path} cannot be read: ${errorMessage(error)}.`, exitCodes.usage);
    });
    timelines.push(new GrowingTimeline(basename(path), await readTimeline(text), 'complete'));
  }
  await serveUntilInterrupted({ page, timelines, port }, context);
}

async function serveUntilInterrupted(
  options: Parameters<typeof serveInspector>[0],
  { output, interrupts }: Context,
): Promise<void> {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const stopCatching = interrupts.catchNext(end);
  interrupts.signal.addEventListener('abort', end, { once: true });
  let inspector: Inspector;
  try {
    inspector = await serveInspector(options);
  } catch (error) {
    throw new CommandError(`The inspector cannot be served: ${errorMessage(error)}.`, exitCodes.usage);
  }
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
    let checked: ReturnType<typeof openRemoteAgent> | undefined = openRemoteAgent(url, invocation, context);
    const open = async () => {
      const transport = checked ?? openRemoteAgent(url, invocation, context);
      checked = undefined;
      return transport;
    };
    const title = URL.canParse(url) ? new URL(url).host : 'agent';
    return { title, agent: { url }, open, secrets: [...secretsInHeaders(headers), ...secretsInUrl(url)] };
  }
  const command = await commandOf(agent, invocation, context);
  const description: AgentDescription = command;
  const title = agent === undefined ? 'demo agent' : 'name' in agent ? agent.name : basename(agent.command);
  return { title, agent: description, open: async (onStderr) => spawnAgent({ ...command, onStderr }) };
}
