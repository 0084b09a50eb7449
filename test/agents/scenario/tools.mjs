import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { findToolCall } from '../../../dist/conversation.js';
import { openSession } from '../editor.mjs';
import { runningProcesses } from '../leftovers.mjs';
import { editorTools, problem, shownText } from './editor-tools.mjs';
import { differs, fault, works } from './outcome.mjs';
import { turn as wholeTurn } from './turns.mjs';
import { until, watch, within } from './waiting.mjs';

const turnLimitMs = 60_000;

/** An agent may connect to a server after it has answered the call that opens the session. */
const attempts = 8;

/** The tools of the editor, in the first way that the agent supports. */
export const tools = (context) => useTools(context, undefined);

/** The same over stdio, for an agent that takes another way by itself. */
export const toolsOverStdio = (context) => useTools(context, ['stdio']);

/** The tools are called, cancelled, and interrupted by the end of the agent. Nothing may be left of them. */
async function useTools(context, transports) {
  const program = editorTools(transports);
  context.isLostByCancel = false;
  context.session = await openSession(context, { mcpServers: [program.server] });
  const way = program.server.transport;
  const before = await reachable(context, way);
  if (before) return fault(before);
  const problem =
    (await answered(context, program)) ??
    (await structured(context, program)) ??
    (await cancelled(context, program)) ??
    (await interrupted(context, program)) ??
    (await left(context));
  const { linked, linkProblem } = linkOf(context, program);
  const lost = context.isLostByCancel
    ? differs('after a cancelled call, its session has no tools any more; a new session has them')
    : undefined;
  const result = problem ?? linkProblem ?? lost ?? works(noteOf(context, program));
  return { ...result, way, linked, calls: program.calls.map(describeCall) };
}

/** The text of a tool reaches the model. */
async function answered(context, program) {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const said = await turn(context, 'Show a file. [[tool show_file]]');
    if (said === 'late') return differs('a turn with a tool does not end');
    if (program.calls.length === 0) {
      await sleep(2000);
      continue;
    }
    const [{ name, input, context: given }] = program.calls;
    if (name !== 'show_file' || input.path !== 'mock path')
      return fault(`${name} got ${JSON.stringify(input)}`);
    if (given.session !== context.session) return fault('the call has another session');
    context.toolCallIds = said.toolCalls.map(({ toolCallId }) => toolCallId);
    return said.agent.includes(shownText)
      ? undefined
      : differs('the model does not get the text of the tool');
  }
  return differs('the model does not get the tools');
}

async function structured(context, program) {
  const said = await turn(context, 'List the problems. [[tool list_problems]]');
  if (!program.calls.some(({ name }) => name === 'list_problems'))
    return differs('the tool with structured output is not called');
  return said.agent?.includes(problem.message)
    ? undefined
    : differs('the model does not get the structured output');
}

const turn = (context, prompt) => within(wholeTurn(context, prompt), turnLimitMs);

/** Prompts until the tool that waits is called: an agent can still be connecting to the server. */
async function waitingCall({ session, watched }, program, limit = attempts) {
  const waiting = program.nextWait();
  let running;
  for (let attempt = 0; attempt < limit; attempt++) {
    running = watch(session.prompt('Wait for the user. [[tool wait_for_user]]'), watched);
    const call = await within(Promise.race([waiting, running.settled]), turnLimitMs);
    if (call !== 'late' && call !== undefined) return { running, call };
    if (call === 'late') return { running };
    await sleep(2000);
  }
  return { running };
}

async function cancelled(context, program) {
  const { running, call } = await waitingCall(context, program);
  if (!call) return differs('the tool that waits is not called');
  if (!(await showsProgress(call))) return fault('the progress is not in the tool call that the agent names');
  await context.session.cancel();
  await within(running.settled, 20_000);
  if (!call.context.signal.aborted) return fault('the cancel did not reach the tool');
  if (!running.ended) return differs('the cancelled turn does not end');
  return undefined;
}

/** Whether the progress of a call is in its tool call of the transcript, if the agent names that. */
async function showsProgress({ context: { session, toolCallId } }) {
  if (toolCallId === undefined) return true;
  const isShown = (conversation) => findToolCall(conversation, toolCallId)?.progress !== undefined;
  return until(session, isShown, 10_000).then(
    () => true,
    () => false,
  );
}

/** Kills the main process of the agent alone during a call. */
async function interrupted(context, program) {
  const { editor } = context;
  let { running, call } = await waitingCall(context, program, 1);
  if (!call) {
    context.isLostByCancel = true;
    context.session = await openSession(context, { mcpServers: [program.server] });
    ({ running, call } = await waitingCall(context, program));
  }
  if (!call) return differs('after a cancel, no tool is called');
  process.kill(editor.process.pid, 'SIGKILL');
  await within(Promise.all([running.settled, editor.connection.closed]), 15_000);
  if (running.ended?.error === undefined) return fault('the prompt does not reject after the kill');
  if (!call.context.signal.aborted) return fault('the kill did not reach the tool');
  if (call.reason.message !== 'The session is over.')
    return fault(`after the kill, the tool reads "${call.reason.message}"`);
  const isReported = editor.diagnostics.some(({ rule }) => rule === 'tools.interrupted');
  return isReported ? undefined : fault('the interrupted call is not reported');
}

/** The description that the agent got. */
function describedServer({ editor }) {
  const opened = editor.messages.findLast(({ message }) => message.method === 'session/new');
  return opened.message.params.mcpServers[0];
}

/** Checks that there is what `left` looks for, so that it does not look in the wrong place. */
async function reachable(context, way) {
  const { port } = addressOf(context);
  if (way !== 'http') return undefined;
  return (await accepts(port)) ? undefined : `the port ${port} does not accept a connection`;
}

function addressOf(context) {
  const { url } = describedServer(context);
  return { port: url === undefined ? undefined : Number(new URL(url).port) };
}

/** What is open or running after the end of the agent. */
async function left(context) {
  const { place } = context;
  const { port } = addressOf(context);
  const end = Date.now() + 5000;
  const problems = async () => [
    ...(port !== undefined && (await accepts(port)) ? [`the port ${port} is open`] : []),
    ...runningProcesses(place.mark)
      .filter(({ command }) => command.includes('acp-tools-'))
      .map(({ command }) => `running: ${command}`),
  ];
  let found = await problems();
  while (found.length > 0 && Date.now() < end) {
    await sleep(100);
    found = await problems();
  }
  return found.length > 0 ? fault(`left after the end of the agent: ${found.join('; ')}`) : undefined;
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const done = (isOpen) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}

/**
 * How the agent names the tool call of the transcript in its calls: the key in `_meta`. A key that the library does not
 * know is its fault.
 */
function linkOf({ toolCallIds = [] }, { calls: [first] }) {
  if (!first) return {};
  const { meta, toolCallId } = first.context;
  const linked = pathsIn(meta).find(([, value]) => toolCallIds.includes(value))?.[0];
  const isKnown = toolCallId !== undefined && toolCallIds.includes(toolCallId);
  if (linked !== undefined && !isKnown) {
    return { linked, linkProblem: fault(`the tool call is named by ${linked}, which is not used`) };
  }
  if (toolCallId !== undefined && !isKnown)
    return { linkProblem: fault(`the call has an id that is not in the transcript: ${toolCallId}`) };
  return { linked };
}

/** The texts in a value, as `[path, text]`. */
function pathsIn(value, path = '') {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    pathsIn(inner, path === '' ? key : `${path}.${key}`),
  );
}

function noteOf({ model, from }, { calls }) {
  const [named] = model.called.slice(from).filter((name) => name.endsWith('show_file'));
  const asksForProgress = calls.some(({ context }) => context.meta?.progressToken !== undefined);
  return [
    ...(named === undefined ? [] : [`the model gets the tool as \`${named}\``]),
    asksForProgress ? 'progress is asked for' : 'progress is not asked for',
  ].join('; ');
}

function describeCall({ name, context: { meta, toolCallId }, reason }) {
  return { name, meta, toolCallId, reason: reason?.message };
}
