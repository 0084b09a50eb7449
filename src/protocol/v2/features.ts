import type { Feature, FeatureRule } from '../feature.ts';

const marker = (path: string): FeatureRule => ({ path: `capabilities.${path}`, spelling: 'marker' });

const logins: FeatureRule = { path: 'authMethods', spelling: 'list' };

/**
 * Where an agent of version 2 says what it supports. What belongs to every session is supported with sessions.
 *
 * @see https://agentclientprotocol.com/protocol/v2/initialization#agent-capabilities
 */
export const baselineFeatures: Readonly<Record<Feature, FeatureRule>> = {
  session: marker('session'),
  'session.load': marker('session'),
  'session.resume': marker('session'),
  'session.close': marker('session'),
  'session.list': marker('session'),
  'session.delete': marker('session.delete'),
  'session.additionalDirectories': marker('session.additionalDirectories'),
  'session.mcp.stdio': marker('session.mcp.stdio'),
  'session.mcp.http': marker('session.mcp.http'),
  'session.mcp.sse': { path: 'capabilities.session.mcp.sse', spelling: 'never' },
  'session.prompt.image': marker('session.prompt.image'),
  'session.prompt.audio': marker('session.prompt.audio'),
  'session.prompt.embeddedContext': marker('session.prompt.embeddedContext'),
  'auth.login': logins,
  'auth.logout': logins,
  'session.fork': marker('session.fork'),
  'session.mcp.acp': marker('session.mcp.acp'),
  'session.archive': marker('session.archive'),
  'session.status': marker('session.status'),
  'session.title': marker('session.title'),
  'session.systemPrompt': marker('session.systemPrompt'),
  'session.systemPrompt.override': marker('session.systemPrompt.mode.override'),
  'auth.status': marker('auth.status'),
  providers: marker('providers'),
};

/** The same in the draft in which each of these had a marker of its own. */
export const markerFeatures: Readonly<Record<Feature, FeatureRule>> = {
  ...baselineFeatures,
  'session.load': marker('session.load'),
  'session.resume': marker('session.resume'),
  'session.close': marker('session.close'),
  'session.list': marker('session.list'),
};
