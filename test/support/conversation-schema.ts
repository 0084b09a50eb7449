import { join } from 'node:path';
import ts from 'typescript';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/base/json.ts';
import { exportFormat, exportVersion } from '../../src/records/saved/export.ts';

type Schemas = Record<string, JsonObject>;

/** What a reference to a definition begins with. */
const pointer = '#/$defs/';

/** The JSON Schema of an exported conversation, and its parts that a check needs. */
export function conversationSchemas(): { readonly published: JsonObject; readonly checked: JsonValue } {
  const $defs = definitionsOf('Conversation');
  return { published: exportSchema($defs), checked: withoutComments($defs) };
}

function exportSchema($defs: JsonObject): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:${exportFormat.replace('/', ':')}:${exportVersion}`,
    title: 'A conversation that exportConversation of acp-client-sdk returned',
    description: 'Fields that the schema does not name are of later versions of the package: ignore them.',
    type: 'object',
    properties: {
      format: { const: exportFormat },
      version: { const: exportVersion },
      madeBy: {
        type: 'object',
        properties: { name: { type: 'string' }, version: { type: 'string' } },
        required: ['name', 'version'],
      },
      conversation: { $ref: `${pointer}Conversation` },
    },
    required: ['format', 'version', 'madeBy', 'conversation'],
    $defs,
  };
}

/** The JSON Schema of a type of the model and of those that it has, by their names: from the types and their comments. */
function definitionsOf(root: string): Schemas {
  const file = join(import.meta.dirname, '../../src/core/model/conversation.ts');
  const { config } = ts.readConfigFile(join(import.meta.dirname, '../../tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, import.meta.dirname);
  const program = ts.createProgram([file], options);
  const checker = program.getTypeChecker();
  const definitions: Schemas = {};
  const named = new Map<string, ts.Type>();

  function schemaOf(type: ts.Type): JsonObject {
    const symbol = type.aliasSymbol ?? type.symbol;
    if (symbol?.name === 'JsonValue') return {};
    if (symbol?.name === 'JsonObject') return { type: 'object' };
    if (!isNamed(type)) return contentOf(type);
    const { name } = symbol;
    const known = named.get(name);
    if (known && known !== type) throw new Error(`Two types have the name ${name}.`);
    if (!known) {
      named.set(name, type);
      definitions[name] = described(symbol, contentOf(type));
    }
    return { $ref: pointer + name };
  }

  /** Whether the type is an interface or an alias that is the same wherever it is named. */
  function isNamed(type: ts.Type): boolean {
    if (type.aliasSymbol) return !type.aliasTypeArguments && !isOpen(type);
    return type.isClassOrInterface() && !type.typeParameters;
  }

  function contentOf(type: ts.Type): JsonObject {
    if (isOpen(type)) return { type: 'string' };
    if (type.isStringLiteral()) return { const: type.value };
    if (type.flags & ts.TypeFlags.Number) return { type: 'number' };
    if (type.flags & ts.TypeFlags.Boolean) return { type: 'boolean' };
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' };
    if (type.isUnion()) return unionOf(type.types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined)));
    if (checker.isArrayType(type)) {
      const [item] = checker.getTypeArguments(type as ts.TypeReference);
      if (item) return { type: 'array', items: schemaOf(item) };
    }
    if (!(type.flags & ts.TypeFlags.Object)) throw new Error(`No schema for ${checker.typeToString(type)}.`);
    return objectOf(type);
  }

  /** Whether the type is any text: also one that lists the texts that are known. */
  function isOpen(type: ts.Type): boolean {
    if (type.isUnion())
      return type.types.some(isOpen) && type.types.every((each) => each.isStringLiteral() || isOpen(each));
    if (type.isIntersection()) return type.types.some(isOpen);
    return (type.flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral)) !== 0;
  }

  function unionOf(types: readonly ts.Type[]): JsonObject {
    const [only, ...others] = types;
    if (only && others.length === 0) return schemaOf(only);
    if (types.every((each) => each.isStringLiteral())) return { enum: types.map(({ value }) => value) };
    const tag = ['type', 'kind'].find((key) => types.every((each) => each.getProperty(key)));
    if (tag) return taggedUnion(tag, types);
    // `null` first: a fault is that of the last one.
    const schemas = types.map(schemaOf).sort((one) => (one['type'] === 'null' ? -1 : 0));
    const simple = schemas.flatMap((schema) => (isSimple(schema) ? [schema.type] : []));
    return simple.length === schemas.length ? { type: simple.reverse() } : { anyOf: schemas };
  }

  /** Each type has its tag. What has no known tag is of the last type, if that is a type for all others. */
  function taggedUnion(tag: string, types: readonly ts.Type[]): JsonObject {
    const tagOf = (type: ts.Type) => contentOf(typeOf(type.getProperty(tag) as ts.Symbol))['const'];
    const known = types.filter((type) => tagOf(type) !== undefined);
    const tags = known.flatMap((type) => tagOf(type) ?? []);
    const others = types.filter((type) => !known.includes(type));
    return {
      type: 'object',
      properties: { [tag]: others.length > 0 ? { type: 'string' } : { enum: tags } },
      required: [tag],
      oneOf: [
        ...known.map(schemaOf),
        ...others.map((type) => ({ ...schemaOf(type), properties: { [tag]: { not: { enum: tags } } } })),
      ],
    };
  }

  function objectOf(type: ts.Type): JsonObject {
    const properties = checker.getPropertiesOfType(type);
    const index = checker.getIndexTypeOfType(type, ts.IndexKind.String);
    // A type with fields and an index signature may have others besides.
    if (index && properties.length === 0) return { type: 'object', additionalProperties: schemaOf(index) };
    const required = properties.filter(({ flags }) => !(flags & ts.SymbolFlags.Optional));
    return {
      type: 'object',
      properties: Object.fromEntries(
        properties.map((property) => [property.name, described(property, schemaOf(typeOf(property)))]),
      ),
      ...(required.length > 0 && { required: required.map(({ name }) => name) }),
    };
  }

  /** The type of a field as it is declared. That of a field that can be absent is another union, without its name. */
  function typeOf(property: ts.Symbol): ts.Type {
    const [declaration] = property.declarations ?? [];
    const node = declaration && ts.isPropertySignature(declaration) ? declaration.type : undefined;
    const declared = node && checker.getTypeFromTypeNode(node);
    return declared && !declared.isTypeParameter() ? declared : checker.getTypeOfSymbol(property);
  }

  function described(symbol: ts.Symbol, schema: JsonObject): JsonObject {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
    const description = text
      .replace(/\{@link (?:\w+\.)?(\w+) *\}/g, '$1')
      .replace(/\s+/g, ' ')
      .trim();
    return description === '' ? schema : { description, ...schema };
  }

  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const type = module && checker.getExportsOfModule(module).find(({ name }) => name === root);
  if (!type) throw new Error(`There is no type ${root}.`);
  schemaOf(checker.getDeclaredTypeOfSymbol(type));
  return definitions;
}

function isSimple(schema: JsonObject): schema is { readonly type: string } {
  return typeof schema['type'] === 'string' && Object.keys(schema).length === 1;
}

/** A reference is a name alone: what stands beside it is a comment, or says again that a type is for all others. */
function withoutComments(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(withoutComments);
  if (!isJsonObject(schema)) return schema;
  if (typeof schema['$ref'] === 'string') return { $ref: schema['$ref'].slice(pointer.length) };
  // A property can be called `description`, too.
  const kept = Object.entries(schema).filter(([key, value]) => key !== 'description' || isJsonObject(value));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutComments(value)]));
}
