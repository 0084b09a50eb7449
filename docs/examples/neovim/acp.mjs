// Serves the commands of plugin/acp.lua. Standard output belongs to Neovim: nothing else may write to it.
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { emptyConversation } from 'acp-client-sdk/conversation';
import { attach } from 'neovim';
import { connection, disconnect } from './agent.mjs';
import { filesOf, fileText, sidesOf } from './diffs.mjs';
import { sessionItems } from './lists.mjs';
import { endText, problemText, turnProblem } from './problems.mjs';
import { answer, ask, firstQuestion, nextQuestion, oneLine, refuse, shownQuestion } from './questions.mjs';
import { changedLines, forgetLines } from './transcript.mjs';

const nvim = attach({ reader: process.stdin, writer: process.stdout }); // also redirects `console` to a log
const call = (module, name, ...args) => nvim.lua(`return require('${module}').${name}(...)`, args);
let shown; // the session in the buffer, its directory, the notes after its entries, and how many of its turns run
let opening, drawing; // promises
let starts = 0; // calls that wait for the agent
let isStale = false;
let drawnQuestion, drawnState;
let problem = ''; // below the transcript
let listedFiles = []; // of a diff

/** What needs the agent to be started. */
async function withAgent(use) {
  starts++;
  draw();
  try {
    return await use(await connection(nvim, requestPermission));
  } finally {
    starts--;
    draw();
  }
}

function show(session, cwd) {
  shown?.stop();
  const stop = session.store.subscribe(draw);
  shown = { session, cwd, stop, notes: new Map(), turns: 0, isCancelling: false };
  forgetLines();
  return shown;
}

function newSession() {
  opening = withAgent(async (agent) => {
    const cwd = await nvim.call('getcwd');
    const session = await agent.newSession({ cwd });
    return show(session, cwd);
  });
  return opening;
}

/** The session, or a new one if there is none any more: not every agent finds its sessions again after a crash. */
async function currentSession() {
  await opening?.catch(() => {});
  await withAgent(() => {});
  return shown && !shown.session.isClosed ? shown : newSession();
}

function draw() {
  isStale = true;
  drawing ??= drawChanges().finally(() => (drawing = undefined));
  return drawing;
}

/** One call at a time: what changes meanwhile is drawn with the next one. */
async function drawChanges() {
  while (isStale) {
    isStale = false;
    const conversation = shown?.session.conversation ?? emptyConversation('');
    const { count, changes } = changedLines(conversation, shown?.notes, problem);
    const result = await call('acp.transcript', 'draw', count, changes);
    if (result !== 'drawn') forgetLines();
    if (result === 'emptied') isStale = true;
    else await drawState(conversation);
    await delay(16);
  }
}

/** After the transcript, which has the diff or the command of a question. */
async function drawState({ commands, activity }) {
  const question = shownQuestion();
  const state = {
    phase: phaseOf(activity),
    cwd: shown?.cwd ?? '',
    // A skill is not text: the prompt needs a block for it.
    commands: commands.filter(({ type }) => type === 'command').map(({ name }) => oneLine(name)),
    is_asking: question !== undefined,
  };
  if (!isDeepStrictEqual(state, drawnState)) {
    drawnState = state;
    await call('acp', 'update', state);
  }
  if (!isDeepStrictEqual(question, drawnQuestion)) {
    drawnQuestion = question;
    await (question ? call('acp.question', 'show', question) : call('acp.question', 'close'));
  }
}

function phaseOf(activity) {
  if (starts > 0) return 'starting';
  if (!shown || (shown.turns === 0 && activity.state === 'idle')) return 'idle';
  return shown.isCancelling ? 'cancelling' : 'working';
}

async function requestPermission(request, { signal }) {
  // Without a window, the user cannot answer.
  if ((await nvim.request('nvim_list_uis')).length === 0) return refuse(request);
  const answered = ask(request, signal).finally(draw);
  draw();
  return answered;
}

/** The tool call of the question, or else the last one that has a diff. */
function toolCallWithDiff() {
  const entries = shown?.session.conversation.entries ?? [];
  const calls = entries.filter((entry) => entry.kind === 'toolCall' && filesOf(entry).length > 0);
  const asked = firstQuestion()?.request.toolCall;
  return filesOf(asked).length > 0 ? asked : calls.at(-1);
}

async function showFile(file) {
  const { name, before, after } = sidesOf(file);
  await call('acp.diff', 'show', name, before, after);
}

const actions = {
  async prompt(text) {
    const current = await currentSession();
    const { session, notes } = current;
    const last = () => session.conversation.entries.at(-1);
    const before = last();
    current.turns++;
    try {
      const { stopReason } = await session.prompt(text);
      notes.set(last()?.key, endText(stopReason));
    } catch (error) {
      nvim.logger.error(error.message);
      problem = turnProblem(error, last() === before ? undefined : last());
    } finally {
      current.turns--;
      current.isCancelling = false;
      draw();
    }
  },
  async cancel() {
    if (!shown) return;
    shown.isCancelling = shown.turns > 0;
    draw();
    await shown.session.cancel();
  },
  new: newSession,
  sessions: () =>
    withAgent(async (agent) => {
      const cwd = await nvim.call('getcwd');
      const items = await sessionItems(agent, cwd, shown?.session.sessionId);
      await call('acp.list', 'show', 'open', 'Sessions', items);
    }),
  open: (sessionId, cwd) =>
    withAgent(async (agent) => show(await agent.openSession({ sessionId, cwd }, { history: 'prefer' }), cwd)),
  async diff() {
    listedFiles = filesOf(toolCallWithDiff());
    if (listedFiles.length === 0) throw new Error('The transcript has no diff.');
    if (listedFiles.length === 1) return showFile(listedFiles[0]);
    const items = listedFiles.map((file, index) => ({ label: fileText(file), args: [index] }));
    return call('acp.list', 'show', 'file', 'Files', items);
  },
  file: (index) => showFile(listedFiles[index]),
  answer,
  async next() {
    nextQuestion();
    draw();
  },
};
nvim.on('notification', async (action, args) => {
  problem = '';
  try {
    await actions[action](...args);
  } catch (error) {
    nvim.logger.error(error.message);
    problem = problemText(error);
  }
  draw();
});
nvim.on('disconnect', async () => {
  await disconnect();
  process.exit();
});
