// The page's texts in the browser's storage.

const prefix = "backsolve-";

/** kept returns the text stored under a name, or "". */
export function kept(name: string): string {
  try {
    return localStorage.getItem(prefix + name) ?? "";
  } catch {
    return ""; // the browser allows no storage
  }
}

/** keep stores a text under a name, and says whether that worked. */
export function keep(name: string, text: string): boolean {
  try {
    localStorage.setItem(prefix + name, text);
    return true;
  } catch {
    return false;
  }
}
