import * as v from '../vocabulary.ts';

/** @see https://agentclientprotocol.com/protocol/v2/slash-commands */

export const TextCommandInput = v.struct({ hint: v.string(), _meta: v.meta });
export type TextCommandInput = v.InferOutput<typeof TextCommandInput>;

export const AvailableCommandInput = v.openVariant('type', { text: TextCommandInput });
export type AvailableCommandInput = v.InferOutput<typeof AvailableCommandInput>;

const command = { name: v.string(), description: v.string() };

export const Command = v.struct({ ...command, input: v.nullish(AvailableCommandInput), _meta: v.meta });
export type Command = v.InferOutput<typeof Command>;

/**
 * A skill, which a block of a prompt invokes. Newer than the published schemas.
 *
 * @experimental
 * @see https://agentclientprotocol.com/rfds/agent-skills
 */
const Skill = v.struct({ ...command, path: v.nullish(v.absolutePath), _meta: v.meta });

export const AvailableCommand = v.openVariant('type', { command: Command, skill: Skill }, command);
export type AvailableCommand = v.InferOutput<typeof AvailableCommand>;

export const AvailableCommandsUpdate = v.struct({
  availableCommands: v.lenientArray(AvailableCommand),
  _meta: v.meta,
});
export type AvailableCommandsUpdate = v.InferOutput<typeof AvailableCommandsUpdate>;
