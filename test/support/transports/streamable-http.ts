import { createServer, type RequestListener } from 'node:http';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { createNodeHttpHandler } from '@agentclientprotocol/sdk/experimental/node';
import { AcpServer } from '@agentclientprotocol/sdk/experimental/server';
import { barrierMethod } from '../../../src/core/transport/http/barriers.ts';
import { listen } from '../../../src/node/loopback/http-server.ts';
import { streamableHttp } from '../raw-acp-connection.ts';
import { type AgentHost, LateAgentEnd, perLine } from './wire.ts';

/** Agents behind the streamable HTTP server of the official SDK. */
export async function streamableHttpHost(): Promise<AgentHost> {
  const agents: { readonly handle: RequestListener; close(): Promise<void> }[] = [];
  const server = createServer((request, response) => {
    const agent = agents[Number(request.url?.slice(1))];
    if (agent) agent.handle(request, response);
    else response.writeHead(404).end();
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    open(options) {
      const agent = new LateAgentEnd();
      const acp = new AcpServer({ agent: { connect: (stream) => ({ closed: carry(stream, agent) }) } });
      const handle = createNodeHttpHandler(acp);
      const number = agents.push({ handle, close: () => acp.close() }) - 1;
      const transport = streamableHttp(`${url}/${number}`, options);
      return { transport, agent, breakOff: () => agent.exit() };
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await Promise.all(agents.map(({ close }) => close()));
    },
  };
}

/** Carries the messages between the server and the agent. Resolves when either has ended. */
async function carry(stream: Stream, end: LateAgentEnd): Promise<void> {
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  // What the agent writes after its client has gone is lost.
  const send = (message: AnyMessage) => void writer.write(message).catch(() => {});
  const ended = new Promise<void>((resolve) => {
    const close = () => {
      writer.close().catch(() => {});
      resolve();
    };
    end.attach({
      write: perLine((line) => send(JSON.parse(line))),
      end: close,
      closeInput: close,
      exit: close,
    });
  });
  const read = async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if ('method' in value && value.method === barrierMethod && 'id' in value) send(refusal(value.id));
      else end.receive(JSON.stringify(value));
    }
  };
  await Promise.race([read().catch(() => {}), ended]);
  end.clientEnded();
}

/** What any agent answers. The script does not see the request, which only this transport sends. */
const refusal = (id: string | number | null): AnyMessage => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32601, message: `Method not found: ${barrierMethod}` },
});
