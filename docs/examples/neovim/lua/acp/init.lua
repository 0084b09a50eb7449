-- The program, and what it last said about the session.
local M = {}
local root = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h:h')
local job
local nothing = { phase = 'idle', cwd = '', commands = {} }
local labels = { starting = 'Starting', working = 'Working', cancelling = 'Cancelling' }
local since = 0 -- when the phase began, in milliseconds
local timer

--- `phase` is idle, or one of the labels. `commands` are the names of the agent's slash commands. `cwd` is the
--- directory of the session. `is_asking` is true while a question waits.
M.state = nothing

function M.is_running() return job ~= nil end

--- One line for a status line: what the agent does, and for how long. Empty if it does nothing.
function M.status()
  if M.state.is_asking then return 'The agent asks: :AcpAnswer' end
  local label = labels[M.state.phase]
  return label and ('%s… %d s'):format(label, (vim.loop.now() - since) / 1000) or ''
end

local function show() vim.cmd('redrawstatus!') end

--- The program calls this when something in the state has changed.
function M.update(state)
  if state.phase ~= M.state.phase then
    vim.loop.update_time()
    since = vim.loop.now()
  end
  M.state = state
  show()
  if timer and not labels[state.phase] then
    timer:close()
    timer = nil
  elseif labels[state.phase] and not timer then
    timer = vim.loop.new_timer()
    timer:start(1000, 1000, vim.schedule_wrap(show))
  end
end

local function on_exit(_, code)
  job = nil
  require('acp.question').close()
  M.update(nothing)
  if code == 0 then return end
  vim.notify('acp.mjs exited with code ' .. code .. '. To see why, run: node ' .. root .. '/acp.mjs', vim.log.levels.ERROR)
end

--- Runs an action of the program, and starts the program first if it does not run.
function M.send(action, ...)
  -- With `rpc`, Neovim and the program exchange messages over the program's stdin and stdout.
  job = job or vim.fn.jobstart({ 'node', root .. '/acp.mjs' }, { rpc = true, on_exit = on_exit })
  vim.rpcnotify(job, action, ...)
end

return M
