-- A list to choose from.
local M = {}

--- Whether a plugin has replaced `vim.ui.select`. That of Neovim asks at the bottom and stops the editor until the user
--- answers, so it is not used.
local function is_replaced()
  return not debug.getinfo(vim.ui.select, 'S').source:match('vim/ui%.lua$')
end

--- Shows the items, each a table with a `label`. Calls `choose` with the item that the user chooses.
function M.show(title, items, choose)
  if is_replaced() then
    local options = { prompt = title, format_item = function(item) return item.label end }
    return vim.ui.select(items, options, function(item) if item then choose(item) end end)
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden, vim.bo[buffer].modeline = 'wipe', false
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, vim.tbl_map(function(item) return item.label end, items))
  vim.bo[buffer].modifiable = false
  vim.cmd('stopinsert')
  vim.cmd('botright split')
  local window = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(window, buffer)
  vim.api.nvim_win_set_height(window, math.min(math.max(#items, 1), math.floor(vim.o.lines / 2)))
  vim.wo.wrap, vim.wo.cursorline, vim.wo.number, vim.wo.winfixheight = false, true, false, true
  vim.wo.statusline = title:gsub('%%', '%%%%') .. ': <Enter> chooses, / searches, q closes'
  local function close() pcall(vim.api.nvim_win_close, window, true) end
  vim.keymap.set('n', 'q', close, { buffer = buffer, nowait = true })
  vim.keymap.set('n', '<CR>', function()
    local item = items[vim.api.nvim_win_get_cursor(window)[1]]
    close()
    if item then choose(item) end
  end, { buffer = buffer, nowait = true })
end

--- Shows items of the program. The one that the user chooses is sent with an action of the program and its `args`.
function M.show_for(action, title, items)
  M.show(title, items, function(item) require('acp').send(action, unpack(item.args)) end)
end

return M
