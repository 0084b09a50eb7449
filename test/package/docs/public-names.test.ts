import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import budgets from '../../../budgets.json' with { type: 'json' };
import { unstableFeatures } from '../../../src/core/protocol/feature.ts';
import { protocolSchema } from '../../../src/core/protocol/published-schema.ts';
import { dialects, isHere } from '../../oracle/ours.ts';
import { topics } from '../../oracle/unstable-parts.ts';
import { type Part, parts } from '../../schema/parts.mjs';
import { conversationSchemas } from '../../support/conversation-schema.ts';
import {
  callables,
  checker,
  comment,
  compile,
  describedAt,
  describedElsewhere,
  entries,
  examples,
  exportsOf,
  introductionOf,
  isInternal,
  pageOf,
  programsOf,
} from './examples.ts';
import { programs as blocks, expectGenerated, root, table } from './pages.ts';

const kinds: readonly (readonly [title: string, flags: ts.SymbolFlags])[] = [
  ['Functions', ts.SymbolFlags.Function],
  ['Classes', ts.SymbolFlags.Class],
  ['Interfaces', ts.SymbolFlags.Interface],
  ['Types', ts.SymbolFlags.TypeAlias],
  ['Constants', ts.SymbolFlags.Variable],
];

/** The reference of an entry in Markdown, from the comments of its public names. */
function reference(entry: string): string {
  const names = pageOf(entry).names.filter((symbol) => !isInternal(symbol));
  const sections = kinds.flatMap(([title, flags], index) => {
    const earlier = kinds.slice(0, index).reduce((all, [, other]) => all | other, 0);
    return sectionsOf(
      title,
      names.filter((symbol) => symbol.flags & flags && !(symbol.flags & earlier)),
    );
  });
  const others = [...describedElsewhere(entry)].map(
    ([other, shared]) =>
      `It also exports these names of [\`${other}\`](${fileOf(other)}): ${shared.map((name) => `\`${name}\``).join(', ')}.`,
  );
  return `${[
    `# ${entry}`,
    introductionOf(entry),
    ...others,
    'Generated from the comments in the sources.',
    ...sections,
    ...sectionsOf('Parts', pageOf(entry).parts, partsText),
  ].join('\n\n')}\n`;
}

const partsText =
  "Types that the signatures above name, and that cannot be imported. Write `Extract<ConversationEvent, { type: 'text' }>` for a member of a union, `PromptResult['usage']` for a field, and `Parameters<typeof traceFile>[1]` for a parameter.";

function sectionsOf(title: string, symbols: readonly ts.Symbol[], introduction: string[] | string = []) {
  const sorted = [...symbols].sort((a, b) => (a.name < b.name ? -1 : 1));
  return sorted.length === 0 ? [] : [`## ${title}`, introduction, ...sorted.map(section)].flat();
}

/** The name of the page of an entry. */
const fileOf = (entry: string) => `${entry.includes('/') ? entry.split('/').at(-1) : 'index'}.md`;

function section(symbol: ts.Symbol): string {
  const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
  if (!declaration) throw new Error(`${symbol.name} has no declaration.`);
  const members = publicMembersOf(symbol);
  return [
    `### ${symbol.name}`,
    members.length === 0 || ts.isFunctionDeclaration(declaration)
      ? code(signature(declaration))
      : heading(declaration),
    text(comment(symbol)),
    tags(symbol),
    ...members.map(
      (member) =>
        `- ${memberSignatures(member).map(memberCode).join('\n- ')}${indented(text(comment(member)), tags(member))}`,
    ),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** The public members of a class or an interface that are declared in it. */
function publicMembersOf({ members, flags }: ts.Symbol): readonly ts.Symbol[] {
  if (!(flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface))) return [];
  return [...(members?.values() ?? [])].filter((member) => {
    const declaration = member.declarations?.[0];
    if (!declaration || member.flags & ts.SymbolFlags.TypeParameter || isInternal(member)) return false;
    const name = ts.getNameOfDeclaration(declaration);
    const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
    return !(name && ts.isPrivateIdentifier(name)) && !(ts.getCombinedModifierFlags(declaration) & hidden);
  });
}

/** The first line of a class or an interface, if it says more than its name. */
function heading(declaration: ts.Declaration): string {
  if (!ts.isClassDeclaration(declaration) && !ts.isInterfaceDeclaration(declaration)) return '';
  const { heritageClauses, typeParameters } = declaration;
  if (!heritageClauses && !typeParameters) return '';
  const source = declaration.getSourceFile();
  const [line = ''] = source.text.slice(declaration.getStart(source)).split(/ \{\n/, 1);
  return `\`${oneLine(line).replace(/^export /, '')}\``;
}

/** The text of a declaration without its body and the comment before it. */
function signature(declaration: ts.Declaration): string {
  const node =
    ts.isVariableDeclaration(declaration) && ts.isVariableStatement(declaration.parent.parent)
      ? declaration.parent.parent
      : declaration;
  const source = declaration.getSourceFile();
  const body = ts.isFunctionDeclaration(declaration) ? declaration.body : undefined;
  if (node !== declaration) {
    return `const ${declaration.getText(source).split(/[ :=]/)[0]}: ${inFull(checker.getTypeAtLocation(declaration))}`;
  }
  // The names of a list that is a value: the value is not public.
  if (ts.isTypeAliasDeclaration(declaration) && ts.isIndexedAccessTypeNode(declaration.type)) {
    const type = checker.getTypeAtLocation(declaration);
    const names = type.isUnion() ? type.types.map(inFull).sort() : [inFull(type)];
    return `type ${declaration.name.text} =\n  | ${names.join('\n  | ')}`;
  }
  const whole = source.text.slice(node.getStart(source), body?.getStart(source) ?? node.getEnd());
  return text(whole)
    .replace(/^export /, '')
    .trim();
}

/** The text of a member, of each of its overloads. */
function memberSignatures(member: ts.Symbol): readonly string[] {
  return (member.declarations ?? []).map((declaration) => {
    const source = declaration.getSourceFile();
    if (ts.isPropertyDeclaration(declaration)) {
      const modifiers = (declaration.modifiers ?? []).map((modifier) => `${modifier.getText(source)} `);
      const mark = declaration.questionToken ? '?' : '';
      return `${modifiers.join('')}${member.name}${mark}: ${inFull(checker.getTypeOfSymbol(member))}`;
    }
    const body =
      ts.isMethodDeclaration(declaration) ||
      ts.isConstructorDeclaration(declaration) ||
      ts.isAccessor(declaration)
        ? declaration.body
        : undefined;
    return source.text.slice(declaration.getStart(source), body?.getStart(source) ?? declaration.getEnd());
  });
}

/** In a line, or as it is written if it has fields of its own. The lines after the first one are indented in the source. */
function memberCode(signature: string): string {
  return signature.includes('{\n')
    ? `\`\`\`ts\n  ${text(signature).trim()}\n  \`\`\``
    : `\`${oneLine(signature)}\``;
}

/** A type as text. The compiler cuts a long one otherwise. */
function inFull(type: ts.Type): string {
  const { NoTruncation, AllowUniqueESSymbolType } = ts.TypeFormatFlags;
  return checker.typeToString(type, undefined, NoTruncation | AllowUniqueESSymbolType);
}

const tagTitles: Readonly<Record<string, string>> = { param: 'Parameter', throws: 'Throws', see: 'See' };

/** Parameters, errors and pages as a list, and examples. */
function tags(symbol: ts.Symbol): string {
  const all = (symbol.declarations ?? []).flatMap(tagsOf);
  const listed = all.flatMap(({ name, content }) => {
    const title = tagTitles[name];
    const line = text(oneLine(content));
    return title ? [`* ${title} ${name === 'param' ? line.replace(/^(\S+)(?: -)?/, '`$1`:') : line}`] : [];
  });
  const examples = all.flatMap(({ name, content }) =>
    name === 'example' ? [code(content.trim().replace(/^```ts\n|\n```$/g, ''))] : [],
  );
  const experimental = all.some(({ name }) => name === 'experimental') ? ['Experimental.'] : [];
  return [...experimental, listed.join('\n'), ...examples].filter(Boolean).join('\n\n');
}

/** The tags of a comment, from its text: the compiler reads a link after `@throws` as a type. */
function tagsOf(declaration: ts.Declaration): readonly { readonly name: string; readonly content: string }[] {
  return ts
    .getJSDocCommentsAndTags(declaration)
    .filter(ts.isJSDoc)
    .flatMap((node) => {
      const lines = node
        .getText()
        .replace(/^\/\*\*|\s*\*\/$/g, '')
        .replace(/^[ \t]*\* ?/gm, '');
      return [...lines.matchAll(/^ *@(\w+)([\s\S]*?)(?=^@\w|(?![\s\S]))/gm)].map(
        ([, name = '', content = '']) => ({
          name,
          content,
        }),
      );
    });
}

/** Links to other names become code. */
function text(content: string): string {
  return content.replace(/\{@link (?:\w+\.)?([\w.]+)(?: [^}]*)?\}/g, '`$1`');
}

function indented(...parts: readonly string[]): string {
  const content = parts.filter(Boolean).join('\n\n');
  return content === '' ? '' : `\n\n  ${content.split('\n').join('\n  ')}`.replace(/[ \t]+$/gm, '');
}

/** The type that a type has a name for, and those of its parameters, such as what a promise resolves to. */
function namesIn(type: ts.Type): readonly ts.Symbol[] {
  const symbol = type.aliasSymbol ?? type.symbol;
  const given = type.aliasSymbol
    ? (type.aliasTypeArguments ?? [])
    : checker.getTypeArguments(type as ts.TypeReference);
  return [...(symbol ? [symbol] : []), ...given.flatMap(namesIn)];
}

const oneLine = (value: string) => value.replace(/\s+/g, ' ').replace(/;$/, '').trim();
const code = (content: string) => `\`\`\`ts\n${content}\n\`\`\``;

// What needs the compiler's view of the public names is in one file: the compiler reads all sources once.

describe.each(entries)('%s', (entry) => {
  test('every public name has a comment', () => {
    const names = describedAt(entry);
    expect(names.length).toBeGreaterThan(4);
    expect(names.filter((symbol) => comment(symbol) === '').map(({ name }) => name)).toEqual([]);
  });

  test('every method and accessor has a comment', () => {
    // VS Code documents its own objects.
    const documented = describedAt(entry).filter(({ name }) => !name.startsWith('VsCode'));
    const all = documented.flatMap(callables);
    const silent = all.filter(([, symbol]) => !isInternal(symbol) && comment(symbol) === '');
    expect(documented.length).toBeGreaterThan(4);
    expect(silent.map(([name]) => name)).toEqual([]);
  });

  test('what a function or a method returns can be imported', () => {
    const returned = exportsOf(entry)
      .flatMap((symbol) => [symbol, ...callables(symbol).map(([, member]) => member)])
      .flatMap((symbol) => checker.getTypeOfSymbol(symbol).getCallSignatures())
      .flatMap((signature) => namesIn(signature.getReturnType()));
    const parts = new Set(entries.flatMap((other) => pageOf(other).parts));
    expect([...new Set(returned.filter((symbol) => parts.has(symbol)))].map(({ name }) => name)).toEqual([]);
  });

  test('a function with several parameters has an example', () => {
    const functions = exportsOf(entry).filter(({ flags }) => flags & ts.SymbolFlags.Function);
    const bare = functions.filter((symbol) => {
      const tags = symbol.getJsDocTags().map(({ name }) => name);
      const declaration = symbol.valueDeclaration;
      const takesMuch =
        declaration !== undefined &&
        ts.isFunctionDeclaration(declaration) &&
        declaration.parameters.length > 1;
      return takesMuch && !tags.includes('example');
    });
    expect(bare.map(({ name }) => name)).toEqual([]);
  });

  test('the page of the reference is up to date', () => {
    const path = join(root, 'docs/api', fileOf(entry));
    const content = reference(entry);
    for (const symbol of describedAt(entry)) {
      if (!isInternal(symbol)) expect(content).toMatch(new RegExp(`^### ${symbol.name}$`, 'm'));
    }
    if (process.env['UPDATE_DOCS']) writeFileSync(path, content);
    else expect(content, 'UPDATE_DOCS=1 npx vitest run test/package/docs').toBe(readFileSync(path, 'utf8'));
  });

  test('there are no more names than the budget', () => {
    const budget: Readonly<Record<string, number>> = budgets.publicNames.entries;
    expect(exportsOf(entry).length).toBeLessThanOrEqual(budget[entry.replace('acp-client-sdk', '.')] ?? 0);
  });
});

test('every example in a comment and every TypeScript block of a document compiles', async () => {
  const all = await examples();
  expect(all.length).toBeGreaterThan(20);
  expect(blocks.length).toBeGreaterThan(0);
  const files = new Map(blocks.map((block, n) => [`block-${n}.${block.language}`, block]));
  const codes = Object.fromEntries([...files].map(([name, { code }]) => [name, code]));
  const faults = await compile({ ...programsOf(all), ...codes });
  expect(faults.map((fault) => ({ ...fault, ...files.get(fault.file) }))).toEqual([]);
});

test('all entries together have no more names than the budget', () => {
  const names = entries.flatMap((entry) => exportsOf(entry).map(({ name }) => name));
  expect(new Set(names).size).toBeLessThanOrEqual(budgets.publicNames.distinct);
});

const hasTag = (symbol: ts.Symbol) => symbol.getJsDocTags().some(({ name }) => name === 'experimental');

const symbols = new Map(entries.flatMap(describedAt).map((symbol) => [symbol.name, symbol]));

function membersOf(symbol: ts.Symbol): readonly ts.Symbol[] {
  const isObject = (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) !== 0;
  return isObject ? checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)) : [];
}

/** The methods of the protocol, as members of these types. */
const methodTables = ['AgentRequests', 'AgentNotifications'];

test('the public names with the tag @experimental are those of the unstable topics', () => {
  const marked = [...symbols.values()].flatMap((symbol) => [
    ...(hasTag(symbol) ? [symbol.name] : []),
    ...(methodTables.includes(symbol.name) ? [] : membersOf(symbol))
      .filter(hasTag)
      .map((member) => `${symbol.name}.${member.name}`),
  ]);
  // A type that extends another one has its members too.
  const inherited = [
    'AcpState.suggestions',
    'OpenSessionParams.configOptions',
    'ForkSessionParams.configOptions',
  ];
  const named = topics.flatMap(({ names }) => names ?? []);
  expect(marked.filter((name) => !inherited.includes(name)).sort()).toEqual([...named].sort());
});

test('the methods with the tag are those that need an unstable feature', () => {
  const methods = new Map(
    Object.values(dialects)
      .flat()
      .flatMap(({ agentMethods }) => Object.entries(agentMethods)),
  );
  const listed = methodTables.flatMap((name) => membersOf(symbols.get(name) as ts.Symbol));
  expect(listed.length).toBeGreaterThan(25);
  for (const symbol of listed) {
    const requires = methods.get(symbol.name)?.requires;
    const isUnstable = requires !== undefined && unstableFeatures.has(requires);
    expect({ method: symbol.name, isMarked: hasTag(symbol) }).toEqual({
      method: symbol.name,
      isMarked: isUnstable,
    });
  }
});

test('the schema of a conversation, and the one that an import checks, are those of the types', () => {
  const { published, checked } = conversationSchemas();
  const wanted = {
    'docs/conversation.schema.json': `${JSON.stringify(published)}\n`,
    'src/records/saved/shape.json': `${JSON.stringify(checked, null, 1)}\n`,
  };
  for (const [file, text] of Object.entries(wanted)) {
    const path = join(import.meta.dirname, '../../..', file);
    if (process.env['UPDATE_DOCS']) writeFileSync(path, text);
    expect(readFileSync(path, 'utf8'), file).toBe(text);
  }
});

test('the page about versions names the schemas that the package was checked against', () => {
  const { package: name, v1, v2 } = protocolSchema;
  const rows = Object.entries({ 1: v1, 2: v2 }).map(([version, release]) => [
    version,
    `\`${name}\``,
    release,
  ]);
  expectGenerated('docs/versions.md', 'schemas', table(['protocol version', 'package', 'release'], rows));
});

test('the page about versions has the parts of the protocol that came after its core', () => {
  const rows = parts.map((part) => [
    part.title,
    part.since[1] ?? '–',
    part.since[2] ?? '–',
    stableIn(part),
    isHere(part) ? 'yes' : 'no',
  ]);
  const head = ['part', 'version 1 since', 'version 2 since', 'stable', 'here'];
  expectGenerated('docs/versions.md', 'protocol parts', table(head, rows));
});

function stableIn({ stable }: Part): string {
  if (stable[1] && stable[2]) return 'yes';
  return stable[1] || stable[2] ? `in version ${stable[1] ? 1 : 2}` : 'no';
}
