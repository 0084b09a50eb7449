/** What went wrong while an agent ran, with what the agent wrote to stderr at last. */
export class AgentFailure extends Error {
  override readonly name = 'AgentFailure';
  readonly stderrTail: string;

  constructor(cause: unknown, stderrTail: string) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.stderrTail = stderrTail;
  }
}
