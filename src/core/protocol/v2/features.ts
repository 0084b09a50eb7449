import { type Feature, type FeatureRule, featureNames } from '../feature.ts';
import { steeringRule } from '../steering.ts';
import { injectionRule } from './session-inject.ts';

type FeatureRules = Readonly<Record<Feature, FeatureRule>>;

const marker = (path: string): FeatureRule => ({ path: `capabilities.${path}`, kind: 'marker' });

const logins: FeatureRule = { path: 'authMethods', kind: 'list' };

/**
 * How an agent of the earlier draft of version 2 advertises each feature: most have a marker at the path that is the
 * name of the feature.
 */
export const markerFeatures: FeatureRules = {
  // `featureNames` has every key of the record.
  ...(Object.fromEntries(featureNames.map((feature) => [feature, marker(feature)])) as FeatureRules),
  'session.steer': { ...injectionRule, or: steeringRule },
  'session.inject': injectionRule,
  'session.mcp.sse': { path: 'capabilities.session.mcp.sse', kind: 'never' },
  'session.systemPrompt.override': marker('session.systemPrompt.mode.override'),
  'auth.login': logins,
  'auth.logout': logins,
};

/**
 * How an agent of version 2 advertises each feature. Every agent with sessions supports load, resume, close and list.
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
