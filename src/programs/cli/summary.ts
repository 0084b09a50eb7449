import { writeFileSync } from 'node:fs';
import { errorMessage } from '../../core/base/diagnostic.ts';
import { pathsOf } from '../../core/conversation/select.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { Implementation } from '../../core/model/session.ts';
import { usageError } from './errors.ts';
import { type AnsweredPermission, isAllowed, titleOf } from './permission.ts';
import { toJson } from './print.ts';
import { answerIn } from './turn-output.ts';

/** What there is to say about a turn. */
export interface TurnFacts {
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
export function openSummary(path: string | undefined): (facts: TurnFacts) => void {
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
