--- What a user can set, and what holds if they set nothing.

local M = {}

--- Languages with structural evidence. In others readahead completes with
--- lexical evidence alone: add their filetypes if you want that.
M.filetypes = {
  "c",
  "cpp",
  "cs",
  "go",
  "java",
  "javascript",
  "javascriptreact",
  "php",
  "python",
  "ruby",
  "rust",
  "typescript",
  "typescriptreact",
}

M.root_markers = {
  ".git",
  "go.mod",
  "pyproject.toml",
  "package.json",
  "Cargo.toml",
  "pom.xml",
  "build.gradle",
  "composer.json",
  "Gemfile",
}

--- The keys are those of Copilot's plugin, so that fingers need not learn new
--- ones. false in the place of a key, or of all of them, maps nothing.
M.keys = {
  accept = "<Tab>",
  accept_word = "<M-Right>",
  accept_line = "<M-C-Right>",
  dismiss = "<C-]>",
  next = "<M-]>",
  prev = "<M-[>",
  trigger = "<M-\\>",
}

---@class readahead.Options
---@field cmd? string[] the server and its arguments
---@field filetypes? string[]
---@field root_markers? string[] files and folders that a workspace is found by
---@field settings? table the server's own settings, as README of the server lists them
---@field keys? table<string, string|false>|false insert mode keys

---@param given readahead.Options?
---@return readahead.Options
function M.resolve(given)
  given = given or {}
  local known = { cmd = 1, filetypes = 1, root_markers = 1, settings = 1, keys = 1 }
  for name in pairs(given) do
    if not known[name] then
      error(("readahead: setup() has no option %q; it has cmd, filetypes, root_markers, settings, keys"):format(name), 0)
    end
  end
  local keys = given.keys
  if keys ~= false then
    for name in pairs(keys or {}) do
      if M.keys[name] == nil then
        error(("readahead: there is no key %q; see :help readahead-keys"):format(name), 0)
      end
    end
    keys = vim.tbl_extend("force", M.keys, keys or {})
  end
  return {
    cmd = given.cmd or { "readahead" },
    filetypes = given.filetypes or M.filetypes,
    root_markers = given.root_markers or M.root_markers,
    settings = given.settings or {},
    keys = keys,
  }
end

return M
