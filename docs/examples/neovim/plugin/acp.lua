-- The commands, and the program that serves them.
local root = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h')
local job

local function on_exit(_, code)
  job = nil
  if code == 0 then return end
  vim.notify('acp.mjs exited with code ' .. code .. '. To see why, run: node ' .. root .. '/acp.mjs', vim.log.levels.ERROR)
end

local function send(action, ...)
  -- With `rpc`, Neovim and the program exchange messages over the program's stdin and stdout.
  job = job or vim.fn.jobstart({ 'node', root .. '/acp.mjs' }, { rpc = true, on_exit = on_exit })
  vim.rpcnotify(job, action, ...)
end

vim.api.nvim_create_user_command('AcpPrompt', function(command)
  require('acp.transcript').show()
  send('prompt', command.args)
end, { nargs = '+' })

vim.api.nvim_create_user_command('AcpCancel', function()
  if job then send('cancel') end
end, {})
