// Variations: lines that were played other than the one that is shown.

/** Lines are the shown moves, and the other lines in full, the most recent one last. */
export interface Lines {
  moves: string[];
  lines: string[][];
}

/** The most lines kept besides the shown one, so that the address stays short. */
const most = 12;

/** shared is the length of the common beginning of two lines. */
export function shared(a: string[], b: string[]): number {
  const apart = a.findIndex((move, i) => move !== b[i]);
  return apart < 0 ? a.length : apart;
}

/** isPart says whether a line is the beginning of another one, or all of it. */
export function isPart(line: string[], whole: string[]): boolean {
  return shared(line, whole) === line.length;
}

/** follow shows another line, and keeps every line that is not part of one kept already. */
export function follow({ moves, lines }: Lines, line: string[]): Lines {
  const kept: string[][] = [];
  for (const other of [...lines, moves]) {
    if (![line, ...kept].some((whole) => isPart(other, whole))) kept.push(other);
  }
  return { moves: line, lines: kept.slice(-most) };
}

/** known is the first line, starting with the shown one, that continues a beginning, or else the beginning itself. */
export function known({ moves, lines }: Lines, beginning: string[]): string[] {
  return [moves, ...lines].find((line) => isPart(beginning, line)) ?? beginning;
}

/** branches returns the lines that leave a line after a number of moves, grouped by their next move. */
export function branches(line: string[], others: string[][], at: number): string[][][] {
  const groups = new Map<string, string[][]>();
  for (const other of others) {
    const move = other[at];
    if (move !== undefined && shared(line, other) === at) groups.set(move, [...(groups.get(move) ?? []), other]);
  }
  return [...groups.values()];
}
