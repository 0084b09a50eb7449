-- The buffer and the window with the transcript.
local M = {}
local transcript
local signs = vim.api.nvim_create_namespace('acp')
local sign = ''
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

local function is_narrow() return vim.o.columns < columns_for_two end

--- Writes a text below the last line, which is always empty. It is not a part of the buffer.
function M.sign(text)
  sign = text
  if not exists() then return end
  local line = vim.api.nvim_buf_line_count(transcript) - 1
  local mark = { id = 1, virt_text = { { sign, 'Comment' } }, virt_text_pos = 'overlay' }
  vim.api.nvim_buf_set_extmark(transcript, signs, line, 0, mark)
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
    M.sign(sign)
  end
  if M.window() then return end
  local window = vim.api.nvim_get_current_win()
  vim.cmd(is_narrow() and 'botright split' or 'botright vsplit')
  vim.api.nvim_win_set_buf(0, transcript)
  vim.wo.wrap, vim.wo.linebreak = true, true
  vim.wo.statusline = "%{%v:lua.require'acp.transcript'.status_line()%}"
  vim.w.acp_is_below = is_narrow()
  vim.api.nvim_set_current_win(window)
end

--- Gives the window half of the screen again, after the size of the screen has changed.
function M.resize()
  local window = M.window()
  if not window or vim.fn.winnr('$') == 1 then return end
  local windows = following()
  local is_below = is_narrow()
  if vim.w[window].acp_is_below ~= is_below then
    vim.api.nvim_win_call(window, function() vim.cmd('wincmd ' .. (is_below and 'J' or 'L')) end)
    vim.w[window].acp_is_below = is_below
  end
  if is_below then
    vim.api.nvim_win_set_height(window, math.floor(vim.o.lines / 2))
  else
    vim.api.nvim_win_set_width(window, math.floor(vim.o.columns / 2))
  end
  -- Otherwise the last line can be the first one of the window.
  for _, other in ipairs(windows) do
    vim.api.nvim_win_call(other, function() vim.cmd('normal! zb') end)
  end
end

--- The line of the cursor, from 0, if the cursor is in the transcript.
function M.cursor_line()
  if vim.api.nvim_get_current_buf() ~= transcript then return nil end
  return vim.api.nvim_win_get_cursor(0)[1] - 1
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
  M.sign(sign)
  return last == count and 'drawn' or 'emptied'
end

return M
