// An agent of version 1 that suggests the next prompt after each turn.
import { serveLines } from '../../support/line-agent.mjs';

let turns = 0;

const update = (content) => post({ method: 'session/update', params: { sessionId: 's1', update: content } });
const suggest = (...prompts) =>
  update({
    sessionUpdate: 'prompt_suggestions_update',
    suggestions: prompts.map((text) => ({ prompt: [{ type: 'text', text }] })),
  });

const post = serveLines({
  initialize: () => ({
    protocolVersion: 1,
    agentInfo: { name: 'suggesting', version: '1.0.0' },
    agentCapabilities: {},
  }),
  'session/new': () => ({ sessionId: 's1' }),
  'session/prompt': () => {
    turns += 1;
    const text = `Turn ${turns}.`;
    update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
    suggest(`Run the tests of turn ${turns}`, 'Commit');
    return { stopReason: 'end_turn' };
  },
});
