// The part of vitest that the node tests use, on node:test: vitest itself needs programs of the system it runs on.
import * as node from 'node:test';
import { format } from 'node:util';
import {
  ASYMMETRIC_MATCHERS_OBJECT,
  customMatchers,
  GLOBAL_EXPECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from '@vitest/expect';
import * as chai from 'chai';

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);
export const expect = (value, message) => chai.expect(value, message);
Object.assign(expect, chai.expect);
Object.defineProperty(globalThis, GLOBAL_EXPECT, { value: expect, writable: true, configurable: true });
setState({ assertionCalls: 0, isExpectingAssertions: false }, expect);
chai.expect.extend(expect, customMatchers);
Object.assign(expect, globalThis[ASYMMETRIC_MATCHERS_OBJECT]);

/** No project gives a value: the tests use the defaults. */
export const inject = () => undefined;

/** Waits until what is read passes the assertion that follows. */
expect.poll = (read, { timeout = 1000, interval = 50 } = {}) =>
  new Proxy(
    {},
    {
      get:
        (_, matcher) =>
        async (...args) => {
          for (
            const end = Date.now() + timeout;
            ;
            await new Promise((resolve) => setTimeout(resolve, interval))
          ) {
            try {
              return chai.expect(await read())[matcher](...args);
            } catch (error) {
              if (Date.now() > end) throw error;
            }
          }
        },
    },
  );

const timeout = 60_000;

// A test that waits for nothing that keeps Node running must fail by its time limit, and not end all that follow.
const keepAlive = setInterval(() => {}, 60_000);
node.after(() => clearInterval(keepAlive));

function withTable(run) {
  const each =
    (register) =>
    (rows) =>
    (title, body, ...rest) => {
      for (const row of rows) {
        const values = Array.isArray(row) ? row : [row];
        const named = title.replace(/\$(\w+)/g, (_, key) => String(row?.[key]));
        const shown = values.slice(0, named.match(/%[sdijoO]/g)?.length ?? 0);
        register(format(named, ...shown), () => body(...values), ...rest);
      }
    };
  return Object.assign(run, { each: each(run) });
}

/** The tests of this file that Wine cannot run, with the reason. The build puts it here. */
const reasons = SKIPPED;

const register = (kind) =>
  withTable((title, body) => {
    // Reported in the same way, whatever the kind of the reason.
    const options = Object.hasOwn(reasons, title) ? { skip: reasons[title] } : { timeout };
    kind(title, options, (context) => body({ skip: () => context.skip(), annotate() {} }));
  });
const skipped = (kind) => withTable((title) => kind.skip(title));
export const test = Object.assign(register(node.test), {
  skipIf: (condition) => (condition ? skipped(node.test) : register(node.test)),
  runIf: (condition) => (condition ? register(node.test) : skipped(node.test)),
});
export const describe = Object.assign(
  withTable((title, body) => node.describe(title, () => body())),
  {
    skipIf: (condition) => (condition ? skipped(node.describe) : describe),
    runIf: (condition) => (condition ? describe : skipped(node.describe)),
  },
);
const finishing = [];
node.afterEach(async () => {
  for (const finish of finishing.splice(0).reverse()) await finish();
});
export const onTestFinished = (finish) => finishing.push(finish);
export const { beforeEach, afterEach } = node;
export const beforeAll = node.before;
export const afterAll = node.after;
export const vi = { fn: (call) => call };
