/** The command that starts an agent, as `spawnAgent` takes it. */
export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}
