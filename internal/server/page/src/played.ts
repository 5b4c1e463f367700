// The games that were played, which the browser keeps.

import { copy, h } from "./dom.js";
import { keep, kept } from "./kept.js";
import { language, t } from "./language.js";
import { isPart } from "./variations.js";
import { decode, encode, sameBoard, type View } from "./view.js";

/** Played is a game that was played. */
interface Played {
  /** When it began, in milliseconds, which tells games apart. */
  began: number;
  /** The board and what became of it, for people. */
  name: string;
  /** The address that shows it. */
  address: string;
  /** Whether it goes on. */
  open?: boolean;
}

const key = "games";
/** The number of most recent games kept. */
const most = 100;
let now: { began: number; view: View } | null = null;

/** playedGames are the games that are kept, the last one first. */
export function playedGames(): Played[] {
  try {
    const list: unknown = JSON.parse(kept(key) || "[]");
    return Array.isArray(list) ? list.filter((g): g is Played => typeof g?.began === "number" && typeof g.name === "string" && decode(String(g.address)).view.board !== null) : [];
  } catch {
    return [];
  }
}

/** keepGame keeps the game of a view, in the place of what was kept of it before. */
export function keepGame(view: View, name: string, open: boolean): void {
  const address = encode(view);
  const games = playedGames();
  const began = now && isSame(now.view, view) ? now.began : (games.find((game) => game.address === address)?.began ?? Date.now());
  now = { began, view };
  put([{ began, name, address, open }, ...games.filter((game) => game.began !== began)]);
}

/** isSame says whether a view shows a game that was shown before: it went on, moves were taken back, or a variation is shown. */
function isSame(before: View, view: View): boolean {
  const went = [view.moves, ...view.lines].some((line) => isPart(before.moves, line)) || isPart(view.moves, before.moves);
  return went && before.start === view.start && sameBoard(before.board, view.board);
}

/** continueLink leads to the last game played, if it is unfinished; otherwise it is null. */
export function continueLink(): HTMLElement | null {
  const [last] = playedGames();
  if (!last?.open) return null;
  const [board = ""] = last.name.split(": ", 1);
  const { moves } = decode(last.address).view;
  return h("p", {}, h("a", { id: "continue", class: "button primary", href: last.address }, t("games.continue", { board, n: moves.length + 1 })));
}

/** endGame makes the next moves belong to a new game. */
export function endGame(): void {
  now = null;
}

function put(games: Played[]): boolean {
  return keep(key, JSON.stringify(games.slice(0, most)));
}

/** written is a game in a line: the day, the board with the result, and the address. */
function written({ began, name, address }: Played): string {
  return `${new Date(began).toISOString().slice(0, 10)} ${name} ${address}`;
}

/** parsed reads what written has written; lines without an address of a game are left out. */
function parsed(text: string): Played[] {
  return text.split("\n").flatMap((line, i) => {
    const [, day = "", name = "", address = ""] = /^\s*(\d{4}-\d\d-\d\d) (.*?) ?(#\S+)\s*$/.exec(line) ?? [];
    const { view, wrong } = decode(address);
    const began = Date.parse(day) + i;
    return view.board && wrong.length === 0 && view.moves.length > 0 && began ? [{ began, name, address: encode(view) }] : [];
  });
}

/** gamesPanel lists the games that are kept, and takes and gives them as text. */
export function gamesPanel(tell: (text: string) => void): HTMLElement {
  const title = h("h2", {});
  const list = h("ol", { class: "games" });
  const text = h("textarea", { id: "games-text", rows: 4, spellcheck: "false", class: "mono" });
  const show = () => {
    const games = playedGames();
    const day = games[0] && new Intl.DateTimeFormat(language, { dateStyle: "medium" }); // it takes long to make
    title.textContent = t("games.title", { n: games.length });
    text.value = games.map(written).join("\n");
    list.replaceChildren(...games.map(({ began, name, address }) => h("li", {}, h("a", { href: address }, name), h("span", { class: "muted" }, ` ${day?.format(began)}`))));
  };
  const take = () => {
    const games = parsed(text.value);
    const had = playedGames().filter((game) => !games.some(({ address }) => address === game.address));
    tell(put([...games, ...had].sort((a, b) => b.began - a.began)) ? t("games.imported", { n: games.length }) : t("games.notKept"));
    show();
  };
  show();
  return h("details", { class: "card" }, h("summary", {}, title), list,
    h("label", { for: "games-text" }, t("games.text")), text,
    h("div", { class: "buttons" },
      h("button", { type: "button", click: () => void copy(text.value).then((done) => tell(t(done ? "games.copied" : "setup.notCopied"))) }, t("games.copy")),
      h("button", { type: "button", click: take }, t("games.import"))));
}
