import * as v from 'valibot';
import type { Issue } from '../../errors.ts';
import type { Command } from '../../model/session.ts';
import type { FileChange, ToolCallContent as NeutralContent } from '../../model/tool-call.ts';
import type { StateUpdate as NeutralState, PlanUpdate, ToolCallFields } from '../../model/update.ts';
import type { LiftedPermission } from '../dialect.ts';
import { issuesIn } from '../issue.ts';
import { lifter } from '../lift.ts';
import { respellPermission, respellUpdate } from './earlier-draft.ts';
import type { StateUpdate } from './prompt-lifecycle.ts';
import type { AvailableCommand } from './slash-commands.ts';
import {
  type DiffChange,
  RequestPermissionRequest,
  type RequestPermissionSubject,
  type ToolCallContent,
  type ToolCallUpdate,
} from './tool-calls.ts';
import { updates } from './update.ts';

/** Reads one `session/update` of version 2. Never throws. */
export const lift = lifter(
  updates,
  {
    state_update: liftState,
    tool_call_update: liftToolCall,
    tool_call_content_chunk: (update) => ({ ...update, content: liftContent(update.content) }),
    // In the neutral model the type of a plan other than a list of items is the agent's own.
    plan_update: (update) => update as PlanUpdate,
    available_commands_update: (update) => ({
      ...update,
      availableCommands: update.availableCommands.map(liftCommand),
    }),
  },
  respellUpdate,
);

type Tag<T extends string> = { readonly sessionUpdate: T };

/** Only rest has a reason and an error; what another state carries under these names is none of them. */
function liftState(update: Tag<'state_update'> & StateUpdate): NeutralState {
  if (update.state === 'idle') return update;
  const { stopReason: _, error: __, ...rest } = update as NeutralState;
  return rest;
}

function liftToolCall<T extends ToolCallUpdate>(update: T): T & ToolCallFields {
  const content = update.content?.some(isPartialDiff) ? update.content.map(liftContent) : update.content;
  // Without a partial diff every item is a neutral one as it stands, and the update with them.
  return (content === update.content ? update : { ...update, content }) as T & ToolCallFields;
}

/** Whether a diff leaves out what a neutral one always has. */
function isPartialDiff(content: ToolCallContent): boolean {
  return content.type === 'diff' && (content.patch === undefined || content.changes.some(lacksPath));
}

function liftContent(content: ToolCallContent): NeutralContent {
  if (content.type !== 'diff') return content;
  return { ...content, changes: content.changes.map(liftChange), patch: content.patch ?? null };
}

function lacksPath({ path }: DiffChange): boolean {
  return path === undefined;
}

/** An operation that we do not know may name no file. */
function liftChange(change: DiffChange): FileChange {
  return { path: '', ...change };
}

export function liftCommand(command: AvailableCommand): Command {
  if (command.type !== 'command') return command;
  const { type: _, ...rest } = command;
  return rest;
}

/** Reads the parameters of a `session/request_permission` of version 2. Never throws. */
export function liftPermission(params: unknown): LiftedPermission | readonly Issue[] {
  const result = v.safeParse(RequestPermissionRequest, respellPermission(params));
  if (!result.success) return issuesIn(result.issues, 'params');
  const { sessionId, title, description, subject, options } = result.output;
  return {
    sessionId,
    title: title || null,
    description: description ?? null,
    options,
    ...liftSubject(subject ?? null),
  };
}

function liftSubject(
  subject: RequestPermissionSubject | null,
): Pick<LiftedPermission, 'subject' | 'toolCall'> {
  if (subject?.type !== 'tool_call') return { subject, toolCall: null };
  const toolCall = liftToolCall({ ...subject.toolCall, sessionUpdate: 'tool_call_update' as const });
  return { subject: { type: 'tool_call', toolCallId: toolCall.toolCallId }, toolCall };
}
