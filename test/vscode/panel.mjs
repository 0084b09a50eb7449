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
  const panel = {
    frame,
    prompt: frame.getByRole('textbox', { name: 'Prompt' }),
    send: button('Send'),
    cancel: button('Cancel'),
    new: button('New'),
    transcript: frame.getByRole('log'),
    problem: frame.getByRole('alert'),
    permission: frame.getByRole('region', { name: 'Permission' }),
    tools: frame.getByRole('log').locator('details.tool'),
    answer: (name) => panel.permission.getByRole('button', { name }),

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

    sessions: frame.getByRole('combobox', { name: 'Session' }),
    /** Waits until a session is in the list. */
    listsSession: (title) =>
      panel.sessions.locator('option', { hasText: title }).first().waitFor({ state: 'attached' }),
    /** Opens a session of the list. */
    openSession: (title) => panel.sessions.selectOption({ label: title }),
    /** Waits until sessions can be opened. */
    async canOpenSessions() {
      await panel.sessions.and(frame.locator(':enabled')).waitFor();
    },
    /** Opens the line of a tool call, if it is closed. Resolves to the tool call. */
    async openTool(title) {
      const tool = panel.tools.filter({ hasText: title }).first();
      if ((await tool.getAttribute('open')) === null) await tool.locator('summary').first().click();
      return tool;
    },

    /** The frame of the page, to run code in it. */
    async content() {
      await frame.locator('#root').waitFor();
      for (const one of page.frames()) {
        if (one.isDetached() || one.url() === '') continue;
        if (
          (await one
            .locator('#root')
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
