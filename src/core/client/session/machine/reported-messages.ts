/** The user messages that the agent reports: which one is an open prompt, or a message that was steered. */

/** A linked list, because an agent may report many, and each transition makes a new state. */
export interface ReportedMessage {
  readonly messageId: string;
  readonly at: number;
  readonly earlier: ReportedMessage | null;
}

/** When the agent first reported a message, or `null`. */
export function firstReportOf(messageId: string | null, reported: ReportedMessage | null): number | null {
  let first: number | null = null;
  for (let report = reported; report; report = report.earlier) {
    if (report.messageId === messageId) first = report.at;
  }
  return first;
}
