import type { Interrupt, ResumeEntry } from '@ag-ui/client';
import { isJsonObject } from '../../core/base/json.ts';
import type { PermissionOption } from '../../core/model/permission.ts';
import type { ChatQuestion } from '../bridges/ask-in-chat.ts';
import type { ChatAnswer } from '../bridges/chat-answers.ts';
import { callIdOf } from '../bridges/permission-ids.ts';

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

/** The answer in a run: `{ optionId }`, the id alone, `{ approved }`, or a yes or a no. A status that is not known is refused. */
export function chatAnswer({ interruptId: id, status, payload }: ResumeEntry): ChatAnswer {
  if (status !== 'resolved')
    return { id, approved: status === 'cancelled' ? null : status, optionId: status };
  if (typeof payload === 'boolean') return { id, approved: payload, optionId: undefined };
  const { approved, optionId = payload } = isJsonObject(payload) ? payload : {};
  return { id, approved, optionId };
}
