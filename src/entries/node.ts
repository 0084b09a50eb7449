/**
 * What needs Node: agents as processes, files, terminals, the agents that are known, and traces.
 *
 * Level: stable.
 *
 * @packageDocumentation
 */

export { type KnownAgent, knownAgents } from '../agents/known-agents.ts';
export { type AgentProbe, probeAgent } from '../agents/probe/probe.ts';
export { publishedRegistryUrl } from '../agents/registry/address.ts';
export { registeredAgentCommand } from '../agents/registry/command.ts';
export type { AgentRegistry, RegistryAgent } from '../agents/registry/content.ts';
export { registry } from '../agents/registry/open.ts';
export { spawnAgent } from '../agents/spawn-agent.ts';
export { editorEnvironment } from '../node/environment/editor-variables.ts';
export { editsInside } from '../node/files/edits-inside.ts';
export { type NodeFileSystem, nodeFileSystem } from '../node/files/file-system.ts';
export { type McpConfig, mcpServersFromConfig } from '../node/files/mcp-config.ts';
export { loginShellEnvironment } from '../node/login-shell/login-shell.ts';
export type { SpawnedAgent } from '../node/process/agent-process.ts';
export { demoAgentCommand } from '../node/process/demo-agent.ts';
export { type AgentCommand, nodeCommand } from '../node/process/node-command.ts';
export type { SpawnAgentOptions } from '../node/process/spawn.ts';
export { traceFile, traceLines } from '../node/process/trace-file.ts';
export type { TerminalView } from '../node/terminals/terminal.ts';
export { loginInTerminal, terminalLoginCommand } from '../node/terminals/terminal-login.ts';
export { type NodeTerminals, nodeTerminals } from '../node/terminals/terminals.ts';
