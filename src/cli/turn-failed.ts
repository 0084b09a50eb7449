import type { Activity } from '../model/conversation.ts';

/** The agent took the prompt, and then reported that the turn failed. */
export class TurnFailed extends Error {
  override readonly name = 'TurnFailed';

  constructor({ error }: Activity) {
    const said = typeof error?.['message'] === 'string' ? error['message'] : 'It did not say why.';
    super(`The agent ended the turn with an error: ${said}`);
  }
}
