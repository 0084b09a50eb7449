import { closeSync, openSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createPhrases, createRandom, linesOf } from './phrases.mjs';
import { Transcript } from './transcript.mjs';

/**
 * The corpora: each a replayed session of its own kind. `updates` is its size in full; `withoutOfficial` marks those on
 * which the official SDK takes long and has no target.
 */
export const corpora = {
  'v1-replay': { version: 1, updates: 60_000, about: 'a session as real agents replay it', generate: replay },
  'v2-replay': {
    version: 2,
    updates: 60_000,
    about: 'a session as real agents replay it',
    generate: replay,
  },
  'v1-long': {
    version: 1,
    updates: 300_000,
    about: 'v1-replay, five times as long',
    withoutOfficial: true,
    generate: replay,
  },
  'v1-chunks': {
    version: 1,
    updates: 200_000,
    about: 'text chunks, 200 to a message',
    generate: chunks,
  },
  'v1-mixed': { version: 1, updates: 200_000, about: 'a working session of all kinds', generate: mixed },
  'v2-mixed': {
    version: 2,
    updates: 200_000,
    about: 'a working session of all kinds',
    generate: mixed,
  },
  'v2-giant': { version: 2, updates: 100_000, about: 'one message, all text chunks', generate: giant },
  'v2-entries': {
    version: 2,
    updates: 100_000,
    about: 'one small entry each',
    withoutOfficial: true,
    generate: entries,
  },
};

/** The updates of a corpus, one by one, and the transcript that they make, complete when they are out. */
function createCorpus(name, count = corpora[name].updates) {
  const { version, generate } = corpora[name];
  const random = createRandom(name.length * 7919 + version);
  const transcript = new Transcript();
  const phrase = createPhrases(random);
  return { transcript, updates: updatesOf({ version, count, random, phrase, transcript, generate }) };
}

/** Nothing is taken from the generator that does not go out: it notes in the transcript what it is about to say. */
function* updatesOf({ generate, ...context }) {
  const { version, count } = context;
  // A replay of version 2 ends with what the session is doing now.
  const last =
    version === 2 ? { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' } : undefined;
  const source = generate(context);
  for (let left = last ? count - 1 : count; left > 0; left--) yield source.next().value;
  if (last) yield last;
}

const id = (prefix, number) => `${prefix}_${String(number).padStart(8, '0')}`;

/** A message cut into chunks. In version 2 a replay clears a message before it is streamed again. */
function* message({ version, phrase, transcript }, kind, role, messageId, length) {
  const text = transcript.message(role, messageId);
  let left = length;
  if (version === 2) {
    yield { sessionUpdate: kind, messageId, content: [] };
    left--;
  }
  for (; left > 0; left--) {
    const said = phrase();
    text.push(said);
    yield { sessionUpdate: `${kind}_chunk`, messageId, content: { type: 'text', text: said } };
  }
}

function* chunks(context) {
  for (let number = 0; ; number++) {
    yield* message(context, 'agent_message', 'agent', id('msg', number), 200);
  }
}

function* giant(context) {
  yield* message(context, 'agent_message', 'agent', id('msg', 0), context.count);
}

function* entries({ phrase, transcript }) {
  for (let number = 0; ; number++) {
    if (number % 4 === 3) {
      const toolCallId = id('call', number);
      const title = phrase();
      Object.assign(transcript.toolCall(toolCallId), { title, status: 'completed' });
      yield { sessionUpdate: 'tool_call_update', toolCallId, title, kind: 'read', status: 'completed' };
      continue;
    }
    const role = number % 2 === 0 ? 'user' : 'agent';
    const messageId = id('msg', number);
    const text = phrase();
    transcript.message(role, messageId).push(text);
    yield { sessionUpdate: `${role}_message`, messageId, content: [{ type: 'text', text }] };
  }
}

/**
 * Rounds of the shape that recordings of ten agents have: each message arrives whole, between tool calls with input,
 * output and diffs, and every fifth round has a plan.
 */
function* replay(context) {
  for (let round = 0; ; round++) {
    yield wholeMessage(context, 'user_message', 'user', id('ask', round), 150);
    yield wholeMessage(context, 'agent_thought', 'thought', id('thought', round), 300);
    for (let call = 0; call < 3; call++) yield* toolCall(context, id('call', round * 3 + call), call);
    yield wholeMessage(context, 'agent_message', 'agent', id('answer', round), 800);
    if (round % 5 === 4) yield plan(context, round);
  }
}

/** A message in one update. Version 1 has no update for a whole message, so that it is one chunk. */
function wholeMessage({ version, phrase, transcript }, kind, role, messageId, length) {
  const text = linesOf(phrase, length);
  transcript.message(role, messageId).push(text);
  const block = { type: 'text', text };
  return version === 1
    ? { sessionUpdate: `${kind}_chunk`, messageId, content: block }
    : { sessionUpdate: kind, messageId, content: [block] };
}

/** Version 1 announces a tool call and then updates it; in version 2 the first update announces it. */
const announcement = (version) => (version === 1 ? 'tool_call' : 'tool_call_update');

function textDiff(path, oldText, newText) {
  return { item: { type: 'diff', path, oldText, newText }, text: oldText + newText };
}

function patchDiff(path, oldText, newText) {
  const text = `--- a${path}\n+++ b${path}\n${oldText}${newText}`;
  const changes = [{ operation: 'modify', path, fileType: 'text' }];
  return { item: { type: 'diff', changes, patch: { format: 'git_patch', text } }, text };
}

/**
 * Rounds of 100 updates: 60 message chunks, 14 thought chunks, 5 tool calls with 12 updates between them, and what
 * an agent reports beside: plans, usage, commands, the title of the session.
 */
function* mixed(context) {
  for (let round = 0; ; round++) {
    yield* message(context, 'user_message', 'user', id('ask', round), 4);
    yield* message(context, 'agent_thought', 'thought', id('thought', round), 14);
    yield plan(context, round);
    yield* message(context, 'agent_message', 'agent', id('first', round), 20);
    for (let call = 0; call < 5; call++) {
      yield* toolCall(context, id('call', round * 5 + call), call);
      if (call % 2 === 0) yield* usageOnce(context, round * 10 + call);
    }
    yield plan(context, round + 1);
    yield* message(context, 'agent_message', 'agent', id('second', round), 36);
    yield* usageOnce(context, round * 10 + 9);
    yield commands(context, round);
    yield* title(context, round);
    yield* title(context, round + 1);
  }
}

/** The first and the third of five calls are edits, with three updates; the others run something, with two. */
function* toolCall({ version, phrase, transcript }, toolCallId, index) {
  const edits = index === 0 || index === 2;
  const path = `/home/user/project/src/${toolCallId}.ts`;
  const title = phrase();
  const call = Object.assign(transcript.toolCall(toolCallId), { title });
  const update = (rest) => ({ sessionUpdate: 'tool_call_update', toolCallId, ...rest });
  yield {
    sessionUpdate: announcement(version),
    toolCallId,
    title,
    kind: edits ? 'edit' : 'execute',
    status: 'pending',
    locations: [{ path, line: 1 + index }],
    rawInput: { path, command: phrase(), limit: index },
  };
  const output = linesOf(phrase, 600);
  const content = [{ type: 'content', content: { type: 'text', text: output } }];
  call.text.push(output);
  call.status = 'in_progress';
  yield update({ status: 'in_progress', content });
  if (edits) {
    const diff = version === 1 ? textDiff : patchDiff;
    const { item, text } = diff(path, linesOf(phrase, 500), linesOf(phrase, 500));
    call.text.push(text);
    yield update({ content: [...content, item] });
  }
  call.status = 'completed';
  yield update({ status: 'completed', rawOutput: { exitCode: 0, lines: index } });
}

function plan({ version, phrase }, round) {
  const items = ['completed', 'in_progress', 'pending'].map((status, index) => ({
    content: `${phrase()}${round + index}`,
    priority: 'medium',
    status,
  }));
  return version === 1
    ? { sessionUpdate: 'plan', entries: items }
    : { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'main', entries: items } };
}

function* usageOnce({ transcript }, number) {
  const used = 1000 + number;
  transcript.usage = used;
  yield { sessionUpdate: 'usage_update', used, size: 200_000_000 };
}

function commands({ version, phrase }, round) {
  const availableCommands = ['plan', 'review', `fix-${round % 10}`].map((name) => ({
    ...(version === 2 && { type: 'command' }),
    name,
    description: phrase(),
  }));
  return { sessionUpdate: 'available_commands_update', availableCommands };
}

function* title({ transcript }, round) {
  const text = `Session of round ${round}`;
  transcript.title = text;
  yield { sessionUpdate: 'session_info_update', title: text };
}

const batchBytes = 4 * 1024 * 1024;

/** Writes a corpus as the lines an agent sends, piece by piece, and says what it is and what a client must make of it. */
function writeCorpus(folder, name, count = corpora[name].updates) {
  const path = join(folder, `${name}-${count}.ndjson`);
  const sessionId = `sess_7d1c5f0e2b_${count}`;
  const file = openSync(path, 'w');
  const { updates, transcript } = createCorpus(name, count);
  let made = 0;
  let bytes = 0;
  let batch = '';
  const flush = () => {
    bytes += writeSync(file, batch);
    batch = '';
  };
  for (const update of updates) {
    batch += lineOf(sessionId, update);
    made++;
    if (batch.length > batchBytes) flush();
  }
  flush();
  closeSync(file);
  const { version } = corpora[name];
  return { name, version, path, sessionId, updates: made, bytes, expected: transcript.digest() };
}

/** Writes a corpus for as long as it is used. Default: all of its updates, by the scale of this run. */
export async function withCorpus({ folder, scale }, name, use, count = corpora[name].updates * scale) {
  const corpus = writeCorpus(folder, name, Math.ceil(count));
  try {
    return await use(corpus);
  } finally {
    await rm(corpus.path);
  }
}

function lineOf(sessionId, update) {
  const message = { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } };
  return `${JSON.stringify(message)}\n`;
}
