// What the browser keeps for the page.

const prefix = "backsolve-";

/** kept returns what is kept under a name, "" where nothing is. */
export function kept(name: string): string {
  try {
    return localStorage.getItem(prefix + name) ?? "";
  } catch {
    return ""; // the browser allows no storage
  }
}

/** keep keeps a text under a name, and says whether the browser can. */
export function keep(name: string, text: string): boolean {
  try {
    localStorage.setItem(prefix + name, text);
    return true;
  } catch {
    return false;
  }
}
