-- The buffer and the window with the transcript.
local M = {}
local transcript

local function exists()
  return transcript ~= nil and vim.api.nvim_buf_is_valid(transcript)
end

--- Opens a window with the transcript, if there is none.
function M.show()
  if not exists() then
    transcript = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(transcript, 'acp://transcript')
    vim.bo[transcript].filetype = 'markdown'
    vim.bo[transcript].modifiable = false
    vim.bo[transcript].undolevels = -1
  end
  if vim.fn.bufwinid(transcript) ~= -1 then return end
  local window = vim.api.nvim_get_current_win()
  vim.cmd('botright vsplit')
  vim.api.nvim_win_set_buf(0, transcript)
  vim.wo.wrap, vim.wo.linebreak = true, true
  vim.api.nvim_set_current_win(window)
end

--- Replaces lines, if the buffer has `count` lines: it is another one after the user has deleted it. Returns what was
--- done. A window with the cursor in the last line follows the text.
function M.draw(count, changes)
  if not exists() then return 'nothing' end
  local last = vim.api.nvim_buf_line_count(transcript)
  if last ~= count then changes = { { first = 0, removed = last, lines = {} } } end
  local following = vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_cursor(window)[1] == last
  end, vim.fn.win_findbuf(transcript))
  vim.bo[transcript].modifiable = true
  for _, change in ipairs(changes) do
    vim.api.nvim_buf_set_lines(transcript, change.first, change.first + change.removed, true, change.lines)
  end
  vim.bo[transcript].modifiable = false
  for _, window in ipairs(following) do
    vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(transcript), 0 })
  end
  return last == count and 'drawn' or 'emptied'
end

return M
