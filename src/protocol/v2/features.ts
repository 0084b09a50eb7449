import { type Feature, type FeatureRule, featureNames } from '../feature.ts';

type FeatureRules = Readonly<Record<Feature, FeatureRule>>;

const marker = (path: string): FeatureRule => ({ path: `capabilities.${path}`, spelling: 'marker' });

const logins: FeatureRule = { path: 'authMethods', spelling: 'list' };

/**
 * Where an agent of the earlier draft of version 2 says what it supports: as a rule by a marker at the path that the
 * feature is named by.
 */
export const markerFeatures: FeatureRules = {
  // The list of names is the record's type, spelled out.
  ...(Object.fromEntries(featureNames.map((feature) => [feature, marker(feature)])) as FeatureRules),
  'session.mcp.sse': { path: 'capabilities.session.mcp.sse', spelling: 'never' },
  'session.systemPrompt.override': marker('session.systemPrompt.mode.override'),
  'auth.login': logins,
  'auth.logout': logins,
};

/**
 * The same in version 2. What belongs to every session is supported with sessions.
 *
 * @see https://agentclientprotocol.com/protocol/v2/initialization#agent-capabilities
 */
export const baselineFeatures: FeatureRules = {
  ...markerFeatures,
  'session.load': markerFeatures.session,
  'session.resume': markerFeatures.session,
  'session.close': markerFeatures.session,
  'session.list': markerFeatures.session,
};
