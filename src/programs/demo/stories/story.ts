import type { Session } from '../session.ts';
import type { Step } from '../updates.ts';

/** An example session: what it is, and the steps of its transcript. */
export interface Story extends Pick<Session, 'sessionId' | 'cwd' | 'title' | 'updatedAt'> {
  readonly additionalDirectories?: readonly string[];
  readonly steps: readonly Step[];
}
