export type { ProcessExit } from '../process-exit.ts';
export type { AgentProcess } from './agent-process.ts';
export {
  type AgentCommand,
  type RegisteredAgentOptions,
  registeredAgentCommand,
} from './agent-registry.ts';
export { type DemoAgentOptions, demoAgentCommand } from './demo-agent.ts';
export {
  type NodeFileSystem,
  type NodeFileSystemOptions,
  nodeFileSystem,
} from './file-system.ts';
export { type McpConfig, type McpConfigOptions, mcpServersFromConfig } from './mcp-config.ts';
export { type ShutdownOptions, type SpawnAgentOptions, spawnAgent } from './spawn.ts';
export type { TerminalChange, TerminalListener, TerminalView } from './terminal.ts';
export { loginInTerminal, terminalLoginCommand } from './terminal-login.ts';
export {
  type NodeTerminals,
  type NodeTerminalsOptions,
  nodeTerminals,
  type TerminalContext,
} from './terminals.ts';
