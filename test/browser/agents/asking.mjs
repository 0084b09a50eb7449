// An agent that asks as its prompts say: "questions", "form", "login", "plan", or "wait". It writes each answer to the
// transcript. Its argument is the number of its sessions.
import * as acp from '@agentclientprotocol/sdk';
import { serve } from '../../vscode/agents/serve.mjs';

const titles = Array.from({ length: Number(process.argv[2] ?? 0) }, (_, index) => `Session ${index} of many`);
let isLoggedIn = false;

const options = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
  {
    optionId: 'always',
    name: `Allow always, and ${'do not ask again, '.repeat(20)}never`,
    kind: 'allow_always',
  },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];

const calls = [
  {
    title: 'Make edits?',
    kind: 'edit',
    content: ['tea.md', 'coffee.md'].map((name) => ({
      type: 'diff',
      path: `${process.cwd()}/${name}`,
      oldText: 'one\ntwo\nthree\n',
      newText: `one\ntwo and a half, which is ${name}\nthree\nfour\n`,
    })),
  },
  { title: 'Run a command?', kind: 'execute', rawInput: { command: ['sh', '-c', 'rm -rf build'] } },
  { title: 'Call a tool?', kind: 'other', rawInput: { address: 'teapot' } },
];

async function permission({ client, sessionId, update, say }, call, index) {
  const toolCallId = `call-${index}`;
  await update({ sessionUpdate: 'tool_call', toolCallId, status: 'pending', ...call });
  const toolCall = { toolCallId };
  const { outcome } = await client.request('session/request_permission', { sessionId, toolCall, options });
  await update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
  await say(`\n\n${call.title} ${outcome.optionId ?? outcome.outcome}`);
}

const questions = (at) => Promise.all(calls.map((call, index) => permission(at, call, index)));

const turns = {
  questions,
  async form({ client, sessionId, say }) {
    const { action, content } = await client.request('elicitation/create', {
      sessionId,
      mode: 'form',
      message: 'Which tea?',
      requestedSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', title: 'Name', description: 'As it is on the box' },
          cups: { type: 'integer', title: 'Cups', minimum: 1 },
          milk: { type: 'boolean', title: 'Milk' },
        },
        required: ['name'],
      },
    });
    await say(`form: ${action} ${content?.name ?? ''}`);
  },
  async plan(at) {
    const entries = ['Boil the water', 'Warm the pot', 'Wait'].map((content) => ({
      content,
      priority: 'medium',
      status: 'pending',
    }));
    await at.update({ sessionUpdate: 'plan', entries });
    await questions(at);
  },
  wait: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
  login() {
    if (!isLoggedIn) throw new acp.RequestError(-32000, 'The tea is locked.');
  },
  fail() {
    throw new acp.RequestError(-32603, 'The pot is broken.');
  },
};

serve({
  name: 'asking',
  title: 'An agent that asks',
  sessions: Object.fromEntries(titles.map((title) => [title, () => []])),
  logins: [
    { id: 'key', name: 'Use a key', description: 'The key from the page of your account' },
    { id: 'browser', name: 'Use the browser', description: 'Opens a page of the web' },
  ],
  onLogin() {
    isLoggedIn = true;
  },
  async turn({ text, ...at }) {
    await turns[text]?.(at);
    await at.say(`\n\nEnd of “${text}”.`);
  },
});
