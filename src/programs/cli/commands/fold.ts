import { createReadStream } from 'node:fs';
import { quoted } from '../../../core/base/shell-line.ts';
import type { Conversation } from '../../../core/model/conversation.ts';
import { cleanLine } from '../../../core/render/clean.ts';
import { type FoldedSession, foldTraffic } from '../../../records/recording/fold-traffic.ts';
import { showWhile } from '../activity.ts';
import type { Invocation } from '../arguments.ts';
import type { Context } from '../context.ts';
import { notRecording, usageError } from '../errors.ts';
import { inputLines } from '../input-lines.ts';
import { printConversation } from '../turn-output.ts';

/** Prints a conversation from a recording. */
export async function fold(invocation: Invocation, context: Context): Promise<void> {
  const { argument: file, format, protocolVersion } = invocation;
  const { host, output, interrupts, report } = context;
  const dialect = protocolVersion && (protocolVersion === 1 ? 'v1' : 'v2-baseline');
  const input = file === '-' ? host.stdin : createReadStream(file);
  const lines = inputLines(input, file, interrupts.signal);
  const { sessions, diagnostics } = await showWhile(
    context,
    () => `Reading ${file === '-' ? 'stdin' : file}`,
    foldTraffic(lines, { dialect }),
  );
  const isOther = diagnostics.length > 0 && diagnostics.every(({ rule }) => rule === 'transport.noise');
  if (sessions.length === 0 && isOther) throw notRecording(file);
  for (const diagnostic of diagnostics) report(diagnostic);
  const chosen = choose(sessions, invocation);
  if (invocation.sessionId === undefined && sessions.length > 1) {
    const others = idsOf(sessions.filter(({ conversation }) => conversation !== chosen));
    output.note(
      `This is the session ${cleanLine(chosen.sessionId)}. Others in the recording, for --session: ${others}.`,
    );
  }
  await printConversation(chosen, format, output);
}

/** The session that the user named, or the one with the most updates. */
function choose(sessions: readonly FoldedSession[], { argument: file, sessionId }: Invocation): Conversation {
  const [best] = sessions
    .filter(({ conversation }) => sessionId === undefined || conversation.sessionId === sessionId)
    .sort((a, b) => b.updates - a.updates);
  if (best) return best.conversation;
  throw usageError(
    sessions.length === 0
      ? `There is no session in ${file}. If the recording begins after initialize, name the version with --protocol.`
      : `There is no session ${sessionId} in ${file}. There are ${idsOf(sessions)}.`,
  );
}

function idsOf(sessions: readonly FoldedSession[]): string {
  return sessions.map(({ conversation }) => cleanLine(quoted(conversation.sessionId))).join(', ');
}
