-- The window with the question that waits. It never takes the focus by itself: a key that the user types elsewhere must
-- not answer a question.
local M = {}
local acp = require('acp')
local buffer, window
local question -- that waits, or nil

local function is_shown()
  return window ~= nil and vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_buf(window) == buffer
end

local function hide()
  if is_shown() then pcall(vim.api.nvim_win_close, window, true) end
  window = nil
end

--- Answers with the choice of this number. 0 refuses.
function M.answer(number)
  if not question then return vim.notify('The agent asks nothing.', vim.log.levels.WARN) end
  if not number or number < 0 or number > #question.choices then
    return vim.notify(('The choices are 1 to %d, and 0 to refuse.'):format(#question.choices), vim.log.levels.WARN)
  end
  local id = question.id
  question = nil -- a second key answers nothing
  acp.send('answer', id, number)
end

--- The choice in the line of the cursor.
local function answer_at_cursor()
  local first = question and #question.about + 1 or 0
  local number = vim.api.nvim_win_get_cursor(0)[1] - first
  if question and number >= 1 and number <= #question.choices then M.answer(number) end
end

local function set_lines()
  local lines = vim.list_extend({}, question.about)
  table.insert(lines, '')
  for number, choice in ipairs(question.choices) do table.insert(lines, ('%d  %s'):format(number, choice)) end
  local keys = { 'A number answers', '<Esc> refuses' }
  if question.has_diff then table.insert(keys, 'd shows the diff') end
  if question.count > 1 then table.insert(keys, '<Tab> shows the next question') end
  vim.list_extend(lines, { '', table.concat(keys, ' · ') })
  if not (buffer and vim.api.nvim_buf_is_valid(buffer)) then
    buffer = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buffer, 'acp://question')
    vim.bo[buffer].modeline = false
    local function map(key, action) vim.keymap.set('n', key, action, { buffer = buffer, nowait = true }) end
    for number = 1, 9 do map(tostring(number), function() M.answer(number) end) end
    map('<Esc>', function() M.answer(0) end)
    map('<CR>', answer_at_cursor)
    map('d', function() acp.send('diff') end)
    map('<Tab>', function() acp.send('next') end)
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  vim.bo[buffer].modifiable = false
  return lines
end

local function open_window()
  local transcript = require('acp.transcript')
  transcript.show()
  -- A call in a window keeps what the user does in another one: a selection, an insertion, half a command.
  vim.api.nvim_win_call(transcript.window(), function()
    if not pcall(vim.cmd, 'belowright split') then vim.cmd('botright split') end -- there is not enough room
    window = vim.api.nvim_get_current_win()
    vim.api.nvim_win_set_buf(window, buffer)
    vim.wo.wrap, vim.wo.linebreak = true, true
    vim.wo.number, vim.wo.relativenumber, vim.wo.winfixheight = false, false, true
  end)
end

--- Shows the question as high as it needs to be, at most half of the screen, with the first choice in view.
local function fit(lines)
  local width = math.max(vim.api.nvim_win_get_width(window), 1)
  local rows = 0
  for _, line in ipairs(lines) do rows = rows + math.max(math.ceil(vim.fn.strdisplaywidth(line) / width), 1) end
  vim.api.nvim_win_set_height(window, math.min(rows, math.floor(vim.o.lines / 2)))
  vim.api.nvim_win_set_cursor(window, { #question.about + 2, 0 })
  vim.wo[window].statusline = ('Question %d of %d'):format(question.number, question.count)
end

local function show()
  local lines = set_lines()
  if not is_shown() then open_window() end
  fit(lines)
end

--- One line at the bottom of the screen. A longer text would stop Neovim until the user presses a key.
local function announce()
  if vim.api.nvim_get_current_win() == window or vim.api.nvim_get_mode().mode:match('^c') then return end
  local text = 'The agent asks: ' .. question.about[1]
  local width = vim.o.columns - vim.fn.strdisplaywidth(' (:AcpAnswer)') - 12
  while vim.fn.strdisplaywidth(text) > width do text = vim.fn.strcharpart(text, 0, vim.fn.strchars(text) - 1) end
  vim.api.nvim_echo({ { text .. ' (:AcpAnswer)', 'WarningMsg' } }, false, {})
end

--- Shows a question: its `id`, `number` and `count`, the lines `about` it, its `choices`, and whether it `has_diff`.
function M.show(given)
  local is_new = not question or question.id ~= given.id
  question = given
  -- No window can open while the command-line window is.
  if vim.fn.getcmdwintype() ~= '' then
    vim.api.nvim_create_autocmd('CmdwinLeave', {
      once = true,
      callback = vim.schedule_wrap(function() if question then show() end end),
    })
  else
    show()
  end
  if is_new then announce() end
end

--- Closes the window. Nothing is asked any more.
function M.close()
  question = nil
  hide()
end

--- Moves the cursor into the question, and opens its window again if the user has closed it.
function M.focus()
  if not question then return vim.notify('The agent asks nothing.', vim.log.levels.WARN) end
  show()
  vim.api.nvim_set_current_win(window)
end

return M
