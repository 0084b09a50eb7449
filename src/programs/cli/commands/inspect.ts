import { loginAdvice } from '../../../agents/login-advice.ts';
import { preview } from '../../../base/diagnostic.ts';
import type { ClientConnection } from '../../../client/connection.ts';
import { settingsOf } from '../../../conversation/settings.ts';
import type { Conversation } from '../../../model/conversation.ts';
import type { AuthMethod } from '../../../protocol/dialect.ts';
import {
  type Feature,
  type FeatureReading,
  featureNames,
  unstableFeatures,
} from '../../../protocol/feature.ts';
import { protocolSchema } from '../../../protocol/published-schema.ts';
import { cleanLine } from '../../../render/clean.ts';
import { wrapLines } from '../../../render/lines.ts';
import { withAgent } from '../agent.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../options.ts';
import { fitTable, toJson } from '../print.ts';
import { checkedSchemas } from '../schemas.ts';
import { withSession } from '../session.ts';
import { commandRows, settingRows } from '../settings.ts';
import { Settling } from '../settling.ts';

/** Prints what the agent reports about itself when the connection starts, and what it reports about a session. */
export async function inspect(invocation: Invocation, context: Context): Promise<void> {
  const { format, isVerbose, opensSession } = invocation;
  const { output } = context;
  const print = (connection: ClientConnection, session?: Conversation) =>
    format === 'json'
      ? toJson(summary(connection, session))
      : text(connection, session, isVerbose, output.width);
  const result = opensSession
    ? await inspectSession(invocation, context, print)
    : await withAgent(invocation, context, {}, async (connection) => print(connection));
  await output.result(result);
}

/** An agent sends its commands after it has opened the session. */
async function inspectSession(
  invocation: Invocation,
  context: Context,
  print: (connection: ClientConnection, session: Conversation) => string,
): Promise<string> {
  const settling = new Settling(invocation.settleMs);
  const options = {
    history: 'skip',
    onIncoming: ({ method }: { readonly method?: unknown }) => {
      if (method === 'session/update') settling.restart();
    },
  } as const;
  return withSession(invocation, context, options, async ({ connection, session }) => {
    await settling.wait(connection, context.interrupts.signal);
    return print(connection, session.conversation);
  });
}

function summary(connection: ClientConnection, session: Conversation | undefined) {
  const { protocolVersion, dialect, agentInfo = null, authMethods } = connection;
  const features = featureNames.map((name) => {
    const { supported, path, value = null } = connection.explain(name);
    return [name, { supported, path, value }] as const;
  });
  return {
    protocolVersion,
    protocolSchema,
    dialect,
    agentInfo,
    authMethods,
    features: Object.fromEntries(features),
    ...(session && {
      session: { sessionId: session.sessionId, settings: settingsOf(session), commands: session.commands },
    }),
  };
}

function text(
  connection: ClientConnection,
  session: Conversation | undefined,
  isVerbose: boolean,
  width: number | undefined,
): string {
  const { protocolVersion, dialect, agentInfo, authMethods } = connection;
  const agent = agentInfo
    ? cleanLine(agentInfo.title ?? agentInfo.name, agentInfo.version)
    : 'An agent without a name';
  const featureRow = (feature: Feature) => {
    const reading = connection.explain(feature);
    return [
      `  ${reading.supported ? 'yes' : 'no '}  ${feature}`,
      ...(isVerbose ? [evidenceOf(reading)] : []),
    ];
  };
  const stable = featureNames.filter((name) => !unstableFeatures.has(name));
  const unstable = featureNames.filter((name) => unstableFeatures.has(name));
  return `${agent}
Protocol version ${protocolVersion}${isVerbose ? `, dialect ${dialect}` : ''}
${wrapLines(checkedSchemas, width ?? 80)}

Features${isVerbose ? ', and their places in initialize' : ''}
${fitTable(stable.map(featureRow), width)}
Unstable features
${fitTable(unstable.map(featureRow), width)}
Login
${authMethods.length === 0 ? '  the agent offers no login methods\n' : fitTable(authMethods.map(loginRow), width)}${loginText(connection, width)}${session ? sessionText(session, width) : ''}`;
}

/** Where the agent advertises a feature, and the value there if it means no. */
function evidenceOf({ supported, path, value }: FeatureReading): string {
  return cleanLine(path, supported || value === undefined ? undefined : `= ${preview(value)}`);
}

function sessionText(session: Conversation, width: number | undefined): string {
  const table = (rows: readonly (readonly string[])[]) =>
    rows.length === 0 ? '  none\n' : fitTable(rows, width);
  return `
Settings of the session ${cleanLine(session.sessionId)}
${table(settingRows(session))}
Commands
${table(commandRows(session))}`;
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
