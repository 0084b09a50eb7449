/** Opens a session in the project's folder, in the mode in which the agent asks for permission, as the library knows it. `params`: further parameters. */
export async function openSession({ editor, place }, params = {}) {
  return editor.connection.newSession({ cwd: place.project.folder, ...params }, { permissions: 'ask' });
}
