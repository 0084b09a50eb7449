import * as v from 'valibot';
import { integer, json, optional, struct } from '../vocabulary.ts';

/**
 * A JSON-RPC error as a field of other messages. Its name in the official schema is `Error`.
 *
 * @see https://agentclientprotocol.com/protocol/v1/error
 * @see https://agentclientprotocol.com/protocol/v2/error
 */
export const ErrorObject = struct({ code: integer, message: v.string(), data: optional(json) });
export type ErrorObject = v.InferOutput<typeof ErrorObject>;
