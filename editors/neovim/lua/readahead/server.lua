--- The language server as Neovim sees it: how it is started, what is asked of
--- it, and how it comes back after it has died. The differences between Neovim
--- 0.10, 0.11 and 0.12 are all here.

local M = {}

local NAME = "readahead"
local has_config = vim.fn.has("nvim-0.11") == 1

--- A server that dies is started again, unless it dies too often: then something
--- is wrong that a restart does not mend.
local MAX_CRASHES = 3
local CRASH_WINDOW_S = 60
local RESTART_DELAY_MS = 500

---@type readahead.Options
local options
local crashes = {} ---@type integer[] when, in seconds
local stopping = {} ---@type table<integer, true> clients that were told to end
local progress = {} ---@type table<integer, table<string|integer, string>>
local paused = false

---@param message string
---@param level? integer
function M.notify(message, level)
  vim.schedule(function()
    vim.notify("readahead: " .. message, level or vim.log.levels.WARN)
  end)
end

---@param filter? {bufnr?: integer}
---@return vim.lsp.Client[]
function M.clients(filter)
  return vim.lsp.get_clients({ name = NAME, bufnr = filter and filter.bufnr })
end

---@param buf integer
---@return vim.lsp.Client?
function M.client(buf)
  return M.clients({ bufnr = buf })[1]
end

--- Sends a request; in 0.10 these were functions, not methods.
---@return integer? id
function M.request(client, method, params, handler, buf)
  local ok, id
  if has_config then
    ok, id = client:request(method, params, handler, buf)
  else
    ok, id = client.request(method, params, handler, buf)
  end
  return ok and id or nil
end

function M.cancel(client, id)
  if has_config then
    client:cancel_request(id)
  else
    client.cancel_request(id)
  end
end

local function stop(client)
  stopping[client.id] = true
  if has_config then
    client:stop()
  else
    client.stop()
  end
end

--- Runs one of the server's commands in every workspace.
---@param name string without "readahead."
---@param arguments? any[]
---@param done? fun(result: any, client: vim.lsp.Client)
---@return boolean asked
function M.command(name, arguments, done)
  local clients = M.clients()
  for _, client in ipairs(clients) do
    local params = { command = "readahead." .. name, arguments = arguments or {} }
    M.request(client, "workspace/executeCommand", params, function(err, result)
      if err then
        M.notify(("%s: %s"):format(name, err.message), vim.log.levels.ERROR)
      elseif done then
        done(result, client)
      end
    end, 0)
  end
  if #clients == 0 then
    M.notify("no server runs for the open files (see :checkhealth readahead)")
  end
  return #clients > 0
end

function M.pause()
  if M.command("pause") then
    paused = true
    require("readahead.ghost").clear()
  end
end

function M.resume()
  if M.command("resume") then
    paused = false
  end
end

--- What a status line shows: "" where no server is attached.
---@param buf? integer
---@return string
function M.status(buf)
  local client = M.client(buf or vim.api.nvim_get_current_buf())
  if not client then
    return ""
  end
  local _, work = next(progress[client.id] or {})
  if work then
    return "readahead " .. work
  elseif paused then
    return "readahead paused"
  elseif require("readahead.ghost").busy() then
    return "readahead …"
  end
  return "readahead"
end

local function wanted(buf)
  return vim.api.nvim_buf_is_loaded(buf)
    and vim.bo[buf].buftype == ""
    and vim.tbl_contains(options.filetypes, vim.bo[buf].filetype)
end

--- Starts or reuses the server for a buffer, where there is no vim.lsp.config.
local function start_by_hand(buf)
  if not wanted(buf) then
    return
  end
  local config = vim.tbl_extend("force", M.client_config(), { root_dir = vim.fs.root(buf, options.root_markers) })
  vim.lsp.start(config, { bufnr = buf })
end

local function start_everywhere()
  if has_config then
    vim.lsp.enable(NAME)
    return
  end
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    start_by_hand(buf)
  end
end

local function on_exit(code, signal, id)
  progress[id] = nil
  local asked = stopping[id]
  stopping[id] = nil
  if asked or vim.v.exiting ~= vim.NIL then
    return
  end
  local now = os.time()
  crashes = vim.tbl_filter(function(t)
    return now - t < CRASH_WINDOW_S
  end, crashes)
  crashes[#crashes + 1] = now
  local how = signal ~= 0 and "by signal " .. signal or "with status " .. code
  if #crashes > MAX_CRASHES then
    M.notify(
      ("the server ended %s, the %dth time in a minute; it stays down until :Readahead restart (:Readahead log says why)"):format(how, #crashes),
      vim.log.levels.ERROR
    )
    return
  end
  vim.schedule(function()
    require("readahead.ghost").clear()
  end)
  paused = false
  vim.defer_fn(start_everywhere, RESTART_DELAY_MS)
end

--- What vim.lsp.start wants to know. The server must see that its client shows
--- inline completions: otherwise it offers itself to the popup menu.
function M.client_config()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.textDocument.inlineCompletion = { dynamicRegistration = false }
  return {
    name = NAME,
    cmd = options.cmd,
    capabilities = capabilities,
    settings = { readahead = next(options.settings) and options.settings or vim.empty_dict() },
    on_exit = on_exit,
    get_language_id = function(_, filetype)
      return filetype == "cs" and "csharp" or filetype
    end,
  }
end

--- Ends the servers and starts them again once they are gone.
function M.restart()
  crashes, paused = {}, false
  local clients = M.clients()
  for _, client in ipairs(clients) do
    stop(client)
  end
  local tries = 0
  local function when_gone()
    tries = tries + 1
    if #M.clients() == 0 then
      start_everywhere()
    elseif tries < 100 then
      vim.defer_fn(when_gone, 50)
    else
      M.notify("the old server does not end; it keeps serving")
    end
  end
  vim.schedule(when_gone)
end

---@param o readahead.Options
function M.setup(o)
  options = o
  if vim.fn.executable(o.cmd[1]) == 0 then
    M.notify(
      ("cannot start the server: %q is not an executable in PATH. Run `go install ./cmd/readahead` in a clone of readahead, or set cmd in setup()"):format(o.cmd[1]),
      vim.log.levels.ERROR
    )
    return
  end
  local group = vim.api.nvim_create_augroup("readahead.server", {})
  vim.api.nvim_create_autocmd("LspProgress", {
    group = group,
    callback = function(ev)
      local client = vim.lsp.get_client_by_id(ev.data.client_id)
      if not client or client.name ~= NAME then
        return
      end
      local params = ev.data.params or ev.data.result
      local value, mine = params.value, progress[client.id] or {}
      progress[client.id] = mine
      mine[params.token] = nil
      if value.kind ~= "end" then
        mine[params.token] = value.percentage and ("indexing %d%%"):format(value.percentage) or "indexing"
      end
      vim.cmd.redrawstatus({ bang = true })
    end,
  })
  if has_config then
    local config = M.client_config()
    config.name = nil
    config.filetypes, config.root_markers = o.filetypes, o.root_markers
    vim.lsp.config(NAME, config)
    vim.lsp.enable(NAME)
    return
  end
  vim.api.nvim_create_autocmd("FileType", {
    group = group,
    callback = function(ev)
      start_by_hand(ev.buf)
    end,
  })
  start_everywhere()
end

return M
