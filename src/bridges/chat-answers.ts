import { choosePermissionOption } from '../client/requests/choose-permission-option.ts';
import type { PermissionOption } from '../model/permission.ts';

/** An answer to a permission request, as a chat interface gives it. */
export interface ChatAnswer {
  readonly approved: boolean;
  /** The id of an option. `undefined` for a plain yes or no. */
  readonly optionId: string | undefined;
}

/**
 * The option that an answer means. A plain yes or no means the option for this once, never one for always. `null`: no
 * option says no, and the request is answered `cancelled`.
 *
 * @throws an error for the user if the answer is a yes and only its option can say which, or if it contradicts its option.
 */
export function optionOf(
  options: readonly PermissionOption[],
  { approved, optionId }: ChatAnswer,
): string | null {
  const named = options.find((option) => option.optionId === optionId);
  if (named) {
    if (named.kind.startsWith(approved ? 'reject' : 'allow')) {
      throw new Error(
        `The option "${named.name}" says the opposite of the answer. Nothing was answered. Choose again.`,
      );
    }
    return named.optionId;
  }
  const plain = choosePermissionOption(options, approved ? 'allow_once' : 'reject_once');
  if (plain) return plain.optionId;
  if (!approved) return null;
  const ids = options.map((option) => option.optionId).join(', ');
  throw new Error(
    `A plain yes can mean several options: ${ids}. Nothing was answered. Name one as the reason.`,
  );
}
