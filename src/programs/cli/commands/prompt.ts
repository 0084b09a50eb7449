import { writeFileSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { errorMessage } from '../../../core/base/diagnostic.ts';
import { pathsOf } from '../../../core/conversation/select.ts';
import type { Conversation } from '../../../core/model/conversation.ts';
import type { Implementation } from '../../../core/model/session.ts';
import type { Invocation } from '../arguments.ts';
import { readAttachments } from '../attachments.ts';
import type { Context } from '../context.ts';
import { CommandError, exitCodes, explain, usageError } from '../errors.ts';
import { LiveTranscript } from '../live.ts';
import { type AnsweredPermission, isAllowed, titleOf } from '../permission.ts';
import { toJson } from '../print.ts';
import { withSession } from '../session.ts';
import { answerIn, turnOutput } from '../turn-output.ts';

/**
 * Takes one turn and prints what it added to the conversation. If the turn fails, prints the part that has arrived.
 *
 * @throws {@link CommandError} at the end, if an option refused what the agent asked for.
 */
export async function prompt(invocation: Invocation, context: Context): Promise<void> {
  const { format } = invocation;
  const { output } = context;
  const attachments = readAttachments(invocation);
  const text = await promptText(invocation, context);
  const turn = turnOutput(format, output);
  const live = turn instanceof LiveTranscript ? turn : undefined;
  const permissions: AnsweredPermission[] = [];
  const writeSummary = openSummary(invocation.summaryFile);
  let agentInfo: Implementation | undefined;
  let conversation: Conversation | undefined;
  let isDone = false;
  let failure: unknown;
  const onAnswered = (answered: AnsweredPermission) => void permissions.push(answered);
  try {
    await withSession(invocation, context, { history: 'skip', live, onAnswered }, async (opened) => {
      const { connection, session, takeTurn } = opened;
      agentInfo = connection.agentInfo;
      const blocks = attachments.map((attachment) => attachment(connection));
      turn.follow(session);
      try {
        await takeTurn([{ type: 'text', text }, ...blocks]);
      } finally {
        conversation = withoutHistory(session.conversation);
      }
    });
    isDone = true;
    failure = refusalOf(permissions);
  } catch (error) {
    failure = error;
  }
  writeSummary({ agentInfo, conversation, permissions, error: failure ? explain(failure) : undefined });
  if (!conversation || !(isDone || hasAnswer(conversation))) output.status('');
  else await turn.finish(conversation);
  if (failure) throw failure;
}

/** What the command ends with if an option refused something. What the user refused is no failure. */
function refusalOf(permissions: readonly AnsweredPermission[]): CommandError | undefined {
  const refused = permissions.filter((answered) => answered.by === 'option' && !isAllowed(answered));
  if (refused.length === 0) return undefined;
  const titles = refused.slice(0, 3).map(({ request }) => `"${titleOf(request)}"`);
  const more = refused.length > titles.length ? ` and ${refused.length - titles.length} more` : '';
  return new CommandError(`A permission was refused: ${titles.join(', ')}${more}.`, exitCodes.refused);
}

/** The argument, or stdin if it is `-`. */
async function promptText({ argument }: Invocation, { host, output, interrupts }: Context): Promise<string> {
  if (argument !== '-') return argument;
  if (host.stdin.isTTY) output.note('Type the prompt. Ctrl-D on an empty line sends it.');
  const text = await readAll(addAbortSignal(interrupts.signal, host.stdin)).catch((error: unknown) => {
    interrupts.signal.throwIfAborted();
    throw error;
  });
  if (text.trim() !== '') return text;
  throw usageError('prompt - reads the prompt from stdin, which is empty.');
}

/** Some agents replay the history when they open a session. */
function withoutHistory(conversation: Conversation): Conversation {
  return { ...conversation, entries: conversation.entries.filter(({ origin }) => origin !== 'replay') };
}

function hasAnswer({ entries }: Conversation): boolean {
  return entries.some((entry) => entry.kind !== 'turnFailure' && !('role' in entry && entry.role === 'user'));
}

/** What there is to say about a turn. */
interface TurnFacts {
  readonly agentInfo: Implementation | undefined;
  /** What the turn added. `undefined` if no session was opened. */
  readonly conversation: Conversation | undefined;
  readonly permissions: readonly AnsweredPermission[];
  /** Why the command failed, for the user. */
  readonly error: string | undefined;
}

/**
 * Creates the file of `--summary`, so that a wrong path fails before the agent starts.
 *
 * @throws {@link CommandError} if it cannot be written.
 */
function openSummary(path: string | undefined): (facts: TurnFacts) => void {
  if (path === undefined) return () => {};
  const write = (text: string) => {
    try {
      writeFileSync(path, text);
    } catch (error) {
      throw usageError(`--summary: ${path} cannot be written: ${errorMessage(error)}.`);
    }
  };
  write('');
  return (facts) => write(toJson(summaryOf(facts)));
}

/** A turn as JSON for a script. What is not known is `null`. */
function summaryOf({ agentInfo, conversation, permissions, error }: TurnFacts): object {
  const toolCalls = (conversation?.entries ?? []).flatMap((entry) => {
    if (entry.kind !== 'toolCall') return [];
    const { title, toolKind, status } = entry;
    return [{ title, kind: toolKind, status, paths: pathsOf(entry) }];
  });
  return {
    agent: agentInfo ? { name: agentInfo.name, version: agentInfo.version } : null,
    sessionId: conversation?.sessionId ?? null,
    stopReason: conversation?.activity.stopReason ?? null,
    error: error ?? null,
    answer: conversation ? answerIn(conversation.entries).trim() : null,
    toolCalls,
    permissions: permissions.map((answered) => ({
      title: titleOf(answered.request),
      kind: answered.request.toolCall?.toolKind ?? null,
      paths: answered.request.toolCall ? pathsOf(answered.request.toolCall) : [],
      answer: isAllowed(answered) ? 'allowed' : 'refused',
      by: answered.by,
    })),
    usage: conversation?.usage ?? null,
  };
}
