-- The diff of an edit in diff mode.
local M = {}
local opened = 0

local function fill(side, name, lines)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buffer, ('acp://%s/%d/%s'):format(side, opened, name))
  vim.bo[buffer].bufhidden = 'wipe'
  -- The text is the agent's: it must not set options.
  vim.bo[buffer].modeline = false
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  vim.bo[buffer].modifiable = false
  vim.api.nvim_win_set_buf(0, buffer)
  vim.cmd('filetype detect') -- by the name, for the colors
  vim.cmd('diffthis')
  vim.keymap.set('n', 'q', '<Cmd>tabclose<CR>', { buffer = buffer, nowait = true })
end

--- Opens a tab page with the lines before and after the change of a file. The key q closes it.
function M.show(name, before, after)
  opened = opened + 1
  vim.cmd('stopinsert')
  vim.cmd('tabnew')
  vim.bo.bufhidden = 'wipe'
  fill('before', name, before)
  vim.cmd('rightbelow vsplit')
  fill('after', name, after)
end

return M
