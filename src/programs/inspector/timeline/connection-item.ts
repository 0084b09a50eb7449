import type { JsonObject } from '../../../core/base/json.ts';
import type { ClientConnection } from '../../../core/client/connection.ts';
import type { DialectName } from '../../../core/protocol/dialect.ts';
import { featureNames } from '../../../core/protocol/feature.ts';
import { negotiate, type ProtocolVersion } from '../../../core/protocol/negotiate.ts';
import type { ConnectionItem, FeatureRow } from './items.ts';
import { offeredIn } from './offered.ts';

/**
 * Describes what an agent offered.
 *
 * @param params - The parameters of the `initialize` request.
 */
export function connectionItem(
  connection: Pick<
    ClientConnection,
    'agentInfo' | 'protocolVersion' | 'dialect' | 'initializeResult' | 'explain'
  >,
  params: JsonObject,
): Omit<ConnectionItem, 't' | 'cause' | 'changes'> {
  const { agentInfo, protocolVersion, dialect, initializeResult } = connection;
  const offered = offeredIn(params);
  return {
    type: 'connection',
    agent: agentInfo
      ? { name: agentInfo.name, title: agentInfo.title ?? null, version: agentInfo.version }
      : null,
    protocolVersion,
    dialect,
    offered,
    how: howChosen(initializeResult, offered, dialect),
    features: featureNames.map((feature): FeatureRow => {
      const { supported, reason } = connection.explain(feature);
      return { feature, supported, reason };
    }),
  };
}

function howChosen(result: JsonObject, offered: readonly ProtocolVersion[], dialect: DialectName): string {
  const offer = `The client offered ${offered.length === 1 ? 'version' : 'versions'} ${offered.join(' and ')}.`;
  const negotiated = negotiate(result, offered);
  if (!negotiated.dialect) return `${offer} The dialect ${dialect} was given by hand.`;
  const { mismatch, evidence } = negotiated;
  const answer = mismatch ?? `The agent answered version ${String(result['protocolVersion'])}.`;
  return [offer, answer, ...(evidence ? [evidence] : [])].join(' ');
}
