import { ConnectionClosedError, InvalidParamsError } from '../../../core/base/errors.ts';
import { quoted } from '../../../core/base/shell-line.ts';
import { abortWith, withLimits } from '../../../core/base/wait.ts';
import { settingsOf } from '../../../core/conversation/settings.ts';
import type { Conversation } from '../../../core/model/conversation.ts';
import { cleanLine } from '../../../core/render/clean.ts';
import { renderText } from '../../../core/render/text.ts';
import { showWhile } from '../activity.ts';
import type { Invocation } from '../arguments.ts';
import type { Context } from '../context.ts';
import { CommandError, exitCodeOf, exitCodes, explain } from '../errors.ts';
import { inputLines } from '../input-lines.ts';
import { LiveTranscript } from '../live.ts';
import { fitTable } from '../print.ts';
import { Restarts } from '../restarts.ts';
import { type OpenedSession, withSession } from '../session.ts';
import { changeSetting, commandNames, commandRows, settingRows } from '../settings.ts';
import { Terminal } from '../terminal.ts';
import { type TurnOutput, turnOutput } from '../turn-output.ts';

/** How many entries of the history are printed when a session is continued. */
const shownHistory = 20;

/** Takes turns until the input ends. */
export async function chat(invocation: Invocation, context: Context): Promise<void> {
  const { format } = invocation;
  const { host, output } = context;
  const isInteractive = host.stdin.isTTY && host.stderr.isTTY;
  const turn = turnOutput(format, output);
  const live = turn instanceof LiveTranscript ? turn : undefined;
  let opened: OpenedSession | undefined;
  const terminal = new Terminal(context, (typed) => completions(typed, opened?.session.conversation));
  const restarts = new Restarts(invocation, (text) => terminal.interject(() => output.note(text)));
  const restart = isInteractive ? restarts.restart : undefined;
  const options = { history: 'prefer', terminal, live, restart } as const;
  let conversation: Conversation | undefined;
  try {
    await withSession(invocation, context, options, async (first) => {
      opened = first;
      if (live) await showHistory(first.session.conversation, context);
      if (isInteractive) restarts.follow(first.connection, () => opened?.session.isClosed ?? true);
      for (let next: OpenedSession | undefined = first; next; ) {
        const current: OpenedSession = next;
        opened = current;
        if (isInteractive) welcome(current, context);
        turn.follow(current.session);
        live?.pause();
        const lines = isInteractive ? typedLines(terminal, current, context) : pipedLines(context);
        const chatting: Chat = { ...current, turn, live, context, restarts, invocation };
        try {
          await answerLines(lines, chatting, isInteractive ? answerTyped : answer);
        } catch (error) {
          if (isInteractive && context.interrupts.signal.aborted) farewell(chatting);
          throw error;
        } finally {
          conversation = current.session.conversation;
        }
        next = isInteractive ? await afterLines(chatting, terminal) : undefined;
      }
    });
  } finally {
    if (conversation && !live) await turn.finish(conversation);
  }
}

interface Chat extends OpenedSession {
  readonly turn: TurnOutput;
  readonly live: LiveTranscript | undefined;
  readonly context: Context;
  readonly restarts: Restarts;
  readonly invocation: Invocation;
}

async function answerLines(
  lines: AsyncIterable<string>,
  chat: Chat,
  answerOne: (line: string, chat: Chat) => Promise<void>,
): Promise<void> {
  for await (const line of lines) {
    if (line.trim() === '') continue;
    if (line.trim() === '/exit') break;
    await answerOne(line, chat);
  }
  chat.context.interrupts.signal.throwIfAborted();
}

/**
 * The session in which the chat goes on. `undefined` if the user leaves.
 *
 * @throws {@link CommandError} if the session is over, and the user wants no other one or there can be none.
 */
async function afterLines(chat: Chat, terminal: Terminal): Promise<OpenedSession | undefined> {
  const { session, connection, context, restarts } = chat;
  if (!session.isClosed) {
    farewell(chat);
    return undefined;
  }
  const failure = await restarts.failure(session);
  if (connection.state !== 'open') throw failure;
  context.output.note(`acp-client-sdk: ${explain(failure)}`);
  const goesOn = await terminal.confirm('Begin a new session?', context.interrupts.signal);
  if (!goesOn) throw new CommandError('The chat ended with its session.', exitCodes.agent);
  return chat.openNew();
}

/** What the user can type besides prompts. */
const commands: Readonly<
  Record<string, { readonly help: string; readonly run: (words: readonly string[], chat: Chat) => unknown }>
> = {
  help: { help: 'list what you can type', run: (_, chat) => printHelp(chat) },
  set: { help: 'list the settings, or change one: /set ID VALUE', run: set },
  exit: { help: 'leave the chat', run: () => {} },
};

/** Does what a line says: runs a command, or prompts the agent. Two slashes send a command to the agent. */
async function answer(line: string, chat: Chat): Promise<void> {
  const [, name = '', rest = ''] = /^\/(\w+)(.*)$/s.exec(line.trim()) ?? [];
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) await command.run(rest.split(/\s+/).filter(Boolean), chat);
  else await takeTurn(line.replace(/^\s*\/\//, '/'), chat);
}

/** Reports what fails, so that the chat goes on. An agent that ended is started again. */
async function answerTyped(line: string, chat: Chat): Promise<void> {
  const { context, restarts } = chat;
  restarts.hold();
  try {
    await answer(line, chat);
  } catch (error) {
    if (context.interrupts.signal.aborted) throw error;
    if (error instanceof ConnectionClosedError) {
      restarts.release();
      context.output.note(whatBecameOf(error));
      return await untilReady(chat);
    }
    // The user knows that they cancelled the turn.
    if (exitCodeOf(error) !== exitCodes.interrupted)
      context.output.note(`acp-client-sdk: ${explain(error)}\n`);
  } finally {
    restarts.release();
  }
}

function whatBecameOf({ promptAccepted }: ConnectionClosedError): string {
  const known = promptAccepted
    ? 'The agent had begun with it.'
    : 'No message shows that the agent had begun.';
  return `The turn was interrupted. ${known} The prompt is not sent again: type it again if you still need it.`;
}

/** Waits while the agent is started again. */
async function untilReady({ connection, context }: Chat): Promise<void> {
  const ready = withLimits(connection.ready, { signal: context.interrupts.signal });
  try {
    await showWhile(context, () => 'Starting the agent again', ready);
  } catch (error) {
    // The end of the session says why.
    if (!(error instanceof ConnectionClosedError)) throw error;
  }
}

async function takeTurn(text: string, { session, turn, live, context, takeTurn }: Chat): Promise<void> {
  live?.resume();
  try {
    await takeTurn([{ type: 'text', text }]);
  } finally {
    await turn.finishTurn(session.conversation);
    live?.pause();
  }
  const { stopReason } = session.conversation.activity;
  if (stopReason !== null && stopReason !== 'end_turn' && stopReason !== 'cancelled')
    context.output.note(`The turn ended: ${cleanLine(stopReason)}.\n`);
}

async function set([settingId, ...words]: readonly string[], chat: Chat): Promise<void> {
  const { session, options, context } = chat;
  if (settingId !== undefined && words.length > 0) {
    await changeSetting(session, { settingId, value: words.join(' ') }, options);
  } else if (settingId !== undefined) {
    throw new InvalidParamsError(`/set ${settingId} needs a value: /set ID VALUE.`);
  }
  const rows = settingRows(session.conversation);
  context.output.note(
    rows.length === 0 ? 'The session has no settings.\n' : fitTable(rows, context.output.noteWidth),
  );
}

function printHelp({ session, context: { output } }: Chat): void {
  const own = Object.entries(commands).map(([name, { help }]) => [`  /${name}`, help]);
  const agents = commandRows(session.conversation);
  const width = output.noteWidth;
  output.note(`Commands of the chat\n${fitTable(own, width)}`);
  if (agents.length > 0) output.note(`Commands of the agent\n${fitTable(agents, width)}`);
  output.note(
    'Any other line is a prompt. Ctrl-C cancels the turn. A line that begins with // is sent with one slash.\n',
  );
}

function completions(typed: string, conversation: Conversation | undefined): readonly string[] {
  if (!conversation) return [];
  const names = [...Object.keys(commands), ...commandNames(conversation)];
  const changes = settingsOf(conversation).flatMap(({ settingId, choices }) =>
    (choices ?? [{ value: 'true' }, { value: 'false' }]).map(({ value }) => `/set ${settingId} ${value}`),
  );
  return [...names.map((name) => `/${name} `), ...changes].filter((text) => text.startsWith(typed));
}

async function* typedLines(
  terminal: Terminal,
  { session }: OpenedSession,
  { interrupts, output }: Context,
): AsyncIterable<string> {
  const over = new AbortController();
  abortWith(over, interrupts.signal);
  void session.closed.then(() => over.abort());
  while (!session.isClosed) {
    const line = await terminal.nextLine('> ', over.signal);
    if (line === undefined) break;
    yield line;
  }
  // The cursor is behind the question.
  output.note('');
}

async function* pipedLines({ host, interrupts }: Context): AsyncIterable<string> {
  for await (const line of inputLines(host.stdin, 'stdin', interrupts.signal)) yield line.replace(/\r$/, '');
}

function welcome({ connection: { agentInfo }, session }: OpenedSession, { output }: Context): void {
  const agent = agentInfo ? cleanLine(agentInfo.title ?? agentInfo.name, agentInfo.version) : 'an agent';
  const id = cleanLine(session.sessionId);
  output.note(`Session ${id} with ${agent}. /help lists the commands, /exit leaves the chat.\n`);
}

function farewell({ connection, session, context, invocation }: Chat): void {
  // The demo agent forgets its sessions where no directory for them is named.
  if (!invocation.agent || !(connection.supports('session.load') || connection.supports('session.resume')))
    return;
  const option = `--session ${quoted(cleanLine(session.sessionId))}`;
  context.output.note(`To continue the session, run the same command with ${option}`);
}

/** Prints the end of the history of a session that is continued. */
async function showHistory(conversation: Conversation, { output }: Context): Promise<void> {
  const { entries } = conversation;
  if (entries.length === 0) return;
  const hidden = entries.length - shownHistory;
  if (hidden > 0) output.note(`The history begins with ${hidden} more entries.\n`);
  const { color, width = 80 } = output;
  const shown = { ...conversation, entries: entries.slice(-shownHistory) };
  await output.result(`${renderText(shown, { color, width })}\n`);
}
