import type { SessionInfo } from '../model/session.ts';
import { cleanLine } from '../render/clean.ts';
import { withAgent } from './agent.ts';
import type { Invocation } from './arguments.ts';
import { callOptions } from './call-options.ts';
import type { Context } from './context.ts';
import { toJson } from './json-text.ts';
import { table } from './table.ts';

/** Prints the sessions that the agent keeps, those of all pages. */
export async function sessions(invocation: Invocation, context: Context): Promise<void> {
  const { cwd, format } = invocation;
  const found = await withAgent(invocation, context, {}, async (connection) => {
    const infos: SessionInfo[] = [];
    const listing = connection.listSessions(
      cwd === undefined ? {} : { cwd },
      callOptions(invocation, context),
    );
    for await (const info of listing) infos.push(info);
    return infos;
  });
  if (found.length === 0 && format === 'text') context.output.note('The agent keeps no sessions here.');
  await context.output.result(format === 'json' ? toJson(found) : table(found.map(row)));
}

function row({ sessionId, updatedAt, title, cwd }: SessionInfo): readonly string[] {
  return [sessionId, updatedAt ?? '', title ?? '', cwd].map((value) => cleanLine(value));
}
