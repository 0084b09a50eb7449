import * as v from '../vocabulary.ts';

/** @see https://agentclientprotocol.com/protocol/v1/slash-commands */

export const UnstructuredCommandInput = v.struct({ hint: v.string(), _meta: v.meta });
export type UnstructuredCommandInput = v.InferOutput<typeof UnstructuredCommandInput>;

export const AvailableCommandInput = UnstructuredCommandInput;
export type AvailableCommandInput = v.InferOutput<typeof AvailableCommandInput>;

export const AvailableCommand = v.struct({
  name: v.string(),
  description: v.string(),
  input: v.nullish(AvailableCommandInput),
  _meta: v.meta,
});
export type AvailableCommand = v.InferOutput<typeof AvailableCommand>;

export const AvailableCommandsUpdate = v.struct({
  availableCommands: v.withDefault(v.lenientArray(AvailableCommand), []),
  _meta: v.meta,
});
export type AvailableCommandsUpdate = v.InferOutput<typeof AvailableCommandsUpdate>;
