import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { RequestError } from '@agentclientprotocol/sdk';
import {
  afterToolText,
  decide,
  errorText,
  fileContent,
  prefaceText,
} from '../../agents/mock-model/directives.mjs';

/**
 * Does the work of a turn, for both versions of the protocol: what a directive of the mock model says, or what the first word
 * of the prompt names. `speech` sends it in one of the versions, and `own` has the turns of that version alone.
 *
 * @throws the signal's reason when the turn is cancelled, and an `Error` if the turn fails.
 */
export async function takeTurn({ prompt, ...scene }, own) {
  const text = prompt.map((block) => block.text ?? '').join('');
  if (text.includes('[[')) return perform(text, scene);
  const [name, argument] = text.split(' ');
  return (own[name] ?? turns[name] ?? turns.talk)({ ...scene, argument });
}

/** The options of each permission request. */
export const permissionOptions = [
  { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
  { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
];

const turns = {
  async talk({ speech }) {
    await speech.think('Hm.', 'm1');
    await speech.plan([{ content: 'Answer', priority: 'high', status: 'in_progress' }]);
    const toolCallId = 't1';
    const begun = { title: 'Look', kind: 'read', status: 'in_progress', capabilities: { cancel: {} } };
    await speech.toolCall({ toolCallId, ...begun });
    const diff = { path: '/a', oldText: 'a', newText: 'b' };
    await speech.toolCall({ toolCallId, status: 'completed', diff, locations: [{ path: '/a', line: 3 }] });
    await speech.say('Hello ', 'm1');
    await speech.say('there.', 'm1');
    const cost = { amount: 0.1, currency: 'USD' };
    await speech.update({ sessionUpdate: 'usage_update', used: 10, size: 100, cost });
    await speech.update({ sessionUpdate: 'session_info_update', title: 'Greeting' });
  },

  async permission({ speech }) {
    const toolCall = { toolCallId: 't2', title: 'Write', kind: 'edit', status: 'pending' };
    const { outcome } = await speech.ask(toolCall, 'May I write?');
    const chosen = outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome;
    await speech.toolCall({ toolCallId: 't2', status: chosen === 'allow' ? 'completed' : 'failed' });
    await speech.say(`The answer was ${chosen}.`, 'p2');
  },

  async wait({ speech, signal }) {
    await speech.toolCall({ toolCallId: 't4', title: 'Wait', status: 'in_progress' });
    const asked = speech.ask({ toolCallId: 't4' }, 'May I wait?');
    if (!signal.aborted) await once(signal, 'abort');
    const { outcome } = await asked;
    await speech.say(`Stopped: ${outcome.outcome}.`, 'w1');
  },

  async count({ speech }) {
    for (let n = 0; n < 2000; n++) await speech.say(`${n} `, 'c1');
  },

  async ask({ client, sessionId, speech }) {
    const answer = await client.request('elicitation/create', {
      sessionId,
      mode: 'form',
      message: 'Who are you?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    });
    await speech.say(JSON.stringify(answer), 'e1');
  },

  async extension({ client, sessionId, speech }) {
    const echo = await client.request('_client/echo', { sessionId, n: 1 });
    await client.notify('_client/note', { n: 2 });
    const unknown = await client.request('_client/unknown', {}).catch((error) => error.code);
    await speech.say(JSON.stringify({ echo, unknown }), 'x1');
  },

  async fail() {
    throw new Error('the model is down');
  },

  async login() {},
};

async function perform(text, { cwd, speech, signal }) {
  const action = decide([{ role: 'user', text }], true);
  if (action.do === 'error') throw new Error(errorText);
  if (!process.env.SDK_AGENT_KEY) throw RequestError.authRequired({ reason: 'no API key' });
  if (action.do === 'text') {
    await speak(action.thoughts, speech.think, action.delayMs, signal);
    await speak(action.chunks, speech.say, action.delayMs, signal);
    return;
  }
  await speak([prefaceText], speech.say, 0, signal);
  const toolCallId = crypto.randomUUID();
  await tools[action.kind]({ toolCallId, argument: action.argument, cwd, speech, signal });
  await speak([afterToolText], speech.say, 0, signal);
}

async function speak(texts, say, delayMs, signal) {
  // One message for all the texts.
  const messageId = crypto.randomUUID();
  for (const text of texts) {
    signal.throwIfAborted();
    await say(text, messageId);
    await sleep(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

const tools = {
  plan: ({ speech }) =>
    speech.plan([
      { content: 'Look around', priority: 'medium', status: 'in_progress' },
      { content: 'Come back', priority: 'medium', status: 'pending' },
    ]),

  async write({ toolCallId, argument: path, speech, signal }) {
    const diff = { path, oldText: null, newText: fileContent };
    await speech.toolCall({ toolCallId, title: `Write ${path}`, kind: 'edit', status: 'pending', diff });
    if (!(await allowed(speech, toolCallId, `Write ${path}?`, signal))) return;
    await (speech.writeFile ?? writeFile)(path, fileContent);
    await speech.toolCall({ toolCallId, status: 'completed' });
  },

  async read({ toolCallId, argument: path, speech }) {
    await speech.toolCall({ toolCallId, title: `Read ${path}`, kind: 'read', status: 'in_progress' });
    const text = await (speech.readFile ?? ((file) => readFile(file, 'utf8')))(path);
    await speech.toolCall({ toolCallId, status: 'completed', text });
  },

  shell,
  run: shell,
};

async function shell({ toolCallId, argument: command, cwd, speech, signal }) {
  await speech.toolCall({ toolCallId, title: command, kind: 'execute', status: 'pending' });
  if (!(await allowed(speech, toolCallId, `Run ${command}?`, signal))) return;
  const output = await (speech.runCommand ?? runCommand)(command, cwd, signal);
  await speech.toolCall({ toolCallId, status: 'completed', text: output });
}

async function allowed(speech, toolCallId, title, signal) {
  const { outcome } = await speech.ask({ toolCallId }, title, signal);
  if (signal.aborted) await speech.toolCall({ toolCallId, status: speech.cancelledStatus });
  signal.throwIfAborted();
  const allows = outcome.outcome === 'selected' && outcome.optionId === 'allow';
  await speech.toolCall({ toolCallId, status: allows ? 'in_progress' : 'failed' });
  return allows;
}

function runCommand(command, cwd, signal) {
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', command], { cwd, signal }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}
