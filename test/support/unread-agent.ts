import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { Diagnostic } from '../../src/base/diagnostic.ts';
import { isJsonObject, type JsonObject } from '../../src/base/json.ts';
import { connect } from '../../src/client/connect.ts';
import type { Session } from '../../src/client/session/session.ts';
import type { ProvidedMcpServer } from '../../src/model/mcp-server.ts';
import { ndjsonTransport } from '../../src/transport/ndjson.ts';
import { everything } from './agents.ts';
import { cwd } from './open-session.ts';
import { addressOf, ended, openSocket, portOf, request, tokenOf } from './tool-target.ts';

/** An agent over two streams that calls tools of the editor. It reads the answers only when the test asks for them. */
export interface UnreadAgent {
  /** What the agent got for the server. */
  readonly server: JsonObject;
  /** Calls a tool. Nothing is read. */
  call(name: string): void;
  /** Reads the answers to all calls: each is a result or an error of MCP. */
  read(): Promise<readonly JsonObject[]>;
  /** Sends a request to the editor. */
  ask(method: string): Promise<JsonObject>;
}

/** The calls over one way: how one is made, and how the answers to them are read. */
type Calls = Pick<UnreadAgent, 'call' | 'read'>;

/** Answers until the editor has opened a session. */
export async function unreadAgent(input: Readable, output: Writable): Promise<UnreadAgent> {
  const send = (message: JsonObject) =>
    void output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answers = new Map<unknown, (message: JsonObject) => void>();
  const server = await new Promise<JsonObject>((resolve) => {
    createInterface(input).on('line', (line) => {
      const { id, method, params, ...answer } = JSON.parse(line);
      if (method === 'initialize') send({ id, result: everything.v1 });
      else if (method === 'session/new') {
        send({ id, result: { sessionId: 's1' } });
        resolve(params.mcpServers[0]);
      } else if (method === undefined) answers.get(id)?.(answer);
    });
  });
  let count = 0;
  const ask = (method: string, params: JsonObject = {}) => {
    const id = `r${++count}`;
    send({ id, method, params });
    return new Promise<JsonObject>((resolve) => answers.set(id, resolve));
  };
  const calls = (server['type'] === 'acp' ? overAcp : server['type'] === 'http' ? overHttp : overSocket)(
    server,
    ask,
    input,
  );
  return { server, ask, ...calls };
}

type Ask = (method: string, params: JsonObject) => Promise<JsonObject>;

function callOf(id: number, name: string): JsonObject {
  return request('tools/call', id, { name, arguments: {} }) as JsonObject;
}

/** The agent does not read its input. */
function overAcp({ serverId }: JsonObject, ask: Ask, input: Readable): Calls {
  const made: Promise<JsonObject>[] = [];
  return {
    call(name) {
      input.pause();
      const { method, params } = callOf(made.length, name);
      const message = { serverId, requestId: String(made.length), method, params };
      made.push(ask('mcp/message', message as JsonObject));
    },
    async read() {
      input.resume();
      // The answer to `mcp/message` has the result or the error of MCP.
      const answered = await Promise.all(made.splice(0));
      return answered.map(({ result, error }) => (isJsonObject(result) ? result : { error: error ?? null }));
    },
  };
}

/** Each call is a request of its own, over a connection that is not read. */
function overHttp(server: JsonObject): Calls {
  const made: Promise<Socket>[] = [];
  return {
    call(name) {
      const body = JSON.stringify(callOf(made.length, name));
      const head = [
        // Its answers have no chunks.
        'POST /mcp HTTP/1.0',
        `Host: 127.0.0.1:${portOf(server)}`,
        `Authorization: Bearer ${tokenOf(server)}`,
        'Content-Type: application/json',
        'Accept: application/json, text/event-stream',
        'Mcp-Protocol-Version: 2026-07-28',
        'Mcp-Method: tools/call',
        `Mcp-Name: ${name}`,
        `Content-Length: ${body.length}`,
      ];
      made.push(
        openSocket({ port: portOf(server) }).then((socket) => {
          socket.pause();
          socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
          return socket;
        }),
      );
    },
    read: () =>
      Promise.all(
        made.splice(0).map(async (opened) => {
          const answer = ended(await opened);
          (await opened).resume();
          const text = await answer;
          return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
        }),
      ),
  };
}

/** The program of the agent does not read its socket. */
function overSocket(server: JsonObject): Calls {
  const answers: JsonObject[] = [];
  let wake = () => {};
  let count = 0;
  const opened = openSocket({ path: addressOf(server) }).then((socket) => {
    socket.pause();
    socket.write(`${tokenOf(server)}\n`);
    const lines = createInterface(socket).on('line', (line) => {
      answers.push(JSON.parse(line));
      wake();
    });
    lines.pause();
    return { socket, lines };
  });
  return {
    call(name) {
      const line = `${JSON.stringify(callOf(count++, name))}\n`;
      void opened.then(({ socket }) => socket.write(line));
    },
    async read() {
      const { lines } = await opened;
      lines.resume();
      while (answers.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      count = 0;
      return answers.splice(0);
    },
  };
}

/** A session with a server in this process. Its agent reads the answers only when the test asks for them. */
export async function unreadTarget(server: ProvidedMcpServer): Promise<{
  readonly agent: UnreadAgent;
  readonly session: Session;
  readonly diagnostics: readonly Diagnostic[];
}> {
  const [toAgent, fromAgent] = [new PassThrough(), new PassThrough()];
  const diagnostics: Diagnostic[] = [];
  const opening = unreadAgent(toAgent, fromAgent);
  const connection = await connect(ndjsonTransport(fromAgent, toAgent), {
    clientInfo: { name: 'test', version: '0' },
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
  });
  onTestFinished(() => {
    toAgent.resume();
    return connection.close();
  });
  const session = await connection.newSession({ cwd, mcpServers: [server] });
  return { agent: await opening, session, diagnostics };
}

/** Whether an answer says that the result was dropped. */
export function isDropped(answer: JsonObject): boolean {
  // A whole result is long.
  return JSON.stringify(answer).slice(0, 2000).includes('answers are not read');
}
