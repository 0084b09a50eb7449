import * as v from '../vocabulary.ts';
import { ContentBlock } from './content.ts';

export const ToolKind = v.openEnum<
  'read' | 'edit' | 'delete' | 'move' | 'search' | 'execute' | 'think' | 'fetch' | 'switch_mode' | 'other'
>();
export type ToolKind = v.InferOutput<typeof ToolKind>;

export const ToolCallStatus = v.openEnum<
  'pending' | 'in_progress' | 'paused' | 'completed' | 'failed' | 'cancelled'
>();
export type ToolCallStatus = v.InferOutput<typeof ToolCallStatus>;

export const Content = v.struct({ content: ContentBlock, _meta: v.meta });
export type Content = v.InferOutput<typeof Content>;

/** A reference to a terminal that the agent owns. */
export const Terminal = v.struct({ terminalId: v.string(), _meta: v.meta });
export type Terminal = v.InferOutput<typeof Terminal>;

export const PermissionOptionKind = v.openEnum<
  'allow_once' | 'allow_always' | 'reject_once' | 'reject_always'
>();
export type PermissionOptionKind = v.InferOutput<typeof PermissionOptionKind>;

export const PermissionOption = v.struct({
  optionId: v.string(),
  name: v.string(),
  kind: PermissionOptionKind,
  _meta: v.meta,
});
export type PermissionOption = v.InferOutput<typeof PermissionOption>;

export const SelectedPermissionOutcome = v.struct({ optionId: v.string(), _meta: v.meta });
export type SelectedPermissionOutcome = v.InferOutput<typeof SelectedPermissionOutcome>;
