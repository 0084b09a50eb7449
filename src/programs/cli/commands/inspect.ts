import { loginAdvice } from '../../../agents/find.ts';
import type { ClientConnection } from '../../../core/client/connection.ts';
import type { AuthMethod } from '../../../core/protocol/dialect.ts';
import { type Feature, featureNames, unstableFeatures } from '../../../core/protocol/feature.ts';
import { protocolSchema } from '../../../core/protocol/published-schema.ts';
import { cleanLine } from '../../../core/render/clean.ts';
import { wrapLines } from '../../../core/render/lines.ts';
import { withAgent } from '../agent.ts';
import type { Invocation } from '../arguments.ts';
import type { Context } from '../context.ts';
import { fitTable, type Output, type Paint, painted, toJson } from '../print.ts';
import { checkedSchemas } from '../schemas.ts';

/** Prints what the agent reports about itself when the connection starts. With `--web` it serves the inspector instead. */
export async function inspect(invocation: Invocation, context: Context): Promise<void> {
  // No other command loads a server.
  if (invocation.web)
    return (await import('./inspect-web.ts')).inspectWeb(invocation, invocation.web, context);
  const { output } = context;
  const print = async (connection: ClientConnection) =>
    invocation.format === 'json' ? toJson(summary(connection)) : text(connection, output);
  await output.result(await withAgent(invocation, context, {}, print));
}

function summary(connection: ClientConnection) {
  const { protocolVersion, dialect, agentInfo = null, authMethods } = connection;
  const entries = featureNames.map((name) => {
    const { supported, path, value = null } = connection.explain(name);
    return [name, { supported, path, value }] as const;
  });
  const features = Object.fromEntries(entries);
  return { protocolVersion, protocolSchema, dialect, agentInfo, authMethods, features };
}

function text(connection: ClientConnection, output: Output): string {
  const { width } = output;
  const { protocolVersion, dialect, agentInfo, authMethods } = connection;
  const agent = agentInfo
    ? cleanLine(agentInfo.title ?? agentInfo.name, agentInfo.version)
    : 'An agent without a name';
  const featureRow = (feature: Feature) => {
    const { supported, path } = connection.explain(feature);
    return [`  ${supported ? 'yes' : 'no '}  ${feature}`, cleanLine(path)];
  };
  const stable = featureNames.filter((name) => !unstableFeatures.has(name));
  const unstable = featureNames.filter((name) => unstableFeatures.has(name));
  const bold = (title: string) => painted(title, ';1', output);
  const paint: Paint = (cell, _, [first = '']) =>
    first.startsWith('  yes')
      ? cell.replace(/^ {2}yes/, `  ${painted('yes', ';32', output)}`)
      : painted(cell, ';2', output);
  return `${bold(agent)}
Protocol version ${protocolVersion}, dialect ${dialect}
${wrapLines(checkedSchemas, width ?? 80)}

${bold('Features, and their places in initialize')}
${fitTable(stable.map(featureRow), width, paint)}
${bold('Unstable features')}
${fitTable(unstable.map(featureRow), width, paint)}
${bold('Login')}
${authMethods.length === 0 ? '  the agent offers no login methods\n' : fitTable(authMethods.map(loginRow), width)}${loginText(connection, width)}`;
}

/** How to log in, unless the agent offers nothing and nothing else is known. */
function loginText({ authMethods, agentInfo }: ClientConnection, width: number | undefined): string {
  const { commands, variables, text } = loginAdvice({ authMethods, names: [agentInfo?.name] });
  if (authMethods.length + commands.length + variables.length === 0) return '';
  return `${wrapLines(`  To log in: ${cleanLine(text)}`, width ?? 80)}\n`;
}

function loginRow({ methodId, name, type, description }: AuthMethod): readonly string[] {
  const what = cleanLine(description ? `${name}: ${description}` : name);
  return [`  ${cleanLine(methodId)}`, cleanLine(type), what];
}
