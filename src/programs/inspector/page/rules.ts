import type { DiagnosticRule } from '../../../core/base/diagnostic.ts';

/** What a rule is about: what the specification says, or what the library does. */
export interface RuleText {
  readonly says: string;
  /** The page that says it. `null`: the specification does not. */
  readonly page: string | null;
}

const acp = 'https://agentclientprotocol.com/protocol';
const transports = `${acp}/transports`;
const extensibility = `${acp}/extensibility`;
const initialization = `${acp}/initialization`;
const schema = `${acp}/schema`;
const rpc = 'https://www.jsonrpc.org/specification';
const responses = `${rpc}#response_object`;
const spec = (says: string, page: string): RuleText => ({ says, page });
const client = (says: string): RuleText => ({ says, page: null });

export const ruleTexts = {
  'transport.noise': spec(
    'An agent writes nothing but messages to its stdout. Logs belong to stderr.',
    transports,
  ),
  'transport.truncated': spec('Each message is one line that ends with a line feed.', transports),
  'transport.close_failed': client('The library could not close the transport.'),
  'transport.chosen': client('How the library reaches an agent on another machine.'),
  'transport.stream': client('The stream of an agent on another machine broke.'),
  'transport.order': client('The order between answers and messages of a session is not known.'),
  'rpc.batch': spec('Messages are sent one by one, and not as a batch.', transports),
  'rpc.invalid_message': spec('A message is a request, a notification or a response of JSON-RPC 2.0.', rpc),
  'rpc.invalid_response': spec('A response has either a result or an error.', responses),
  'rpc.unknown_response': spec('A response has the id of a request.', responses),
  'rpc.error_without_id': spec('An error without an id means that the request could not be read.', responses),
  'rpc.null_id': spec('The id of a request should not be null.', `${rpc}#request_object`),
  'rpc.unknown_notification': spec(
    'Methods that the protocol does not have begin with an underscore. Unknown notifications are ignored.',
    extensibility,
  ),
  'rpc.unknown_request': spec(
    'Methods that the protocol does not have begin with an underscore. Unknown requests get the error -32601.',
    extensibility,
  ),
  'rpc.too_many_requests': client('The library limits how many requests of an agent wait at once.'),
  'rpc.too_many_notifications': client('The library limits how many notifications of an agent wait at once.'),
  'protocol.dialect': spec('Both ends use the version that the agent answered with.', initialization),
  'protocol.dialect_assumed': spec('Both ends use the version that the agent answered with.', initialization),
  'protocol.newer_capability': client('The program advertises a capability that the library does not know.'),
  'protocol.offer_refused': spec('Agents ignore capabilities that they do not know.', initialization),
  'protocol.malformed_update': spec('An update has the form that the schema gives for its kind.', schema),
  'protocol.malformed_result': spec('A result has the form that the schema gives for its method.', schema),
  'protocol.malformed_request': spec(
    'Parameters have the form that the schema gives for their method.',
    schema,
  ),
  'protocol.unknown_session': spec(
    'An agent names sessions that were created, loaded or resumed on this connection.',
    `${acp}/session-setup`,
  ),
  'protocol.duplicate_message_id': spec(
    'Each message of a session has an id of its own.',
    `${acp}/prompt-turn`,
  ),
  'handler.missing': client('The client has no handler for what the agent asked for.'),
  'handler.failed': client('A handler of the client threw an error. The agent got an error.'),
  'handler.invalid_answer': client('A handler of the client returned what the protocol does not allow.'),
  'subscriber.failed': client('A listener of the client failed.'),
  'connection.restart_failed': client('The agent could not be started again.'),
  'connection.ended': client('The connection to the agent ended.'),
  'client.unknown_feature': client('The client asked for a feature that has no such name.'),
  'client.failed': client('A bug in the library. The message was dropped.'),
  'session.stalled': client('The agent has been silent for a long time during a turn.'),
  'session.cancel_ignored': client('A turn went on after the client had cancelled it.'),
  'session.missing_directory': client(
    'The directory of the session does not exist on the machine of the client.',
  ),
  'session.does_not_ask': client('The session is in a mode in which the agent does not ask for permission.'),
  'session.empty_turn': client('A turn ended, and the agent had sent nothing in it.'),
  'tools.transport': client('How the agent reaches the tools of the client.'),
  'tools.failed': client('A tool of the client threw an error.'),
  'tools.invalid_result': client('A tool of the client returned what an agent cannot get.'),
  'tools.interrupted': client('A call of a tool was under way at the end of the session.'),
  'tools.refused': client('Something without the right to do so asked for the tools of the client.'),
  'transcripts.not_written': client('A transcript could not be written. The session goes on.'),
  'transcripts.damaged': client('A file of a transcript cannot be read, or not completely.'),
} as const satisfies Record<DiagnosticRule, RuleText>;

/** The text of a rule. `undefined` for a rule of a newer version. */
export function ruleText(rule: string): RuleText | undefined {
  // The name was looked up in the table.
  return Object.hasOwn(ruleTexts, rule) ? ruleTexts[rule as DiagnosticRule] : undefined;
}
