--- Insert mode keys. A key that has nothing to do here does what it did before:
--- Tab, above all, is everybody's.

local M = {}

--- What the key did before it was mapped here, as keys to be typed.
---@param key string
---@param before table maparg() of it, empty if it was not mapped
local function otherwise(key, before)
  if before.callback and before.expr == 1 then
    return before.callback() or ""
  elseif before.callback then
    vim.schedule(before.callback)
    return ""
  elseif before.rhs and before.expr == 1 then
    return vim.api.nvim_eval(before.rhs)
  end
  return before.rhs or key
end

--- Before text is inserted: an undo step of its own, and the popup menu closed
--- with what it has selected, which is what the suggestion goes on from.
local function prelude()
  return (vim.fn.pumvisible() == 1 and "<C-y>" or "") .. "<C-g>u"
end

local actions = {
  accept = { 'require("readahead").accept()', "accept the suggestion" },
  accept_word = { 'require("readahead").accept_word()', "accept the suggestion's next word" },
  accept_line = { 'require("readahead").accept_line()', "accept the suggestion's next line" },
  dismiss = { 'require("readahead").dismiss()', "dismiss the suggestion" },
}

local always = {
  next = { 'require("readahead").next()', "next suggestion" },
  prev = { 'require("readahead").prev()', "previous suggestion" },
  trigger = { 'require("readahead").trigger()', "ask for suggestions" },
}

---@param keys table<string, string|false>|false
function M.setup(keys)
  for name, key in pairs(keys or {}) do
    if key and always[name] then
      vim.keymap.set("i", key, "<Cmd>lua " .. always[name][1] .. "<CR>", { desc = "readahead: " .. always[name][2] })
    elseif key then
      local action = actions[name]
      local before = vim.fn.maparg(key, "i", false, true)
      local ours = (before.desc or ""):match("^readahead:")
      if not ours then
        vim.keymap.set("i", key, function()
          if not require("readahead").visible() then
            return otherwise(key, before)
          end
          return (name == "dismiss" and "" or prelude()) .. "<Cmd>lua " .. action[1] .. "<CR>"
        end, { expr = true, desc = "readahead: " .. action[2] })
      end
    end
  end
end

return M
