import * as v from 'valibot';
import { absolutePath, lenientArray, meta, nullish, openVariant, struct } from '../vocabulary.ts';

/** @see https://agentclientprotocol.com/protocol/v2/slash-commands */

export const TextCommandInput = struct({ hint: v.string(), _meta: meta });
export type TextCommandInput = v.InferOutput<typeof TextCommandInput>;

export const AvailableCommandInput = openVariant('type', { text: TextCommandInput });
export type AvailableCommandInput = v.InferOutput<typeof AvailableCommandInput>;

const command = { name: v.string(), description: v.string() };

export const Command = struct({ ...command, input: nullish(AvailableCommandInput), _meta: meta });
export type Command = v.InferOutput<typeof Command>;

/**
 * A skill, which a block of a prompt invokes. Newer than the published schemas.
 *
 * @experimental
 * @see https://agentclientprotocol.com/rfds/agent-skills
 */
const Skill = struct({ ...command, path: nullish(absolutePath), _meta: meta });

export const AvailableCommand = openVariant('type', { command: Command, skill: Skill }, command);
export type AvailableCommand = v.InferOutput<typeof AvailableCommand>;

export const AvailableCommandsUpdate = struct({
  availableCommands: lenientArray(AvailableCommand),
  _meta: meta,
});
export type AvailableCommandsUpdate = v.InferOutput<typeof AvailableCommandsUpdate>;
