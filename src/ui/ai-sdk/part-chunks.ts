import type { UIMessageChunk } from 'ai';
import { equal } from '../../core/conversation/equal.ts';
import type { AcpDataParts, AcpMessageMetadata, AcpPart } from './message-type.ts';
import type { ToolPart } from './tool-parts.ts';

/** A chunk of a stream of AI SDK, with the data parts of this library. */
export type AcpChunk = UIMessageChunk<AcpMessageMetadata, AcpDataParts>;

/** A part whose text grows. */
export type GrowingPart = Extract<AcpPart, { type: 'text' | 'reasoning' }>;

export const isGrowing = (part: AcpPart): part is GrowingPart =>
  part.type === 'text' || part.type === 'reasoning';

/** The chunks that add a part to a message. A text is begun, and not ended. */
export function addedPart(part: AcpPart, id: string): readonly AcpChunk[] {
  if (isGrowing(part)) {
    return [
      { type: `${part.type}-start`, id, providerMetadata: part.providerMetadata },
      { type: `${part.type}-delta`, id, delta: part.text },
    ] as readonly AcpChunk[]; // The compiler does not see that both have the same type.
  }
  if (part.type === 'dynamic-tool') return [inputChunk(part), ...resultChunks(part)];
  // The reader keeps the chunk itself as the part, and changes it. The other parts have the form of their chunk.
  return [{ ...part } as AcpChunk];
}

/**
 * The chunks that change a part into another one. `undefined`: no chunk does that, and the message has to be sent anew.
 * A text that goes on is no change.
 */
export function changedPart(before: AcpPart, after: AcpPart): readonly AcpChunk[] | undefined {
  if (before.type !== after.type) return undefined;
  if (before.type === 'dynamic-tool' && after.type === 'dynamic-tool') return changedTool(before, after);
  if (equal(before, after)) return [];
  const isUpdate = 'data' in after && 'id' in before && before.id === after.id;
  return isUpdate ? [{ ...after } as AcpChunk] : undefined;
}

function changedTool(before: ToolPart, after: ToolPart): readonly AcpChunk[] {
  if (equal(before, after)) return [];
  const isSameCall =
    before.toolName === after.toolName && before.title === after.title && equal(before.input, after.input);
  // Only the input takes back an output or a request.
  const isStepBack = !after.state.startsWith('output') || 'approval' in before;
  return [...(isSameCall && !isStepBack ? [] : [inputChunk(after)]), ...resultChunks(after)];
}

function inputChunk({ toolCallId, toolName, title = toolName, input }: ToolPart): AcpChunk {
  const type = 'tool-input-available';
  return { type, toolCallId, toolName, title, input, dynamic: true, providerExecuted: true };
}

/** What follows the input. The reader knows the tool by its input. */
function resultChunks(part: ToolPart): readonly AcpChunk[] {
  const { toolCallId, state } = part;
  if (state === 'approval-requested') {
    return [{ type: 'tool-approval-request', approvalId: part.approval.id, toolCallId }];
  }
  if (state === 'output-error') return [{ type: 'tool-output-error', toolCallId, errorText: part.errorText }];
  if (state !== 'output-available') return [];
  const { output, preliminary } = part;
  return [{ type: 'tool-output-available', toolCallId, output, ...(preliminary && { preliminary }) }];
}
