--- :checkhealth readahead

local M = {}

local h = vim.health

local function check_neovim()
  local version = tostring(vim.version())
  if vim.fn.has("nvim-0.10") == 0 then
    h.error("Neovim " .. version .. " is too old", "install Neovim 0.10 or later")
  else
    h.ok("Neovim " .. version)
  end
end

local function check_server(o)
  local path = vim.fn.exepath(o.cmd[1])
  if path == "" then
    h.error(
      ("%q is not an executable in PATH"):format(o.cmd[1]),
      { "run `go install ./cmd/readahead` in a clone of readahead", "or set cmd in setup(): see :help readahead-setup" }
    )
    return
  end
  local out = vim.fn.system({ path, "version" })
  if vim.v.shell_error ~= 0 then
    h.error(path .. " does not run: " .. vim.trim(out))
  else
    h.ok(path .. ": " .. vim.trim(vim.split(out, "\n")[1]))
  end
end

--- What a running server says of itself: its model, its index.
local function check_client(client)
  local where = client.root_dir or "no workspace folder"
  local answer
  require("readahead.server").request(client, "workspace/executeCommand", { command = "readahead.status", arguments = {} }, function(err, result)
    answer = err and { error = err.message } or { text = result }
  end, 0)
  vim.wait(2000, function()
    return answer ~= nil
  end, 10)
  if not answer then
    h.error(where .. ": the server does not answer", "run :Readahead restart, and see :Readahead log")
  elseif answer.error then
    h.error(where .. ": " .. answer.error)
  else
    h.ok(where .. ": " .. answer.text)
  end
end

local function check_keys(keys)
  for name, key in vim.spairs(keys or {}) do
    if key then
      local map = vim.fn.maparg(key, "i", false, true)
      if (map.desc or ""):match("^readahead:") then
        h.ok(("%s: %s"):format(key, name))
      else
        h.warn(
          ("%s (%s) was mapped anew after setup()"):format(key, name),
          "call setup() after the other plugin's, or choose another key: see :help readahead-keys"
        )
      end
    end
  end
end

function M.check()
  h.start("readahead")
  check_neovim()
  local o = require("readahead").options
  if not o then
    h.error("setup() was not called", 'put require("readahead").setup() in your init.lua')
    return
  end
  check_server(o)
  local clients = require("readahead.server").clients()
  if #clients == 0 then
    h.info("no server runs: open a file of one of these types: " .. table.concat(o.filetypes, ", "))
  end
  for _, client in ipairs(clients) do
    check_client(client)
  end
  check_keys(o.keys)
end

return M
