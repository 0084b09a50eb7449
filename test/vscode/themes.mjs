/** The themes that VS Code uses by default, with their names in the settings and in the list of
 * themes, and the classes that it sets in the workbench and in webviews. */
export const themes = {
  light: { name: 'Light 2026', label: 'Light 2026', workbench: 'vs', page: 'vscode-light' },
  dark: { name: 'Dark 2026', label: 'Dark 2026', workbench: 'vs-dark', page: 'vscode-dark' },
  'high-contrast': {
    name: 'Default High Contrast',
    label: 'Dark High Contrast',
    workbench: 'hc-black',
    page: 'vscode-high-contrast',
  },
};

export const themeNames = Object.keys(themes);
