// An agent for the scenes. "count" counts until it is cancelled. "links" names addresses that run script, and one that does
// not. Otherwise it asks for a permission with an option of each
// kind, and says which one it was answered.
import { serveLines } from '../../support/line-agent.mjs';

const options = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
  { optionId: 'yes-always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  { optionId: 'no-always', name: 'Never allow', kind: 'reject_always' },
];
const script = "void (document.title = 'It ran.')";
const addresses = [
  `javascript:${script}`,
  `JaVaScRiPt:${script}`,
  ` javascript:${script}`,
  `java\tscript:${script}`,
  `\u0001javascript:${script}`,
  'https://example.com/',
];
const update = (sessionId, update) => send({ method: 'session/update', params: { sessionId, update } });
const say = (sessionId, text) =>
  update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
let sessions = 0;
let prompt;
let count;

const methods = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] }),
  'session/new': () => ({ sessionId: `s${++sessions}` }),
  'session/prompt'({ sessionId, prompt: [{ text }] }, id) {
    prompt = { sessionId, id };
    if (text === 'count') {
      let sheep = 0;
      count = setInterval(() => say(sessionId, `${++sheep} 🐑 `), 50);
      return;
    }
    if (text === 'links') {
      for (const uri of addresses)
        update(sessionId, {
          sessionUpdate: 'agent_message_chunk',
          content: { type: 'resource_link', name: 'Docs', uri },
        });
      send({ id, result: { stopReason: 'end_turn' } });
      return;
    }
    const toolCall = { toolCallId: `t${id}`, title: 'Delete the notes', kind: 'delete' };
    update(sessionId, { sessionUpdate: 'tool_call', ...toolCall });
    send({
      id: `asked-${id}`,
      method: 'session/request_permission',
      params: { sessionId, toolCall, options },
    });
  },
  'session/cancel'({ sessionId }) {
    if (!count) return;
    clearInterval(count);
    count = undefined;
    say(sessionId, 'I stopped.');
    send({ id: prompt.id, result: { stopReason: 'cancelled' } });
  },
};

const send = serveLines(methods, ({ result }) => {
  if (!prompt) return;
  const { sessionId, id } = prompt;
  const { outcome, optionId } = result.outcome;
  update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: `t${id}`, status: 'completed' });
  say(sessionId, `Answered: ${optionId ?? outcome}.`);
  send({ id, result: { stopReason: outcome === 'cancelled' ? 'cancelled' : 'end_turn' } });
});
