// An agent of version 1 that names itself in the metadata of its capabilities, as the server in its first argument does. It
// answers a prompt with how often it was asked to initialize.
import { serveLines } from '../../support/line-agent.mjs';

const [server] = process.argv.slice(2);
let introductions = 0;

const send = serveLines({
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
});
