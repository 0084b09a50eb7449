import type { ClientConnection } from '../../client/connection.ts';
import type { AuthMethod } from '../../protocol/dialect.ts';
import { type Feature, featureNames, unstableFeatures } from '../../protocol/feature.ts';
import { cleanLine } from '../../render/clean.ts';
import { withAgent } from '../agent.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../options.ts';
import { fitTable, toJson } from '../print.ts';

/** Prints what the agent tells about itself when the connection starts. */
export async function inspect(invocation: Invocation, context: Context): Promise<void> {
  const { format, isVerbose } = invocation;
  const { output } = context;
  const result = await withAgent(invocation, context, {}, async (connection) =>
    format === 'json' ? toJson(summary(connection)) : text(connection, isVerbose, output.width),
  );
  await output.result(result);
}

function summary(connection: ClientConnection) {
  const { protocolVersion, dialect, agentInfo = null, authMethods } = connection;
  const features = featureNames.map((name) => {
    const { supported, path, value = null } = connection.explain(name);
    return [name, { supported, path, value }] as const;
  });
  return { protocolVersion, dialect, agentInfo, authMethods, features: Object.fromEntries(features) };
}

function text(connection: ClientConnection, isVerbose: boolean, width: number | undefined): string {
  const { protocolVersion, dialect, agentInfo, authMethods } = connection;
  const agent = agentInfo
    ? cleanLine(agentInfo.title ?? agentInfo.name, agentInfo.version)
    : 'An agent without a name';
  const featureRow = (feature: Feature) => {
    const { supported, reason } = connection.explain(feature);
    return [`  ${supported ? 'yes' : 'no '}  ${feature}`, ...(isVerbose ? [cleanLine(reason)] : [])];
  };
  const stable = featureNames.filter((name) => !unstableFeatures.has(name));
  const unstable = featureNames.filter((name) => unstableFeatures.has(name));
  return `${agent}
Protocol version ${protocolVersion}${isVerbose ? `, dialect ${dialect}` : ''}

Features
${fitTable(stable.map(featureRow), width)}
Unstable features
${fitTable(unstable.map(featureRow), width)}
Login
${authMethods.length === 0 ? '  none is needed, or none is offered\n' : fitTable(authMethods.map(loginRow), width)}`;
}

function loginRow({ methodId, name, type, description }: AuthMethod): readonly string[] {
  const what = cleanLine(description ? `${name}: ${description}` : name);
  return [`  ${cleanLine(methodId)}`, cleanLine(type), what];
}
