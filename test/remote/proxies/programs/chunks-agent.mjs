// An agent of version 1 that starts fast and needs little memory. It answers a prompt with 20 chunks, each of which names
// the session and repeats the prompt.
import { createInterface } from 'node:readline';

let sessions = 0;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

async function prompt({ sessionId, prompt: [{ text }] }) {
  for (let number = 0; number < 20; number++) {
    const content = { type: 'text', text: `${sessionId} ${text} ${number}\n` };
    send({
      method: 'session/update',
      params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content } },
    });
    // The sessions speak in turns.
    await new Promise(setImmediate);
  }
  return { stopReason: 'end_turn' };
}

const methods = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { close: {} } } }),
  'session/new': () => ({ sessionId: `s${process.pid}-${++sessions}` }),
  'session/prompt': prompt,
  'session/close': () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) continue;
  const handler = methods[method];
  if (handler) Promise.resolve(handler(params)).then((result) => send({ id, result }));
  else send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
}
