import type { ValidationIssue } from '../../base/errors.ts';
import type { ToolCallContent as NeutralContent } from '../../model/tool-call.ts';
import type { ToolCallFields } from '../../model/update.ts';
import { ContentBlock } from '../both/content.ts';
import {
  type ContentList,
  createNormalizer,
  keepMalformed,
  type NormalizedPermission,
  readPermission,
} from '../normalize.ts';
import { normalizeState, normalizeSubagent } from '../state.ts';
import { suggestionsInMeta, withoutSuggestions } from '../suggestions-in-meta.ts';
import { at } from '../upgrade.ts';
import { upgradeDraftPermission, upgradeDraftUpdate } from './earlier-draft.ts';
import {
  RequestPermissionRequest,
  type RequestPermissionSubject,
  ToolCallContent,
  type ToolCallUpdate,
} from './tool-calls.ts';
import { updates } from './update.ts';

const toolCallContent: ContentList = { key: 'content', item: ToolCallContent };
const messageContent: ContentList = { key: 'content', item: ContentBlock };

/** Reads the `update` of a `session/update` of version 2. Never throws. */
export const normalize = createNormalizer(
  updates,
  {
    state_update: normalizeState,
    tool_call_update: normalizeToolCall,
    tool_call_content_chunk: (update) => ({ ...update, content: normalizeContent(update.content) }),
    subagent_update: normalizeSubagent,
    session_info_update: withoutSuggestions,
  },
  {
    user_message: messageContent,
    agent_message: messageContent,
    agent_thought: messageContent,
    session_message: messageContent,
    tool_call_update: toolCallContent,
    compaction_update: { key: 'summary', item: ContentBlock },
  },
  upgradeDraftUpdate,
  { session_info_update: suggestionsInMeta },
);

function normalizeToolCall<T extends ToolCallUpdate>(update: T): T & ToolCallFields {
  const content = update.content?.some(isPartialDiff) ? update.content.map(normalizeContent) : update.content;
  // Without a partial diff, all items already have the form of the neutral model.
  return (content === update.content ? update : { ...update, content }) as T & ToolCallFields;
}

/** Whether a diff lacks fields that the neutral model requires. */
function isPartialDiff(content: ToolCallContent): boolean {
  return (
    content.type === 'diff' &&
    (content.patch === undefined || content.changes.some(({ path }) => path === undefined))
  );
}

function normalizeContent(content: ToolCallContent): NeutralContent {
  if (content.type !== 'diff') return content;
  // An unknown operation may have no path.
  const changes = content.changes.map((change) => ({ path: '', ...change }));
  return { ...content, changes, patch: content.patch ?? null };
}

const keepMalformedContent = at(
  'subject',
  at('toolCall', (toolCall) => keepMalformed(toolCall, toolCallContent)),
);

/** Reads the parameters of a `session/request_permission` of version 2. Never throws. */
export function normalizePermission(params: unknown): NormalizedPermission | readonly ValidationIssue[] {
  return readPermission(
    RequestPermissionRequest,
    upgradeDraftPermission(params),
    keepMalformedContent,
    ({ sessionId, title, description = null, subject = null, options, _meta }) => ({
      sessionId,
      title: title || null,
      description,
      options,
      ...normalizeSubject(subject),
      ...(_meta && { _meta }),
    }),
  );
}

function normalizeSubject(
  subject: RequestPermissionSubject | null,
): Pick<NormalizedPermission, 'subject' | 'toolCall'> {
  if (subject?.type !== 'tool_call') return { subject, toolCall: null };
  const { type, _meta } = subject;
  const toolCall = normalizeToolCall({ ...subject.toolCall, sessionUpdate: 'tool_call_update' as const });
  return { subject: { type, toolCallId: toolCall.toolCallId, ...(_meta && { _meta }) }, toolCall };
}
