import type { ClientConnection } from '../client/connection.ts';
import type { AuthMethod } from '../protocol/dialect.ts';
import { featureNames, unstableFeatures } from '../protocol/feature.ts';
import { cleanLine } from '../render/clean.ts';
import { withAgent } from './agent.ts';
import type { Invocation } from './arguments.ts';
import type { Context } from './context.ts';
import { toJson } from './json-text.ts';
import { table } from './table.ts';

/** Prints what the agent says of itself. */
export async function inspect(invocation: Invocation, context: Context): Promise<void> {
  const print = invocation.format === 'json' ? asJson : asText;
  const result = await withAgent(invocation, context, {}, async (connection) => print(connection));
  await context.output.result(result);
}

function asJson(connection: ClientConnection): string {
  const { protocolVersion, dialect, agentInfo = null, authMethods } = connection;
  const features = featureNames.map((name) => {
    const { supported, path, value = null } = connection.explain(name);
    return [name, { supported, path, value }] as const;
  });
  return toJson({ protocolVersion, dialect, agentInfo, authMethods, features: Object.fromEntries(features) });
}

function asText(connection: ClientConnection): string {
  const { protocolVersion, dialect, agentInfo, authMethods } = connection;
  const name = agentInfo
    ? `${agentInfo.title ?? agentInfo.name} ${agentInfo.version}`
    : 'An agent without a name';
  const features = featureNames.map((feature) => {
    const { supported, reason } = connection.explain(feature);
    const mark = unstableFeatures.has(feature) ? `${feature} (unstable)` : feature;
    return [supported ? '  yes' : '  no', mark, cleanLine(reason)];
  });
  return `${cleanLine(name)}
Protocol version ${protocolVersion}, dialect ${dialect}

Features
${table(features)}
Login
${authMethods.length === 0 ? '  none is needed, or none is offered\n' : table(authMethods.map(loginRow))}`;
}

function loginRow({ methodId, name, type, description }: AuthMethod): readonly string[] {
  return [
    `  ${cleanLine(methodId)}`,
    cleanLine(type),
    cleanLine(description ? `${name}: ${description}` : name),
  ];
}
