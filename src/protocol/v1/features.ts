import type { Feature, FeatureRule, Spelling } from '../feature.ts';

const agent = (path: string, spelling: Spelling): FeatureRule => ({
  path: `agentCapabilities.${path}`,
  spelling,
});

const session = (name: string): FeatureRule => agent(`sessionCapabilities.${name}`, 'marker');

/**
 * Where an agent of version 1 says what it supports.
 *
 * @see https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities
 */
export const features: Readonly<Record<Feature, FeatureRule>> = {
  session: { path: 'agentCapabilities', spelling: 'always' },
  'session.load': agent('loadSession', 'boolean'),
  'session.resume': session('resume'),
  'session.close': session('close'),
  'session.list': session('list'),
  'session.delete': session('delete'),
  'session.additionalDirectories': session('additionalDirectories'),
  'session.mcp.stdio': agent('mcpCapabilities.stdio', 'always'),
  'session.mcp.http': agent('mcpCapabilities.http', 'boolean'),
  'session.mcp.sse': agent('mcpCapabilities.sse', 'boolean'),
  'session.prompt.image': agent('promptCapabilities.image', 'boolean'),
  'session.prompt.audio': agent('promptCapabilities.audio', 'boolean'),
  'session.prompt.embeddedContext': agent('promptCapabilities.embeddedContext', 'boolean'),
  'auth.login': { path: 'authMethods', spelling: 'list' },
  'auth.logout': agent('auth.logout', 'marker'),
  'session.fork': session('fork'),
  'session.mcp.acp': agent('mcpCapabilities.acp', 'boolean'),
  'session.archive': session('archive'),
  'session.status': session('status'),
  'session.title': session('title'),
  'session.systemPrompt': session('systemPrompt'),
  'session.systemPrompt.override': session('systemPrompt.mode.override'),
  'auth.status': agent('auth.status', 'marker'),
  providers: agent('providers', 'marker'),
};
