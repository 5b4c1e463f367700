// Variations: the lines that were played beside the one that is shown.

/** Lines are the moves that are shown, and the whole lines beside them, the last one played at the end. */
export interface Lines {
  moves: string[];
  lines: string[][];
}

/** Only that many lines are kept beside the one that is shown, so that the address stays short. */
const most = 12;

/** shared is the number of moves with which two lines begin alike. */
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

/** known is the first of the lines, that which is shown before the others, that goes on after a beginning, or else the beginning. */
export function known({ moves, lines }: Lines, beginning: string[]): string[] {
  return [moves, ...lines].find((line) => isPart(beginning, line)) ?? beginning;
}

/** branches are the lines that leave a line after a number of moves, in groups that go on alike. */
export function branches(line: string[], others: string[][], at: number): string[][][] {
  const groups = new Map<string, string[][]>();
  for (const other of others) {
    const move = other[at];
    if (move !== undefined && shared(line, other) === at) groups.set(move, [...(groups.get(move) ?? []), other]);
  }
  return [...groups.values()];
}
