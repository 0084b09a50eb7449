/** How many sessions of the agent's list are shown. */
export const maxListedSessions = 2000;
