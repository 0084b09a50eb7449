import * as v from 'valibot';
import { type DiagnosticListener, preview, warning } from '../../base/diagnostic.ts';
import { InvalidMessageError } from '../../base/errors.ts';
import { issuesOf, listed } from '../../base/issue.ts';
import { droppedParts } from '../../protocol/dropped.ts';
import type { AgentMethod } from '../../protocol/method.ts';

/**
 * Reads the agent's answer to a call. What is left out of it is reported.
 *
 * @throws {@link InvalidMessageError} if it does not match the protocol.
 */
export function readResult(
  { method, result: schema }: AgentMethod,
  result: unknown,
  report: DiagnosticListener,
): unknown {
  if (!schema) return undefined;
  const parsed = v.safeParse(schema, result);
  if (!parsed.success) {
    const issues = issuesOf(parsed.issues, 'result');
    const message = `The agent's answer to ${method} does not match the protocol: ${listed(issues)}. It was ${preview(result)}`;
    throw new InvalidMessageError(message, { method, issues });
  }
  for (const { path, message } of droppedParts(schema, result, 'result')) {
    const text = `A part of the agent's answer to ${method} does not match the protocol: ${path} ${message}. It was left out.`;
    report(warning('protocol.malformed_result', text, result));
  }
  return parsed.output;
}
