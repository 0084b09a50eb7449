import * as v from 'valibot';
import { lenientArray, meta, nullish, struct, withDefault } from '../vocabulary.ts';

/** @see https://agentclientprotocol.com/protocol/v1/slash-commands */

export const UnstructuredCommandInput = struct({ hint: v.string(), _meta: meta });
export type UnstructuredCommandInput = v.InferOutput<typeof UnstructuredCommandInput>;

export const AvailableCommandInput = UnstructuredCommandInput;
export type AvailableCommandInput = v.InferOutput<typeof AvailableCommandInput>;

export const AvailableCommand = struct({
  name: v.string(),
  description: v.string(),
  input: nullish(AvailableCommandInput),
  _meta: meta,
});
export type AvailableCommand = v.InferOutput<typeof AvailableCommand>;

export const AvailableCommandsUpdate = struct({
  availableCommands: withDefault(lenientArray(AvailableCommand), []),
  _meta: meta,
});
export type AvailableCommandsUpdate = v.InferOutput<typeof AvailableCommandsUpdate>;
