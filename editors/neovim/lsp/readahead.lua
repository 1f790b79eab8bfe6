--- How Neovim 0.11 and later start readahead: what `vim.lsp.enable("readahead")`
--- finds on the runtime path, and what `require("readahead").setup()` builds on.

return {
  cmd = { "readahead" },
  filetypes = require("readahead.config").filetypes,
  root_markers = require("readahead.config").root_markers,
}
