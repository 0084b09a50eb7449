import ts from 'typescript';
import { checker, comment, exportsOf, isInternal } from './public-names.ts';

const kinds: readonly (readonly [title: string, flags: ts.SymbolFlags])[] = [
  ['Functions', ts.SymbolFlags.Function],
  ['Classes', ts.SymbolFlags.Class],
  ['Interfaces', ts.SymbolFlags.Interface],
  ['Types', ts.SymbolFlags.TypeAlias],
  ['Constants', ts.SymbolFlags.Variable],
];

/** The reference of an entry in Markdown, from the comments of its public names. */
export function reference(entry: string): string {
  const names = [...exportsOf(entry)].filter((symbol) => !isInternal(symbol));
  const sections = kinds.flatMap(([title, flags], index) => {
    const earlier = kinds.slice(0, index).reduce((all, [, other]) => all | other, 0);
    const own = names
      .filter((symbol) => symbol.flags & flags && !(symbol.flags & earlier))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    return own.length === 0 ? [] : [`## ${title}`, ...own.map(section)];
  });
  return `# ${entry}

Generated from the comments in the sources.

${sections.join('\n\n')}
`;
}

function section(symbol: ts.Symbol): string {
  const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
  if (!declaration) throw new Error(`${symbol.name} has no declaration.`);
  const members = membersOf(symbol);
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
function membersOf({ members, flags }: ts.Symbol): readonly ts.Symbol[] {
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

const oneLine = (value: string) => value.replace(/\s+/g, ' ').replace(/;$/, '').trim();
const code = (content: string) => `\`\`\`ts\n${content}\n\`\`\``;
