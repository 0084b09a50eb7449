import { choosePermissionOption } from '../../core/client/requests/choose-permission-option.ts';
import type { PermissionOption } from '../../core/model/permission.ts';
import type { ChatSource } from './chat-source.ts';

/** An answer as a chat interface gives it. A client of HTTP can send anything. */
export interface ChatAnswer {
  /** The id of the request. */
  readonly id: unknown;
  /** A yes or a no. `undefined`: the answer only names an option. `null`: the request is answered `cancelled`. */
  readonly approved: unknown;
  /** The id of an option. Anything else for a plain yes or no. */
  readonly optionId: unknown;
}

/** The options that answers mean, by the ids of their requests. `null`: the request is answered `cancelled`. */
type Choices = ReadonlyMap<string, string | null>;

/**
 * The options that all answers mean, before one of them counts. A request that was withdrawn or answered meanwhile is
 * left out. What is shown next says so.
 *
 * @throws an error for the user if one of them cannot be taken.
 */
export function choicesOf(source: ChatSource, answers: readonly ChatAnswer[]): Choices {
  const choices = new Map<string, string | null>();
  for (const answer of answers) {
    const question = source.questions().find(({ id }) => id === answer.id);
    if (question) choices.set(question.id, optionOf(question.options, answer));
  }
  return choices;
}

/** Answers requests. */
export async function answerAll(source: ChatSource, choices: Choices): Promise<void> {
  for (const [id, optionId] of choices) await source.answer(id, optionId);
}

/** A plain yes or no means the option for this once, never one for always. `null` also if no option says no. */
function optionOf(options: readonly PermissionOption[], { approved, optionId }: ChatAnswer): string | null {
  if (approved === null) return null;
  const named = options.find((option) => option.optionId === optionId);
  if (named && approved === undefined) return named.optionId;
  const ids = options.map((option) => option.optionId).join(', ');
  if (typeof approved !== 'boolean') {
    throw new Error(
      `The answer ${JSON.stringify({ approved, optionId })} names no option of the question, or is neither yes nor no. Nothing was answered. Name one of: ${ids}.`,
    );
  }
  if (named?.kind.startsWith(approved ? 'reject' : 'allow')) {
    throw new Error(
      `The option "${named.name}" says the opposite of the answer. Nothing was answered. Choose again.`,
    );
  }
  const meant = named ?? choosePermissionOption(options, approved ? 'allow_once' : 'reject_once');
  if (meant || !approved) return meant?.optionId ?? null;
  throw new Error(
    `A plain yes can mean several options: ${ids}. Nothing was answered. Name one as the reason.`,
  );
}
