import { anyItem, openPrompts } from './traffic.mjs';

/**
 * What agents do that a client must be ready for. Each habit has:
 *
 * - `id`, and `title`, what the agent does, as it stands on the page;
 * - `client`, what this library does about it;
 * - `file` and `test`, the case that pins that, under `test`;
 * - `seen`, which finds it in the traffic of a scenario, in its report, or in what the catalogue had to set for the
 *   agent. Absent where the scenario does not come to it: the case is then written from what agents were seen to do
 *   elsewhere. It is given `{ agent, version, report, runs, leftovers }`.
 */
export const habits = [
  {
    id: 'number-without-body',
    title: 'answers `initialize` with the version that it was asked for, and the body of version 1',
    client: 'goes by the shape of the answer, and speaks version 1',
    file: 'habits/negotiation.test.ts',
    test: 'the version asked for is echoed as %s, and the body is that of version 1',
    seen: ({ runs }) =>
      anyItem(
        runs,
        ({ isAnswer, method, message: { result } }) =>
          isAnswer &&
          method === 'initialize' &&
          result?.protocolVersion !== 1 &&
          result?.agentCapabilities !== undefined &&
          result.capabilities === undefined,
      ),
  },
  {
    id: 'no-message-ids',
    title: 'sends messages without ids',
    client: 'joins what follows one another in one role',
    file: 'habits/transcripts.test.ts',
    test: 'without ids: what follows one another in one role is one message, and a tool call parts it',
    seen: ({ runs }) =>
      anyItem(
        runs,
        ({ update }) => update?.sessionUpdate === 'agent_message_chunk' && update.messageId == null,
      ),
  },
  {
    id: 'shared-message-id',
    title: 'gives a thought and its answer the same id',
    client: 'keeps them apart by their roles',
    file: 'habits/transcripts.test.ts',
    test: 'a thought and its answer under one id stay apart',
    seen: ({ runs }) =>
      anyItem(
        runs,
        ({ update, sessionId }, before) =>
          update?.sessionUpdate === 'agent_message_chunk' &&
          update.messageId != null &&
          before.some(
            (item) =>
              item.update?.sessionUpdate === 'agent_thought_chunk' &&
              item.sessionId === sessionId &&
              item.update.messageId === update.messageId,
          ),
      ),
  },
  {
    id: 'empty-chunks',
    title: 'sends empty chunks of text',
    client: 'makes no messages of them',
    file: 'habits/transcripts.test.ts',
    test: 'empty chunks are neither messages of their own nor lost words',
    seen: ({ runs }) =>
      anyItem(runs, ({ update }) => update?.content?.type === 'text' && update.content.text === ''),
  },
  {
    id: 'updated-before-announced',
    title: 'updates a tool call before it announces it',
    client: 'begins the tool call with the update, and lets the announcement fill it in',
    file: 'habits/transcripts.test.ts',
    test: 'a tool call that is updated before it is announced keeps what the update said',
    seen: ({ runs, version }) =>
      version === 1 &&
      anyItem(
        runs,
        ({ update }, before, all) =>
          update?.sessionUpdate === 'tool_call_update' &&
          !before.some(announces(update.toolCallId)) &&
          all.some(announces(update.toolCallId)),
      ),
  },
  {
    id: 'announced-twice',
    title: 'announces a tool call twice',
    client: 'shows one, with what came last',
    file: 'habits/transcripts.test.ts',
    test: 'a tool call announced twice is one, and the second announcement fills it in',
    seen: ({ runs }) =>
      anyItem(
        runs,
        ({ update, sessionId }, before) =>
          update?.sessionUpdate === 'tool_call' &&
          before.some((item) => item.sessionId === sessionId && announces(update.toolCallId)(item)),
      ),
  },
  {
    id: 'permission-unannounced',
    title: 'asks permission for a tool call that it has not announced',
    client: 'begins the tool call with the question',
    file: 'habits/transcripts.test.ts',
    test: 'a tool call that is known from its permission alone is shown, and ends with the turn',
    seen: ({ runs }) =>
      anyItem(runs, ({ method, isCall, params }, before) => {
        if (method !== 'session/request_permission' || !isCall) return false;
        const { toolCallId } = params.toolCall ?? params.subject?.toolCall ?? {};
        return toolCallId !== undefined && !before.some(({ update }) => update?.toolCallId === toolCallId);
      }),
  },
  {
    id: 'left-open',
    title: 'leaves tool calls open at the end of a turn',
    client: 'shows them as cancelled',
    file: 'habits/turns.test.ts',
    test: 'a turn that the agent calls off after a refusal leaves no tool call open',
    seen: ({ runs }) => anyItem(runs, (item, before) => endsTurn(item) && leavesOpen(item, before)),
  },
  {
    id: 'late-tool-call',
    title: 'reports on a tool call after the end of its turn',
    client: 'takes the report',
    file: 'habits/transcripts.test.ts',
    test: 'an update of a tool call after the end of its turn still counts',
    seen: ({ runs, version }) =>
      version === 1 &&
      anyItem(
        runs,
        ({ update, sessionId }, before) =>
          update?.sessionUpdate === 'tool_call_update' &&
          openPrompts(before, sessionId) === 0 &&
          before.some(({ method, isAnswer }) => method === 'session/prompt' && isAnswer),
      ),
  },
  {
    id: 'words-between-turns',
    title: 'speaks outside of every turn',
    client: 'takes it into the transcript',
    file: 'habits/transcripts.test.ts',
    test: 'words outside of every turn are part of the transcript: a banner, a change of mode',
    seen: ({ runs, version }) =>
      version === 1 &&
      anyItem(
        runs,
        ({ update, sessionId }, before) =>
          update?.sessionUpdate === 'agent_message_chunk' &&
          openPrompts(before, sessionId) === 0 &&
          !before.some(({ method }) => method === 'session/load'),
      ),
  },
  {
    id: 'late-replay',
    title: 'answers a load before its replay is out',
    client:
      'takes what comes after the answer; `acp-client transcript` waits until nothing has come for a while',
    file: 'habits/transcripts.test.ts',
    test: 'a replay that comes after the answer to the load is taken, and closes nobody’s turn',
    seen: ({ report }) => report.steps.load?.note === 'answers before the replay',
  },
  {
    id: 'replayed-twice',
    title: 'replays a message whole and in pieces',
    client: 'lets the one replace the other, as version 2 says',
    file: 'habits/transcripts.test.ts',
    test: 'a message repeated whole and then in pieces, as replays of version 2 are, is one message',
    seen: ({ runs }) =>
      anyItem(
        runs,
        ({ update }, before) =>
          /_chunk$/.test(update?.sessionUpdate ?? '') &&
          update.messageId != null &&
          before.some(
            (item) =>
              item.update?.messageId === update.messageId &&
              `${item.update.sessionUpdate}_chunk` === update.sessionUpdate,
          ),
      ),
  },
  {
    id: 'replayed-unfinished',
    title: 'leaves tool calls open in its replay (version 1)',
    client: 'shows them as they are told, in a session that rests',
    file: 'habits/transcripts.test.ts',
    test: 'a replay that leaves a tool call unfinished is shown as it is told',
    seen: ({ runs, version }) =>
      version === 1 &&
      anyItem(runs, (item, before) => {
        if (item.method !== 'session/load' || !item.isAnswer) return false;
        const call = before.findLastIndex(({ method, isCall }) => method === 'session/load' && isCall);
        return hasUnfinished(before.slice(call), item.sessionId);
      }),
  },
  {
    id: 'update-before-session',
    title: 'sends updates of a session before the answer that names it',
    client: 'keeps them until the answer is there',
    file: 'habits/sessions.test.ts',
    test: 'updates that come before the answer that names their session are its first',
    seen: ({ runs }) =>
      anyItem(
        runs,
        ({ method, isAnswer, message: { result } }, before) =>
          method === 'session/new' &&
          isAnswer &&
          before.some(({ update, sessionId }) => update && sessionId === result?.sessionId),
      ),
  },
  {
    id: 'fields-of-its-own',
    title: 'sends fields that the protocol does not know',
    client: 'passes over them',
    file: 'habits/sessions.test.ts',
    test: 'fields that the protocol does not know do no harm',
    seen: ({ report }) => report.extras.length > 0,
  },
  {
    id: 'errors-of-the-model',
    title: 'answers a failed turn with an error, some of them with codes that are not of JSON-RPC',
    client: 'rejects with the code as it came; the session is at rest',
    file: 'habits/turns.test.ts',
    test: 'a failed turn is an error of the agent’s, and its code %s is passed on as it is',
    seen: ({ report }) => report.steps['model-error']?.note.startsWith('error '),
  },
  {
    id: 'failure-as-text',
    title: 'ends a failed turn as if it had gone well',
    client: 'believes it: nothing is read out of the text',
    file: 'habits/turns.test.ts',
    test: 'a failed turn that ends well is one that ends well: its text, or its silence, is what there is',
    seen: ({ report }) => report.steps['model-error']?.note.startsWith('end_turn'),
  },
  {
    id: 'failure-as-stop-reason',
    title: 'ends a failed turn with the stop reason `error`',
    client: 'gives the reason, and has the error in the activity',
    file: 'habits/turns.test.ts',
    test: 'a failed turn ends with the reason error, and says what went wrong',
    seen: ({ report }) => report.steps['model-error']?.note === 'stop reason error',
  },
  {
    id: 'refusal-ends-turn',
    title: 'ends the turn when a permission is refused',
    client: 'gives the stop reason as it is, `cancelled` or `end_turn`',
    file: 'habits/turns.test.ts',
    test: 'after a refused permission a turn that ends with %s leaves nothing open',
    seen: ({ report }) => report.steps.reject?.note.startsWith('the turn ends'),
  },
  {
    id: 'second-prompt-queued',
    title: 'takes a second prompt when the first has ended',
    client: 'has both open, each with its own end',
    file: 'habits/turns.test.ts',
    test: 'a second prompt is sent while the first runs, and each ends with its own answer, in any order',
    seen: ({ report }) => report.steps['two-prompts']?.note.startsWith('the first ends with the cancel'),
  },
  {
    id: 'second-prompt-aborts',
    title: 'calls off the first prompt for the second’s sake',
    client: 'ends the first with what the agent answers, and the second in its own time',
    file: 'habits/turns.test.ts',
    test: 'the first prompt that is refused for the second’s sake takes nothing with it',
    seen: ({ report }) => report.steps['two-prompts']?.note.startsWith('the first ends at once'),
  },
  {
    id: 'prompt-never-answered',
    title: 'never answers one of two prompts',
    client: 'ends it with the session, or with the connection',
    file: 'habits/turns.test.ts',
    test: 'a prompt that is never answered ends with its session, or with the connection',
    seen: ({ report }) => report.steps['two-prompts']?.note.includes('never ends'),
  },
  {
    id: 'held-prompt-cancelled',
    title: 'answers -32800 to a prompt that it held when the turn was cancelled',
    client: 'rejects that prompt, and takes it out of the transcript',
    file: 'habits/turns.test.ts',
    test: 'a held prompt that is answered -32800 when the turn is cancelled was never said',
    seen: ({ report }) => report.steps['two-prompts']?.note.includes('error -32800'),
  },
  {
    id: 'echo-before-receipt',
    title: 'reports a prompt before it answers that it took it',
    client: 'takes either order for one prompt and one turn',
    file: 'habits/turns.test.ts',
    test: 'a prompt is one message and one turn: %s',
    seen: ({ runs, version }) =>
      version === 2 &&
      anyItem(
        runs,
        ({ update, sessionId }, before) =>
          /^user_message/.test(update?.sessionUpdate ?? '') && openPrompts(before, sessionId) > 0,
      ),
  },
  {
    id: 'ids-overlap',
    title: 'numbers its requests from 0, as the client does',
    client: 'tells answers from requests by who asked',
    file: 'habits/requests.test.ts',
    test: 'ids that are numbers from 0, as ours are, are told apart from ours',
    seen: ({ runs }) =>
      anyItem(
        runs,
        ({ direction, isCall, message }, before) =>
          direction === 'in' &&
          isCall &&
          before.some((item) => item.direction === 'out' && item.isCall && item.message.id === message.id),
      ),
  },
  {
    id: 'text-ids',
    title: 'identifies its requests by texts',
    client: 'answers under the id as it came',
    file: 'habits/requests.test.ts',
    test: 'ids that are texts are answered as they are',
    seen: ({ runs }) =>
      anyItem(
        runs,
        ({ direction, isCall, message }) => direction === 'in' && isCall && typeof message.id === 'string',
      ),
  },
  {
    id: 'repeated-kinds',
    title: 'offers several options of one kind',
    client: 'offers all of them to the user, and answers with the id',
    file: 'habits/requests.test.ts',
    test: 'options that repeat a kind are all offered, and chosen by id',
    seen: ({ runs }) =>
      anyItem(
        runs,
        ({ method, isCall, params }) =>
          method === 'session/request_permission' &&
          isCall &&
          new Set(params.options.map(({ kind }) => kind)).size < params.options.length,
      ),
  },
  {
    id: 'withdraws-permission',
    title: 'withdraws its question when the turn is cancelled',
    client: 'has answered it by then, with `cancelled`, once',
    file: 'habits/requests.test.ts',
    test: 'a permission that the agent withdraws after the cancel is answered once, with cancelled (%s)',
    // Whether an agent comes to it depends on which is faster, our answer or its withdrawal.
  },
  {
    id: 'methods-of-its-own',
    title: 'calls methods of its own, some of them without the `_`',
    client: 'answers -32601 to requests, and drops notifications with a diagnostic',
    file: 'habits/requests.test.ts',
    test: 'methods of the agent’s own, under any name, are refused, and it carries on',
    seen: ({ report }) => report.rules.some((rule) => /^rpc\.unknown_(request|notification)$/.test(rule)),
  },
  {
    id: 'error-without-id',
    title: 'answers what needs no answer with an error that has no id',
    client: 'reports it, and goes on',
    file: 'habits/requests.test.ts',
    test: 'errors %s are reported, and end nothing',
    seen: ({ report }) => report.rules.includes('rpc.error_without_id'),
  },
  {
    id: 'separators-in-text',
    title: 'sends U+2028 and U+2029 in its texts',
    client: 'ends lines at line feeds only',
    file: 'habits/requests.test.ts',
    test: 'separators of lines inside of a text are no ends of lines',
    seen: ({ runs }) => anyItem(runs, ({ update }) => update?.content?.text?.includes('\u2028') ?? false),
  },
  {
    id: 'cancel-request-ignored',
    title: 'pays no heed to `$/cancel_request` of a prompt',
    client: 'sends `session/cancel` beside it when a prompt is aborted',
    file: 'habits/turns.test.ts',
    test: 'an aborted prompt ends at once and is cancelled in both ways, as many agents heed but one',
  },
  {
    id: 'setting-unanswered',
    title: 'answers a changed setting with nothing',
    client: 'takes the setting to be as it was asked for',
    file: 'habits/sessions.test.ts',
    test: 'a setting that is answered with nothing is taken to be as it was asked for',
  },
  {
    id: 'unknown-session-codes',
    title: 'has a code of its own for a session that it does not know',
    client: 'makes -32002 a `NotFoundError`, and leaves the others as they are',
    file: 'habits/sessions.test.ts',
    test: 'a session that is not known is an error of the agent’s, with the code %s that it chose',
  },
  {
    id: 'load-too-soon',
    title: 'cannot load a session in the minute in which it began',
    client: 'passes the error on; the load can be tried again',
    file: 'habits/sessions.test.ts',
    test: 'a load that fails so soon after the session began can be tried again',
    seen: ({ agent }) => agent.reloadAfterMs !== undefined,
  },
  {
    id: 'goes-on-without-input',
    title: 'goes on when its input has ended',
    client: 'asks it to end with SIGTERM after a while, and kills it if it has to',
    file: 'node/spawn.test.ts',
    test: 'asks with SIGTERM when the agent goes on',
  },
  {
    id: 'leaves-daemon',
    title: 'leaves a process behind that has left its process group',
    client: 'ends what stays in the group, and neither waits for what does not nor follows it',
    file: 'habits/processes.test.ts',
    test: 'a daemon that has left the process group is neither waited for nor ended',
    seen: ({ leftovers }) => leftovers.length > 0,
  },
  {
    id: 'terminal-metadata',
    title: 'shows the output of its commands in the metadata of tool calls (version 1)',
    client: 'makes terminals of it, as version 2 has them',
    file: 'unit/protocol/terminal-metadata.test.ts',
    test: 'output that a version 1 agent puts into the metadata of its tool call is a terminal',
    seen: ({ runs, version }) =>
      version === 1 &&
      anyItem(runs, ({ update }) => Object.keys(update?._meta ?? {}).some((key) => /^terminal_/.test(key))),
  },
  {
    id: 'missing-file-is-failure',
    title: 'cannot create files where reading a missing one is answered with an error',
    client: 'answers an empty text if it is told to: `nodeFileSystem({ missingFile: "empty" })`',
    file: 'habits/files.test.ts',
    test: 'a missing file is an error, and an empty text for agents that need that',
    seen: ({ agent, runs }) =>
      agent.fileSystem?.missingFile === 'empty' &&
      anyItem(
        runs,
        ({ method, isAnswer, message: { result } }) =>
          method === 'fs/read_text_file' && isAnswer && result?.content === '',
      ),
  },
];

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
