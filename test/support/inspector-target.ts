import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { startLiveAgent } from '../../src/programs/inspector/live.ts';
import { serveInspector } from '../../src/programs/inspector/server/serve.ts';
import { type ScriptedAgent, scriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { eventually } from './eventually.ts';
import { callOfPage, firstMessage, runIn } from './raw-page.ts';

const page = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">';
/** The directory with which the inspector was started. */
export const cwd = '/home/user/project';
/** What no answer may have. */
export const secret = 'a-secret-of-the-user-4711';

/** An inspector of a scripted agent. */
export async function openInspector(prepare: (agent: ScriptedAgent) => unknown = () => {}) {
  const agent = scriptedAgent()
    .on('initialize', { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { list: {} } } })
    .on('session/list', { sessions: [{ sessionId: 'foreign', cwd: '/etc' }] })
    .on('session/new', { sessionId: 's1' })
    .on('_any', { done: true });
  prepare(agent);
  const refused: string[] = [];
  const { panel, timeline } = startLiveAgent({
    title: 'agent',
    agent: { command: 'agent', args: ['--api-key', secret, `--token=${secret}`], env: { KEY: secret } },
    open: async () => agent.transport,
    connect: { clientInfo: { name: 'test', version: '1.0.0' }, callMeta: () => ({ key: secret }) },
    workspace: { cwd },
  });
  await panel.started;
  const inspector = await serveInspector({
    page,
    timelines: [timeline],
    hands: { panel, folders: [cwd] },
    onRefused: (reason) => refused.push(reason),
  });
  onTestFinished(async () => {
    await inspector.close();
    await panel.close();
  });
  const { port, hash } = new URL(inspector.url);
  const token = hash.slice('#token='.length);
  return { agent, panel, timeline, refused, port: Number(port), token, host: `127.0.0.1:${port}` };
}

export type OpenedInspector = Awaited<ReturnType<typeof openInspector>>;

/** A connection that sends this, and all that it reads. */
export function dial({ port }: OpenedInspector, text: string) {
  const socket = connectSocket(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => {});
  socket.write(text);
  return { socket, received: () => received };
}

/** Sends bytes, and returns what comes back until the connection ends. */
export async function raw(opened: OpenedInspector, text: string): Promise<string> {
  const { socket, received } = dial(opened, text);
  await once(socket, 'close');
  return received();
}

/** Opens a stream, and waits for its beginning. */
export async function openStream(opened: OpenedInspector, parts: RawRequest) {
  const dialed = dial(opened, request(opened, parts));
  await eventually(dialed.received).toContain('\r\n\r\n');
  return dialed;
}

export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
}

/** A request with the token, as the page sends it, with other headers in their place. */
export function request(
  opened: OpenedInspector,
  { method = 'GET', path = '/about', headers = [], body }: RawRequest,
): string {
  const replaced = new Set(headers.map((header) => header.split(':')[0]?.toLowerCase()));
  const own = [
    `Host: ${opened.host}`,
    `Authorization: Bearer ${opened.token}`,
    'Connection: close',
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
  ].filter((header) => !replaced.has(header.split(':')[0]?.toLowerCase()));
  return `${method} ${path} HTTP/1.1\r\n${[...own, ...headers].join('\r\n')}\r\n\r\n${body ?? ''}`;
}

/** A page that opens the stream of the panel, and is heard. */
export async function openPanelPage(opened: OpenedInspector) {
  const headers = ['X-Panel-Page: p1'];
  const { socket, received } = await openStream(opened, { path: '/panel', headers });
  /** Posts messages of the page, as lines. Returns the status. */
  const post = async (...messages: readonly (object | string)[]) => {
    const body = messages.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join('\n');
    return statusOf(await send(opened, { method: 'POST', path: '/panel', headers, body }));
  };
  expect(await post(firstMessage)).toBe(200);
  await eventually(() => runIn(received())).not.toBe('');
  /** The result of the call before came with the change of the same number. */
  const call = (number: number, action: string, params: object = {}) =>
    callOfPage(received(), number, action, params);
  return { socket, received, post, call };
}

/** The status of an answer. 0: there was none. */
export const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
/** Sends a request, and returns the whole answer. */
export const send = async (opened: OpenedInspector, parts: RawRequest) => raw(opened, request(opened, parts));
