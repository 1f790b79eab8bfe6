/**
 * readahead in VS Code: starts the language server, whose inline completions
 * vscode-languageclient shows, and says in the status bar how it is.
 *
 *   locate     where the program is           pure
 *   settings   what of the settings it sees   pure
 *   state      what the status bar says       pure
 *   inspected  what the server knows of a suggestion   pure
 *   models     what Ollama has
 *   extension  the rest: VS Code's side
 */

import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import * as vscode from "vscode";
import { LanguageClient, State as ClientState, type LanguageClientOptions } from "vscode-languageclient/node";
import { inspected } from "./inspected";
import { locate } from "./locate";
import { address, list } from "./models";
import { explicit, keys } from "./settings";
import { bar, modelOf, type State } from "./state";

/** The server's status is asked for this often while a window is used. */
const STATUS_EVERY_MS = 15_000;
const SHOWN_WALKTHROUGH = "shownWalkthrough";

export async function activate(context: vscode.ExtensionContext): Promise<Readahead> {
  const readahead = new Readahead(context);
  context.subscriptions.push(readahead);
  if (!context.globalState.get(SHOWN_WALKTHROUGH)) {
    await context.globalState.update(SHOWN_WALKTHROUGH, true);
    void vscode.commands.executeCommand("workbench.action.openWalkthrough", `${context.extension.id}#start`, false);
  }
  await readahead.start();
  return readahead;
}

/** The one server of a window, with its place in the status bar. */
export class Readahead implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("readahead", vscode.StatusBarAlignment.Right, 100);
  private readonly log = vscode.window.createOutputChannel("readahead", { log: true });
  private readonly owned: vscode.Disposable[] = [];
  private client: LanguageClient | undefined;
  private state: State = { running: false, paused: false, waiting: 0, status: "" };

  constructor(private readonly context: vscode.ExtensionContext) {
    this.item.name = "readahead";
    this.item.command = "readahead.showStatus";
    const commands: Record<string, () => unknown> = {
      togglePause: () => this.togglePause(),
      chooseModel: () => this.chooseModel(),
      inspectLast: () => this.inspect(),
      showStatus: () => this.showStatus(),
      reindexWorkspace: () => this.ask("reindex"),
      restart: () => this.restart(),
      showLog: () => this.log.show(),
    };
    for (const [name, run] of Object.entries(commands)) {
      this.owned.push(vscode.commands.registerCommand("readahead." + name, run));
    }
    const timer = setInterval(() => void this.refresh(), STATUS_EVERY_MS);
    this.owned.push(
      this.item,
      this.log,
      { dispose: () => clearInterval(timer) },
      vscode.workspace.onDidChangeConfiguration((e) => {
        if (e.affectsConfiguration("readahead.path")) {
          void this.restart();
        }
      }),
    );
    this.update({});
    this.item.show();
  }

  async start(): Promise<void> {
    const found = locate({
      setting: vscode.workspace.getConfiguration("readahead").get("path", ""),
      extension: this.context.extensionPath,
      path: process.env["PATH"] ?? "",
      windows: process.platform === "win32",
      home: homedir(),
      isExecutable,
    });
    if ("error" in found) {
      this.update({ failed: found.error });
      void this.explain(found.error);
      return;
    }
    this.update({ failed: undefined, paused: false, running: false });
    const client = new LanguageClient("readahead", "readahead", { command: found.file, args: ["serve"] }, this.options());
    this.client = client;
    client.onDidChangeState((e) => this.update({ running: e.newState === ClientState.Running, paused: false, waiting: 0, indexing: undefined }));
    try {
      await client.start();
    } catch (e) {
      this.update({ failed: `${found.file} does not serve: ${e instanceof Error ? e.message : String(e)}` });
      return;
    }
    void vscode.commands.executeCommand("setContext", "readahead.running", true);
    await this.refresh();
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
      outputChannel: this.log,
      synchronize: { configurationSection: "readahead" },
      initializationOptions: () => this.settings(),
      middleware: {
        workspace: {
          configuration: () => [this.settings()],
          didChangeConfiguration: async () => {
            await this.client?.sendNotification("workspace/didChangeConfiguration", { settings: { readahead: this.settings() } });
            await this.refresh();
          },
        },
        provideInlineCompletionItems: async (document, position, context, token, next) => {
          this.update({ waiting: this.state.waiting + 1 });
          try {
            return await next(document, position, context, token);
          } finally {
            this.update({ waiting: Math.max(0, this.state.waiting - 1) });
            if (modelOf(this.state.status) === "") {
              void this.refresh(); // the model is chosen with the first answer
            }
          }
        },
        handleWorkDoneProgress: (token, params, next) => {
          const now: { kind: string; message?: string; title?: string } = params;
          this.update({ indexing: now.kind === "end" ? undefined : (now.message ?? now.title ?? "") });
          if (now.kind === "end") {
            void this.refresh();
          }
          next(token, params);
        },
      },
    };
  }

  private settings(): Record<string, unknown> {
    const config = vscode.workspace.getConfiguration("readahead");
    return explicit(keys(this.context.extension.packageJSON).map((key) => ({ ...config.inspect(key), key })));
  }

  /** Runs one of the server's commands; undefined without a server. */
  private async ask<T>(command: string, ...args: unknown[]): Promise<T | undefined> {
    if (this.client?.state !== ClientState.Running) {
      void this.explain(this.state.failed ?? "The server is not running yet.");
      return undefined;
    }
    try {
      return await this.client.sendRequest<T>("workspace/executeCommand", { command: "readahead." + command, arguments: args });
    } catch (e) {
      void vscode.window.showErrorMessage(`readahead: ${command}: ${e instanceof Error ? e.message : String(e)}`);
      return undefined;
    }
  }

  private async refresh(): Promise<void> {
    if (this.client?.state === ClientState.Running && vscode.window.state.focused) {
      const status = await this.ask<string>("status");
      if (status !== undefined) {
        this.update({ status });
      }
    }
  }

  private async togglePause(): Promise<void> {
    const paused = !this.state.paused;
    if ((await this.ask(paused ? "pause" : "resume")) !== undefined) {
      this.update({ paused });
      if (paused) {
        await vscode.commands.executeCommand("editor.action.inlineSuggest.hide");
      }
    }
  }

  private async showStatus(): Promise<void> {
    const status = await this.ask<string>("status");
    if (status === undefined) {
      return;
    }
    this.update({ status });
    const pause = this.state.paused ? "Resume" : "Pause";
    const chosen = await vscode.window.showInformationMessage(status, pause, "Choose Model", "Show Log");
    if (chosen === pause) {
      await this.togglePause();
    } else if (chosen === "Choose Model") {
      await this.chooseModel();
    } else if (chosen === "Show Log") {
      this.log.show();
    }
  }

  /**
   * Opens the whole account of the last suggestion in this file: the server's page
   * in a browser, else what the server answered.
   */
  private async inspect(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
      void vscode.window.showInformationMessage("readahead: open the file whose last suggestion you want to inspect.");
      return;
    }
    const uri = this.client?.code2ProtocolConverter.asUri(editor.document.uri);
    const answer = await this.ask<unknown>("inspect", uri);
    if (answer === undefined) {
      return;
    }
    const found = inspected(answer);
    if (found === undefined) {
      void vscode.window.showInformationMessage("readahead: nothing was suggested in this file yet.");
    } else if ("page" in found) {
      await this.openPage(found.page, found.shown);
    } else {
      const document = await vscode.workspace.openTextDocument({ language: "json", content: found.json });
      await vscode.window.showTextDocument(document, vscode.ViewColumn.Beside, true);
    }
  }

  /** Opens a page on the machine where the server runs, which has no browser of ours if it is a remote one. */
  private async openPage(page: string, shown: boolean): Promise<void> {
    const remote = vscode.env.remoteName !== undefined || vscode.env.uiKind === vscode.UIKind.Web;
    if (!remote && (shown || (await vscode.env.openExternal(vscode.Uri.file(page))))) {
      return;
    }
    const chosen = await vscode.window.showInformationMessage(`readahead: the account of the last suggestion is in ${page}. Open it in a browser.`, "Copy Path");
    if (chosen !== undefined) {
      await vscode.env.clipboard.writeText(page);
    }
  }

  private async chooseModel(): Promise<void> {
    const config = vscode.workspace.getConfiguration("readahead");
    const base = address(config.get("endpoint", ""), process.env["OLLAMA_HOST"]);
    let models: vscode.QuickPickItem[] = [];
    try {
      models = (await list(base)).map((m) => ({ label: m.name, description: m.detail }));
    } catch (e) {
      void vscode.window.showWarningMessage(
        `readahead: no models from ${base}: ${e instanceof Error ? e.message : String(e)}. Start it with: ollama serve`,
      );
    }
    const automatic = { label: "Automatic", description: "the best code model that the server has", value: "" };
    const embedded = { label: "Embedded", description: "no server: an n-gram model of this workspace", value: "embedded" };
    const chosen = await vscode.window.showQuickPick<vscode.QuickPickItem & { value?: string }>([automatic, embedded, ...models], {
      title: `readahead: a model of ${base}`,
    });
    if (chosen) {
      await config.update("model", chosen.value ?? chosen.label, vscode.ConfigurationTarget.Global);
    }
  }

  private async restart(): Promise<void> {
    const old = this.client;
    this.client = undefined;
    await old?.dispose().catch(() => undefined); // one that has died cannot be asked to stop
    await this.start();
  }

  private async explain(error: string): Promise<void> {
    const chosen = await vscode.window.showErrorMessage(`readahead: ${error}`, "Set Path", "How To");
    if (chosen === "Set Path") {
      await vscode.commands.executeCommand("workbench.action.openSettings", "readahead.path");
    } else if (chosen === "How To") {
      await vscode.commands.executeCommand("workbench.action.openWalkthrough", `${this.context.extension.id}#start`, false);
    }
  }

  private update(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    const now = bar(this.state);
    this.item.text = now.text;
    this.item.tooltip = now.tooltip;
    this.item.backgroundColor = now.warning ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
  }

  async dispose(): Promise<void> {
    for (const d of this.owned) {
      d.dispose();
    }
    await this.client?.dispose();
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
