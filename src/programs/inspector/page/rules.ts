import type { DiagnosticRule } from '../../../core/base/diagnostic.ts';

/** What the specification says about a rule, and the page that says it. */
export interface RuleText {
  readonly says: string;
  readonly page: string;
}

const acp = 'https://agentclientprotocol.com/protocol';
const transports = `${acp}/transports`;
const extensibility = `${acp}/extensibility`;
const initialization = `${acp}/initialization`;
const schema = `${acp}/schema`;
const rpc = 'https://www.jsonrpc.org/specification';
const responses = `${rpc}#response_object`;
const spec = (says: string, page: string): RuleText => ({ says, page });

/** The rules of the specification. What the library reports of itself says enough in its message. */
const ruleTexts: Readonly<Partial<Record<DiagnosticRule, RuleText>>> = {
  'transport.noise': spec(
    'An agent writes nothing but messages to its stdout. Logs belong to stderr.',
    transports,
  ),
  'transport.truncated': spec('Each message is one line that ends with a line feed.', transports),
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
  'protocol.dialect': spec('Both ends use the version that the agent answered with.', initialization),
  'protocol.dialect_assumed': spec('Both ends use the version that the agent answered with.', initialization),
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
};

/** The text of a rule. `undefined` for a rule of the library, and for one of a newer version. */
export function ruleText(rule: string): RuleText | undefined {
  // The name was looked up in the table.
  return Object.hasOwn(ruleTexts, rule) ? ruleTexts[rule as DiagnosticRule] : undefined;
}
