/** Opens a session in the project's folder, in the mode in which the agent asks for permission. `params`: further parameters. */
export async function openSession({ agent, editor, place }, params = {}) {
  const session = await editor.connection.newSession({ cwd: place.project.folder, ...params });
  if (agent.modeId) await session.setMode(agent.modeId);
  return session;
}
