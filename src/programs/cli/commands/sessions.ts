import type { SessionInfo } from '../../../model/session.ts';
import { cleanLine } from '../../../render/clean.ts';
import { timeText } from '../../../render/facts.ts';
import { withAgent } from '../agent.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../options.ts';
import { fitTable, toJson } from '../print.ts';

/** Prints the sessions that the agent keeps, from all pages. */
export async function sessions(invocation: Invocation, context: Context): Promise<void> {
  const { cwd, format } = invocation;
  const { output } = context;
  const found = await withAgent(invocation, context, {}, async (connection, options) => {
    const infos: SessionInfo[] = [];
    const filter = cwd === undefined ? {} : { cwd };
    for await (const info of connection.listSessions(filter, options)) infos.push(info);
    return infos;
  });
  if (found.length === 0 && format === 'text') output.note('The agent keeps no sessions here.');
  await output.result(format === 'json' ? toJson(found) : fitTable(found.map(row), output.width));
}

function row({ sessionId, updatedAt, title, cwd }: SessionInfo): readonly string[] {
  return [sessionId, updatedAt ? timeText(updatedAt) : '', title ?? '', cwd].map((value) => cleanLine(value));
}
