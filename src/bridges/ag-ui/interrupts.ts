import type { Interrupt, ResumeEntry } from '@ag-ui/client';
import { isJsonObject } from '../../base/json.ts';
import type { PermissionOption } from '../../model/permission.ts';
import type { ChatQuestion } from '../ask-in-chat.ts';
import type { ChatSource } from '../chat-source.ts';
import { optionOf } from '../choose-option.ts';
import { callIdOf } from '../permission-ids.ts';

/** What the metadata of an interrupt of this library has. */
export interface AcpInterruptMetadata {
  /** The options to choose from. The payload of the answer names one: `{ optionId }`. */
  readonly options: readonly PermissionOption[];
  /** The subagent that asks. `null`: the session itself asks. */
  readonly subagent: string | null;
}

/** A question as an interrupt. */
export function interruptOf(question: ChatQuestion): Interrupt {
  const { id, toolCallKey, title, description, options, subagent } = question;
  const message = [title, description].filter((text) => text !== null).join('\n');
  return {
    id,
    reason: 'acp.permission',
    ...(message !== '' && { message }),
    ...(toolCallKey !== null && { toolCallId: callIdOf(toolCallKey) }),
    responseSchema: {
      type: 'object',
      properties: {
        optionId: {
          oneOf: options.map(({ optionId, name }) => ({ const: optionId, title: name })),
        },
      },
      required: ['optionId'],
    },
    metadata: { options, subagent } satisfies AcpInterruptMetadata,
  };
}

/**
 * Answers the questions that a run was interrupted for. One that was withdrawn meanwhile is left out.
 *
 * @throws an error for the user if an answer names no option of its question, or says yes where several could be meant.
 */
export async function resume(source: ChatSource, entries: readonly ResumeEntry[]): Promise<void> {
  for (const { interruptId, status, payload } of entries) {
    const question = source.questions().find(({ id }) => id === interruptId);
    if (!question) continue;
    await source.answer(interruptId, status === 'cancelled' ? null : chosen(question, payload));
  }
}

/** The option of a payload: `{ optionId }`, the id alone, `{ approved }`, or a yes or a no. */
function chosen({ options }: ChatQuestion, payload: unknown): string | null {
  const { optionId = payload, approved = payload } = isJsonObject(payload) ? payload : {};
  if (typeof approved === 'boolean') return optionOf(options, { approved, optionId: undefined });
  const named = options.find((option) => option.optionId === optionId);
  if (named) return named.optionId;
  const ids = options.map((option) => option.optionId).join(', ');
  throw new Error(
    `The answer ${JSON.stringify(payload)} names no option of the question. Nothing was answered. Send { optionId } with one of: ${ids}.`,
  );
}
