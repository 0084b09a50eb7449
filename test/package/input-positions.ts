import ts from 'typescript';
import { root } from './docs/pages.ts';
import { checker, exportsOf } from './docs/public-names.ts';

/** An optional property of a value that users pass to the library. */
export interface OptionalInput {
  /** The names on the way to it: `scriptedAgent(options).validate`. */
  readonly place: string;
  /** Whether `{ key: undefined }` compiles with `exactOptionalPropertyTypes`. */
  readonly takesUndefined: boolean;
}

/** Interfaces that users implement and the library calls. */
const writtenByUsers: ReadonlySet<string> = new Set([
  'TerminalHandlers',
  'PermissionRulesOptions',
  'Tool',
  'McpServerOptions',
]);

/** Some types hold themselves, in new instances of a generic type. */
const maxDepth = 8;

/** The optional properties in all input positions of an entry: parameters, and what callbacks return. */
export function optionalInputs(entry: string): readonly OptionalInput[] {
  const found = new Map<string, OptionalInput>();
  const seen = new Set<ts.Type>();
  for (const symbol of exportsOf(entry)) {
    const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
    if (!declaration) continue;
    const type =
      symbol.flags & ts.SymbolFlags.Value
        ? checker.getTypeOfSymbolAtLocation(symbol, declaration)
        : checker.getDeclaredTypeOfSymbol(symbol);
    if (symbol.flags & ts.SymbolFlags.Value) {
      for (const signature of type.getCallSignatures()) visitCall(signature, symbol.name);
    }
    visitOutput(type, symbol.name);
    if (symbol.flags & ts.SymbolFlags.Class)
      visitOutput(checker.getDeclaredTypeOfSymbol(symbol), symbol.name);
  }
  return [...found.values()];

  /** A value of the library: users call its functions. */
  function visitOutput(type: ts.Type, place: string): void {
    if (writtenByUsers.has(place)) return;
    for (const property of type.getProperties()) {
      // What is optional is a callback of the user.
      if (!isOurs(property) || property.flags & ts.SymbolFlags.Optional) continue;
      const propertyType = checker.getNonNullableType(checker.getTypeOfSymbol(property));
      for (const signature of propertyType.getCallSignatures())
        visitCall(signature, `${place}.${property.name}`);
    }
  }

  function visitCall(signature: ts.Signature, place: string): void {
    for (const parameter of signature.parameters) {
      visitInput(checker.getTypeOfSymbol(parameter), `${place}(${parameter.name})`);
    }
  }

  /** A value of the user, with all that it holds. */
  function visitInput(whole: ts.Type, place: string, depth = 0): void {
    if (depth > maxDepth) return;
    const type = checker.getNonNullableType(whole);
    if (type.isUnionOrIntersection()) {
      for (const part of type.types) visitInput(part, place, depth + 1);
      if (type.isUnion()) return;
    }
    // The library creates the objects of its classes.
    if (seen.has(type) || type.isClass()) return;
    seen.add(type);
    for (const signature of type.getCallSignatures()) {
      visitInput(
        checker.getAwaitedType(signature.getReturnType()) ?? signature.getReturnType(),
        `${place}()`,
        depth + 1,
      );
    }
    const element = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    if (checker.isArrayLikeType(type)) {
      if (element) visitInput(element, `${place}[]`, depth + 1);
      return;
    }
    for (const property of type.getProperties()) {
      if (!isOurs(property)) continue;
      const key = `${place}.${property.name}`;
      if (property.flags & ts.SymbolFlags.Optional) {
        const declared = placeOf(property);
        found.set(declared, { place: `${key} (${declared})`, takesUndefined: takesUndefined(property) });
      }
      visitInput(checker.getTypeOfSymbol(property), key, depth + 1);
    }
  }
}

/**
 * Where the types of data are declared that the library or the agent made, such as a conversation. A user passes them on
 * as they are. The parameters of raw requests have the types of the wire.
 */
const data = /^src\/core\/(model\/(?!content)|protocol\/(v1|v2|unstable|dialect|normalize))/;

/** Whether the property is declared in the sources of this library, in a type of which users write values. */
function isOurs(property: ts.Symbol): boolean {
  const file = property.declarations?.[0]?.getSourceFile().fileName ?? '';
  return file.startsWith(`${root}/src/`) && !data.test(file.slice(root.length + 1));
}

function placeOf(property: ts.Symbol): string {
  const declaration = property.declarations?.[0];
  if (!declaration) return property.name;
  const file = declaration.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(declaration.getStart());
  return `${file.fileName.slice(root.length + 1)}:${line + 1} ${property.name}`;
}

/** The type of an optional property has a `undefined` of its own only if it is written. */
function takesUndefined({ declarations = [] }: ts.Symbol): boolean {
  return declarations.every((declaration) => {
    if (ts.isMethodSignature(declaration)) return false;
    if (!ts.isPropertySignature(declaration) || !declaration.questionToken || !declaration.type) return false;
    const type = checker.getTypeFromTypeNode(declaration.type);
    const parts = type.isUnion() ? type.types : [type];
    return parts.some((part) => part.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Unknown));
  });
}
