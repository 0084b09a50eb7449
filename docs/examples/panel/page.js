import { changedEntries, plainText, renderEntryHtml } from 'acp-client-sdk/conversation';
import 'acp-client-sdk/entry.css';
import { connectPanel, webSocketChannel } from 'acp-client-sdk/panel';

const panel = connectPanel(() => webSocketChannel(new WebSocket(`ws://${location.host}`)));
const find = (id) => document.getElementById(id);
const rows = new Map(); // the element of each entry, by its key
let drawn = {}; // the state that the page shows

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
const button = (text, onclick, ariaCurrent = null) =>
  element('button', { type: 'button', textContent: plainText(text), onclick, ariaCurrent });

function draw() {
  const state = panel.getSnapshot();
  const { phase, sessions, sessionId, conversation, questions, problem, draft } = state;
  const isNew = (...parts) => parts.some((part) => state[part] !== drawn[part]);
  find('agent').textContent = `Agent: ${phase}`;
  if (isNew('sessions', 'sessionId')) {
    const items = sessions.map(({ sessionId: id, title }) =>
      button(title ?? id, () => panel.openSession(id), `${id === sessionId}`),
    );
    find('sessions').replaceChildren(button('New session', panel.newSession), ...items);
  }
  if (isNew('questions')) find('questions').replaceChildren(...questions.map(questionBox));
  find('problem').textContent = plainText(`${problem?.message ?? ''}\n${problem?.detail ?? ''}`.trim());
  find('restart').hidden = problem?.remedy !== 'restart';
  if (find('input').value !== draft) find('input').value = draft;
  if (conversation && isNew('conversation')) drawConversation(conversation);
  drawn = state;
}

function drawConversation(conversation) {
  const before = conversation.sessionId === drawn.conversation?.sessionId ? drawn.conversation : undefined;
  if (!before) rows.clear();
  const view = find('transcript');
  for (const entry of before ? changedEntries(before, conversation) : conversation.entries) {
    const row = rows.get(entry.key) ?? element('div', {});
    row.innerHTML = renderEntryHtml(conversation, entry); // safe: it escapes all text
    rows.set(entry.key, row);
  }
  const list = conversation.entries.map(({ key }) => rows.get(key));
  if (list.length !== view.children.length || list.at(-1) !== view.lastChild) view.replaceChildren(...list);
  find('title').textContent = plainText(conversation.info.title ?? 'New session');
  const { state, stopReason } = conversation.activity;
  find('activity').textContent = `Activity: ${state} ${stopReason ?? ''}`;
  find('cancel').disabled = state === 'idle';
}

const inputValue = ({ type, value, checked, valueAsNumber }) =>
  type === 'checkbox' ? checked : type === 'number' ? valueAsNumber : value;

function questionBox(question) {
  const { id, kind, title, message, reason, url, host, options = [], methods = [], fields = [] } = question;
  const answer = (text, given) => button(text, () => panel.answer(id, given()));
  const types = { boolean: 'checkbox', string: 'text' };
  const inputs = fields.map(({ name, title, type }) =>
    element('input', { name, type: types[type] ?? 'number', placeholder: plainText(title ?? name) }),
  );
  const content = () => Object.fromEntries(inputs.map((input) => [input.name, inputValue(input)]));
  // `host` is empty for what is no address of the web.
  const link = element(host ? 'a' : 'span', { href: url, textContent: plainText(url ?? '') });
  const boxes = {
    permission: () => options.map(({ name, optionId }) => answer(name, () => ({ optionId }))),
    login: () => methods.map(({ name, methodId }) => answer(name, () => ({ methodId }))),
    form: () => [...inputs, answer('Send', () => ({ action: 'accept', content: content() }))],
    url: () => [link, answer('Done', () => ({ action: 'accept' }))],
  };
  const cancel = kind === 'permission' ? [] : [answer('Cancel', () => ({ action: 'cancel' }))];
  return element('p', {}, plainText(title ?? message ?? reason), ...boxes[kind](), ...cancel);
}

find('input').oninput = ({ target }) => panel.setDraft(target.value);
find('cancel').onclick = panel.cancel;
find('restart').onclick = panel.restart;
find('prompt').onsubmit = (event) => {
  event.preventDefault();
  panel.prompt(find('input').value);
};
panel.subscribe(draw);
