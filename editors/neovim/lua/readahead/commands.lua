--- :Readahead and what can follow it.

local server = require("readahead.server")

local M = {}

M.all = {
  pause = server.pause,
  resume = server.resume,
  restart = server.restart,
  status = function()
    server.command("status", {}, function(text, client)
      vim.notify(text .. (client.root_dir and "\nworkspace: " .. client.root_dir or ""))
    end)
  end,
  reindex = function()
    server.command("reindex")
  end,
  --- The whole account of the last suggestion in this buffer, as a page. The
  --- server has it opened (window/showDocument); whether a browser came, nobody
  --- can tell, so the path is said, too.
  inspect = function()
    local uri = vim.uri_from_bufnr(0)
    server.command("inspect", { uri }, function(answer)
      if type(answer) == "table" and answer.page then -- else another workspace's server
        vim.notify("readahead: see " .. answer.page)
      end
    end)
  end,
  --- The server writes its log to standard error, which Neovim keeps.
  log = function()
    vim.cmd.tabedit(vim.fn.fnameescape(vim.lsp.get_log_path()))
    vim.cmd.normal({ "G", bang = true })
  end,
}

---@param opts {fargs: string[]}
function M.run(opts)
  local name = opts.fargs[1]
  local command = M.all[name]
  if not command then
    local names = vim.tbl_keys(M.all)
    table.sort(names)
    server.notify(("there is no :Readahead %s; there is %s"):format(name, table.concat(names, ", ")))
    return
  end
  command()
end

---@param start string
---@return string[]
function M.complete(start)
  local names = vim.tbl_filter(function(name)
    return vim.startswith(name, start)
  end, vim.tbl_keys(M.all))
  table.sort(names)
  return names
end

return M
