export type { AgentProcess } from './node/agent-process.ts';
export { type DemoAgentOptions, demoAgentCommand } from './node/demo-agent.ts';
export {
  type NodeFileSystem,
  type NodeFileSystemOptions,
  nodeFileSystem,
  type ReadTextFileRequest,
  type WriteTextFileRequest,
} from './node/file-system.ts';
export type { ExitStatus } from './node/process-tree.ts';
export { type ShutdownOptions, type SpawnAgentOptions, spawnAgent } from './node/spawn.ts';
export type { TerminalEvent, TerminalListener, TerminalView } from './node/terminal.ts';
export { loginInTerminal, terminalLoginCommand } from './node/terminal-login.ts';
export type { CreateTerminalRequest } from './node/terminal-start.ts';
export {
  type NodeTerminals,
  type NodeTerminalsOptions,
  nodeTerminals,
  type TerminalContext,
} from './node/terminals.ts';
