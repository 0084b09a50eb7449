import * as v from 'valibot';
import type { Issue } from '../../errors.ts';
import { issuesIn } from '../../issue.ts';
import type { Command } from '../../model/session.ts';
import type { FileChange, ToolCallContent as NeutralContent } from '../../model/tool-call.ts';
import type { StateUpdate as NeutralState, PlanUpdate, ToolCallFields } from '../../model/update.ts';
import type { NormalizedPermission } from '../dialect.ts';
import { createNormalizer } from '../normalize.ts';
import { upgradeDraftPermission, upgradeDraftUpdate } from './earlier-draft.ts';
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
export const normalize = createNormalizer(
  updates,
  {
    state_update: normalizeState,
    tool_call_update: normalizeToolCall,
    tool_call_content_chunk: (update) => ({ ...update, content: normalizeContent(update.content) }),
    // In the neutral model the type of a plan other than a list of items is the agent's own.
    plan_update: (update) => update as PlanUpdate,
    available_commands_update: (update) => ({
      ...update,
      availableCommands: update.availableCommands.map(normalizeCommand),
    }),
  },
  upgradeDraftUpdate,
);

type Tag<T extends string> = { readonly sessionUpdate: T };

/** Only rest has a reason and an error; what another state carries under these names is none of them. */
function normalizeState(update: Tag<'state_update'> & StateUpdate): NeutralState {
  if (update.state === 'idle') return update;
  const { stopReason: _, error: __, ...rest } = update as NeutralState;
  return rest;
}

function normalizeToolCall<T extends ToolCallUpdate>(update: T): T & ToolCallFields {
  const content = update.content?.some(isPartialDiff) ? update.content.map(normalizeContent) : update.content;
  // Without a partial diff every item is a neutral one as it stands, and the update with them.
  return (content === update.content ? update : { ...update, content }) as T & ToolCallFields;
}

/** Whether a diff leaves out what a neutral one always has. */
function isPartialDiff(content: ToolCallContent): boolean {
  return content.type === 'diff' && (content.patch === undefined || content.changes.some(lacksPath));
}

function normalizeContent(content: ToolCallContent): NeutralContent {
  if (content.type !== 'diff') return content;
  return { ...content, changes: content.changes.map(normalizeChange), patch: content.patch ?? null };
}

function lacksPath({ path }: DiffChange): boolean {
  return path === undefined;
}

/** An operation that we do not know may name no file. */
function normalizeChange(change: DiffChange): FileChange {
  return { path: '', ...change };
}

export function normalizeCommand(command: AvailableCommand): Command {
  if (command.type !== 'command') return command;
  const { type: _, ...rest } = command;
  return rest;
}

/** Reads the parameters of a `session/request_permission` of version 2. Never throws. */
export function normalizePermission(params: unknown): NormalizedPermission | readonly Issue[] {
  const result = v.safeParse(RequestPermissionRequest, upgradeDraftPermission(params));
  if (!result.success) return issuesIn(result.issues, 'params');
  const { sessionId, title, description, subject, options } = result.output;
  return {
    sessionId,
    title: title || null,
    description: description ?? null,
    options,
    ...normalizeSubject(subject ?? null),
  };
}

function normalizeSubject(
  subject: RequestPermissionSubject | null,
): Pick<NormalizedPermission, 'subject' | 'toolCall'> {
  if (subject?.type !== 'tool_call') return { subject, toolCall: null };
  const toolCall = normalizeToolCall({ ...subject.toolCall, sessionUpdate: 'tool_call_update' as const });
  return { subject: { type: 'tool_call', toolCallId: toolCall.toolCallId }, toolCall };
}
