import * as acp from 'acp-client-sdk/conversation';

const find = (id) => document.getElementById(id);
const rows = new Map(); // the element of each entry, by its key
let mirror, drawn, asked; // the conversation, what the page shows of it, and its open questions

async function act(action, message) {
  const response = await fetch('/', { method: 'POST', body: JSON.stringify({ action, ...message }) });
  const result = await response.json();
  find('problem').textContent = acp.plainText(result.problem ?? '');
  return result;
}

function button(text, onclick, ariaCurrent = null) {
  const textContent = acp.plainText(text);
  return Object.assign(document.createElement('button'), { textContent, onclick, ariaCurrent });
}

function drawState({ agent, sessions, sessionId }) {
  find('agent').textContent = `Agent: ${agent}`;
  const items = sessions.map(({ sessionId: id, cwd, title }) =>
    button(title ?? id, () => act('open', { sessionId: id, cwd }), `${id === sessionId}`),
  );
  const create = button('New session', () => act('create'));
  find('sessions').replaceChildren(create, ...items);
  if (!sessionId || sessionId === drawn?.sessionId) return;
  rows.clear();
  mirror = acp.createConversationMirror(sessionId, { requestResend: () => act('resend') });
  mirror.subscribe(draw);
  drawn = mirror.getSnapshot();
  draw();
}

function draw() {
  const conversation = mirror.getSnapshot();
  const { entries, info, activity } = conversation;
  const view = find('transcript');
  for (const entry of acp.changedEntries(drawn, conversation)) {
    const row = rows.get(entry.key) ?? document.createElement('div');
    row.innerHTML = acp.renderEntryHtml(conversation, entry); // safe: it escapes all text
    rows.set(entry.key, row);
  }
  const list = entries.map(({ key }) => rows.get(key));
  if (list.length !== view.children.length || list.at(-1) !== view.lastChild) view.replaceChildren(...list);
  find('title').textContent = acp.plainText(info.title ?? 'New session');
  find('activity').textContent = `Activity: ${activity.state} ${activity.stopReason ?? ''}`;
  find('cancel').disabled = activity.state === 'idle';
  const questions = acp.openQuestions(conversation);
  if (questions !== asked) find('questions').replaceChildren(...questions.map(questionBox));
  asked = questions;
  drawn = conversation;
}

function questionBox({ permission, toolCall: { toolCallId, title } }) {
  const question = `${drawn.sessionId} ${toolCallId}`;
  const box = document.createElement('p');
  box.textContent = acp.plainText(permission.title ?? title ?? 'May the agent continue?');
  const answer = ({ name, optionId }) => button(name, () => act('answer', { question, optionId }));
  box.append(...permission.options.map(answer));
  return box;
}

find('cancel').onclick = () => act('cancel');
find('prompt').onsubmit = async (event) => {
  event.preventDefault();
  const { value: text } = find('input');
  find('input').value = '';
  const { problem, isKept } = await act('prompt', { text });
  if (problem && !isKept) find('input').value ||= text; // the agent refused the prompt
};
new EventSource('/events').onmessage = ({ data }) => {
  const { update, ...state } = JSON.parse(data);
  update ? mirror.receive(update) : drawState(state);
};
