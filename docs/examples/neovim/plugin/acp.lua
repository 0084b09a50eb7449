-- The commands.
local command = vim.api.nvim_create_user_command
local acp = require('acp')

--- Completes the agent's slash commands, which are the first word of a prompt.
local function slash_commands(word, line)
  if not line:match('^%s*%S+%s+/%S*$') then return {} end
  local names = vim.tbl_map(function(name) return '/' .. name end, acp.state.commands)
  return vim.tbl_filter(function(name) return vim.startswith(name, word) end, names)
end

command('AcpPrompt', function(given)
  require('acp.transcript').show()
  acp.send('prompt', given.args)
end, { nargs = '+', complete = slash_commands })

command('AcpNew', function()
  require('acp.transcript').show()
  acp.send('new')
end, {})

command('AcpCancel', function()
  if acp.is_running() then acp.send('cancel') end
end, {})

command('AcpSessions', function()
  require('acp.transcript').show()
  acp.send('sessions')
end, {})

command('AcpAnswer', function(given)
  local question = require('acp.question')
  if given.args == '' then question.focus() else question.answer(tonumber(given.args)) end
end, { nargs = '?' })

command('AcpDiff', function()
  acp.send('diff')
end, {})
