import { isJsonObject } from '../../../core/base/json.ts';
import { featureNames } from '../../../core/protocol/feature.ts';
import { negotiate, type ProtocolVersion } from '../../../core/protocol/negotiate.ts';
import type { TrafficFold } from '../../../records/recording/traffic-fold.ts';

/**
 * Describes what an agent offered.
 *
 * @param params - The parameters of the `initialize` request.
 * @param cause - The index of the answer to it.
 */
export function connectionItem(
  { agentInfo, initializeResult, capabilities, dialect }: NonNullable<TrafficFold['agent']>,
  params: unknown,
  t: number,
  cause: number,
) {
  const offered = offeredIn(params);
  const negotiated = negotiate(initializeResult, offered);
  const { mismatch, evidence } = { mismatch: undefined, evidence: undefined, ...negotiated };
  return {
    type: 'connection' as const,
    t,
    cause,
    /** `null` if the agent did not say who it is. */
    agent: agentInfo
      ? { name: agentInfo.name, title: agentInfo.title ?? null, version: agentInfo.version }
      : null,
    protocolVersion: dialect.protocolVersion,
    dialect: dialect.name,
    /** The versions that the client offered, the preferred one first. */
    offered,
    /** Why this version, as a sentence. */
    how: [
      `The client offered ${offered.length === 1 ? 'version' : 'versions'} ${offered.join(' and ')}.`,
      mismatch ?? `The agent answered version ${String(initializeResult['protocolVersion'])}.`,
      evidence,
    ]
      .filter(Boolean)
      .join(' '),
    /** Whether the agent supports each feature, with the place that says so. */
    features: featureNames.map((feature) => {
      const { supported, reason } = capabilities.explain(feature);
      return { feature, supported, reason };
    }),
  };
}

/** The versions that the parameters of `initialize` offer, the preferred one first. An offer of both has the number of version 2 and the fields of both. */
function offeredIn(params: unknown): readonly ProtocolVersion[] {
  if (!isJsonObject(params) || params['protocolVersion'] !== 2) return [1];
  return isJsonObject(params['clientCapabilities']) ? [2, 1] : [2];
}
