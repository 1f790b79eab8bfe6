--- readahead in Neovim: the next line of code as ghost text, from your own model
--- and your own repository. See :help readahead.
---
---   config    what a user can set
---   server    starts the language server, restarts it, speaks with it
---   ghost     one suggestion: when it is asked for, shown, accepted, dropped
---   layout    how its text is cut and placed; pure
---   keys      insert mode mappings
---   commands  :Readahead
---   health    :checkhealth readahead

local M = {}

---@param options readahead.Options?
function M.setup(options)
  if vim.fn.has("nvim-0.10") == 0 then
    vim.notify("readahead: needs Neovim 0.10 or later", vim.log.levels.ERROR)
    return
  end
  local o = require("readahead.config").resolve(options)
  M.options = o
  require("readahead.ghost").setup()
  require("readahead.keys").setup(o.keys)
  require("readahead.server").setup(o)
end

--- Whether a suggestion is shown.
---@return boolean
function M.visible()
  return require("readahead.ghost").text() ~= nil
end

--- The text that is suggested at the cursor, or nil.
---@return string?
function M.text()
  return require("readahead.ghost").text()
end

--- These return whether there was a suggestion.

function M.accept()
  return require("readahead.ghost").accept("all")
end

function M.accept_word()
  return require("readahead.ghost").accept("word")
end

function M.accept_line()
  return require("readahead.ghost").accept("line")
end

function M.dismiss()
  return require("readahead.ghost").dismiss()
end

function M.next()
  require("readahead.ghost").cycle(1)
end

function M.prev()
  require("readahead.ghost").cycle(-1)
end

function M.trigger()
  require("readahead.ghost").trigger()
end

--- A word or two for the status line; "" in buffers without readahead.
---@return string
function M.status()
  return require("readahead.server").status()
end

return M
