import { isJsonObject } from '../base/json.ts';
import type { Conversation, ConversationTerminal } from '../model/conversation.ts';
import type { ItemsPlan, Plan } from '../model/plan.ts';
import type { SlashCommand } from '../model/session.ts';
import type { PlanUpdate } from '../model/update.ts';
import { bytesOf } from './base64.ts';
import { sentPlan } from './sent-plan.ts';
import { decodeUtf8 } from './utf8.ts';

/** A terminal of version 1.0.0, whose output had one character (U+0000 to U+00FF) for each byte. */
type SavedTerminal = Omit<ConversationTerminal, 'output'> & { readonly bytes: string };

/** A plan before plans had types. Any other than a list of tasks is in `other`, as the agent sent it. */
type SavedPlan = Omit<ItemsPlan, 'type'> & { readonly other?: PlanUpdate['plan'] };

/** A conversation that an earlier version of this package saved, as this version has it. The same object if it is new. */
export function currentConversation(conversation: Conversation): Conversation {
  const { terminals, suggestions, plans } = conversation;
  const isCurrent =
    suggestions !== undefined && !Object.values(terminals).some(isSaved) && !plans.some(isSavedPlan);
  if (isCurrent) return withTypes(conversation);
  const current = Object.entries(terminals).map(([id, terminal]) => [id, currentTerminal(terminal)]);
  return withTypes({
    ...conversation,
    terminals: Object.fromEntries(current),
    suggestions: suggestions ?? [],
    plans: plans.map(currentPlan),
  });
}

function currentPlan(plan: Plan | SavedPlan): Plan {
  if (!isSavedPlan(plan)) return plan;
  const { other, entries, ...rest } = plan;
  return other ? { ...sentPlan(other), ...rest } : { ...rest, type: 'items', entries };
}

function isSavedPlan(plan: Plan | SavedPlan): plan is SavedPlan {
  return isJsonObject(plan) && !('type' in plan);
}

/** A terminal of such a conversation. */
export function currentTerminal(terminal: ConversationTerminal): ConversationTerminal {
  if (!isSaved(terminal)) return terminal;
  const { bytes, ...rest } = terminal;
  const { text, incomplete } = decodeUtf8([], bytesOf(bytes));
  return { ...rest, output: text, ...(incomplete.length > 0 && { incompleteBytes: incomplete }) };
}

/** A command of a version that knew no skills. */
function isWithoutType(command: SlashCommand): boolean {
  return isJsonObject(command) && command.type === undefined;
}

/** A conversation whose commands have their types. The same object if they have. It need not be checked before. */
export function withTypes<T>(conversation: T): T {
  const { commands } = Object(conversation) as Partial<Conversation>;
  if (!Array.isArray(commands) || !commands.some(isWithoutType)) return conversation;
  return { ...conversation, commands: commands.map(withType) };
}

/** A command with its type, which those of some recordings lack. */
export function withType(command: SlashCommand): SlashCommand {
  return isWithoutType(command) ? { ...command, type: 'command' } : command;
}

/** A saved conversation is of its type to the compiler only. */
function isSaved(terminal: ConversationTerminal | SavedTerminal): terminal is SavedTerminal {
  return isJsonObject(terminal) && 'bytes' in terminal && typeof terminal.bytes === 'string';
}
