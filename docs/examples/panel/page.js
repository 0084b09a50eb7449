import { changedEntries, plainText, renderEntryHtml, textOf } from 'acp-client-sdk/conversation';
import 'acp-client-sdk/entry.css';
import { renderMarkdownHtml } from 'acp-client-sdk/markdown';
import { connectPanel, webSocketChannel } from 'acp-client-sdk/panel';

const panel = connectPanel(() => webSocketChannel(new WebSocket(`ws://${location.host}`)));
const find = (id) => document.getElementById(id);
const rows = new Map(); // the element of each entry, by its key
let drawn = {}; // the state that the page shows
const words = { idle: '', requires_action: 'Waiting for you', end_turn: 'Done', cancelled: 'Cancelled' };

const element = (tag, properties) => Object.assign(document.createElement(tag), properties);
const button = (text, onclick, ariaCurrent = null) =>
  element('button', { type: 'button', textContent: plainText(text), onclick, ariaCurrent });

function draw() {
  const state = panel.getSnapshot();
  const { phase, sessions, sessionId, conversation, questions, problem, draft } = state;
  find('agent').textContent = `Agent: ${{ open: 'ready', closed: 'stopped' }[phase] ?? 'connecting'}`;
  if (sessions !== drawn.sessions || sessionId !== drawn.sessionId) {
    const items = sessions.map(({ sessionId: id, title }) =>
      button(title ?? id, () => panel.openSession(id), `${id === sessionId}`),
    );
    find('sessions').replaceChildren(button('New session', panel.newSession), ...items);
  }
  if (questions !== drawn.questions) find('questions').replaceChildren(...questions.map(questionBox));
  find('problem').textContent = plainText(`${problem?.message ?? ''}\n${problem?.detail ?? ''}`.trim());
  find('restart').hidden = problem?.remedy !== 'restart';
  if (find('input').value !== draft) find('input').value = draft;
  if (conversation && conversation !== drawn.conversation) drawConversation(conversation);
  drawn = state;
}

function drawConversation(conversation) {
  const before = conversation.sessionId === drawn.conversation?.sessionId ? drawn.conversation : null;
  if (!before) rows.clear();
  const view = find('transcript');
  for (const entry of changedEntries(before, conversation)) {
    const row = rows.get(entry.key) ?? element('div', {});
    const isMarkdown = entry.role === 'agent' && entry.content.every(({ type }) => type === 'text');
    row.className = isMarkdown ? 'markdown' : '';
    row.innerHTML = isMarkdown ? renderMarkdownHtml(textOf(entry)) : renderEntryHtml(conversation, entry); // safe: escaped
    rows.set(entry.key, row);
  }
  const list = conversation.entries.map(({ key }) => rows.get(key));
  if (list.length !== view.children.length || list.at(-1) !== view.lastChild) view.replaceChildren(...list);
  find('plan').innerHTML = conversation.plans.map((plan) => renderMarkdownHtml(planMarkdown(plan))).join('');
  const offer = ({ prompt }) => button(textOf({ content: prompt }), () => panel.prompt(prompt));
  find('suggestions').replaceChildren(...(conversation.suggestions ?? []).map(offer));
  find('title').textContent = plainText(conversation.info.title ?? 'New session');
  const { state, stopReason } = conversation.activity;
  find('activity').textContent = words[stopReason ?? state] ?? (stopReason ? 'Stopped' : 'Working');
  find('cancel').disabled = state === 'idle';
}

const item = ({ status, content }) => `- [${status === 'completed' ? 'x' : ' '}] ${content}`;
const planMarkdown = ({ content, path, entries = [] }) => [path, content, ...entries.map(item)].join('\n\n');

const inputValue = ({ type, value, checked, valueAsNumber }) =>
  value === '' ? undefined : ({ checkbox: checked, number: valueAsNumber }[type] ?? value); // never NaN

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
  const box = element('p', { textContent: plainText(title ?? message ?? `A login is needed. ${reason}`) });
  box.append(...boxes[kind](), ...cancel);
  return box;
}

find('input').oninput = ({ target }) => panel.setDraft(target.value);
find('cancel').onclick = panel.cancel;
find('restart').onclick = panel.restart;
find('prompt').onsubmit = () => panel.prompt(find('input').value);
panel.subscribe(draw);
