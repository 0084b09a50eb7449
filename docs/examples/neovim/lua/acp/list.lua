-- A list to choose from.
local M = {}

--- Shows items of the program, each a table with a `label`. The one that the user chooses is sent with an action of the
--- program and its `args`.
function M.show(action, title, items)
  local options = { prompt = title, format_item = function(item) return item.label end }
  local function choose(item)
    if item then require('acp').send(action, unpack(item.args)) end
  end
  -- The program waits for this call, and `vim.ui.select` can return late.
  vim.schedule(function() vim.ui.select(items, options, choose) end)
end

return M
