import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import type { Feature } from '../../src/core/protocol/feature.ts';
import { partsOf } from '../schema/compare.mjs';
import { officialDefs } from '../support/official-schema.ts';

/** What is unstable in the protocol, and where a user of the library meets it. */

/** What became stable after the release of the schemas that the tests read, with the page that says so. */
const stabilized: readonly { readonly parts: RegExp; readonly page: string }[] = [
  {
    parts: /systemPrompt|SystemPrompt/,
    page: 'https://agentclientprotocol.com/announcements/client-system-prompt-stabilized',
  },
  {
    parts: /^Plan|PlanUpdateContent|\.plan(?:_update|_removed)?$/,
    page: 'https://agentclientprotocol.com/announcements/plan-operations-stabilized',
  },
  {
    // The state of a subagent came to version 1 with it.
    parts: /[sS]ubagent|SessionCancel|SessionMessage|session_message|StateUpdate(?!\.usage)|ErrorStopReason/,
    page: 'https://agentclientprotocol.com/announcements/subagents-stabilized',
  },
];

/** Whether a part is stable by now, though the schemas call it unstable. */
export function isStabilized(part: string): boolean {
  return stabilized.some(({ parts }) => parts.test(part));
}

export interface Topic {
  readonly title: string;
  /** The parts of the published schemas: `Definition`, `Definition.field` or `Definition.value`. */
  readonly parts?: RegExp;
  readonly features?: readonly Feature[];
  /** The public names and their members, which have the tag `@experimental`. Not those of {@link AgentRequests}. */
  readonly names?: readonly string[];
}

export const topics: readonly Topic[] = [
  {
    title: 'copies of sessions',
    parts: /Fork|\.fork$/,
    features: ['session.fork'],
    names: ['ClientConnection.forkSession'],
  },
  {
    title: 'archived sessions',
    parts: /[aA]rchive|\.archived?$/,
    features: ['session.archive'],
    names: ['ListSessionsParams.archived'],
  },
  {
    title: 'the status of a session',
    parts: /^SessionStatus|^SessionCapabilities\.status$/,
    features: ['session.status'],
  },
  {
    title: 'the title of a session',
    parts: /SessionTitle|^SessionCapabilities\.title$/,
    features: ['session.title'],
  },
  {
    title: 'the state of the login',
    parts: /^Auth(?:State|Account|Status)|^AgentAuthCapabilities\.status$/,
    features: ['auth.status'],
    names: ['AuthStatus', 'ClientHandlers.authStatusChanged'],
  },
  {
    title: 'model providers',
    parts: /Provider|^LlmProtocol$|\.providers$/,
    features: ['providers'],
  },
  {
    title: 'MCP over the connection to the agent',
    parts: /Mcp.*(?:Message|Acp|Error|RequestId)|MessageMcp|^Mcp(?:Server|Capabilities)\.acp$/,
    features: ['session.mcp.acp'],
    names: ['McpMessage', 'McpMessageAnswer', 'ClientHandlers.mcpMessage'],
  },
  {
    title: 'the tokens of a turn',
    parts: /^Usage$|\.usage$/,
    names: ['TurnUsage', 'PromptResult.usage', 'SessionActivity.usage'],
  },
  {
    title: 'the plan that a tool call asks to approve, which is a convention of agents',
    names: ['askedPlan'],
  },
  {
    title: 'what a session starts with',
    features: ['session.options'],
    names: [
      'ClientConnection.sessionOptions',
      'InitialConfigOption',
      'NewSessionParams.configOptions',
      'SessionOptions',
      'SessionOptionsParams',
    ],
  },
  {
    title: 'messages for the running turn',
    features: ['session.steer', 'session.inject'],
    names: ['Session.steer', 'SteerOptions', 'SteerResult'],
  },
  {
    title: 'suggested prompts',
    names: ['ConnectOptions.promptSuggestions', 'Conversation.suggestions', 'PromptSuggestion'],
  },
  {
    title: 'positions in a session',
    names: [
      'ConnectOptions.cursors',
      'Conversation.cursors',
      'CursorAnchor',
      'CursorCapabilities',
      'CursorCompactionAnchor',
      'CursorMessageAnchor',
      'CursorPlace',
      'CursorToolCallAnchor',
      'CursorUpdate',
      'ForkSessionParams.cursorId',
      'SessionCursor',
    ],
  },
  {
    title: 'skills',
    features: ['session.prompt.skill', 'session.prompt.skill.inline'],
    names: ['AgentSkill', 'ConnectOptions.skills', 'SkillContent'],
  },
  {
    title: 'the limits of a plan, which are conventions of agents',
    names: ['RateLimit', 'rateLimitsOf'],
  },
  { title: 'programs between a client and an agent, which the library leaves out', parts: /Proxy/ },
];

/** The parts of a version that only the unstable schema has: definitions, and members of stable definitions. */
export function unstableParts(version: 1 | 2): readonly string[] {
  const stable = officialDefs(version, 'stable');
  return Object.entries(officialDefs(version)).flatMap(([name, definition]) => {
    const known = stable[name];
    if (known === undefined) return [name];
    const members = partsOf(known);
    return [...partsOf(definition)]
      .filter((part) => !members.has(part))
      .map((part) => `${name}.${memberOf(part)}`);
  });
}

/** A value of a union's tag is listed as `type: "acp"`. */
function memberOf(part: string): string {
  return /^\w+: "(.*)"$/.exec(part)?.[1] ?? part;
}

/** Which schemas of the sources have the tag `@experimental`, and which of their members. */

/** The members of a schema, by name: whether the tag stands before them. */
export type Members = ReadonlyMap<string, boolean>;

interface Schema {
  /** Whether the tag stands before the schema, and before the type of the same name. */
  readonly isMarked: boolean;
  readonly members: Members;
}

interface Source {
  readonly path: string;
  readonly constants: ReadonlyMap<string, ts.VariableDeclaration>;
  readonly types: ReadonlyMap<string, ts.TypeAliasDeclaration>;
  /** The file from which a name is imported. */
  readonly imports: ReadonlyMap<string, string>;
}

const sources = new Map<string, Source>();

function sourceOf(path: string): Source {
  const known = sources.get(path);
  if (known) return known;
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const constants = new Map<string, ts.VariableDeclaration>();
  const types = new Map<string, ts.TypeAliasDeclaration>();
  const imports = new Map<string, string>();
  for (const statement of file.statements) {
    if (ts.isVariableStatement(statement)) {
      for (const each of statement.declarationList.declarations) constants.set(each.name.getText(), each);
    } else if (ts.isTypeAliasDeclaration(statement)) {
      types.set(statement.name.text, statement);
    } else if (ts.isImportDeclaration(statement) && ts.isStringLiteral(statement.moduleSpecifier)) {
      const { text } = statement.moduleSpecifier;
      const bindings = statement.importClause?.namedBindings;
      if (!text.startsWith('.') || !bindings || !ts.isNamedImports(bindings)) continue;
      for (const each of bindings.elements) imports.set(each.name.text, join(dirname(path), text));
    }
  }
  const source = { path, constants, types, imports };
  sources.set(path, source);
  return source;
}

function isExperimental(node: ts.Node): boolean {
  return ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'experimental');
}

/** The exported constants of a file whose names begin with a capital: its schemas. */
export function schemasIn(path: string): ReadonlyMap<string, Schema> {
  const source = sourceOf(path);
  return new Map(
    [...source.constants]
      .filter(([name]) => /^[A-Z]/.test(name))
      .map(([name, declaration]) => {
        const declarations = [declaration, source.types.get(name) ?? declaration];
        const isMarked = declarations.every(isExperimental);
        return [name, { isMarked, members: membersOf(declaration.initializer, source) }];
      }),
  );
}

/** The members that an expression names: those of object literals, and of what they spread. */
function membersOf(node: ts.Expression | undefined, source: Source): Members {
  if (node === undefined) return new Map();
  if (ts.isObjectLiteralExpression(node))
    return new Map(node.properties.flatMap((each) => [...own(each, source)]));
  if (ts.isIdentifier(node)) return membersOfName(node.text, source);
  if (ts.isPropertyAccessExpression(node)) return membersOf(node.expression, source);
  if (ts.isAsExpression(node)) return membersOf(node.expression, source);
  if (ts.isCallExpression(node)) return joined(node.arguments.map((each) => membersOf(each, source)));
  if (ts.isArrowFunction(node)) return joined(namesIn(node.body).map((name) => membersOfName(name, source)));
  return new Map();
}

function own(property: ts.ObjectLiteralElementLike, source: Source): Iterable<[string, boolean]> {
  if (ts.isSpreadAssignment(property)) return membersOf(property.expression, source);
  return [[property.name?.getText() ?? '', isExperimental(property)]];
}

function membersOfName(name: string, source: Source): Members {
  const declaration = source.constants.get(name);
  if (declaration) return membersOf(declaration.initializer, source);
  const file = source.imports.get(name);
  return file === undefined ? new Map() : membersOfName(name, sourceOf(file));
}

/** The names in the body of a function that chooses a schema. */
function namesIn(body: ts.Node): readonly string[] {
  const names: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isIdentifier(node)) names.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(body);
  return names;
}

function joined(all: readonly Members[]): Members {
  return new Map(all.flatMap((members) => [...members]));
}
