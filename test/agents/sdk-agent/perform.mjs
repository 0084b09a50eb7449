import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { RequestError } from '@agentclientprotocol/sdk';
import { afterToolText, decide, errorText, fileContent, prefaceText } from '../mock-model/directives.mjs';

/**
 * Does the work of a turn, for both versions of the protocol. `speech` sends it in one of them.
 *
 * @throws the signal's reason when the turn is cancelled, and an `Error` if the turn fails.
 */
export async function perform({ prompt, cwd, speech, signal }) {
  const action = decide([{ role: 'user', text: prompt }], true);
  if (action.do === 'error') throw new Error(errorText);
  if (!process.env.SDK_AGENT_KEY) throw RequestError.authRequired({ reason: 'no API key' });
  if (action.do === 'text') {
    await speak(action.thoughts, speech.think, action.delayMs, signal);
    await speak(action.chunks, speech.say, action.delayMs, signal);
    return;
  }
  await speak([prefaceText], speech.say, 0, signal);
  const toolCallId = crypto.randomUUID();
  if (action.kind === 'plan') {
    await speech.plan([
      { content: 'Look around', priority: 'medium', status: 'in_progress' },
      { content: 'Come back', priority: 'medium', status: 'pending' },
    ]);
  } else
    await tools[action.kind === 'run' ? 'shell' : action.kind]({
      toolCallId,
      argument: action.argument,
      cwd,
      speech,
      signal,
    });
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

  async shell({ toolCallId, argument: command, cwd, speech, signal }) {
    await speech.toolCall({ toolCallId, title: command, kind: 'execute', status: 'pending' });
    if (!(await allowed(speech, toolCallId, `Run ${command}?`, signal))) return;
    const run = speech.runCommand ?? runCommand;
    const output = await run(command, cwd, signal);
    await speech.toolCall({ toolCallId, status: 'completed', text: output });
  },
};

async function allowed(speech, toolCallId, title, signal) {
  const { outcome } = await speech.ask(toolCallId, title, signal);
  if (signal.aborted) await speech.toolCall({ toolCallId, status: speech.cancelledStatus });
  signal.throwIfAborted();
  const allows = outcome.outcome === 'selected' && outcome.optionId === 'yes';
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

/** The options of each permission request. */
export const permissionOptions = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
