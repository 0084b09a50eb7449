/** What the panel shows, found by role and name: all that these tests know of its page. */
export function panelIn(page) {
  // The page of a webview is two frames deep.
  const frame = page.frameLocator('iframe.webview').frameLocator('#active-frame');
  const button = (name) => frame.getByRole('button', { name, exact: true });
  const panel = {
    frame,
    prompt: frame.getByRole('textbox', { name: 'Prompt' }),
    send: button('Send'),
    cancel: button('Cancel'),
    new: button('New'),
    /** The button that starts an agent of the list. */
    start: (name) => button(`Start ${name}`),
    sessions: frame.getByRole('combobox', { name: 'Session' }),
    transcript: frame.getByRole('log'),
    problem: frame.getByRole('alert'),
    permission: frame.getByRole('region', { name: 'Permission' }),
    tools: frame.getByRole('log').locator('details.tool'),
    answer: (name) => frame.getByRole('region', { name: 'Permission' }).getByRole('button', { name }),

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
