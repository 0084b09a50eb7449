import * as v from 'valibot';
import { integer, json, optional, struct } from '../vocabulary.ts';

/**
 * The JSON-RPC error as a part of other messages. In the schema its name is `Error`.
 *
 * @see https://agentclientprotocol.com/protocol/v2/error
 */
export const ErrorObject = struct({ code: integer, message: v.string(), data: optional(json) });
export type ErrorObject = v.InferOutput<typeof ErrorObject>;
