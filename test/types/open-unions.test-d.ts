import { describe, expectTypeOf, test } from 'vitest';
import type {
  AudioContent,
  ConfigOption,
  ContentBlock,
  ConversationEntry,
  ImageContent,
  McpServer,
  TextContent,
  ToolCallContent,
  UnknownContent,
} from '../../src/entries/index.ts';
import type { ContentBlock as ContentBlock1 } from '../../src/entries/schema-v1.ts';
import type { ContentBlock as ContentBlock2 } from '../../src/entries/schema-v2.ts';

type Of<U, T extends string> = Extract<U, { readonly type: T }>;

describe('a union that agents can extend', () => {
  test('narrows known blocks of content by their type, and leaves the unknown ones', () => {
    const describeBlock = (block: ContentBlock) => {
      switch (block.type) {
        case 'text':
          expectTypeOf(block).toEqualTypeOf<TextContent>();
          return block.text;
        case 'image':
          expectTypeOf(block).toEqualTypeOf<ImageContent>();
          return block.mimeType;
        case 'audio':
          expectTypeOf(block).toEqualTypeOf<AudioContent>();
          return block.data;
        case 'resource_link':
          return block.uri;
        case 'resource':
          return 'text' in block.resource ? block.resource.text : block.resource.blob;
        case 'skill':
          return block.name;
        default:
          expectTypeOf(block).toEqualTypeOf<UnknownContent>();
          return block.type;
      }
    };
    expectTypeOf(describeBlock).returns.toEqualTypeOf<string>();
  });

  test('takes a type that begins with an underscore, and no other unknown type', () => {
    expectTypeOf<{ type: '_chart'; points: number[] }>().toExtend<ContentBlock>();
    expectTypeOf<{ type: 'chart'; points: number[] }>().not.toExtend<ContentBlock>();
    expectTypeOf<{ type: '_pipe'; name: string }>().toExtend<McpServer>();
    expectTypeOf<{ type: 'pipe'; name: string }>().not.toExtend<McpServer>();
  });

  test('has unknown fields of type unknown', () => {
    expectTypeOf<UnknownContent['points']>().toBeUnknown();
    type UnknownItem = Exclude<
      ToolCallContent,
      { readonly type: 'content' | 'diff' | 'terminal' | 'session' }
    >;
    expectTypeOf<UnknownItem['value']>().toBeUnknown();
  });

  test('narrows the content of a tool call', () => {
    expectTypeOf<Of<ToolCallContent, 'content'>['content']>().toEqualTypeOf<ContentBlock>();
    expectTypeOf<Of<ToolCallContent, 'diff'>['changes'][number]['path']>().toEqualTypeOf<string>();
    expectTypeOf<Of<ToolCallContent, 'terminal'>['terminalId']>().toEqualTypeOf<string>();
    expectTypeOf<Of<ToolCallContent, 'session'>['sessionId']>().toEqualTypeOf<string>();
  });

  test('narrows config options', () => {
    expectTypeOf<Of<ConfigOption, 'select'>['currentValue']>().toEqualTypeOf<string>();
    expectTypeOf<Of<ConfigOption, 'boolean'>['currentValue']>().toEqualTypeOf<boolean>();
  });

  test('narrows entries of a conversation by their kind', () => {
    const keyOf = (entry: ConversationEntry): string => {
      switch (entry.kind) {
        case 'message':
          return entry.content.length === 0 ? entry.role : entry.key;
        case 'sessionMessage':
          return entry.messageId;
        case 'toolCall':
          return entry.toolCallId;
        case 'compaction':
          return entry.compactionId;
        case 'turnFailure':
          return entry.reason;
        case 'unknown':
          return entry.tag;
      }
    };
    expectTypeOf(keyOf).returns.toEqualTypeOf<string>();
  });

  test('narrows in the types of the wire as well', () => {
    expectTypeOf<Of<ContentBlock1, 'text'>['text']>().toEqualTypeOf<string>();
    expectTypeOf<Of<ContentBlock2, 'text'>['text']>().toEqualTypeOf<string>();
    expectTypeOf<{ type: '_chart' }>().toExtend<ContentBlock2>();
    expectTypeOf<{ type: 'chart' }>().not.toExtend<ContentBlock2>();
  });
});

describe('an open set of names', () => {
  test('takes any string, so that a new status compiles', () => {
    type Status = Extract<ConversationEntry, { readonly kind: 'toolCall' }>['status'];
    expectTypeOf<'completed'>().toExtend<Status>();
    expectTypeOf<string>().toExtend<Status>();
    // `string` alone would lose the known names, which an editor completes.
    expectTypeOf<Status>().not.toEqualTypeOf<string>();
  });
});
