/** The panel in a page of VS Code. The page of a webview is two frames deep. */
export const panelIn = (page) =>
  panelOf(page, page.frameLocator('iframe.webview').frameLocator('#active-frame'));

/**
 * What a panel shows, found by role and name: all that these tests know of its page. What needs more than a locator is a
 * function here, so that a scene says what a user does.
 *
 * @param frame - The page of the panel, or a locator of its frame.
 */
export function panelOf(page, frame) {
  const button = (name) => frame.getByRole('button', { name, exact: true });
  // A long transcript has thousands of buttons, and reading the names of all of them takes seconds.
  const composer = frame.locator('form.composer');
  const panel = {
    frame,
    prompt: composer.getByRole('textbox', { name: 'Prompt' }),
    send: composer.getByRole('button', { name: 'Send', exact: true }),
    cancel: composer.getByRole('button', { name: 'Cancel', exact: true }),
    new: button('New session'),
    /** Beside the reason why the session that is shown can only be read. */
    startOver: button('Start a new session'),
    transcript: frame.getByRole('log'),
    problem: frame.getByRole('alert'),
    permission: frame.getByRole('region', { name: /^Permission/ }),
    tools: frame.getByRole('log').locator('details.tool'),
    answer: (name) => panel.permission.getByRole('button', { name }),

    /** The button that starts an agent of the list. */
    start: (name) => button(`Start ${name}`),
    /** What the panel offers to do about a problem. */
    remedy: (name) => panel.problem.getByRole('button', { name, exact: true }),

    /** Sends a prompt, as a user does. */
    async ask(text) {
      await panel.prompt.fill(text);
      await panel.send.click();
    },
    /** Waits until the agent is there and no turn runs. */
    async idle() {
      await panel.prompt.waitFor();
      await panel.cancel.waitFor({ state: 'detached' });
    },
    /** Waits until the transcript contains a text. */
    shows: (text) => panel.transcript.getByText(text).first().waitFor(),
    /** The text of the transcript. */
    text: () => panel.transcript.innerText(),
    /** The last words of the transcript. To look for a text in a transcript of megabytes would keep the page busy. */
    lastWords: () => frame.locator('[role=log]').evaluate((log) => log.textContent.slice(-200)),

    /** The session that is shown. Opens the list. */
    session: frame.locator('header').getByRole('button', { name: /^Session:/ }),
    sessionList: frame.getByRole('dialog', { name: 'Sessions' }),
    /** Opens the list of sessions, and resolves to the button of one of them. */
    async findSession(title) {
      if (!(await panel.sessionList.isVisible())) await panel.session.click();
      const item = panel.sessionList.getByRole('listitem').filter({ hasText: title }).first();
      await item.waitFor();
      return item.getByRole('button').first();
    },
    /** Waits until a session is in the list. */
    async listsSession(title) {
      await panel.findSession(title);
      // The element has the focus as well as what is in it.
      await frame.locator(':focus').last().press('Escape');
      await panel.sessionList.waitFor({ state: 'hidden' });
    },
    /** Opens a session of the list. */
    async openSession(title) {
      await (await panel.findSession(title)).click();
    },
    /** Waits until sessions can be opened. */
    canOpenSessions: () => panel.session.and(frame.locator(':enabled')).waitFor(),
    /** Opens the line of a tool call, if it is closed. Resolves to the tool call. */
    async openTool(title) {
      const tool = panel.tools.filter({ hasText: title }).first();
      if ((await tool.getAttribute('open')) === null) await tool.locator('summary').first().click();
      return tool;
    },

    /** The frame of the page, to run code in it. */
    async content() {
      await frame.locator('acp-panel').waitFor();
      for (const one of page.frames()) {
        if (one.isDetached() || one.url() === '') continue;
        if (
          (await one
            .locator('acp-panel')
            .count()
            .catch(() => 0)) > 0
        )
          return one;
      }
      throw new Error('No frame of the page has the panel.');
    },
  };
  return panel;
}
