import * as v from '../vocabulary.ts';

/**
 * A JSON-RPC error as a field of other messages. Its name in the official schema is `Error`.
 *
 * @see https://agentclientprotocol.com/protocol/v1/error
 * @see https://agentclientprotocol.com/protocol/v2/error
 */
export const ErrorObject = v.struct({ code: v.integer, message: v.string(), data: v.optional(v.json) });
export type ErrorObject = v.InferOutput<typeof ErrorObject>;
