import { test } from 'vitest';
import type { DiagnosticRule } from '../../../src/base/diagnostic.ts';
import { expectGenerated, table } from './generated.ts';

/** What each rule says. The compiler asks for a line for each. */
const meanings: Readonly<Record<DiagnosticRule, { readonly meaning: string; readonly todo: string }>> = {
  'transport.noise': {
    meaning: 'The agent wrote a line to stdout that is not a message. It was ignored.',
    todo: "Tell the agent's developers. Logs belong on stderr.",
  },
  'transport.truncated': {
    meaning: 'The agent closed its output in the middle of a line.',
    todo: 'Read its stderr: it usually crashed.',
  },
  'transport.close_failed': {
    meaning: 'The `close()` of your transport failed. The connection ended all the same.',
    todo: 'Correct `close()`.',
  },
  'transport.chosen': {
    meaning: 'A remote agent is reached over a WebSocket or over streamable HTTP: the message says which.',
    todo: 'Nothing.',
  },
  'transport.stream': {
    meaning: 'The stream of a remote agent broke, and is opened again.',
    todo: 'Nothing. If it happens often, check the proxies between the two.',
  },
  'transport.order': {
    meaning: 'The server gives no certain order between answers and the messages of a session.',
    todo: 'Nothing. Calls take a moment longer: see [the order of messages](remote-agents.md#the-order-of-messages).',
  },
  'rpc.batch': {
    meaning: 'The agent sent an array of messages. They were handled one by one.',
    todo: "Tell the agent's developers.",
  },
  'rpc.invalid_message': {
    meaning:
      'The agent sent JSON that is not a message, or used the id of an open request again. It was dropped.',
    todo: "Tell the agent's developers.",
  },
  'rpc.invalid_response': {
    meaning: 'An answer has neither a result nor a valid error. The call rejected.',
    todo: "Tell the agent's developers.",
  },
  'rpc.unknown_response': {
    meaning: 'An answer belongs to no open request.',
    todo: "Nothing, if you gave up the call before. Otherwise tell the agent's developers.",
  },
  'rpc.error_without_id': {
    meaning: 'The agent sent an error without the id of a request. The message has its text.',
    todo: 'Read the text: the agent could not read something that was sent.',
  },
  'rpc.null_id': {
    meaning: 'A request of the agent has an id that is neither a string nor a number. It was dropped.',
    todo: "Tell the agent's developers.",
  },
  'rpc.unknown_notification': {
    meaning: 'The agent sent notifications that nothing handles. They were ignored.',
    todo: 'Handle the method with `handlers.extensions`, if you want it.',
  },
  'rpc.unknown_request': {
    meaning: 'The agent sent a request that nothing handles. It got the error -32601.',
    todo: 'Handle the method with `handlers.extensions`, if you want it.',
  },
  'rpc.too_many_requests': {
    meaning: 'Too many requests of the agent were open. The next one was refused.',
    todo: 'Check that your handlers return.',
  },
  'rpc.too_many_notifications': {
    meaning: 'Too many handlers of notifications ran. The next notification was dropped.',
    todo: 'Check that your handlers return.',
  },
  'protocol.dialect': {
    meaning:
      'The agent refused a version and was asked again for an older one, or is of another version than it says.',
    todo: 'Nothing, or choose the version with `protocolVersions` of `connect`.',
  },
  'protocol.dialect_assumed': {
    meaning: 'The agent speaks a draft of version 2. Its dialect was concluded from its answer.',
    todo: 'Nothing, or set `dialect` of `connect`.',
  },
  'protocol.newer_capability': {
    meaning: 'You advertise a capability that this library does not know.',
    todo: 'Handle the requests and updates that the agent sends for it.',
  },
  'protocol.malformed_update': {
    meaning: 'An update does not match the protocol. It was dropped.',
    todo: "Tell the agent's developers. `received` has the beginning of the update.",
  },
  'protocol.malformed_result': {
    meaning: 'A part of an answer does not match the protocol. It was left out, and the rest was used.',
    todo: "Tell the agent's developers.",
  },
  'protocol.malformed_request': {
    meaning: 'Several options of a permission request have the same id, so the agent cannot tell them apart.',
    todo: "Tell the agent's developers.",
  },
  'protocol.unknown_session': {
    meaning:
      'An update names a session that is not open here, or came too early in too large a number. It was dropped.',
    todo: "Nothing, if you closed the session before. Otherwise tell the agent's developers.",
  },
  'protocol.duplicate_message_id': {
    meaning: 'The agent gave one id to two messages of the user.',
    todo: "Tell the agent's developers.",
  },
  'handler.missing': {
    meaning: 'The agent asked for something for which you have no handler.',
    todo: 'Pass the handler that the message names.',
  },
  'handler.failed': {
    meaning: 'Your handler threw or rejected. The agent got an error without the reason.',
    todo: 'Correct the handler. The message has the error.',
  },
  'handler.invalid_answer': {
    meaning: 'Your handler returned what the protocol does not allow.',
    todo: 'Correct the handler. The message names the value.',
  },
  'subscriber.failed': {
    meaning: 'Your listener threw or rejected. The others were called.',
    todo: 'Correct the listener. The message has the error.',
  },
  'connection.restart_failed': {
    meaning:
      'The agent could not be started or reached again. It is tried again, as long as `reconnect` says.',
    todo: "Read the reason in the message, and the agent's stderr.",
  },
  'connection.ended': {
    meaning: 'A recording ends here: the agent had ended before the client closed the connection.',
    todo: 'Nothing.',
  },
  'client.unknown_feature': {
    meaning: 'You asked for a feature that does not exist. The answer was that it is not supported.',
    todo: 'Correct the name: see [Capabilities](capabilities.md).',
  },
  'client.failed': {
    meaning: 'A bug in this library. The message of the agent was dropped.',
    todo: 'Report it, with a [trace](traces.md).',
  },
  'session.stalled': {
    meaning: 'The agent has sent nothing for a while, and a prompt is open.',
    todo: 'Show it. The user can cancel the turn, or keep waiting.',
  },
  'session.empty_turn': {
    meaning: 'A turn ended well, and the agent had sent nothing in it.',
    todo: "Read the agent's stderr: the model may have failed.",
  },
  'session.missing_directory': {
    meaning: 'A session is opened in a directory that does not exist on this machine.',
    todo: 'Create it, or pass another `cwd`. For an agent on another machine, pass `paths` to `connect`.',
  },
  'session.does_not_ask': {
    meaning:
      'The agent does not ask for permission in the mode of the session. Your handler protects nothing.',
    todo: 'Show it, or select the asking mode: see [Permissions](permissions.md).',
  },
  'tools.transport': {
    meaning: 'The agent reaches your tool server over ACP, HTTP or stdio: the message says which.',
    todo: 'Nothing.',
  },
  'tools.failed': {
    meaning: 'Your tool threw. The agent got an error without the reason.',
    todo: 'Correct the tool. Throw a `ToolError` for a text that the model may read.',
  },
  'tools.invalid_result': {
    meaning: 'Your tool returned what an agent cannot get.',
    todo: 'Correct the tool. The message says what is wrong.',
  },
  'tools.interrupted': {
    meaning: 'The session or the agent ended during a call of a tool.',
    todo: 'Nothing. The signal of the call was aborted.',
  },
  'tools.refused': {
    meaning: 'Something without the right token asked for your tools, or the agent did not read its answers.',
    todo: 'Read the message. If the agent sent the request, tell its developers.',
  },
  'transcripts.not_written': {
    meaning: 'A transcript could not be written. The session goes on, and writing is tried again.',
    todo: 'Make room on the disk, or allow this user to write there.',
  },
};

test('each rule of a diagnostic has a row', () => {
  const rows = Object.entries(meanings).map(([rule, { meaning, todo }]) => [`\`${rule}\``, meaning, todo]);
  expectGenerated('docs/errors.md', 'diagnostics', table(['rule', 'what happened', 'what to do'], rows));
});
