import ts from 'typescript';
import { compile } from './compile.ts';
import { entries, exportsOf } from './public-names.ts';

/** The code of an `@example` of a public name, and what it needs to be a program. */
export interface Example {
  /** The name of its file. */
  readonly file: string;
  readonly code: string;
  /** Imports of the public names that it uses without importing them. */
  readonly imports: string;
  /** Declarations of other names that it uses without declaring them. */
  readonly declarations: string;
}

/** The whole programs of examples, by the names of their files. */
export const programsOf = (examples: readonly Example[]) =>
  Object.fromEntries(
    examples.map(({ file, imports, code, declarations }) => [
      file,
      `${imports}${code}\nexport {};\n${declarations}`,
    ]),
  );

/** Methods and accessors of a class or an interface. */
export function callables({
  members,
  name,
}: ts.Symbol): readonly (readonly [name: string, member: ts.Symbol])[] {
  return [...(members?.values() ?? [])].flatMap((member) => {
    const declaration = member.declarations?.[0];
    const isPublic =
      declaration !== undefined &&
      'name' in declaration &&
      !ts.isPrivateIdentifier(declaration.name as ts.Node) &&
      !ts.isComputedPropertyName(declaration.name as ts.Node) &&
      !(ts.getCombinedModifierFlags(declaration) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected));
    const flags = ts.SymbolFlags.Method | ts.SymbolFlags.Accessor;
    return isPublic && member.flags & flags ? [[`${name}.${member.name}`, member] as const] : [];
  });
}

/** Types of names that examples use without declaring them. Other names have the type `any`. */
const granted: Readonly<Record<string, string>> = {
  connection: "import('acp-client-sdk').ClientConnection",
  session: "import('acp-client-sdk').Session",
  conversation: "import('acp-client-sdk').Conversation",
  clientInfo: "import('acp-client-sdk').Implementation",
};
const anything = 'any';
const cannotFindName = new Set([2304, 2552, 18004]);

/** The examples in the comments of all public names. */
export async function examples(): Promise<readonly Example[]> {
  const bare = entries
    .flatMap((entry) =>
      exportsOf(entry).flatMap((symbol) => [[symbol.name, symbol] as const, ...callables(symbol)]),
    )
    .flatMap(([name, symbol]) =>
      symbol
        .getJsDocTags()
        .filter((tag) => tag.name === 'example')
        .map((tag) => ts.displayPartsToString(tag.text).replace(/^```ts\n|\n```$/g, ''))
        .map((code, n): Example => {
          const file = `${name}-${n}.ts`;
          return { file, code, imports: importsOf(code), declarations: '' };
        }),
    );
  // Several entries can export a name.
  const found = [...new Map(bare.map((example) => [example.file, example])).values()];
  const faults = await compile(programsOf(found));
  const missing = faults.filter(({ code }) => cannotFindName.has(code));
  return found.map((example) => {
    const names = missing
      .filter(({ file }) => file === example.file)
      .map(({ message }) => /'(\w+)'/.exec(message)?.[1] ?? '');
    const declarations = [...new Set(names)].map(
      (name) => `declare let ${name}: ${granted[name] ?? anything};\n`,
    );
    return { ...example, declarations: declarations.join('') };
  });
}

function importsOf(code: string): string {
  const taken = new Set<string>(code.match(/(?<=\b(?:const|let) )\w+/g));
  return entries
    .map((entry) => {
      const used = exportsOf(entry).filter(
        ({ name }) => new RegExp(`\\b${name}\\b`).test(code) && !taken.has(name),
      );
      for (const { name } of used) taken.add(name);
      const names = used.map(({ name, flags }) => (flags & ts.SymbolFlags.Value ? name : `type ${name}`));
      return names.length === 0 ? '' : `import { ${names.join(', ')} } from '${entry}';\n`;
    })
    .join('');
}
