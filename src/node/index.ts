export type { AgentCommand } from './agent-command.ts';
export type { AgentProcess } from './agent-process.ts';
export { type DemoAgentOptions, demoAgentCommand } from './demo-agent.ts';
export { editorEnvironment } from './environment/editor-variables.ts';
export { type LoginShellOptions, loginShellEnvironment } from './environment/login-shell.ts';
export {
  type NodeFileSystem,
  type NodeFileSystemOptions,
  nodeFileSystem,
} from './file-system.ts';
export type { NodeHandlerContext } from './handler-context.ts';
export { type McpConfig, type McpConfigOptions, mcpServersFromConfig } from './mcp-config.ts';
export { nodeCommand } from './node-command.ts';
export type { LoginState } from './probe/login.ts';
export { type AgentProbe, type ProbeAgentOptions, probeAgent } from './probe/probe.ts';
export type { AgentProblem, AgentProblemCode } from './probe/problem.ts';
export type { ProbeSession } from './probe/session.ts';
export type { ProbeStep, ProbeStepName } from './probe/steps.ts';
export { publishedRegistryUrl } from './registry/address.ts';
export {
  type RegisteredAgentOptions,
  registeredAgentCommand,
} from './registry/command.ts';
export type { AgentRegistry, RegistryAgent, RegistryProblem } from './registry/content.ts';
export {
  type RegistryFileOptions,
  type RegistryLimits,
  type RegistryOptions,
  type RegistryUrlOptions,
  registry,
} from './registry/open.ts';
export type {
  RegistryArchive,
  RegistryDistribution,
  RegistryLaunch,
  RegistryPackage,
  RegistryPlatform,
} from './registry/schema.ts';
export { type ShutdownOptions, type SpawnAgentOptions, spawnAgent } from './spawn.ts';
export type { TerminalListener, TerminalView } from './terminal.ts';
export { loginInTerminal, terminalLoginCommand } from './terminal-login.ts';
export type { TerminalCommand } from './terminal-start.ts';
export {
  type NodeTerminals,
  type NodeTerminalsOptions,
  nodeTerminals,
} from './terminals.ts';
