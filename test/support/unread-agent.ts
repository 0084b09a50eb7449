import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { PassThrough, type Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { connect } from '../../src/agents/connect.ts';
import type { Diagnostic } from '../../src/core/base/diagnostic.ts';
import { isJsonObject, type JsonObject } from '../../src/core/base/json.ts';
import { ndjsonTransport } from '../../src/core/transport/ndjson.ts';
import type { Tool } from '../../src/entries/tools.ts';
import type { ToolTransport } from '../../src/tools/endpoint.ts';
import { everything } from './agents.ts';
import { cwd } from './open-session.ts';
import { serverOf } from './open-tools.ts';
import { addressOf, portOf, tokenOf } from './tool-client.ts';
import { ended, httpText, openSocket, request } from './tool-target.ts';

/** An agent that calls tools of the editor. It reads the answers only when the test asks for them. */
export interface UnreadAgent {
  /** Calls a tool. Nothing is read. */
  call(name: string): void;
  /** Reads the answers to all calls: each is a result or an error of MCP. */
  read(): Promise<readonly JsonObject[]>;
}

/** What calls over one way need of the agent. */
interface Parts {
  readonly server: JsonObject;
  /** What the editor sends to the agent. */
  readonly input: Readable;
  ask(method: string, params: JsonObject): Promise<JsonObject>;
}

const ways: Readonly<Record<ToolTransport, (parts: Parts) => UnreadAgent>> = {
  acp: overAcp,
  http: overHttp,
  stdio: overSocket,
};

const callOf = (id: number, name: string) => request('tools/call', id, { name, arguments: {} });

/** The agent does not read its input. */
function overAcp({ server, input, ask }: Parts): UnreadAgent {
  const made: Promise<JsonObject>[] = [];
  return {
    call(name) {
      input.pause();
      const { method = null, params = null } = callOf(made.length, name);
      const { serverId = null } = server;
      made.push(ask('mcp/message', { serverId, requestId: String(made.length), method, params }));
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
function overHttp({ server }: Parts): UnreadAgent {
  const made: Promise<Socket>[] = [];
  return {
    call(name) {
      // The answers in HTTP/1.0 have no chunks.
      const sent = httpText(server, callOf(made.length, name), { line: 'POST /mcp HTTP/1.0' });
      made.push(
        openSocket({ port: portOf(server) }).then((socket) => {
          socket.pause();
          socket.write(sent);
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
function overSocket({ server }: Parts): UnreadAgent {
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

/** A session with these tools, over two streams. Its agent reads the answers only when the test asks for them. */
export async function unreadTarget(
  tools: Readonly<Record<string, Tool>>,
  transport: ToolTransport,
  maxUnreadResultBytes: number,
): Promise<{ readonly agent: UnreadAgent; readonly diagnostics: readonly Diagnostic[] }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const send = (message: JsonObject) =>
    void output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answers = new Map<unknown, (message: JsonObject) => void>();
  let server: JsonObject = {};
  createInterface(input).on('line', (line) => {
    const { id, method, params, ...answer } = JSON.parse(line);
    if (method === 'initialize') send({ id, result: everything.v1 });
    else if (method === 'session/new') {
      [server] = params.mcpServers;
      send({ id, result: { sessionId: 's1' } });
    } else if (method === undefined) answers.get(id)?.(answer);
  });
  const diagnostics: Diagnostic[] = [];
  const connection = await connect(ndjsonTransport(output, input), {
    clientInfo: { name: 'test', version: '0' },
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
  });
  onTestFinished(() => {
    input.resume();
    return connection.close();
  });
  await connection.newSession({ cwd, mcpServers: [serverOf(tools, transport, { maxUnreadResultBytes })] });
  const ask = (method: string, params: JsonObject) => {
    const id = `r${answers.size}`;
    send({ id, method, params });
    return new Promise<JsonObject>((resolve) => answers.set(id, resolve));
  };
  return { agent: ways[transport]({ server, input, ask }), diagnostics };
}

/** Whether an answer says that the result was dropped. */
export function isDropped(answer: JsonObject): boolean {
  // A whole result is long.
  return JSON.stringify(answer).slice(0, 2000).includes('answers are not read');
}
