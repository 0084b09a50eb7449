// An agent of version 1 that starts fast and needs little memory. It answers a prompt with 20 chunks, each of which names
// the session and repeats the prompt.
import { serveLines } from '../../../support/line-agent.mjs';

let sessions = 0;

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

const send = serveLines({
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { close: {} } } }),
  'session/new': () => ({ sessionId: `s${process.pid}-${++sessions}` }),
  'session/prompt': prompt,
  'session/close': () => ({}),
});
