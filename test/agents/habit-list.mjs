import { anyItem, openPrompts } from './traffic.mjs';

/**
 * How what agents do, and a client must handle, is found. `page.md` says what each habit is. Each has as its name the tag of
 * its test, as in `[agents: late-replay]`, and:
 *
 * - `message`, which finds it in a message of a run of the agent, and also gets the messages before it and all of the run;
 *   or `seen`, which finds it in all else that `habitsIn` is given. Both are absent if the scenario does not reach it: the
 *   test then follows behavior that was seen elsewhere;
 * - `version`, if it is a habit of that version of the protocol only.
 */
export const habits = {
  'number-without-body': {
    message: ({ isAnswer, method, message: { result } }) =>
      isAnswer &&
      method === 'initialize' &&
      result?.protocolVersion !== 1 &&
      result?.agentCapabilities !== undefined &&
      result.capabilities === undefined,
  },
  'no-message-ids': {
    message: ({ update }) => update?.sessionUpdate === 'agent_message_chunk' && update.messageId == null,
  },
  'shared-message-id': {
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
  'empty-chunks': {
    message: ({ update }) => update?.content?.type === 'text' && update.content.text === '',
  },
  'updated-before-announced': {
    version: 1,
    message: ({ update }, before, all) =>
      update?.sessionUpdate === 'tool_call_update' &&
      !before.some(announces(update.toolCallId)) &&
      all.some(announces(update.toolCallId)),
  },
  'announced-twice': {
    message: ({ update, sessionId }, before) =>
      update?.sessionUpdate === 'tool_call' &&
      before.some((item) => item.sessionId === sessionId && announces(update.toolCallId)(item)),
  },
  'permission-unannounced': {
    message: ({ method, isCall, params }, before) => {
      if (method !== 'session/request_permission' || !isCall) return false;
      const { toolCallId } = params.toolCall ?? params.subject?.toolCall ?? {};
      return toolCallId !== undefined && !before.some(({ update }) => update?.toolCallId === toolCallId);
    },
  },
  'left-open': {
    message: (item, before) => endsTurn(item) && leavesOpen(item, before),
  },
  'late-tool-call': {
    version: 1,
    message: ({ update, sessionId }, before) =>
      update?.sessionUpdate === 'tool_call_update' &&
      openPrompts(before, sessionId) === 0 &&
      before.some(({ method, isAnswer }) => method === 'session/prompt' && isAnswer),
  },
  'words-between-turns': {
    version: 1,
    message: ({ update, sessionId }, before) =>
      update?.sessionUpdate === 'agent_message_chunk' &&
      openPrompts(before, sessionId) === 0 &&
      !before.some(({ method }) => method === 'session/load'),
  },
  'late-replay': {
    seen: ({ report }) => report.steps.load?.note === 'answers before the replay',
  },
  'replayed-twice': {
    message: ({ update }, before) =>
      /_chunk$/.test(update?.sessionUpdate ?? '') &&
      update.messageId != null &&
      before.some(
        (item) =>
          item.update?.messageId === update.messageId &&
          `${item.update.sessionUpdate}_chunk` === update.sessionUpdate,
      ),
  },
  'replayed-unfinished': {
    version: 1,
    message: (item, before) => {
      if (item.method !== 'session/load' || !item.isAnswer) return false;
      const call = before.findLastIndex(({ method, isCall }) => method === 'session/load' && isCall);
      return hasUnfinished(before.slice(call), item.sessionId);
    },
  },
  'update-before-session': {
    message: ({ method, isAnswer, message: { result } }, before) =>
      method === 'session/new' &&
      isAnswer &&
      before.some(({ update, sessionId }) => update && sessionId === result?.sessionId),
  },
  'fields-of-its-own': {
    seen: ({ report }) => report.extras.length > 0,
  },
  'errors-of-the-model': {
    version: 1,
    seen: ({ report }) => endOfFailedTurn(report)?.startsWith('error '),
  },
  'failure-as-text': {
    seen: ({ report }) => endOfFailedTurn(report)?.startsWith('end_turn'),
  },
  'empty-turn': {
    seen: ({ report }) => report.rules.includes('session.empty_turn'),
  },
  'failure-as-stop-reason': {
    version: 2,
    seen: ({ report }) => endOfFailedTurn(report)?.startsWith('error '),
  },
  'refusal-ends-turn': {
    seen: ({ report }) => report.steps.reject?.note.startsWith('the turn ends'),
  },
  'second-prompt-queued': {
    seen: ({ report }) => report.steps['two-prompts']?.note.startsWith('the first ends after the cancel'),
  },
  'second-prompt-aborts': {
    seen: ({ report }) => report.steps['two-prompts']?.note.startsWith('the first ends at once'),
  },
  'prompt-never-answered': {
    seen: ({ report }) => report.steps['two-prompts']?.note.includes('never ends'),
  },
  'held-prompt-cancelled': {
    seen: ({ report }) => report.steps['two-prompts']?.note.includes('error -32800'),
  },
  'echo-before-receipt': {
    version: 2,
    message: ({ update, sessionId }, before) =>
      /^user_message/.test(update?.sessionUpdate ?? '') && openPrompts(before, sessionId) > 0,
  },
  'ids-overlap': {
    message: ({ direction, isCall, message }, before) =>
      direction === 'in' &&
      isCall &&
      before.some((item) => item.direction === 'out' && item.isCall && item.message.id === message.id),
  },
  'text-ids': {
    message: ({ direction, isCall, message }) =>
      direction === 'in' && isCall && typeof message.id === 'string',
  },
  'repeated-kinds': {
    message: ({ method, isCall, params }) =>
      method === 'session/request_permission' &&
      isCall &&
      new Set(params.options.map(({ kind }) => kind)).size < params.options.length,
  },
  'withdraws-permission': {
    // Whether an agent comes to it depends on which is faster, our answer or its withdrawal.
  },
  'methods-of-its-own': {
    seen: ({ report }) => report.rules.some((rule) => /^rpc\.unknown_(request|notification)$/.test(rule)),
  },
  'error-without-id': {
    seen: ({ report }) => report.rules.includes('rpc.error_without_id'),
  },
  'separators-in-text': {
    message: ({ update }) => update?.content?.text?.includes('\u2028') ?? false,
  },
  'cancel-request-ignored': {},
  'setting-unanswered': {},
  'unknown-session-codes': {},
  'load-too-soon': {
    seen: ({ agent }) => agent.reloadAfterMs !== undefined,
  },
  'goes-on-without-input': {},
  'leaves-daemon': {
    seen: ({ leftovers }) => leftovers.length > 0,
  },
  'terminal-metadata': {
    version: 1,
    message: ({ update }) => Object.keys(update?._meta ?? {}).some((key) => /^terminal_/.test(key)),
  },
  'output-at-exit': {
    message: ({ update }, before) =>
      update?._meta?.terminal_exit !== undefined &&
      Boolean(update.rawOutput?.aggregated_output) &&
      !before.some((item) => hasOutput(item, update.toolCallId)),
  },
  'missing-file-is-failure': {
    seen: ({ agent, runs }) =>
      agent.fileSystem?.missingFile === 'empty' &&
      anyItem(
        runs,
        ({ method, isAnswer, message: { result } }) =>
          method === 'fs/read_text_file' && isAnswer && result?.content === '',
      ),
  },
};

/**
 * The names of the habits that a scenario has shown.
 *
 * @param about - `{ agent, version, report, runs, leftovers }`; `agent` is what the catalog has, `runs` as `runsIn` gives them.
 */
export function habitsIn(about) {
  return Object.keys(habits).filter((name) => {
    const { version = about.version, message, seen } = habits[name];
    return version === about.version && (message ? anyItem(about.runs, message) : seen?.(about));
  });
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
