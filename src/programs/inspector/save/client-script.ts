import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import type { MessageItem, TimelineItem } from '../timeline/items.ts';
import { offeredIn, paramsOf } from '../timeline/offered.ts';
import { literal } from './literal.ts';

/** A message, with its place among all of them. */
interface Message {
  readonly place: number;
  readonly dir: MessageItem['dir'];
  readonly message: JsonObject;
  /** The first answer after it with its id, by the other side. */
  readonly answer: Message | undefined;
  /** Where its session is idle first after it, if it names one. */
  readonly idle: number | undefined;
}

/** A call of the client that succeeded. */
interface Call {
  readonly method: string;
  readonly params: JsonObject;
  readonly result: JsonObject;
  readonly place: number;
  /** The place where it was over: of its answer, or of the end of its turn. */
  readonly end: number;
}

/** The code of a client that makes the calls of a recording. */
export interface ClientScript {
  readonly lines: readonly string[];
  /** The names of the sessions in the code, by their ids. */
  readonly sessions: ReadonlyMap<string, string>;
}

/** Writes a call, with the name of its session. */
type WriteCall = (call: Call, session: string) => string;

const callOptions = '{ allowUnsupported: true }';

/** The calls that a script can have. */
const writers: Readonly<Record<string, WriteCall>> = {
  'session/new': ({ params }, session) =>
    `const ${session} = await connection.newSession(${literal({ cwd: cwdOf(params) })});`,
  'session/prompt': ({ params }, session) => `await ${session}.prompt(${literal(params['prompt'])});`,
  'session/set_mode': ({ params }, session) =>
    `await ${session}.setMode(${literal(params['modeId'])}, ${callOptions});`,
  'session/set_config_option': ({ params: { configId, value } }, session) =>
    `await ${session}.setConfigOption(${literal(configId)}, ${literal(value)}, ${callOptions});`,
  'session/list': ({ params }) => `await connection.request('session/list', ${literal(params)});`,
};

/** A call that changes no session. The inspector makes it at the same time as others. */
const questionOnly = 'session/options';

/** The parameters that the code names. A damaged recording can lack them. */
const written: Readonly<Record<string, readonly string[]>> = {
  'session/prompt': ['prompt'],
  'session/set_mode': ['modeId'],
  'session/set_config_option': ['configId', 'value'],
};

/** With this request the agent has the client run a command, which no test runs again. */
const command = 'terminal/create';

/**
 * The code of a client that makes the recorded calls one after the other, and answers as the recorded client did.
 * `undefined` if the recording has other calls, a call that failed, calls at the same time, or commands that the client
 * ran.
 */
export function clientScript(items: readonly TimelineItem[]): ClientScript | undefined {
  const messages = messagesIn(items);
  if (messages.some(({ dir, message }) => dir === 'in' && message['method'] === command)) return undefined;
  const sent = messages.filter(
    ({ dir, message }) =>
      dir === 'out' && typeof message['method'] === 'string' && message['method'] !== questionOnly,
  );
  const [offer, ...others] = sent;
  const calls = others.flatMap((message) => callOf(message) ?? []);
  const isInOrder = calls.every(
    ({ end }, index) => end < (calls[index + 1]?.place ?? Number.POSITIVE_INFINITY),
  );
  if (offer?.message['method'] !== 'initialize' || calls.length < others.length || !isInOrder)
    return undefined;
  const sessions = new Map<string, string>();
  const lines = connectLines(offer.message, messages);
  for (const call of calls) {
    if (call.method === 'session/new') {
      sessions.set(String(call.result['sessionId']), `session${sessions.size + 1}`);
    }
    const session = sessions.get(String(call.result['sessionId'] ?? call.params['sessionId']));
    const write = writers[call.method];
    if (!write || (session === undefined && call.method !== 'session/list')) return undefined;
    lines.push(write(call, session ?? ''));
  }
  return { lines, sessions };
}

/** Goes from the end to the start, so that what follows a message is known without a search. */
function messagesIn(items: readonly TimelineItem[]): readonly Message[] {
  const held = items.flatMap((item) => {
    if (item.type !== 'message') return [];
    const all: readonly unknown[] = Array.isArray(item.msg) ? item.msg : [item.msg];
    return all.filter(isJsonObject).map((message) => ({ dir: item.dir, message }));
  });
  /** The next answer to each request, by the side that answers and the id. */
  const answers = new Map<string, Message>();
  /** Where each session is idle next. */
  const idles = new Map<unknown, number>();
  const messages: Message[] = [];
  for (const [index, { dir, message }] of held.reverse().entries()) {
    const { id, method } = message;
    const { sessionId, update } = paramsOf(message);
    const place = held.length - 1 - index;
    const answer = id === undefined ? undefined : answers.get(`${dir === 'in' ? 'out' : 'in'} ${id}`);
    const next: Message = { place, dir, message, answer, idle: idles.get(sessionId) };
    messages.push(next);
    if (id !== undefined && method === undefined) answers.set(`${dir} ${id}`, next);
    if (isJsonObject(update) && update['state'] === 'idle') idles.set(sessionId, place);
  }
  return messages.reverse();
}

function callOf({ message, place, answer, idle }: Message): Call | undefined {
  const { method } = message;
  const result = answer?.message['result'];
  if (typeof method !== 'string' || !Object.hasOwn(writers, method)) return undefined;
  if (!answer || !isJsonObject(result)) return undefined;
  const params = paramsOf(message);
  if (written[method]?.some((name) => params[name] === undefined)) return undefined;
  // In version 2 the turn goes on after the answer, until the session is idle.
  const over = method === 'session/prompt' ? idle : undefined;
  return { method, params, result, place, end: Math.max(answer.place, over ?? 0) };
}

/** The recorded results of the client for the requests of a method, in the order of the requests. */
function answersTo(method: string, messages: readonly Message[]): readonly JsonObject[] {
  const requests = messages.filter(({ dir, message }) => dir === 'in' && message['method'] === method);
  return requests.map(({ answer }) => answer?.message['result']).filter(isJsonObject);
}

function connectLines(offer: JsonObject, messages: readonly Message[]): string[] {
  const permissions = answersTo('session/request_permission', messages).map((result) => result['outcome']);
  const elicitations = answersTo('elicitation/create', messages);
  const answers = elicitations.length > 0;
  return [
    `const permissions = ${literal(permissions)};`,
    ...(answers ? [`const answers = ${literal(elicitations)};`] : []),
    'const connection = await connect(playback(recording), {',
    "  clientInfo: { name: 'test', version: '1.0.0' },",
    `  protocolVersions: ${literal(offeredIn(paramsOf(offer)))},`,
    '  handlers: {',
    "    requestPermission: () => permissions.shift() ?? { outcome: 'cancelled' },",
    ...(answers ? ['    elicit: { form: () => answers.shift(), url: () => answers.shift() },'] : []),
    '  },',
    '});',
  ];
}

/** Any absolute directory does: the recorded agent does not look at it. */
function cwdOf({ cwd }: JsonObject): string {
  return typeof cwd === 'string' && cwd.startsWith('/') ? cwd : '/';
}
