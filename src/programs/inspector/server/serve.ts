import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Connections } from '../../../node/loopback/connections.ts';
import { newToken, pageRefusalOf, type Refusal, readBody } from '../../../node/loopback/front.ts';
import { endServer, httpOptions, listen, portOf } from '../../../node/loopback/http-server.ts';
import type { ServedPanel } from '../../../ui/panel/serve.ts';
import type { GrowingTimeline } from '../timeline/growing.ts';
import { CallsByHand } from './calls.ts';
import { PanelChannels } from './channels.ts';
import { sendTimeline } from './feed.ts';
import { methodTemplates } from './method-templates.ts';

/** What the inspector serves. */
export interface InspectorOptions {
  /** The built page, as HTML. */
  readonly page: string;
  /** One, or two that are compared. */
  readonly timelines: readonly GrowingTimeline[];
  /** The agent. Absent for a recording: the page then shows, and can do nothing. */
  readonly hands?: {
    readonly panel: ServedPanel;
    /** The directories in which paths of the page may be. */
    readonly folders: readonly string[];
  };
  /** Default: a free port. */
  readonly port?: number | undefined;
  /** Called with why a request was refused. */
  readonly onRefused?: (reason: string) => void;
}

/** How many connections are open at the same time, with the token and without it. A browser opens six. */
const maxAdmitted = 32;
const maxWaiting = 64;
/** The longest request, in bytes. A prompt can contain a picture. */
export const maxRequestBytes = 8 * 1024 * 1024;
export const maxPages = 16;

const methodsByPath: ReadonlyMap<string, readonly string[]> = new Map([
  ['/', ['GET']],
  ['/about', ['GET']],
  ['/items', ['GET']],
  ['/panel', ['GET', 'POST']],
  ['/call', ['POST']],
]);

/** A place in a timeline. Nothing else has a query. */
const itemsUrl = /^\/items\?(?:timeline=([01])&)?from=(\d{1,9})$/;

/**
 * Serves the inspector on 127.0.0.1. The page has no data, and everything else needs the token.
 *
 * @throws if the port is taken.
 */
export async function serveInspector(options: InspectorOptions) {
  const { onRefused = () => {} } = options;
  const token = newToken();
  const serve = servingOf(options);
  const connections = new Connections({
    maxAdmitted,
    maxWaiting,
    onCrowded: () => onRefused(`More than ${maxWaiting} connections sent no token.`),
  });
  const refuse = (response: ServerResponse, { status, reason }: Refusal) => {
    onRefused(reason);
    answer(response, status, { error: { message: reason } }, { connection: 'close' });
  };
  const server = createServer(httpOptions, (request, response) => {
    const port = portOf(server);
    const refused = pageRefusalOf(request, {
      port,
      token,
      methodsOf: (url) => methodsByPath.get(itemsUrl.test(url) ? '/items' : url),
      isPublic: (url) => url === '/',
    });
    if (refused) return refuse(response, refused);
    const { socket, url } = request;
    if (url !== '/' && !connections.admit(socket)) {
      return refuse(response, { status: 429, reason: `More than ${maxAdmitted} connections are open.` });
    }
    if (!connections.begin(socket, response)) {
      // A browser waits for the answer.
      onRefused('A request came before the answer to the one before it on the same connection.');
      socket.destroy();
      return;
    }
    serve(request, response).then(
      (reason) => reason && refuse(response, reason),
      () => response.destroy(),
    );
  });
  server.on('connection', (socket: Socket) => connections.add(socket));
  server.on('connect', (_, socket) => socket.destroy());
  server.on('upgrade', (_, socket) => socket.destroy());
  const port = await listen(server, options.port);
  return {
    /** The address with its token. Anyone who has it can do everything that the page can. */
    url: `http://127.0.0.1:${port}/#token=${token}`,
    /** Ends every connection. */
    close: () => endServer(server, connections),
  };
}

/** What an inspector serves to pages. */
function servingOf({ page, timelines, hands }: InspectorOptions) {
  const policy = policyOf(page);
  const agent = hands && {
    channels: new PanelChannels((channel) => hands.panel.attach(channel), maxPages),
    calls: new CallsByHand(hands.panel, hands.folders),
  };

  /** Serves a request that was checked. Resolves to why it is refused, if it is. */
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<Refusal | undefined> {
    const { url = '', method } = request;
    if (url === '/') {
      begin(response, 200, 'text/html; charset=utf-8', { 'content-security-policy': policy });
      response.end(page);
      return undefined;
    }
    if (url === '/about') {
      const shown = timelines.map(({ title, isLive: live, lines }) => ({ title, live, lines: lines.length }));
      const methods = hands ? methodTemplates(hands.folders[0] ?? '') : null;
      return answer(response, 200, { timelines: shown, methods });
    }
    if (url.startsWith('/items')) return sendItems(url, response);
    if (!agent) return { status: 404, reason: 'There is no agent.' };
    const { channels, calls } = agent;
    const id = request.headers['x-panel-page'] ?? 'page';
    if (typeof id !== 'string' || !/^[\w-]{1,64}$/.test(id)) {
      return { status: 400, reason: 'The header X-Panel-Page is not an id.' };
    }
    if (method === 'GET') {
      if (!channels.hasRoomFor(id)) return { status: 429, reason: `More than ${maxPages} pages are open.` };
      begin(response, 200, 'application/x-ndjson');
      channels.open(id, response);
      return undefined;
    }
    if (request.headers['content-type'] !== 'application/json') {
      return { status: 415, reason: 'The body is not application/json.' };
    }
    const read = await readBody(request, maxRequestBytes);
    if ('status' in read) return read;
    const text = read.body.toString('utf8');
    if (url === '/call') {
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      return answer(response, 200, await calls.make(text, gone.signal));
    }
    const messages = text.split('\n').filter((line) => line.trim() !== '');
    if (channels.receive(id, messages)) return answer(response, 200, {});
    return { status: 400, reason: 'The page has no stream. It opens one before it sends.' };
  }

  async function sendItems(url: string, response: ServerResponse): Promise<Refusal | undefined> {
    const [, place = '0', from = '0'] = itemsUrl.exec(url) ?? [];
    const timeline = timelines[Number(place)];
    if (!timeline) return { status: 404, reason: 'There is no such timeline.' };
    begin(response, 200, 'application/x-ndjson');
    await sendTimeline(timeline, Number(from), response);
    return undefined;
  }

  return serve;
}

/** The policy of the page for its script and its style, which no frame may contain. */
function policyOf(page: string): string {
  const [, policy] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page) ?? [];
  if (policy === undefined) throw new Error('The page of the inspector has no content security policy.');
  return `${policy}; frame-ancestors 'none'`;
}

/** The headers of every answer. There is none of CORS: no other page may read an answer. */
const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

function begin(
  response: ServerResponse,
  status: number,
  type: string,
  extra: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...headers, 'content-type': type, ...extra });
}

function answer(
  response: ServerResponse,
  status: number,
  body: unknown,
  extra: Readonly<Record<string, string>> = {},
): undefined {
  begin(response, status, 'application/json', extra);
  response.end(JSON.stringify(body));
}
