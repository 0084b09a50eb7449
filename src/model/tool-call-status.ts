const finalStatuses: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/** Whether a tool call with this status has ended. An unknown status counts as unfinished. */
export function isToolCallFinished(status: string): boolean {
  return finalStatuses.has(status);
}
