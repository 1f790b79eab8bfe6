if vim.g.loaded_readahead then
  return
end
vim.g.loaded_readahead = true

vim.api.nvim_create_user_command("Readahead", function(opts)
  require("readahead.commands").run(opts)
end, {
  nargs = 1,
  desc = "readahead: pause, resume, status, reindex, restart, inspect, log",
  complete = function(start)
    return require("readahead.commands").complete(start)
  end,
})
