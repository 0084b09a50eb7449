import * as v from 'valibot';
import { meta, openEnum, struct } from '../vocabulary.ts';
import { ContentBlock } from './content.ts';

export const ToolKind = openEnum<
  'read' | 'edit' | 'delete' | 'move' | 'search' | 'execute' | 'think' | 'fetch' | 'switch_mode' | 'other'
>();
export type ToolKind = v.InferOutput<typeof ToolKind>;

export const ToolCallStatus = openEnum<
  'pending' | 'in_progress' | 'paused' | 'completed' | 'failed' | 'cancelled'
>();
export type ToolCallStatus = v.InferOutput<typeof ToolCallStatus>;

export const Content = struct({ content: ContentBlock, _meta: meta });
export type Content = v.InferOutput<typeof Content>;

/** A reference to a terminal that the agent owns. */
export const Terminal = struct({ terminalId: v.string(), _meta: meta });
export type Terminal = v.InferOutput<typeof Terminal>;

export const PermissionOptionKind = openEnum<
  'allow_once' | 'allow_always' | 'reject_once' | 'reject_always'
>();
export type PermissionOptionKind = v.InferOutput<typeof PermissionOptionKind>;

export const PermissionOption = struct({
  optionId: v.string(),
  name: v.string(),
  kind: PermissionOptionKind,
  _meta: meta,
});
export type PermissionOption = v.InferOutput<typeof PermissionOption>;

export const SelectedPermissionOutcome = struct({ optionId: v.string(), _meta: meta });
export type SelectedPermissionOutcome = v.InferOutput<typeof SelectedPermissionOutcome>;
