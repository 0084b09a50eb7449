import { describe, expect, test, vi } from 'vitest';
import type {
  ClientHandlers,
  HandlerContext,
  PermissionRequest,
} from '../../../src/client/requests/handlers.ts';
import type { VsCode, VsCodePickItem } from '../../../src/vscode/api.ts';
import { askWithQuickPick } from '../../../src/vscode/ask.ts';
import { ModelEvent, modelOf } from '../../support/vscode-model.ts';

/** What is on the screen. */
class Shown {
  title: string | undefined;
  step: number | undefined;
  totalSteps: number | undefined;
  placeholder: string | undefined;
  prompt: string | undefined;
  ignoreFocusOut = false;
  canSelectMany = false;
  validationMessage: string | object | undefined;
  items: readonly VsCodePickItem[] = [];
  selectedItems: readonly VsCodePickItem[] = [];
  isOpen = false;
  wasShown = false;
  #value = '';
  readonly accepted = new ModelEvent<void>();
  readonly hidden = new ModelEvent<void>();
  readonly changed = new ModelEvent<string>();
  readonly onDidAccept = this.accepted.event;
  readonly onDidHide = this.hidden.event;
  readonly onDidChangeValue = this.changed.event;
  get value() {
    return this.#value;
  }
  set value(text: string) {
    this.#value = text;
    this.changed.fire(text);
  }
  show() {
    this.isOpen = true;
    this.wasShown = true;
  }
  dispose() {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.hidden.fire();
  }

  /** The user's part. */
  get labels() {
    return this.items.map(({ label }) => label);
  }
  choose(...labels: readonly string[]) {
    this.selectedItems = this.items.filter(({ label }) => labels.some((text) => label.includes(text)));
    this.accepted.fire();
  }
  enter(text: string) {
    this.value = text;
    this.accepted.fire();
  }
  escape() {
    this.dispose();
  }
}

function editor(options: Parameters<typeof askWithQuickPick>[1] = {}) {
  const prompts: Shown[] = [];
  const opened: string[] = [];
  const create = () => {
    const shown = new Shown();
    prompts.push(shown);
    return shown;
  };
  const vscode = modelOf({
    window: {
      // The model has the members of both, without their type parameter.
      createQuickPick: () => create() as never,
      createInputBox: () => create() as ReturnType<VsCode['window']['createInputBox']>,
    },
    env: {
      openExternal: async (uri) => {
        opened.push(uri.toString());
        return true;
      },
    },
  });
  const strict: unknown[] = [];
  const Uri: VsCode['Uri'] = {
    ...vscode.Uri,
    parse: (text, isStrict) => {
      strict.push(isStrict);
      return vscode.Uri.parse(text);
    },
  };
  const next = (count: number) =>
    vi.waitFor(() => {
      expect(prompts.length).toBe(count);
      return prompts[count - 1] as Shown;
    });
  const model = { ...vscode, Uri };
  return { ...askWithQuickPick(model, options), vscode: model, prompts, opened, strict, next };
}

const options = [
  { optionId: 'r2', name: 'Never', kind: 'reject_always' },
  { optionId: 'r1', name: 'No', kind: 'reject_once' },
  { optionId: 'a2', name: 'Always', kind: 'allow_always' },
  { optionId: 'a1', name: 'Yes $(trash)\u202e', kind: 'allow_once' },
];
const request = (title: string, offered: PermissionRequest['options'] = options): PermissionRequest => ({
  title,
  description: null,
  toolCall: null,
  subject: null,
  options: offered,
});

function contextWith(controller = new AbortController()) {
  const cancelled: string[] = [];
  const session = { sessionId: 's', cancel: async () => void cancelled.push('s') };
  // Only these members of the session are used.
  return {
    context: { session, signal: controller.signal } as unknown as HandlerContext,
    cancelled,
    controller,
  };
}

describe('a permission request', () => {
  test('is a list with the options that allow first, their effects, and no icons of the agent', async () => {
    const { requestPermission, next } = editor();
    const answer = requestPermission(request('Run\nrm -rf?'), contextWith().context);
    const shown = await next(1);
    expect(shown.title).toBe('Run rm -rf?');
    expect(shown.labels).toEqual([
      '$(check) Yes $ (trash)\ufffd',
      '$(check-all) Always',
      '$(x) No',
      '$(circle-slash) Never',
    ]);
    expect(shown.items.map(({ description }) => description)).toEqual([
      'allows once',
      'always allows',
      'rejects once',
      'always rejects',
    ]);
    expect(shown.ignoreFocusOut).toBe(true);
    expect([shown.step, shown.totalSteps]).toEqual([undefined, undefined]);
    shown.choose('Always');
    expect(await answer).toEqual({ outcome: 'selected', optionId: 'a2' });
    expect(shown.isOpen).toBe(false);
  });

  test('is rejected with Escape, and once if that is offered', async () => {
    const { requestPermission, next } = editor();
    const answer = requestPermission(request('Edit?'), contextWith().context);
    (await next(1)).escape();
    expect(await answer).toEqual({ outcome: 'selected', optionId: 'r1' });
    const always = requestPermission(request('Edit?', options.slice(0, 1)), contextWith().context);
    (await next(2)).escape();
    expect(await always).toEqual({ outcome: 'selected', optionId: 'r2' });
  });

  test.each([
    ['no option that rejects', options.slice(2)],
    [
      'an option that rejects with the id of one that allows',
      [
        { optionId: 'same', name: 'Yes', kind: 'allow_once' },
        { optionId: 'same', name: 'No', kind: 'reject_once' },
      ],
    ],
  ])('cancels the turn with Escape if it has %s', async (_name, offered) => {
    const { requestPermission, next } = editor();
    const { context, cancelled } = contextWith();
    const answer = requestPermission(request('Edit?', offered), context);
    (await next(1)).escape();
    expect(await answer).toEqual({ outcome: 'cancelled' });
    expect(cancelled).toEqual(['s']);
  });

  test('closes when the agent withdraws it, and the next one is shown then', async () => {
    const { requestPermission, next, prompts } = editor();
    const first = contextWith();
    const withdrawn = requestPermission(request('First?'), first.context);
    const second = requestPermission(request('Second?'), contextWith().context);
    const third = contextWith();
    const never = requestPermission(request('Third?'), third.context);
    const shown = await next(1);
    third.controller.abort();
    first.controller.abort();
    expect(await withdrawn).toEqual({ outcome: 'cancelled' });
    expect(first.cancelled).toEqual([]);
    expect(shown.isOpen).toBe(false);
    const following = await next(2);
    expect(following.title).toBe('Second?');
    following.choose('Yes');
    expect(await second).toEqual({ outcome: 'selected', optionId: 'a1' });
    expect(await never).toEqual({ outcome: 'cancelled' });
    expect(prompts.length).toBe(2);
  });
});

describe('the text of a permission request', () => {
  test.each([
    [{}, undefined, 'Press Escape to refuse.'],
    [{ description: 'It  removes\nall.' }, undefined, 'It removes all.'],
    [{}, { sessionId: 'child', title: null }, 'The subagent child asks. Press Escape to refuse.'],
    [
      {},
      { sessionId: 'child', title: 'Search $(x)' },
      'The subagent Search $ (x) asks. Press Escape to refuse.',
    ],
  ])('is its description, and says which subagent asks: %j %j', async (part, subagent, placeholder) => {
    const { requestPermission, next } = editor();
    const { context } = contextWith();
    // Only these members of a subagent are used.
    const asks = {
      ...context,
      ...(subagent && { subagent: subagent as HandlerContext['subagent'] }),
    } as HandlerContext;
    const offered = [{ optionId: 'o', name: 'Other', kind: 'later' }, ...options.slice(1)];
    const answer = requestPermission({ ...request('Run?', offered), ...part }, asks);
    const shown = await next(1);
    expect(shown.placeholder).toBe(placeholder);
    // A kind that is not known is between those that allow and those that reject.
    expect(shown.items.map(({ label, description }) => [label, description])).toContainEqual([
      '$(question) Other',
      '',
    ]);
    expect(shown.labels.findIndex((label) => label.includes('Other'))).toBe(2);
    shown.escape();
    expect(await answer).toEqual({ outcome: 'selected', optionId: 'r1' });
  });
});

test('questions of two agents do not dismiss each other', async () => {
  const { requestPermission, vscode, next, prompts } = editor();
  const other = askWithQuickPick(vscode);
  const first = requestPermission(request('First?'), contextWith().context);
  const second = other.requestPermission(request('Second?'), contextWith().context);
  const shown = await next(1);
  await new Promise(setImmediate);
  expect(prompts.length).toBe(1);
  shown.choose('Yes');
  expect(await first).toEqual({ outcome: 'selected', optionId: 'a1' });
  (await next(2)).choose('No');
  expect(await second).toEqual({ outcome: 'selected', optionId: 'r1' });
});

describe('a form', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name', minLength: 2 },
      age: { type: 'integer', minimum: 18 },
      color: {
        type: 'string',
        oneOf: [
          { const: 'r', title: 'Red' },
          { const: 'g', title: 'Green' },
        ],
        default: 'g',
      },
      news: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] }, minItems: 2 },
    },
    required: ['name', 'tags'],
  };
  const form = { message: 'Who are you?', toolCallId: null, requestId: null, requestedSchema: schema };
  const contextOf = (signal = new AbortController().signal) => ({ session: undefined, signal });
  const ask = (elicit: NonNullable<ClientHandlers['elicit']>, signal?: AbortSignal) =>
    elicit.form?.(form, contextOf(signal));

  test('asks for each field, and accepts only what its schema allows', async () => {
    const { elicit, next } = editor();
    const answer = ask(elicit);
    const name = await next(1);
    expect([name.title, name.placeholder, name.step, name.totalSteps]).toEqual([
      'Who are you?',
      'Name',
      1,
      5,
    ]);
    name.enter('');
    expect(name.validationMessage).toBe('This field is required.');
    name.enter('x');
    expect(name.validationMessage).toBe('The value must be at least 2 characters long.');
    name.enter('Ada');
    const age = await next(2);
    age.enter('seventeen');
    expect(age.validationMessage).toBe('The value must be a whole number.');
    age.enter('');
    const color = await next(3);
    expect(color.labels).toEqual(['Green', 'Red', '$(dash) No answer']);
    color.choose('Red');
    (await next(4)).choose('Yes');
    const tags = await next(5);
    tags.choose('a');
    expect(tags.isOpen).toBe(true);
    expect(tags.title).toContain('must be at least 2 items long');
    tags.choose('a', 'c');
    expect(await answer).toEqual({
      action: 'accept',
      content: { name: 'Ada', color: 'r', news: true, tags: ['a', 'c'] },
    });
  });

  test('takes numbers, leaves out what is not answered, and has its texts in one line', async () => {
    const { elicit, next } = editor();
    const requestedSchema = {
      type: 'object',
      properties: {
        age: { type: 'integer', minimum: 18 },
        tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1 },
        more: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      },
      required: ['age'],
    };
    const message = ' Who are\n$(x) you? ';
    const answer = elicit.form?.({ ...form, message, requestedSchema }, contextOf());
    const age = await next(1);
    expect(age.title).toBe('Who are $ (x) you?');
    age.enter('  ');
    expect(age.validationMessage).toBe('The value must be a whole number.');
    age.enter('20');
    (await next(2)).choose();
    (await next(3)).choose('b');
    expect(await answer).toEqual({ action: 'accept', content: { age: 20, more: ['b'] } });
  });

  test('without fields is a confirmation', async () => {
    const { elicit, next } = editor();
    const requestedSchema = { type: 'object', properties: {} };
    const askFor = (signal?: AbortSignal) => elicit.form?.({ ...form, requestedSchema }, contextOf(signal));
    const accepted = askFor();
    const shown = await next(1);
    expect([shown.title, shown.placeholder]).toEqual(['Who are you?', 'The agent asks you to confirm.']);
    expect(shown.labels).toEqual(['$(check) Accept', '$(x) Decline']);
    shown.choose('Accept');
    expect(await accepted).toEqual({ action: 'accept', content: {} });
    const declined = askFor();
    (await next(2)).choose('Decline');
    expect(await declined).toEqual({ action: 'decline' });
    const dismissed = askFor();
    (await next(3)).escape();
    expect(await dismissed).toEqual({ action: 'decline' });
    const controller = new AbortController();
    const withdrawn = askFor(controller.signal);
    await next(4);
    controller.abort();
    expect(await withdrawn).toEqual({ action: 'cancel' });
  });

  test('shows the defaults of its fields, and what an optional field is', async () => {
    const { elicit, next } = editor();
    const listed = { type: 'array', items: { type: 'string', enum: ['a', 'b'] } };
    const requestedSchema = {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'First\nname' },
        count: { type: 'number', default: 1.5 },
        color: { type: 'string', enum: ['red', 'green'], default: 'green' },
        other: { type: 'string', enum: ['red', 'green'] },
        news: { type: 'boolean' },
        some: { ...listed, default: ['b'] },
        more: listed,
      },
      required: ['count', 'color'],
    };
    const answer = elicit.form?.({ ...form, requestedSchema }, contextOf());
    const name = await next(1);
    expect([name.placeholder, name.prompt, name.value]).toEqual([
      'name: First name',
      'name: First name (optional)',
      '',
    ]);
    name.enter('');
    const count = await next(2);
    expect([count.prompt, count.value]).toEqual(['count', '1.5']);
    count.enter('2.5');
    const color = await next(3);
    expect(color.items).toEqual([
      { label: 'green', value: 'green', description: 'default' },
      { label: 'red', value: 'red' },
    ]);
    color.choose('red');
    const other = await next(4);
    expect(other.labels).toEqual(['red', 'green', '$(dash) No answer']);
    other.choose('No answer');
    (await next(5)).choose('$(dash)', 'No');
    const some = await next(6);
    expect([some.canSelectMany, some.selectedItems.map(({ label }) => label)]).toEqual([true, ['b']]);
    some.choose('a', 'b');
    const more = await next(7);
    expect(more.selectedItems).toEqual([]);
    more.choose();
    expect(await answer).toStrictEqual({
      action: 'accept',
      content: { count: 2.5, color: 'red', news: false, some: ['a', 'b'] },
    });
  });

  test('is declined with Escape in each kind of field, and keeps no listener', async () => {
    const { elicit, next, prompts } = editor();
    for (const property of [
      { type: 'string' },
      { type: 'boolean' },
      { type: 'array', items: { type: 'string', enum: ['a'] } },
    ]) {
      const requestedSchema = { type: 'object', properties: { field: property } };
      const answer = elicit.form?.({ ...form, requestedSchema }, contextOf());
      (await next(prompts.length + 1)).escape();
      expect(await answer).toEqual({ action: 'decline' });
    }
    expect(prompts.map(({ changed }) => changed.listeners.size)).toEqual([0, 0, 0]);
  });

  test('that the agent withdrew before it is shown is not shown', async () => {
    const { elicit, prompts } = editor();
    expect(await ask(elicit, AbortSignal.abort())).toEqual({ action: 'cancel' });
    expect(prompts.map(({ wasShown }) => wasShown)).toEqual([false]);
  });
});

describe('a page to open', () => {
  const ask = (
    elicit: NonNullable<ClientHandlers['elicit']>,
    url: string,
    signal = new AbortController().signal,
  ) =>
    elicit.url?.(
      { message: 'Log in', url, elicitationId: 'e', toolCallId: null, requestId: null },
      { session: undefined, signal },
    );

  test('is shown with its host and its whole address, and opened only if the user wants that', async () => {
    const { elicit, next, opened } = editor();
    const answer = ask(elicit, 'https://example.com/login?id=1');
    const shown = await next(1);
    expect([shown.title, shown.placeholder]).toEqual(['Log in', 'The agent asks you to open a page.']);
    expect(shown.items[0]).toMatchObject({
      label: '$(link-external) Open example.com',
      detail: 'https://example.com/login?id=1',
    });
    shown.choose('Open');
    expect(await answer).toEqual({ action: 'accept' });
    const declined = ask(elicit, 'https://example.com/other');
    (await next(2)).escape();
    expect(await declined).toEqual({ action: 'decline' });
    expect(opened).toEqual(['https://example.com/login?id=1']);
  });

  test('may be an address with http, which is parsed strictly, and the agent can withdraw it', async () => {
    const { elicit, next, opened, strict } = editor();
    const answer = ask(elicit, 'HTTP://127.0.0.1:8080/login');
    (await next(1)).choose('Open');
    expect(await answer).toEqual({ action: 'accept' });
    expect([opened, strict]).toEqual([['HTTP://127.0.0.1:8080/login'], [true]]);
    const controller = new AbortController();
    const withdrawn = ask(elicit, 'https://example.com/', controller.signal);
    await next(2);
    controller.abort();
    expect(await withdrawn).toEqual({ action: 'cancel' });
  });

  test.each([
    'command:workbench.action.quit',
    'command:https://example.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://',
  ])('%s is declined without a question', async (url) => {
    const { elicit, prompts } = editor();
    expect(await ask(elicit, url)).toEqual({ action: 'decline' });
    expect(prompts).toEqual([]);
  });
});

describe('a login', () => {
  const method = { methodId: 'key', name: 'API key', description: null, type: 'agent' };
  const login = { ...method, methodId: 'terminal', name: 'Browser', type: 'terminal' };
  const variables = { ...method, methodId: 'env', type: 'env_var' };

  test('offers the methods that work here, and calls the chosen one', async () => {
    const { onAuthRequired, next } = editor();
    const called: string[] = [];
    // Only this call is used of the connection.
    const connection = { login: async (id: string) => void called.push(id) } as never;
    const authMethods = [login, variables, method];
    const asked = onAuthRequired({ method: 'session/new', authMethods, connection });
    const shown = await next(1);
    expect(shown.labels).toEqual(['$(key) API key']);
    shown.choose('API key');
    await asked;
    expect(called).toEqual(['key']);
    const cancelled = onAuthRequired({ method: 'session/new', authMethods, connection });
    (await next(2)).escape();
    await expect(cancelled).rejects.toThrow('the login was cancelled');
    expect([shown.title, shown.placeholder]).toEqual(['The agent needs a login', 'Choose how to log in.']);
    const nothing = onAuthRequired({ method: 'session/new', authMethods: [variables], connection });
    await expect(nothing).rejects.toThrow('no method that works here');
  });

  test('in a terminal is run by the extension', async () => {
    const run: string[] = [];
    const loginInTerminal = async (chosen: { readonly methodId: string }) => void run.push(chosen.methodId);
    const { onAuthRequired, next } = editor({ loginInTerminal });
    // Only this call is used of the connection.
    const connection = { login: async (id: string) => void run.push(`agent ${id}`) } as never;
    for (const [count, name] of ['Browser', 'API key'].entries()) {
      const asked = onAuthRequired({ method: 'session/new', authMethods: [login, method], connection });
      const shown = await next(count + 1);
      expect(shown.labels).toEqual(['$(terminal) Browser', '$(key) API key']);
      shown.choose(name);
      await asked;
    }
    expect(run).toEqual(['terminal', 'agent key']);
  });

  test('can ask the user to open a page', async () => {
    const { onAuthRequired, elicit, next, opened } = editor();
    const url = 'https://example.com/login';
    const page = { message: 'Log in', url, elicitationId: 'e', toolCallId: null, requestId: null };
    const context = { session: undefined, signal: new AbortController().signal };
    // Only this call is used of the connection.
    const connection = { login: () => elicit.url(page, context) } as never;
    const asked = onAuthRequired({ method: 'session/new', authMethods: [method], connection });
    (await next(1)).choose('API key');
    (await next(2)).choose('Open');
    await asked;
    expect(opened).toEqual([url]);
  });
});
