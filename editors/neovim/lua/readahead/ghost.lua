--- Ghost text: what the server suggests, shown at the cursor.
---
--- Neovim 0.12 has vim.lsp.inline_completion. This module is used in its place,
--- in every version, since what it shows must hold at every key:
---
---                        vim.lsp.inline_completion     here
---   asks                 200 ms after a key            at the key; the server waits
---   a key typed into     the old text stands until     the text shrinks by the key
---     the text             the next answer
---   a key beside it      the same                      the text is gone at once
---   accepting after      inserts the whole text at     inserts what is left
---     such a key           the old place
---   by word, by line     only with code of your own    yes
---   cancels              when insert mode is left      at the next key
---
--- At most one suggestion exists, in the current buffer. It is shown only while
--- it fits: the line before its anchor is as it was, what was typed since begins
--- it, and the code behind the cursor is as it was.
---
---     sum := tot|           the anchor is where the text begins, which with an
---            ^              open popup menu is before the cursor
---            anchor

local layout = require("readahead.layout")
local server = require("readahead.server")

local M = {}
local api = vim.api
local namespace = api.nvim_create_namespace("readahead")
local MARK = 1

local AUTOMATIC, INVOKED = 2, 1 -- triggerKind of the protocol

--- After how long the server is asked again that has said it is still at work:
--- the block that a line opens comes after the line.
local AGAIN_MS = 150

---@class readahead.Item
---@field text string from the anchor on
---@field replaced integer bytes behind the cursor that it replaces
---@field command? lsp.Command

---@class readahead.Suggestion
---@field buf integer
---@field row integer 0-based
---@field head string the line up to the anchor
---@field tail string the line behind the cursor
---@field items readahead.Item[]
---@field index integer
---@field hint boolean show which of how many

local shown ---@type readahead.Suggestion?
local asked ---@type {client: vim.lsp.Client, id: integer}?
local refused ---@type {buf: integer, tick: integer}? dismissed: not again for this text

local function inserting()
  return api.nvim_get_mode().mode:sub(1, 1) == "i"
end

--- The cursor and its line: row from 0, the text before and behind it.
local function here()
  local pos = api.nvim_win_get_cursor(0)
  local line = api.nvim_get_current_line()
  return pos[1] - 1, line:sub(1, pos[2]), line:sub(pos[2] + 1)
end

--- What was typed into s since its anchor, or nil if it no longer fits.
---@param s readahead.Suggestion
---@return string?
local function typed(s)
  if api.nvim_get_current_buf() ~= s.buf then
    return nil
  end
  local row, before, after = here()
  if row ~= s.row or after ~= s.tail or not vim.startswith(before, s.head) then
    return nil
  end
  return before:sub(#s.head + 1)
end

--- Drops the items that what was typed rules out; nil if none is left.
---@param s readahead.Suggestion
---@return string? rest of the current item
local function rest(s)
  local t = typed(s)
  if not t then
    return nil
  end
  local current, left = s.items[s.index], {}
  for _, item in ipairs(s.items) do
    if vim.startswith(item.text, t) and #item.text > #t then
      left[#left + 1] = item
      if item == current then
        s.index = #left
      end
    end
  end
  if #left == 0 then
    return nil
  end
  if not vim.tbl_contains(left, current) then
    s.index = 1
  end
  s.items = left
  return left[s.index].text:sub(#t + 1)
end

function M.clear()
  if shown and api.nvim_buf_is_valid(shown.buf) then
    api.nvim_buf_clear_namespace(shown.buf, namespace, 0, -1)
  end
  shown = nil
end

local function chunks(text, column, tabstop)
  return { { layout.expand(text, column, tabstop), "ReadaheadGhost" } }
end

---@param s readahead.Suggestion
---@param ghost string
local function draw(s, ghost)
  local item = s.items[s.index]
  local row, before = here()
  local placed = layout.place(ghost, s.tail:sub(1, item.replaced), s.tail:sub(item.replaced + 1))
  local tabstop = vim.bo[s.buf].tabstop
  local first = chunks(placed.first, vim.fn.strdisplaywidth(before), tabstop)
  local below = {}
  for _, line in ipairs(placed.below) do
    below[#below + 1] = chunks(line, 0, tabstop)
  end
  local last = below[#below] or first
  if placed.moved ~= "" then
    last[#last + 1] = { placed.moved, "Normal" }
  end
  if s.hint then
    last[#last + 1] = { (" (%d/%d)"):format(s.index, #s.items), "ReadaheadHint" }
  end
  api.nvim_buf_set_extmark(s.buf, namespace, row, #before, {
    id = MARK,
    virt_text = first,
    virt_text_pos = placed.over and "overlay" or "inline",
    virt_lines = #below > 0 and below or nil,
    hl_mode = "combine",
    right_gravity = true,
    undo_restore = false,
  })
end

--- Shows what is left of the suggestion, or clears it.
local function show()
  local ghost = shown and inserting() and rest(shown)
  if ghost then
    draw(shown, ghost)
  else
    M.clear()
  end
end

local function cancel()
  if asked then
    server.cancel(asked.client, asked.id)
    asked = nil
  end
end

--- What the popup menu would insert, if it has an item selected that is not in
--- the buffer yet: the server then extends that.
---@return string? word, integer? length of the part of it that is typed
local function selected(before)
  if vim.fn.pumvisible() == 0 then
    return nil
  end
  local info = vim.fn.complete_info({ "selected", "items" })
  local item = info.items[info.selected + 1]
  local word = info.selected >= 0 and item and item.word
  if not word or word == "" or vim.endswith(before, word) then
    return nil
  end
  for n = math.min(#word, #before), 0, -1 do
    if vim.endswith(before, word:sub(1, n)) then
      return word, n
    end
  end
end

---@param character integer
local function byte_of(line, character, encoding)
  if encoding == "utf-8" then
    return math.min(character, #line)
  elseif vim.fn.has("nvim-0.11") == 1 then
    return vim.str_byteindex(line, encoding, character, false)
  end
  local ok, byte = pcall(vim.str_byteindex, line, character, encoding == "utf-16")
  return ok and byte or #line
end

--- Makes a suggestion of an answer to what was asked with the cursor where it
--- still is. Ranges lie on the cursor's line, around the cursor.
---@return readahead.Suggestion?
local function suggestion(client, result, hint)
  local row, before, after = here()
  local line, start, items = before .. after, #before, {}
  for _, raw in ipairs(result and (result.items or result) or {}) do
    local from, to = #before, #before
    if raw.range then
      from = byte_of(line, raw.range.start.character, client.offset_encoding)
      to = byte_of(line, raw.range["end"].character, client.offset_encoding)
    end
    local text = raw.insertText
    if type(text) == "string" and from <= #before and to >= #before and (from == start or #items == 0) then
      start = from
      items[#items + 1] = { text = text:gsub("\r\n?", "\n"), replaced = to - #before, command = raw.command }
    end
  end
  if #items == 0 then
    return nil
  end
  return {
    buf = api.nvim_get_current_buf(),
    row = row,
    head = before:sub(1, start),
    tail = after,
    items = items,
    index = 1,
    hint = hint,
  }
end

--- Asks the server about the cursor as it is now. An answer that comes after a
--- change is dropped: the change has asked anew.
---@param kind integer
---@param done? fun() called once the answer is shown
local function ask(kind, done)
  cancel()
  local buf = api.nvim_get_current_buf()
  local client = server.client(buf)
  if not client or not inserting() or not vim.bo[buf].modifiable then
    return
  end
  local tick, position = api.nvim_buf_get_changedtick(buf), api.nvim_win_get_cursor(0)
  if kind == AUTOMATIC and refused and refused.buf == buf and refused.tick == tick then
    return
  end
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  params.context = { triggerKind = kind }
  local row, before = here()
  local word, len = selected(before)
  if word then
    local from = vim.deepcopy(params.position)
    -- what is typed of a word is counted alike in all encodings if it is ASCII
    if not before:sub(#before - len + 1):find("[\128-\255]") then
      from.character = from.character - len
      params.context.selectedCompletionInfo = { range = { start = from, ["end"] = params.position }, text = word }
    end
  end
  local function unchanged()
    local at = api.nvim_win_get_cursor(0)
    return inserting()
      and api.nvim_get_current_buf() == buf
      and api.nvim_buf_get_changedtick(buf) == tick
      and at[1] == position[1]
      and at[2] == position[2]
  end
  local mine
  local id = server.request(client, "textDocument/inlineCompletion", params, function(err, result)
    if asked ~= mine then
      return
    end
    asked = nil
    if err or not unchanged() then
      return
    end
    local new = suggestion(client, result, kind == INVOKED)
    if shown and (not new or new.buf ~= shown.buf) then
      M.clear()
    end
    shown = new
    show()
    if result and result.isIncomplete then
      vim.defer_fn(function()
        if not asked and shown == new and (not new or new.index == 1) and unchanged() then
          ask(kind)
        end
      end, AGAIN_MS)
    end
    if done then
      done()
    end
  end, buf)
  if id then
    mine = { client = client, id = id }
    asked = mine
  end
end

--- Whether an answer is being waited for.
function M.busy()
  return asked ~= nil
end

--- The part of the suggestion that is left to type, or nil.
function M.text()
  return shown and rest(shown)
end

--- Inserts a piece of the suggestion; false if there is none.
---@param part "word"|"line"|"all"
---@return boolean
function M.accept(part)
  local ghost = M.text()
  if not ghost then
    M.clear()
    return false
  end
  local s = assert(shown)
  local item, sofar = s.items[s.index], typed(s)
  local piece = layout.piece(ghost, part)
  local whole = piece == ghost
  local row, before = here()
  local lines = vim.split(piece, "\n", { plain = true })
  api.nvim_buf_set_text(s.buf, row, #before, row, #before + (whole and item.replaced or 0), lines)
  local last = lines[#lines]
  api.nvim_win_set_cursor(0, { row + #lines, #lines == 1 and #before + #last or #last })
  if whole then
    M.clear()
    if item.command then
      local params = { command = item.command.command, arguments = item.command.arguments }
      local client = server.client(s.buf)
      if client then
        server.request(client, "workspace/executeCommand", params, function() end, s.buf)
      end
    end
    return true
  end
  -- what is left begins where the cursor stands now
  local done, left = sofar .. piece, {}
  for i, other in ipairs(s.items) do
    if vim.startswith(other.text, done) then
      left[#left + 1] = vim.tbl_extend("force", other, { text = other.text:sub(#done + 1) })
      if i == s.index then
        s.index = #left
      end
    end
  end
  local now, head = here()
  s.row, s.head, s.items = now, head, left
  show()
  return true
end

--- Clears the suggestion and shows none again for this text.
---@return boolean was there one
function M.dismiss()
  cancel()
  local was = M.text() ~= nil
  local buf = api.nvim_get_current_buf()
  refused = { buf = buf, tick = api.nvim_buf_get_changedtick(buf) }
  M.clear()
  return was
end

--- Asks for alternatives, however short the pause in typing.
function M.trigger()
  refused = nil
  ask(INVOKED)
end

--- Shows another alternative; asks for more of them first if there is but one.
---@param step 1|-1
function M.cycle(step)
  local function turn()
    if shown and #shown.items > 1 then
      shown.index = (shown.index - 1 + step) % #shown.items + 1
      shown.hint = true
      show()
    end
  end
  if shown and #shown.items > 1 then
    turn()
  else
    refused = nil
    ask(INVOKED, turn)
  end
end

--- Whoever switched Neovim's own ghost text on for all servers would see ours
--- twice.
local function only_once(client)
  if vim.lsp.inline_completion then
    vim.lsp.inline_completion.enable(false, { client_id = client.id })
  end
end

function M.setup()
  local function highlight()
    local base = vim.fn.hlexists("ComplHint") == 1 and "ComplHint" or "NonText"
    api.nvim_set_hl(0, "ReadaheadGhost", { link = base, default = true })
    api.nvim_set_hl(0, "ReadaheadHint", { link = "MoreMsg", default = true })
  end
  highlight()
  local group = api.nvim_create_augroup("readahead.ghost", {})
  local function on(events, callback)
    api.nvim_create_autocmd(events, { group = group, callback = callback })
  end
  on({ "TextChangedI", "TextChangedP", "InsertEnter" }, function()
    show()
    -- InsertEnter comes before the mode changes
    vim.schedule(function()
      ask(AUTOMATIC)
    end)
  end)
  on({ "CompleteChanged" }, function()
    vim.schedule(function()
      show()
      ask(AUTOMATIC)
    end)
  end)
  on({ "CursorMovedI", "CompleteDone" }, show)
  on({ "InsertLeave", "BufLeave" }, function()
    cancel()
    M.clear()
  end)
  on("ColorScheme", highlight)
  on("LspAttach", function(ev)
    local client = vim.lsp.get_client_by_id(ev.data.client_id)
    if client and client.name == "readahead" then
      only_once(client)
      -- who typed while the server was starting has not been asked about yet
      vim.schedule(function()
        ask(AUTOMATIC)
      end)
    end
  end)
end

return M
