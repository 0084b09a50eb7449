-- The buffer and the window with the transcript.
local M = {}
local transcript
-- In fewer columns, the window is below the others.
local columns_for_two = 100

local function exists()
  return transcript ~= nil and vim.api.nvim_buf_is_valid(transcript)
end

--- The windows whose cursor is in the last line. They follow the text.
local function following()
  local last = vim.api.nvim_buf_line_count(transcript)
  return vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_cursor(window)[1] == last
  end, vim.fn.win_findbuf(transcript))
end

--- The text for the window's status line.
function M.status_line()
  local acp = require('acp')
  local name = 'Agent ' .. vim.fn.fnamemodify(acp.state.cwd, ':~')
  return (name .. '  ' .. acp.status()):gsub('%%', '%%%%')
end

--- Returns the window with the transcript in this tab page, or nil.
function M.window()
  local window = exists() and vim.fn.bufwinid(transcript) or -1
  return window ~= -1 and window or nil
end

--- Opens a window with the transcript, if there is none.
function M.show()
  if not exists() then
    transcript = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(transcript, 'acp://transcript')
    -- The text is the agent's: it must not set options.
    vim.bo[transcript].modeline = false
    vim.bo[transcript].filetype = 'markdown'
    vim.bo[transcript].modifiable = false
    vim.bo[transcript].undolevels = -1
  end
  if M.window() then return end
  local window = vim.api.nvim_get_current_win()
  vim.cmd(vim.o.columns < columns_for_two and 'botright split' or 'botright vsplit')
  vim.api.nvim_win_set_buf(0, transcript)
  vim.wo.wrap, vim.wo.linebreak = true, true
  vim.wo.statusline = "%{%v:lua.require'acp.transcript'.status_line()%}"
  vim.api.nvim_set_current_win(window)
end

--- Replaces lines, if the buffer has `count` lines: it is another one after the user has deleted it. Returns what was
--- done.
function M.draw(count, changes)
  if not exists() then return 'nothing' end
  local last = vim.api.nvim_buf_line_count(transcript)
  if last ~= count then changes = { { first = 0, removed = last, lines = {} } } end
  local windows = following()
  vim.bo[transcript].modifiable = true
  for _, change in ipairs(changes) do
    vim.api.nvim_buf_set_lines(transcript, change.first, change.first + change.removed, true, change.lines)
  end
  vim.bo[transcript].modifiable = false
  for _, window in ipairs(windows) do
    vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(transcript), 0 })
  end
  return last == count and 'drawn' or 'emptied'
end

return M
