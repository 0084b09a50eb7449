import { expectTypeOf, test } from 'vitest';
import { type ConnectOptions, type PathMap, pathMap, type SharedDirectory } from '../../src/entries/index.ts';
import type { FoldTrafficOptions } from '../../src/entries/testing.ts';

test('pathMap takes directories with two paths', () => {
  expectTypeOf(pathMap).parameters.toEqualTypeOf<[directories: readonly SharedDirectory[]]>();
  expectTypeOf(pathMap).returns.toEqualTypeOf<PathMap>();
  // @ts-expect-error: the path of the agent is missing.
  pathMap([{ editor: '/a' }]);
  // @ts-expect-error: one list, and not a record.
  pathMap({ '/a': '/b' });
});

test('connect and foldTraffic take what pathMap returns, and no other object', () => {
  expectTypeOf<ConnectOptions['paths']>().toEqualTypeOf<PathMap | undefined>();
  expectTypeOf<FoldTrafficOptions['paths']>().toEqualTypeOf<PathMap | undefined>();
  const own = { toAgent: (path: string) => path, toEditor: (path: string) => path };
  expectTypeOf(own).not.toExtend<PathMap>();
});

test('a map converts texts', () => {
  expectTypeOf<PathMap['toAgent']>().toEqualTypeOf<(path: string) => string>();
  expectTypeOf<PathMap['toEditor']>().toEqualTypeOf<(path: string) => string>();
});
