import type { CapabilityKind, Feature, FeatureRule } from '../feature.ts';
import { steeringRule } from '../steering.ts';

const agent = (path: string, kind: CapabilityKind): FeatureRule => ({
  path: `agentCapabilities.${path}`,
  kind,
});

const session = (name: string): FeatureRule => agent(`sessionCapabilities.${name}`, 'marker');

/**
 * How an agent of version 1 advertises each feature.
 *
 * @see https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities
 */
export const features: Readonly<Record<Feature, FeatureRule>> = {
  session: { path: 'agentCapabilities', kind: 'always' },
  'session.load': agent('loadSession', 'boolean'),
  'session.resume': session('resume'),
  'session.close': session('close'),
  'session.list': session('list'),
  'session.delete': session('delete'),
  'session.additionalDirectories': session('additionalDirectories'),
  'session.systemPrompt': session('systemPrompt'),
  'session.systemPrompt.override': session('systemPrompt.mode.override'),
  'session.mcp.stdio': agent('mcpCapabilities.stdio', 'always'),
  'session.mcp.http': agent('mcpCapabilities.http', 'boolean'),
  'session.mcp.sse': agent('mcpCapabilities.sse', 'boolean'),
  'session.prompt.image': agent('promptCapabilities.image', 'boolean'),
  'session.prompt.audio': agent('promptCapabilities.audio', 'boolean'),
  'session.prompt.embeddedContext': agent('promptCapabilities.embeddedContext', 'boolean'),
  'auth.login': { path: 'authMethods', kind: 'list' },
  'auth.logout': agent('auth.logout', 'marker'),
  'session.fork': session('fork'),
  'session.options': session('options'),
  'session.steer': steeringRule,
  'session.inject': agent('session.inject.modes', 'never'),
  'session.mcp.acp': agent('mcpCapabilities.acp', 'boolean'),
  'session.prompt.skill': agent('promptCapabilities.skill', 'never'),
  'session.prompt.skill.inline': agent('promptCapabilities.skill.inline', 'never'),
  'session.archive': session('archive'),
  'session.status': session('status'),
  'session.title': session('title'),
  'auth.status': agent('auth.status', 'marker'),
  providers: agent('providers', 'marker'),
};
