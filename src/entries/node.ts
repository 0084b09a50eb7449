export type { AgentProcess } from '../node/agent-process.ts';
export { type DemoAgentOptions, demoAgentCommand } from '../node/demo-agent.ts';
export { editsInside } from '../node/edits-inside.ts';
export { editorEnvironment } from '../node/environment/editor-variables.ts';
export { type LoginShellOptions, loginShellEnvironment } from '../node/environment/login-shell.ts';
export { type NodeFileSystem, type NodeFileSystemOptions, nodeFileSystem } from '../node/file-system.ts';
export type { NodeHandlerContext } from '../node/handler-context.ts';
export {
  type KnownAgent,
  type KnownAgentsOptions,
  knownAgents,
} from '../node/known-agents/known-agents.ts';
export { type McpConfig, type McpConfigOptions, mcpServersFromConfig } from '../node/mcp-config.ts';
export { type AgentCommand, nodeCommand } from '../node/node-command.ts';
export type { LoginState } from '../node/probe/login.ts';
export { type AgentProbe, type ProbeAgentOptions, probeAgent } from '../node/probe/probe.ts';
export type { AgentProblem, AgentProblemCode } from '../node/probe/problems.ts';
export type { ProbeSession } from '../node/probe/session.ts';
export type { ProbeStep, ProbeStepName } from '../node/probe/steps.ts';
export { publishedRegistryUrl } from '../node/registry/address.ts';
export { type RegisteredAgentOptions, registeredAgentCommand } from '../node/registry/command.ts';
export type { AgentRegistry, RegistryAgent, RegistryProblem } from '../node/registry/content.ts';
export { type RegistryOptions, registry } from '../node/registry/open.ts';
export { type ShutdownOptions, type SpawnAgentOptions, spawnAgent } from '../node/spawn.ts';
export type { TerminalListener, TerminalView } from '../node/terminal.ts';
export { loginInTerminal, terminalLoginCommand } from '../node/terminal-login.ts';
export type { TerminalCommand } from '../node/terminal-start.ts';
export { type NodeTerminals, type NodeTerminalsOptions, nodeTerminals } from '../node/terminals.ts';
export { traceFile, traceLines } from '../node/trace-file.ts';
