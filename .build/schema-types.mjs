// Prints the declarations of the schemas: each schema once, with its computed type, which refers to other types by name.
import { relative, resolve } from 'node:path';
import ts from 'typescript';
import { entries } from './entries.mjs';

const root = resolve(import.meta.dirname, '..');
/** The entries with schemas, and their sources. */
export const versions = Object.fromEntries(
  Object.entries(entries).filter(([name]) => name.startsWith('schema-')),
);
/** The file that declares what both versions export. */
export const shared = 'schema-shared';
/** Types that are not the output of a schema. */
const jsonTypes = ['JsonObject', 'JsonValue'];
const maxDepth = 30;

const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const sources = Object.values(versions).map((path) => `${root}/${path}`);
const program = ts.createProgram(sources, { ...options, noEmit: true });
const checker = program.getTypeChecker();

/**
 * The exported symbols of a source file. The values are the names under which they are exported. They are sorted, because
 * the compiler orders the members of a union as it meets them.
 */
function exportsOf(path) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(`${root}/${path}`));
  const found = checker.getExportsOfModule(module).map((symbol) => {
    const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    return [isAlias ? checker.getAliasedSymbol(symbol) : symbol, symbol.name];
  });
  const place = ([{ declarations, name }]) => `${declarations[0].getSourceFile().fileName} ${name}`;
  return new Map(found.sort((a, b) => place(a).localeCompare(place(b), 'en')));
}

const byVersion = Object.fromEntries(Object.entries(versions).map(([name, path]) => [name, exportsOf(path)]));
const isShared = (symbol) => Object.values(byVersion).every((names) => names.has(symbol));

/** The symbols to declare, by the file that declares them. */
const declared = { [shared]: [] };
for (const [file, names] of Object.entries(byVersion)) {
  declared[file] = [];
  for (const symbol of names.keys()) {
    if (!isShared(symbol)) declared[file].push(symbol);
    else if (!declared[shared].includes(symbol)) declared[shared].push(symbol);
  }
}

/** The types of each file, by what identifies them. A type that has two names in a file is written out. */
const named = Object.fromEntries(Object.entries(declared).map(([file, symbols]) => [file, namesOf(symbols)]));

function namesOf(symbols) {
  const names = new Map();
  for (const symbol of symbols) {
    const key = keyOf(checker.getDeclaredTypeOfSymbol(symbol));
    if (key !== undefined) names.set(key, names.has(key) ? undefined : symbol.name);
  }
  return names;
}

/** The same union can be two objects, so that its members identify it. */
function keyOf(type) {
  if (type.flags & ts.TypeFlags.Boolean) return undefined;
  if (type.isUnion()) return membersKey(type.types);
  return type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection) ? type : undefined;
}

function membersKey(types) {
  return types
    .map(({ id }) => id)
    .sort((a, b) => a - b)
    .join();
}

/**
 * The declarations of each file: `statements`, `imports` (the names to import, by the file that has them), `comment` (of
 * the file), `names` (of the declared schemas and types), `exported` (the same, as entries export them) and `sources` (the
 * source files of these).
 */
export function schemaDeclarations() {
  return Object.entries(declared).map(([file, symbols]) => {
    const printer = new Printer(file);
    const statements = symbols.map((symbol) => printer.declare(symbol));
    const comment = versions[file] ? fileComment(versions[file]) : '';
    const names = symbols.map(({ name }) => name);
    const exported = symbols.map((symbol) => {
      const name = Object.values(byVersion)
        .find((version) => version.has(symbol))
        .get(symbol);
      return name === symbol.name ? name : `${symbol.name} as ${name}`;
    });
    const sources = new Set(symbols.map(({ declarations: [{ parent }] }) => sourceOf(parent)));
    return { file, statements, imports: printer.imports, comment, names, exported, sources: [...sources] };
  });
}

/** The path of the file that declares something. */
function sourceOf(node) {
  return relative(root, node.getSourceFile().fileName);
}

/** Prints types for one file, and collects what it has to import. */
class Printer {
  imports = new Map();
  #file;

  constructor(file) {
    this.#file = file;
  }

  /** The declaration of a schema and of its output, or of a type. */
  declare(symbol) {
    const { name } = symbol;
    const [declaration] = symbol.declarations;
    const isSchema = (symbol.flags & ts.SymbolFlags.Value) !== 0;
    if (!isSchema) return `${commentOf(declaration)}export ${withoutExport(declaration)}`;
    const type = this.#print(checker.getDeclaredTypeOfSymbol(symbol), '', 0);
    const constant = symbol.valueDeclaration.parent.parent;
    return `${commentOf(constant)}export declare const ${name}: v.GenericSchema<unknown, ${name}>;\nexport type ${name} = ${type};`;
  }

  #import(file, name) {
    const names = this.imports.get(file) ?? new Set();
    this.imports.set(file, names.add(name));
  }

  /** The name of a type that this file can refer to. */
  #nameOf(key) {
    const own = named[this.#file].get(key);
    const imported = own === undefined ? named[shared].get(key) : undefined;
    if (imported !== undefined) this.#import(shared, imported);
    return own ?? imported;
  }

  /** A type by its name, if it has one, and otherwise in full. */
  #print(type, indent, depth) {
    if (depth > maxDepth) throw new Error(`A type in ${this.#file} is nested too deep, or contains itself.`);
    const alias = (type.aliasSymbol ?? type.symbol)?.name;
    if (jsonTypes.includes(alias)) {
      this.#import('json', alias);
      return alias;
    }
    const name = depth === 0 ? undefined : this.#nameOf(keyOf(type));
    if (name !== undefined) return name;
    if (type.isUnion()) return this.#printUnion(type, indent, depth);
    if (type.isIntersection()) {
      const members = type.types.map((member) => this.#print(member, indent, depth + 1));
      return members.join(' & ');
    }
    if (checker.isArrayType(type)) {
      const [item] = checker.getTypeArguments(type);
      const isReadonly = type.target.symbol.name === 'ReadonlyArray';
      const printed = this.#print(item, indent, depth + 1);
      const isName = /^\w+$/.test(printed);
      return `${isReadonly ? 'readonly ' : ''}${isName || !(item.isUnion() || item.isIntersection()) ? printed : `(${printed})`}[]`;
    }
    if (type.flags & ts.TypeFlags.Object) return this.#printObject(type, indent, depth);
    // The type of an optional property that must be absent.
    if (type.flags & ts.TypeFlags.Undefined) return 'never';
    return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
  }

  #printUnion(type, indent, depth) {
    const nullType = type.types.find(({ flags }) => flags & ts.TypeFlags.Null);
    // An optional property contains `undefined`, and a schema has no other place for it.
    const values = type.types.filter(({ flags }) => !(flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)));
    const whole =
      values.length > 1 && values.length < type.types.length ? this.#nameOf(membersKey(values)) : undefined;
    if (whole !== undefined) return nullType ? `${whole} | null` : whole;
    const printed = values.map((member) => {
      return member.flags & ts.TypeFlags.BooleanLiteral ? 'boolean' : this.#print(member, indent, depth + 1);
    });
    // The known strings of an open enum come first. `string & {}` keeps them in the completions of an editor.
    const anyString = 'string & {}';
    const members = [
      ...printed.filter((text) => text !== anyString),
      ...(printed.includes(anyString) ? [`(${anyString})`] : []),
      ...(nullType ? ['null'] : []),
    ];
    return [...new Set(members)].join(' | ');
  }

  #printObject(type, indent, depth) {
    const inner = `${indent} `;
    const indexes = checker.getIndexInfosOfType(type).map(({ keyType, type: value, isReadonly }) => {
      const key = checker.typeToString(keyType);
      return `${inner}${isReadonly ? 'readonly ' : ''}[key: ${key}]: ${this.#print(value, inner, depth + 1)};`;
    });
    const properties = checker.getPropertiesOfType(type).map((property) => {
      const value = this.#print(checker.getTypeOfSymbol(property), inner, depth + 1);
      const optional = property.flags & ts.SymbolFlags.Optional ? '?' : '';
      const comment = property.declarations?.[0] ? commentOf(property.declarations[0], inner) : '';
      return `${comment}${inner}${isReadonly(property) ? 'readonly ' : ''}${keyText(property.name)}${optional}: ${value};`;
    });
    const members = [...indexes, ...properties];
    return members.length === 0 ? '{}' : `{\n${members.join('\n')}\n${indent}}`;
  }
}

function isReadonly(property) {
  const isOfMappedType = (ts.getCheckFlags(property) & ts.CheckFlags.Readonly) !== 0;
  const modifiers = property.valueDeclaration && ts.getCombinedModifierFlags(property.valueDeclaration);
  const isSignature = property.valueDeclaration && ts.isPropertySignature(property.valueDeclaration);
  return isOfMappedType || (isSignature && (modifiers & ts.ModifierFlags.Readonly) !== 0);
}

function keyText(name) {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** The documentation comment of a node, with a line break after it. */
function commentOf(node, indent = '') {
  const text = node.getSourceFile().text;
  const comment = (ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [])
    .map(({ pos, end }) => text.slice(pos, end))
    .filter((found) => found.startsWith('/**') && !found.includes('@packageDocumentation'))
    .at(-1);
  if (comment === undefined) return '';
  return `${comment.replace(/\n\s*/g, `\n${indent} `).replace(/^/, indent)}\n`;
}

function withoutExport(declaration) {
  return declaration.getText().replace(/^export /, '');
}

function fileComment(path) {
  return /^\/\*\*[\s\S]*?\*\/\n/.exec(program.getSourceFile(`${root}/${path}`).text)?.[0] ?? '';
}
