export {
  type KnownAgent,
  type KnownAgentsOptions,
  knownAgents,
} from '../agents/known-agents.ts';
export type { LoginState } from '../agents/probe/login.ts';
export { type AgentProbe, type ProbeAgentOptions, probeAgent } from '../agents/probe/probe.ts';
export type { AgentProblem, AgentProblemCode } from '../agents/probe/problems.ts';
export type { ProbeSession, ProbeStep, ProbeStepName } from '../agents/probe/steps.ts';
export { publishedRegistryUrl } from '../agents/registry/address.ts';
export { type RegisteredAgentOptions, registeredAgentCommand } from '../agents/registry/command.ts';
export type { AgentRegistry, RegistryAgent, RegistryProblem } from '../agents/registry/content.ts';
export { type RegistryOptions, registry } from '../agents/registry/open.ts';
export { spawnAgent } from '../agents/spawn-agent.ts';
export { editorEnvironment } from '../node/environment/editor-variables.ts';
export { editsInside } from '../node/files/edits-inside.ts';
export {
  type NodeFileSystem,
  type NodeFileSystemOptions,
  nodeFileSystem,
} from '../node/files/file-system.ts';
export { type McpConfig, type McpConfigOptions, mcpServersFromConfig } from '../node/files/mcp-config.ts';
export { type LoginShellOptions, loginShellEnvironment } from '../node/login-shell/login-shell.ts';
export type { AgentProcess } from '../node/process/agent-process.ts';
export { type DemoAgentOptions, demoAgentCommand } from '../node/process/demo-agent.ts';
export { type AgentCommand, nodeCommand } from '../node/process/node-command.ts';
export type { NodeHandlerContext } from '../node/process/options.ts';
export type { ShutdownOptions, SpawnAgentOptions } from '../node/process/spawn.ts';
export { traceFile, traceLines } from '../node/process/trace-file.ts';
export type { TerminalListener, TerminalView } from '../node/terminals/terminal.ts';
export { loginInTerminal, terminalLoginCommand } from '../node/terminals/terminal-login.ts';
export type { TerminalCommand } from '../node/terminals/terminal-start.ts';
export { type NodeTerminals, type NodeTerminalsOptions, nodeTerminals } from '../node/terminals/terminals.ts';
