/** The statuses with which agents end their tool calls. The client shows others as cancelled. */
export const endedStatuses: ReadonlySet<string> = new Set(['completed', 'failed']);

/** Whether a tool call with this status has ended. An unknown status counts as unfinished. */
export function isToolCallFinished(status: string): boolean {
  return status === 'cancelled' || endedStatuses.has(status);
}
