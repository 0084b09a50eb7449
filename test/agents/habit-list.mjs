import { anyItem, openPrompts } from './traffic.mjs';

/**
 * What agents do that a client must handle. Each habit has:
 *
 * - `id`, the tag of its test, as in `[agents: late-replay]`;
 * - `title`, what the agent does, as the page shows it;
 * - `client`, what this library does about it;
 * - `message`, which finds it in a message of a run of the agent, and also gets the messages before it and all of the run;
 *   or `seen`, which finds it in all else that `habitsIn` is given. Both are absent if the scenario does not reach it: the
 *   test then follows behavior that was seen elsewhere;
 * - `version`, if it is a habit of that version of the protocol only.
 */
export const habits = [
  {
    id: 'number-without-body',
    title: 'answers `initialize` with the requested version number and the body of version 1',
    client: 'decides by the shape of the answer, and uses version 1',
    message: ({ isAnswer, method, message: { result } }) =>
      isAnswer &&
      method === 'initialize' &&
      result?.protocolVersion !== 1 &&
      result?.agentCapabilities !== undefined &&
      result.capabilities === undefined,
  },
  {
    id: 'no-message-ids',
    title: 'sends messages without ids',
    client: 'joins consecutive chunks of one role',
    message: ({ update }) => update?.sessionUpdate === 'agent_message_chunk' && update.messageId == null,
  },
  {
    id: 'shared-message-id',
    title: 'gives a thought and its answer the same id',
    client: 'separates them by their roles',
    message: ({ update, sessionId }, before) =>
      update?.sessionUpdate === 'agent_message_chunk' &&
      update.messageId != null &&
      before.some(
        (item) =>
          item.update?.sessionUpdate === 'agent_thought_chunk' &&
          item.sessionId === sessionId &&
          item.update.messageId === update.messageId,
      ),
  },
  {
    id: 'empty-chunks',
    title: 'sends empty chunks of text',
    client: 'adds no messages for them',
    message: ({ update }) => update?.content?.type === 'text' && update.content.text === '',
  },
  {
    id: 'updated-before-announced',
    title: 'updates a tool call before it announces it',
    client: 'adds the tool call with the update, and completes it with the announcement',
    version: 1,
    message: ({ update }, before, all) =>
      update?.sessionUpdate === 'tool_call_update' &&
      !before.some(announces(update.toolCallId)) &&
      all.some(announces(update.toolCallId)),
  },
  {
    id: 'announced-twice',
    title: 'announces a tool call twice',
    client: 'shows one, with the latest values',
    message: ({ update, sessionId }, before) =>
      update?.sessionUpdate === 'tool_call' &&
      before.some((item) => item.sessionId === sessionId && announces(update.toolCallId)(item)),
  },
  {
    id: 'permission-unannounced',
    title: 'asks permission for a tool call that it has not announced',
    client: 'adds the tool call with the permission request',
    message: ({ method, isCall, params }, before) => {
      if (method !== 'session/request_permission' || !isCall) return false;
      const { toolCallId } = params.toolCall ?? params.subject?.toolCall ?? {};
      return toolCallId !== undefined && !before.some(({ update }) => update?.toolCallId === toolCallId);
    },
  },
  {
    id: 'left-open',
    title: 'leaves tool calls open at the end of a turn',
    client: 'shows them as cancelled',
    message: (item, before) => endsTurn(item) && leavesOpen(item, before),
  },
  {
    id: 'late-tool-call',
    title: 'reports on a tool call after the end of its turn',
    client: 'applies the report',
    version: 1,
    message: ({ update, sessionId }, before) =>
      update?.sessionUpdate === 'tool_call_update' &&
      openPrompts(before, sessionId) === 0 &&
      before.some(({ method, isAnswer }) => method === 'session/prompt' && isAnswer),
  },
  {
    id: 'words-between-turns',
    title: 'sends messages outside of a turn',
    client: 'adds them to the transcript',
    version: 1,
    message: ({ update, sessionId }, before) =>
      update?.sessionUpdate === 'agent_message_chunk' &&
      openPrompts(before, sessionId) === 0 &&
      !before.some(({ method }) => method === 'session/load'),
  },
  {
    id: 'late-replay',
    title: 'answers a load before its replay is complete',
    client:
      'applies updates after the answer; `acp-client transcript` waits until no update has arrived for a while',
    seen: ({ report }) => report.steps.load?.note === 'answers before the replay',
  },
  {
    id: 'replayed-twice',
    title: 'replays a message both whole and in chunks',
    client: 'replaces one with the other, as version 2 specifies',
    message: ({ update }, before) =>
      /_chunk$/.test(update?.sessionUpdate ?? '') &&
      update.messageId != null &&
      before.some(
        (item) =>
          item.update?.messageId === update.messageId &&
          `${item.update.sessionUpdate}_chunk` === update.sessionUpdate,
      ),
  },
  {
    id: 'replayed-unfinished',
    title: 'leaves tool calls open in its replay (version 1)',
    client: 'shows them as they were sent, in an idle session',
    version: 1,
    message: (item, before) => {
      if (item.method !== 'session/load' || !item.isAnswer) return false;
      const call = before.findLastIndex(({ method, isCall }) => method === 'session/load' && isCall);
      return hasUnfinished(before.slice(call), item.sessionId);
    },
  },
  {
    id: 'update-before-session',
    title: 'sends updates of a session before the answer that names it',
    client: 'applies them to the session that the answer names',
    message: ({ method, isAnswer, message: { result } }, before) =>
      method === 'session/new' &&
      isAnswer &&
      before.some(({ update, sessionId }) => update && sessionId === result?.sessionId),
  },
  {
    id: 'fields-of-its-own',
    title: 'sends fields that are not in the protocol',
    client: 'ignores them',
    seen: ({ report }) => report.extras.length > 0,
  },
  {
    id: 'errors-of-the-model',
    title: 'answers a failed turn with an error, sometimes with a code that JSON-RPC does not define',
    client: 'rejects with the same code; the session is idle',
    version: 1,
    seen: ({ report }) => endOfFailedTurn(report)?.startsWith('error '),
  },
  {
    id: 'failure-as-text',
    title: 'ends a failed turn with `end_turn`',
    client: 'treats the turn as successful, and does not interpret the text',
    seen: ({ report }) => endOfFailedTurn(report)?.startsWith('end_turn'),
  },
  {
    id: 'empty-turn',
    title: 'ends a turn with `end_turn` and sends nothing, or sends the answer with the next turn',
    client: 'treats the turn as successful, and reports the diagnostic `session.empty_turn`',
    seen: ({ report }) => report.rules.includes('session.empty_turn'),
  },
  {
    id: 'failure-as-stop-reason',
    title: 'ends a failed turn with the stop reason `error`',
    client: 'rejects with that error, and shows it in the activity',
    version: 2,
    seen: ({ report }) => endOfFailedTurn(report)?.startsWith('error '),
  },
  {
    id: 'refusal-ends-turn',
    title: 'ends the turn when a permission is refused',
    client: 'returns the stop reason unchanged, `cancelled` or `end_turn`',
    seen: ({ report }) => report.steps.reject?.note.startsWith('the turn ends'),
  },
  {
    id: 'second-prompt-queued',
    title: 'starts a second prompt when the first has ended',
    client: 'keeps both open; each ends separately',
    seen: ({ report }) => report.steps['two-prompts']?.note.startsWith('the first ends after the cancel'),
  },
  {
    id: 'second-prompt-aborts',
    title: 'cancels the first prompt when a second one arrives',
    client: 'settles each prompt with its own answer',
    seen: ({ report }) => report.steps['two-prompts']?.note.startsWith('the first ends at once'),
  },
  {
    id: 'prompt-never-answered',
    title: 'never answers one of two prompts',
    client: 'ends it when it has answered a later one and is silent, or with the session or the connection',
    seen: ({ report }) => report.steps['two-prompts']?.note.includes('never ends'),
  },
  {
    id: 'held-prompt-cancelled',
    title: 'answers -32800 to a waiting prompt when the turn is cancelled',
    client: 'ends that prompt as cancelled',
    seen: ({ report }) => report.steps['two-prompts']?.note.includes('error -32800'),
  },
  {
    id: 'echo-before-receipt',
    title: 'reports a prompt before it confirms the prompt',
    client: 'treats either order as one prompt and one turn',
    version: 2,
    message: ({ update, sessionId }, before) =>
      /^user_message/.test(update?.sessionUpdate ?? '') && openPrompts(before, sessionId) > 0,
  },
  {
    id: 'ids-overlap',
    title: 'numbers its requests from 0, as the client does',
    client: 'matches an answer to the side that sent the request',
    message: ({ direction, isCall, message }, before) =>
      direction === 'in' &&
      isCall &&
      before.some((item) => item.direction === 'out' && item.isCall && item.message.id === message.id),
  },
  {
    id: 'text-ids',
    title: 'sends requests with strings as ids',
    client: 'answers with the same id',
    message: ({ direction, isCall, message }) =>
      direction === 'in' && isCall && typeof message.id === 'string',
  },
  {
    id: 'repeated-kinds',
    title: 'offers several options of one kind',
    client: 'offers all of them to the user, and answers with the id',
    message: ({ method, isCall, params }) =>
      method === 'session/request_permission' &&
      isCall &&
      new Set(params.options.map(({ kind }) => kind)).size < params.options.length,
  },
  {
    id: 'withdraws-permission',
    title: 'withdraws its permission request when the turn is cancelled',
    client: 'has already answered it once, with `cancelled`',
    // Whether an agent comes to it depends on which is faster, our answer or its withdrawal.
  },
  {
    id: 'methods-of-its-own',
    title: 'calls extension methods, some of them without the `_`',
    client: 'answers -32601 to requests, and drops notifications with a diagnostic',
    seen: ({ report }) => report.rules.some((rule) => /^rpc\.unknown_(request|notification)$/.test(rule)),
  },
  {
    id: 'error-without-id',
    title: 'answers a notification with an error that has no id',
    client: 'reports a diagnostic, and continues',
    seen: ({ report }) => report.rules.includes('rpc.error_without_id'),
  },
  {
    id: 'separators-in-text',
    title: 'sends U+2028 and U+2029 in text',
    client: 'splits lines at line feeds only',
    message: ({ update }) => update?.content?.text?.includes('\u2028') ?? false,
  },
  {
    id: 'cancel-request-ignored',
    title: 'ignores `$/cancel_request` of a prompt',
    client: 'also sends `session/cancel` when a prompt is aborted',
  },
  {
    id: 'setting-unanswered',
    title: 'answers a change of a setting with an empty result',
    client: 'shows the requested value',
  },
  {
    id: 'unknown-session-codes',
    title: 'uses its own error code for an unknown session',
    client: 'reports -32002 as a `NotFoundError`, and other codes as a `RemoteError`',
  },
  {
    id: 'load-too-soon',
    title: 'empties the history of a session that is loaded in the minute in which it began',
    client: 'rejects with the error, also when the load is repeated',
    seen: ({ agent }) => agent.reloadAfterMs !== undefined,
  },
  {
    id: 'goes-on-without-input',
    title: 'keeps running after its stdin has ended',
    client: 'sends SIGTERM after a while, and then SIGKILL',
  },
  {
    id: 'leaves-daemon',
    title: 'leaves a daemon behind, in its own process session',
    client: 'ends its descendants and its process group, and does not wait for the daemon',
    seen: ({ leftovers }) => leftovers.length > 0,
  },
  {
    id: 'terminal-metadata',
    title: 'shows the output of its commands in the metadata of tool calls (version 1)',
    client: 'shows it as terminals, as in version 2',
    version: 1,
    message: ({ update }) => Object.keys(update?._meta ?? {}).some((key) => /^terminal_/.test(key)),
  },
  {
    id: 'output-at-exit',
    title: 'reports the output of a short command only in the last update of its tool call (version 1)',
    client: 'shows it in the terminal, unless the terminal has output already',
    message: ({ update }, before) =>
      update?._meta?.terminal_exit !== undefined &&
      Boolean(update.rawOutput?.aggregated_output) &&
      !before.some((item) => hasOutput(item, update.toolCallId)),
  },
  {
    id: 'missing-file-is-failure',
    title: 'cannot create a file if reading a missing file is an error',
    client: 'can answer with an empty text: `nodeFileSystem({ missingFile: "empty" })`',
    seen: ({ agent, runs }) =>
      agent.fileSystem?.missingFile === 'empty' &&
      anyItem(
        runs,
        ({ method, isAnswer, message: { result } }) =>
          method === 'fs/read_text_file' && isAnswer && result?.content === '',
      ),
  },
];

/**
 * The ids of the habits that a scenario has shown.
 *
 * @param about - `{ agent, version, report, runs, leftovers }`; `agent` is what the catalog has, `runs` as `runsIn` gives them.
 */
export function habitsIn(about) {
  return habits
    .filter(({ version = about.version }) => version === about.version)
    .filter(({ message, seen }) => (message ? anyItem(about.runs, message) : seen?.(about)))
    .map(({ id }) => id);
}

/** How a turn ended in which the model failed; `undefined` if the agent did not come to ask the model. */
function endOfFailedTurn({ steps }) {
  const step = steps['model-error'];
  return step?.outcome === 'works' ? step.note : undefined;
}

function hasOutput({ update }, toolCallId) {
  const { terminal_output: output, terminal_output_delta: delta } = update?._meta ?? {};
  return update?.toolCallId === toolCallId && (output ?? delta) !== undefined;
}

const announces =
  (toolCallId) =>
  ({ update }) =>
    update?.sessionUpdate === 'tool_call' && update.toolCallId === toolCallId;

function endsTurn({ method, isAnswer, update }) {
  return (method === 'session/prompt' && isAnswer) || update?.state === 'idle';
}

const finished = new Set(['completed', 'failed', 'cancelled']);

function leavesOpen({ sessionId, message, update }, before) {
  // In version 2 the answer to a prompt is its beginning.
  if (!update && message.result?.stopReason === undefined) return false;
  return hasUnfinished(before, sessionId);
}

function hasUnfinished(items, sessionId) {
  const statuses = new Map();
  for (const item of items) {
    if (item.sessionId !== sessionId || item.update?.toolCallId === undefined) continue;
    statuses.set(item.update.toolCallId, item.update.status ?? statuses.get(item.update.toolCallId));
  }
  return [...statuses.values()].some((status) => !finished.has(status));
}
