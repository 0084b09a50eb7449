import { choosePermissionOption } from 'acp-client-sdk';
import { plainText } from 'acp-client-sdk/conversation';
import { filesOf, fileText } from './diffs.mjs';

const maxCharacters = 2000;

/** A text of the agent in one line. */
export function oneLine(text) {
  const line = plainText(text).replace(/\s+/g, ' ').trim();
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters)}…` : line;
}

/** The open questions, the one that is shown first. */
let questions = [];
let lastId = 0;

/** The question that is shown, if there is one. */
export const firstQuestion = () => questions[0];

/** What the window of the question shows. */
export function shownQuestion() {
  const [question] = questions;
  if (!question) return undefined;
  const { id, request } = question;
  const { title, description, toolCall, subject, options } = request;
  const files = filesOf(toolCall);
  const command = subject?.command ?? toolCall?.rawInput?.command;
  const about = [
    oneLine(title ?? toolCall?.title ?? '') || 'Does the agent have your permission?',
    description && oneLine(description),
    ...files.map(fileText),
    typeof command === 'string' && !title?.includes(command) && `$ ${oneLine(command)}`,
  ];
  const ids = questions.map((question) => question.id).sort((a, b) => a - b);
  return {
    id,
    number: ids.indexOf(id) + 1,
    count: ids.length,
    about: about.filter(Boolean),
    choices: options.map(({ name }) => oneLine(name)),
    has_diff: files.length > 0,
  };
}

/** Asks. Resolves when the user has answered, or the agent no longer waits. */
export function ask(request, signal) {
  const question = { id: ++lastId, request };
  const answered = new Promise((resolve) => {
    question.resolve = resolve;
    signal.addEventListener('abort', () => resolve({ outcome: 'cancelled' }));
    if (signal.aborted) resolve({ outcome: 'cancelled' });
  });
  questions.push(question);
  return answered.finally(() => {
    questions = questions.filter((other) => other !== question);
  });
}

/** What refuses: an option of the agent, if it has one. */
export function refuse({ options }) {
  return choosePermissionOption(options, 'reject_once') ?? { outcome: 'cancelled' };
}

/** Answers with the option of this number. 0 refuses. */
export function answer(id, number) {
  const question = questions.find((other) => other.id === id);
  const option = question?.request.options[number - 1];
  question?.resolve(option ? { outcome: 'selected', optionId: option.optionId } : refuse(question.request));
}

/** Shows the next question. */
export function nextQuestion() {
  questions.push(...questions.splice(0, 1));
}
