-- Files that are open in Neovim.
local M = {}
local bom = '\239\187\191'

local function buffer_of(path)
  local file = vim.loop.fs_realpath(path) or path
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buffer)
    if vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].buftype == '' and name ~= '' then
      if (vim.loop.fs_realpath(name) or name) == file then return buffer end
    end
  end
end

--- Returns the text of a buffer with unsaved changes, and nil for any other file.
function M.read(path)
  local buffer = buffer_of(path)
  if not buffer or not vim.bo[buffer].modified then return nil end
  local options = vim.bo[buffer]
  local line_end = options.fileformat == 'dos' and '\r\n' or '\n'
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), line_end)
  return (options.bomb and bom or '') .. text .. (options.endofline and line_end or '')
end

--- Sets and saves the text of an open buffer. Undo brings the user's text back. Returns true, false if the file is not
--- open, or the reason why it cannot be saved.
function M.write(path, content)
  local buffer = buffer_of(path)
  if not buffer then return false end
  local options = vim.bo[buffer]
  local earlier = {}
  for _, name in ipairs({ 'bomb', 'fileformat', 'endofline', 'fixendofline' }) do earlier[name] = options[name] end
  local text, boms = content:gsub('^' .. bom, '')
  local is_dos = text:find('\r\n') and not text:gsub('\r\n', ''):find('\n')
  local lines = vim.split(is_dos and text:gsub('\r\n', '\n') or text, '\n')
  local ends = lines[#lines] == ''
  if ends then table.remove(lines) end
  local saved, problem
  vim.api.nvim_buf_call(buffer, function()
    local state = vim.fn.undotree().seq_cur
    vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
    options.bomb, options.fileformat = boms > 0, is_dos and 'dos' or 'unix'
    options.endofline, options.fixendofline = ends, false
    -- Without autocommands: one that formats would change what the agent reads next.
    saved, problem = pcall(vim.cmd, 'silent noautocmd write!')
    options.fixendofline = earlier.fixendofline
    if saved then return end
    vim.cmd('silent undo ' .. state)
    for name, value in pairs(earlier) do options[name] = value end
  end)
  return saved or problem:gsub('^Vim%(write%):', '')
end

return M
