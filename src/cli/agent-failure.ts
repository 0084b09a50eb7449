import { errorMessage } from '../diagnostic.ts';

/** What went wrong while an agent ran, with what the agent wrote to stderr at last. */
export class AgentFailure extends Error {
  override readonly name = 'AgentFailure';
  readonly stderrTail: string;

  constructor(cause: unknown, stderrTail: string) {
    super(errorMessage(cause), { cause });
    this.stderrTail = stderrTail;
  }
}
