/** Opens a session in the project's folder, in the mode in which the agent asks for permission. */
export async function openSession({ agent, editor, place }) {
  const session = await editor.connection.newSession({ cwd: place.project.folder });
  if (agent.modeId) await session.setMode(agent.modeId);
  return session;
}
