import * as v from 'valibot';
import {
  CapabilityError,
  InvalidParamsError,
  MethodNotFoundError,
  type ValidationIssue,
} from '../../base/errors.ts';
import { issuesOf, listed } from '../../base/issue.ts';
import type { JsonObject } from '../../base/json.ts';
import type { CancelCapability } from '../../model/tool-call.ts';
import type { Dialect } from '../../protocol/dialect.ts';
import {
  type CustomFeature,
  customFeature,
  type Feature,
  type FeatureReading,
  type FeatureRule,
  featureNames,
  isCustomFeature,
  isFeatureName,
  newerFeature,
  notInVersion,
  type Reading,
  readFeature,
} from '../../protocol/feature.ts';
import type { AgentMethod } from '../../protocol/method.ts';
import { isNewerType } from '../../protocol/schema-shape.ts';
import { dataUrlIssues } from './base64.ts';

/** Reads features of the agent at hand. */
export interface Capabilities {
  readonly agentName: string;
  explain(feature: Feature | CustomFeature): FeatureReading;
  /** Reads a capability that may be newer than this library. */
  explainNamed(name: string): Reading<string>;
}

/** Reads a feature by name. An unknown name is not supported. Never throws. */
export function explainFeature(
  feature: Feature | CustomFeature,
  rules: Readonly<Record<Feature, FeatureRule>>,
  initializeResult: unknown,
): FeatureReading {
  if (isCustomFeature(feature)) return readFeature(feature, customFeature(feature), initializeResult);
  if (Object.hasOwn(rules, feature)) return readFeature(feature, rules[feature], initializeResult);
  const reason = `There is no feature named ${JSON.stringify(feature)}. There are ${featureNames.join(', ')}.`;
  return { feature, supported: false, path: '', value: undefined, reason };
}

/** Reads a capability by the name that a call requires: a feature, or one that this library does not know. */
export function explainNamed(
  name: string,
  { features, protocolVersion }: Pick<Dialect, 'features' | 'protocolVersion'>,
  initializeResult: unknown,
): Reading<string> {
  if (Object.hasOwn(features, name) || isCustomFeature(name)) {
    // Its name is a key of the table, or begins as the names of custom transports do.
    return explainFeature(name as Feature | CustomFeature, features, initializeResult);
  }
  return readFeature(name, newerFeature(name, protocolVersion), initializeResult);
}

/**
 * Checks a call before it is written, and returns the parameters to write.
 *
 * @param required - The capabilities that the call names, and that the agent advertised.
 * @throws {@link CapabilityError} if the agent did not advertise what the method or its parameters need.
 * @throws {@link InvalidParamsError} if the parameters are not what the method takes.
 */
export function checkCall(
  { method, params, requires, uses }: AgentMethod,
  given: unknown,
  capabilities: Capabilities,
  required: readonly string[],
): JsonObject {
  if (requires) requireFeatures([requires], method, capabilities);
  const checked = checkParameters({ method, params }, given, required);
  // What a newer value needs is not known. The call has named it.
  requireFeatures((uses?.(checked) ?? []).filter(isFeatureName), method, capabilities);
  return checked;
}

/**
 * Checks the parameters alone, for a call with `allowUnsupported`. With a capability that the call names, a value can have a
 * type that this library does not know.
 */
export function checkParameters(
  { method, params }: Pick<AgentMethod, 'method' | 'params'>,
  given: unknown,
  required: readonly string[],
): JsonObject {
  const result = v.safeParse(params, given);
  const wrong = (result.issues ?? []).filter(
    ({ path = [] }) =>
      required.length === 0 ||
      !isNewerType(
        params,
        given,
        path.map(({ key }) => key),
      ),
  );
  const issues = wrong.length === 0 ? dataUrlIssues(result.output) : issuesOf([...wrong], 'params');
  // Every method of the protocol takes an object, and the schema has just checked that this is one.
  if (issues.length === 0) return result.output as JsonObject;
  const message = `${method} was called with wrong parameters: ${listed(issues)}. Nothing was sent.${configRemedy(issues)}`;
  throw new InvalidParamsError(message, { method, issues });
}

/** Many editors keep MCP servers in a file of another form. */
function configRemedy(issues: readonly ValidationIssue[]): string {
  if (!issues.some(({ path }) => /^mcpServers\b/.test(path))) return '';
  return ' If the servers are in the form of mcp.json, mcpServersFromConfig of acp-client-sdk/node converts them.';
}

/**
 * Checks the features that a call needs, and the capabilities that it names with `requires`.
 *
 * @throws {@link CapabilityError} if the agent did not advertise all of them.
 */
export function requireFeatures(names: readonly string[], method: string, capabilities: Capabilities): void {
  const readings = [...new Set(names)].map((name) => capabilities.explainNamed(name));
  const missing = readings.filter(({ supported }) => !supported);
  if (missing.length > 0) throw refusal(missing, 'and', method, capabilities);
}

/**
 * Checks a call that needs one of several features.
 *
 * @throws {@link CapabilityError} if the agent advertised none of them.
 */
export function requireOneOf(features: readonly Feature[], call: string, capabilities: Capabilities): void {
  const readings = features.map((feature) => capabilities.explain(feature));
  if (!readings.some(({ supported }) => supported)) throw refusal(readings, 'or', call, capabilities);
}

function refusal(
  missing: readonly Reading<string>[],
  conjunction: 'and' | 'or',
  method: string,
  capabilities: Capabilities,
): CapabilityError {
  const names = missing.map(({ feature }) => feature).join(` ${conjunction} `);
  const asked = missing.map(({ feature }) => `connection.supports('${feature}')`).join(` ${conjunction} `);
  const reasons = [...new Set(missing.map(({ reason }) => reason))];
  const anyway = reasons.includes(notInVersion) ? '' : ', or pass allowUnsupported to send it anyway';
  const isSteering = missing.some(({ feature }) => feature === 'session.steer');
  const remedy = isSteering ? ' Use session.queue: it sends the message when the turn has ended.' : '';
  const message = `${method} needs ${names}, which ${capabilities.agentName} does not support. ${reasons.join(' ')} Nothing was sent.${remedy} Check ${asked} first${anyway}.`;
  return new CapabilityError(message, { method, missing });
}

/** The agent's answer that it does not have a method, with what it advertised. */
export function withEvidence(
  { method, rpcCode, data, agentMessage }: MethodNotFoundError,
  requires: Feature,
  { agentName, explain }: Capabilities,
): MethodNotFoundError {
  const feature = explain(requires);
  const what = feature.supported
    ? {
        reason: 'The agent advertised it, and answered that it does not have the method.',
        said: 'although it advertised it. This is a fault of the agent: do not make the call.',
      }
    : {
        reason: `${feature.reason} It was called anyway, and the agent answered that it does not have the method.`,
        said: 'as its capabilities say. Do not make the call.',
      };
  return new MethodNotFoundError(`${agentName} answered that it does not have ${method}, ${what.said}`, {
    method,
    rpcCode,
    data,
    agentMessage,
    missing: [{ ...feature, reason: what.reason }],
  });
}

/** A session for which the client sends only what the agent permits. */
export interface RestrictedSession {
  readonly sessionId: string;
  /** The session that it works for. */
  readonly parentSessionId: string;
  readonly capabilities: CancelCapability | null;
}

/**
 * Checks that the agent permits a call for a subagent. What a subagent does is up to the agent: a call that changes it
 * needs a capability of this subagent, and one that only reads does not.
 *
 * @throws {@link CapabilityError} if the agent does not permit it.
 * @see https://agentclientprotocol.com/protocol/v2/subagents#restricted-methods
 */
export function assertPermitted({ method, onSubagent }: AgentMethod, subagent: RestrictedSession): void {
  const { sessionId, parentSessionId, capabilities } = subagent;
  if (onSubagent === 'read') return;
  if (onSubagent === 'cancel' && capabilities?.cancel) return;
  const name = `The session ${JSON.stringify(sessionId)} is a subagent`;
  const reason =
    onSubagent === 'cancel'
      ? `${name}, and the agent does not say that it can be cancelled.`
      : `${name}: the agent gives it its work, and has no capability that permits ${method} for it.`;
  const parent = JSON.stringify(parentSessionId);
  const remedy =
    onSubagent === 'cancel'
      ? `Check subagent.capabilities?.cancel first, or cancel the session ${parent}, for which it works.`
      : `Call it for the session that you opened, or let the session ${parent} instruct the subagent.`;
  throw new CapabilityError(`${method}: ${reason} Nothing was sent. ${remedy}`, {
    method,
    missing: [{ feature: method, path: 'capabilities', value: capabilities, reason }],
  });
}
