import { AcpError } from '../../../core/base/errors.ts';
import { quoted } from '../../../core/base/shell-line.ts';
import type { CallOptions } from '../../../core/client/calls/call-options.ts';
import type { ClientConnection } from '../../../core/client/connection.ts';
import type { SessionInfo } from '../../../core/model/session.ts';
import { cleanLine } from '../../../core/render/clean.ts';
import { timeText } from '../../../core/render/facts.ts';
import { showWhile } from '../activity.ts';
import { withAgent } from '../agent.ts';
import type { Invocation } from '../arguments.ts';
import type { Context } from '../context.ts';
import { columnPaint, fitTable, toJson } from '../print.ts';

/** Prints the sessions that the agent keeps, from all pages. */
export async function sessions(invocation: Invocation, context: Context): Promise<void> {
  const { cwd, format } = invocation;
  const { output } = context;
  const found: SessionInfo[] = [];
  const list = async (connection: ClientConnection, options: CallOptions) => {
    try {
      for await (const info of connection.listSessions({ cwd }, options)) found.push(info);
    } catch (error) {
      // What the agent listed before is shown first.
      if (AcpError.is(error) && error.code === 'protocol.message' && found.length > 0) return error;
      throw error;
    }
    return undefined;
  };
  const progress = () => `Listing the sessions, ${found.length} so far`;
  const fault = await withAgent(invocation, context, {}, (connection, options) =>
    showWhile(context, progress, list(connection, options)),
  );
  const paint = columnPaint(output, ';1', ';2', '', ';2');
  if (found.length === 0 && format === 'text') output.note('The agent keeps no sessions here.');
  await output.result(format === 'json' ? toJson(found) : fitTable(found.map(row), output.width, paint));
  if (fault) throw fault;
}

function row({ sessionId, updatedAt, title, cwd }: SessionInfo): readonly string[] {
  return [quoted(sessionId), updatedAt && timeText(updatedAt), title, cwd].map((value) => cleanLine(value));
}
