// An agent of version 1 that names itself in the metadata of its capabilities, as the server in its first argument does. It
// answers a prompt with how often it was asked to initialize.
import { createInterface } from 'node:readline';

const [server] = process.argv.slice(2);
let introductions = 0;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const methods = {
  initialize() {
    introductions++;
    return { protocolVersion: 1, agentCapabilities: { loadSession: true, _meta: { [server]: {} } } };
  },
  'session/new': () => ({ sessionId: 's1' }),
  'session/prompt'({ sessionId }) {
    const content = { type: 'text', text: `Initialized ${introductions} times.` };
    const update = { sessionUpdate: 'agent_message_chunk', content };
    send({ method: 'session/update', params: { sessionId, update } });
    return { stopReason: 'end_turn' };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) continue;
  const handler = methods[method];
  if (handler) send({ id, result: handler(params) });
  else send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
}
