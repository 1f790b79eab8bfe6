--- How ghost text is cut and where its parts stand. Nothing here touches a
--- buffer or a window.

local M = {}

--- The piece of a suggestion that one key accepts.
---
---   word   the space before it and one word, or one run of punctuation
---   line   to the end of the line; from the end of a line, the next line
---   all
---
--- What counts as a word is the buffer's 'iskeyword', so that accepting words
--- feels as moving over them does.
---@param text string
---@param part "word"|"line"|"all"
---@return string
function M.piece(text, part)
  if part == "word" then
    local piece = vim.fn.matchstr(text, [[^\_s*\%(\k\+\|\%(\k\@!\S\)\+\)]])
    return piece ~= "" and piece or text
  elseif part == "line" then
    local stop = text:find("\n", text:sub(1, 1) == "\n" and 2 or 1, true)
    return stop and text:sub(1, stop - 1) or text
  end
  return text
end

--- Tabs as they will look in the buffer: virtual text has no tab stops.
---@param text string
---@param column integer screen column that it begins in, from 0
---@param tabstop integer
---@return string
function M.expand(text, column, tabstop)
  local out = {}
  for run, tab in text:gmatch("([^\t]*)(\t?)") do
    out[#out + 1] = run
    column = column + vim.fn.strdisplaywidth(run, column)
    if tab ~= "" then
      local width = tabstop - column % tabstop
      out[#out + 1] = (" "):rep(width)
      column = column + width
    end
  end
  return table.concat(out)
end

---@class readahead.Layout
---@field first string ghost at the cursor
---@field over boolean it covers what stands behind the cursor; otherwise it moves that aside
---@field below string[] ghost lines under the cursor's line
---@field moved string code of the cursor's line that would come after the last of them

--- Where a suggestion's text appears, given what stands behind the cursor.
---
---   f(a|)    "a, b)" over ")"       f(a, b|)     the ) stays where it is
---   f(|)     "\n  x)" over ")"      f(|          the ) is covered, and stands in
---                                     x)         the ghost
---   if a | b "{\n}" over nothing    if a {       b is shown where it will be
---                                   } b
---@param text string
---@param replaced string code behind the cursor that the suggestion replaces
---@param kept string code behind that
---@return readahead.Layout
function M.place(text, replaced, kept)
  local lines = vim.split(text, "\n", { plain = true })
  local first = table.remove(lines, 1)
  if #lines > 0 then
    local covered = replaced .. kept
    local gap = vim.fn.strdisplaywidth(covered) - vim.fn.strdisplaywidth(first)
    if covered ~= "" and gap > 0 then
      first = first .. (" "):rep(gap)
    end
    return { first = first, over = covered ~= "", below = lines, moved = kept }
  end
  if replaced ~= "" and not vim.endswith(first, replaced) then
    return { first = first, over = true, below = lines, moved = "" }
  end
  return { first = first:sub(1, #first - #replaced), over = false, below = lines, moved = "" }
end

return M
