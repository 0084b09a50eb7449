// Serves the commands of plugin/acp.lua. Standard output belongs to Neovim: nothing else may write to it.
import { setTimeout as delay } from 'node:timers/promises';
import { choosePermissionOption, connect } from 'acp-client-sdk';
import { createConversationStore, emptyConversation, plainText } from 'acp-client-sdk/conversation';
import { demoAgentCommand, nodeFileSystem, nodeTerminals, spawnAgent } from 'acp-client-sdk/node';
import { attach } from 'neovim';
import { changedLines, forgetLines } from './transcript.mjs';

const nvim = attach({ reader: process.stdin, writer: process.stdout }); // also redirects `console` to a log
const call = (module, name, ...args) => nvim.lua(`return require('acp.${module}').${name}(...)`, args);
const oneLine = (text) => plainText(text).replace(/\s+/g, ' ');
let opening, drawing; // promises
let isStale = false;
let store = createConversationStore(emptyConversation('')); // of the session
let problem; // below the transcript
let asking = Promise.resolve();

async function open() {
  const cwd = await nvim.call('getcwd');
  const [command, ...args] = await nvim.eval("get(g:, 'acp_command', [])");
  const start = () => spawnAgent(command ? { command, args, cwd, onStderr } : demoAgentCommand());
  const connection = await connect(start, {
    clientInfo: { name: 'acp-nvim', version: '1.0.0' },
    handlers: {
      requestPermission,
      ...nodeFileSystem({
        roots: [cwd],
        openBuffer: async (path) => (await call('files', 'read', path)) ?? undefined,
        async writeBuffer(path, content) {
          const result = await call('files', 'write', path, content);
          if (typeof result === 'string') throw new Error(result);
          return result;
        },
      }),
      terminals: nodeTerminals({ cwd }),
    },
    onDiagnostic: ({ message }) => nvim.logger.warn(message),
    reconnect: { maxAttempts: 3 }, // after a crash, the agent starts again and the session continues
  });
  try {
    const session = await connection.newSession({ cwd });
    store = session.store;
    store.subscribe(draw);
    return { connection, session };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

const onStderr = (text) => nvim.logger.info(text);

function draw() {
  isStale = true;
  drawing ??= drawChanges().finally(() => (drawing = undefined));
  return drawing;
}

/** One call at a time: what changes meanwhile is drawn with the next one. */
async function drawChanges() {
  while (isStale) {
    const { count, changes } = changedLines(store.getSnapshot(), problem);
    isStale = false;
    const result = await call('transcript', 'draw', count, changes);
    if (result !== 'drawn') forgetLines();
    if (result === 'emptied') isStale = true;
    await delay(16);
  }
}

/** Neovim shows one question at a time. */
function requestPermission(request, context) {
  const answer = asking.then(() => ask(request, context));
  asking = answer.catch(() => {});
  return answer;
}

async function ask({ title, toolCall, options }, { signal }) {
  await draw(); // the user sees what the question is about
  await nvim.command('redraw');
  if (signal.aborted) return { outcome: 'cancelled' };
  signal.onabort = () => nvim.input('<Esc>'); // closes the question
  const question = oneLine(title ?? toolCall?.title ?? 'Does the agent have your permission?');
  const names = options.map(({ name }, index) => `&${index + 1} ${oneLine(name).replaceAll('&', '&&')}`);
  const number = await nvim.call('confirm', [question, names.join('\n'), 0]); // Enter chooses nothing, Esc is 0
  signal.onabort = null;
  const option = options[number - 1] ?? choosePermissionOption(options, 'reject_once');
  return option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' };
}

/** The session, or a new one if there is none any more: not every agent finds its sessions again after a crash. */
async function currentSession() {
  const opened = await opening;
  await opened?.connection.ready.catch(() => {}); // after a crash, the agent can still be starting
  if (opened && !opened.session.isClosed) return opened.session;
  await opened?.connection.close();
  opening = open();
  opening.catch(() => (opening = undefined));
  return (await opening).session;
}

const actions = {
  prompt: async (text) => (await currentSession()).prompt(text),
  cancel: async () => (await opening)?.session.cancel(),
};
nvim.on('notification', (action, args) => {
  problem = undefined;
  actions[action](...args).catch((error) => {
    problem = plainText(error.message);
    draw();
  });
});
nvim.on('disconnect', async () => {
  const opened = await opening?.catch(() => {});
  await opened?.connection.close();
  process.exit();
});
