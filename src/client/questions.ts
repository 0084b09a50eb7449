/** Why a question to the user is called off. */
export type Withdrawal = 'cancelled' | 'superseded' | 'finished' | 'withdrawn' | 'closed';

interface Question {
  readonly toolCallId: string | null;
  withdraw(why: Withdrawal): void;
}

/**
 * The questions of one session that wait for the user: permissions and elicitations. They belong to the session,
 * not to a turn: an agent may ask outside of one, and several may be open.
 */
export class Questions {
  readonly #open = new Set<Question>();
  readonly #isSpared: (toolCallId: string | null) => boolean;
  /** Whether what is asked now is called off at once: the user cancelled, and the agent has not come to rest. */
  cancelling = false;

  /** @param isSpared - Whether a cancel leaves questions about this tool call alone. */
  constructor(isSpared: (toolCallId: string | null) => boolean = () => false) {
    this.#isSpared = isSpared;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Asks, and gives the answer, or why there is none: the agent withdrew (`signal`), the user cancelled, a newer
   * question took its place, or the work ended. The handler's own signal is aborted then.
   */
  async ask<T>(
    toolCallId: string | null,
    signal: AbortSignal,
    handler: (signal: AbortSignal) => Promise<T>,
  ): Promise<{ readonly answer: T } | { readonly answer: undefined; readonly withdrawn: Withdrawal }> {
    if (this.cancelling && !this.#isSpared(toolCallId)) return { answer: undefined, withdrawn: 'cancelled' };
    if (signal.aborted) return { answer: undefined, withdrawn: 'withdrawn' };
    const control = new AbortController();
    let withdraw: Question['withdraw'] = () => {};
    const withdrawn = new Promise<{ answer: undefined; withdrawn: Withdrawal }>((resolve) => {
      withdraw = (why) => {
        control.abort(new DOMException(`The question was called off: ${why}.`, 'AbortError'));
        resolve({ answer: undefined, withdrawn: why });
      };
    });
    const question: Question = { toolCallId, withdraw };
    const withdrawnByAgent = () => withdraw('withdrawn');
    signal.addEventListener('abort', withdrawnByAgent, { once: true });
    this.#open.add(question);
    try {
      return await Promise.race([handler(control.signal).then((answer) => ({ answer })), withdrawn]);
    } finally {
      signal.removeEventListener('abort', withdrawnByAgent);
      this.#open.delete(question);
    }
  }

  /** Calls off the questions about one tool call. */
  withdrawFor(toolCallId: string, why: Withdrawal): void {
    for (const question of this.#open) if (question.toolCallId === toolCallId) question.withdraw(why);
  }

  /** Calls off what a cancel is about. */
  cancel(): void {
    for (const question of this.#open) {
      if (!this.#isSpared(question.toolCallId)) question.withdraw('cancelled');
    }
  }

  /** Calls off all questions. */
  withdrawAll(why: Withdrawal): void {
    for (const question of this.#open) question.withdraw(why);
  }
}
