// What goes wrong: it is shown, and tried again where that makes sense.

import { ApiError, type Api } from "./api.js";
import { askToken } from "./dialogs.js";
import { find } from "./dom.js";
import type { PageNotice } from "./notice.js";
import { Reconnect } from "./reconnect.js";

export class Trouble {
  private readonly notice = find<PageNotice>("page-notice");
  private readonly reconnect = new Reconnect();

  constructor(private readonly api: Api) {}

  /** show shows an error; retry does again what failed: when asked to, with a token, or when the server may be back. */
  show(error: unknown, retry: (() => void) | null): void {
    this.notice.show(error, retry);
    if (!(error instanceof ApiError)) return;
    if (error.status === 0 && retry) this.reconnect.later(retry);
    if (error.status !== 401) return;
    askToken(this.api.hasToken(), (token) => {
      this.api.useToken(token);
      this.clear();
      retry?.();
    });
  }

  clear(): void {
    this.notice.clear();
  }

  /** answered is called when the server has answered, and says whether it was away. */
  answered(): boolean {
    if (!this.reconnect.found()) return false;
    this.clear();
    return true;
  }
}
