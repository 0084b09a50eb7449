import type { ChatSource } from './chat-source.ts';

/** Waits for the end of the turn that runs. Resolves at once if none does. */
export function followTurn(source: ChatSource): Promise<{ readonly stopReason: string | null }> {
  return new Promise((resolve) => {
    let unsubscribe = () => {};
    const check = () => {
      const activity = source.conversation()?.activity;
      if (activity && activity.state !== 'idle') return;
      unsubscribe();
      resolve({ stopReason: activity?.stopReason ?? null });
    };
    unsubscribe = source.subscribe(check);
    check();
  });
}
