import type { ChatSource } from './chat-source.ts';

/** Whether no turn runs. */
export function isIdle(source: ChatSource): boolean {
  return (source.conversation()?.activity.state ?? 'idle') === 'idle';
}

/** Waits for the end of the turn that runs. Resolves at once if none does. */
export function followTurn(source: ChatSource): Promise<{ readonly stopReason: string | null }> {
  return new Promise((resolve) => {
    let unsubscribe = () => {};
    const check = () => {
      if (!isIdle(source)) return;
      unsubscribe();
      resolve({ stopReason: source.conversation()?.activity.stopReason ?? null });
    };
    unsubscribe = source.subscribe(check);
    check();
  });
}
