// An agent of version 1 that says what a session starts with, and that suggests the next prompt after each turn.
import { serveLines } from '../../support/line-agent.mjs';

const choices = ['small', 'large'].map((value) => ({ value, name: `Model ${value}` }));
const option = (currentValue) => ({
  id: 'model',
  name: 'Model',
  category: 'model',
  type: 'select',
  currentValue,
  options: choices,
});
let model = 'small';
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
    agentCapabilities: { sessionCapabilities: { options: {} } },
  }),
  'session/options': () => ({ configOptions: [option(model)] }),
  'session/new': ({ configOptions = [] }) => {
    model = configOptions.find(({ configId }) => configId === 'model')?.value ?? model;
    return { sessionId: 's1', configOptions: [option(model)] };
  },
  'session/prompt': () => {
    turns += 1;
    const text = `Turn ${turns} with the model ${model}.`;
    update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
    suggest(`Run the tests of turn ${turns}`, 'Commit');
    return { stopReason: 'end_turn' };
  },
});
