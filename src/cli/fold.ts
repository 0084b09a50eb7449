import { constants } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { errorMessage } from '../diagnostic.ts';
import type { Conversation } from '../model/conversation.ts';
import { type FoldedSession, foldTraffic } from '../testing/fold-traffic.ts';
import { LineDecoder, tooLong } from '../transport/lines.ts';
import type { Invocation } from './arguments.ts';
import type { Context } from './context.ts';
import { printConversation } from './print-conversation.ts';
import { UnusableFile } from './wrong-usage.ts';

/** Prints the conversation that a recording holds. */
export async function fold(
  invocation: Invocation,
  { host, output, interrupts, report }: Context,
): Promise<void> {
  const { argument: file, format, protocolVersion, timeoutMs, traceFile } = invocation;
  if (timeoutMs !== undefined || traceFile !== undefined) {
    output.note('fold runs no agent: --timeout and --trace do nothing.');
  }
  const dialect = protocolVersion && (protocolVersion === 1 ? 'v1' : 'v2-baseline');
  const { sessions, diagnostics } = await foldTraffic(linesOf(file, host.stdin, interrupts.signal), {
    dialect,
  });
  for (const diagnostic of diagnostics) report(diagnostic);
  const { chosen, others } = choose(sessions, invocation);
  if (others.length > 0) {
    output.note(
      `This is the session ${chosen.sessionId}. Others in the recording, for --session: ${others.join(', ')}.`,
    );
  }
  await printConversation(chosen, format, output);
}

/** The session asked for, or the one with the most updates. */
function choose(
  sessions: readonly FoldedSession[],
  { argument: file, sessionId: wanted }: Invocation,
): { readonly chosen: Conversation; readonly others: readonly string[] } {
  const ids = sessions.map(({ conversation }) => conversation.sessionId);
  const fitting = sessions.filter(
    ({ conversation }) => wanted === undefined || conversation.sessionId === wanted,
  );
  const [best] = [...fitting].sort((a, b) => b.updates - a.updates);
  if (best) {
    const chosen = best.conversation;
    return { chosen, others: wanted === undefined ? ids.filter((id) => id !== chosen.sessionId) : [] };
  }
  throw new UnusableFile(
    ids.length === 0
      ? `There is no session in ${file}. If the recording begins after initialize, say which version was spoken with --protocol.`
      : `There is no session ${wanted} in ${file}. There are ${ids.join(', ')}.`,
  );
}

async function* linesOf(file: string, stdin: Readable, signal: AbortSignal): AsyncIterable<string> {
  const decoder = new LineDecoder(constants.MAX_STRING_LENGTH);
  try {
    for await (const chunk of addAbortSignal(signal, file === '-' ? stdin : createReadStream(file))) {
      decoder.push(chunk);
      for (let line = decoder.take(); line !== undefined; line = decoder.take()) {
        if (line === tooLong) throw new Error('a line in it is longer than any message can be');
        yield line;
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new UnusableFile(`${file} cannot be read: ${errorMessage(error)}.`);
  }
  yield decoder.rest();
}
