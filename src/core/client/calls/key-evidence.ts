import type { Link } from './link.ts';

/** Which agent has shown that it follows the Preview of version 2, in which a prompt runs once for each key. */
export class KeyEvidence {
  #agent: string | undefined;

  /** The agent has marked the end of a replay, which agents that are older than the keys do not do. */
  note(link: Link): void {
    this.#agent = nameOf(link);
  }

  /** Whether this agent, or another process of the same name and version, has shown it. */
  isOf(link: Link): boolean {
    return this.#agent === nameOf(link);
  }
}

function nameOf({ agentInfo }: Link): string {
  return JSON.stringify([agentInfo?.name, agentInfo?.version]);
}
