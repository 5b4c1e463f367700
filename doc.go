// Package backsolve opens tables of solved two-player board games and answers from
// them: who wins a position under best play, in how many steps, and the value of every
// move. It also solves small boards.
//
// A [Table] is one game on one board, which a text names as tbsolve takes it: "quixo 4". [Open]
// finds it in a directory of tables, [OpenFile] opens any, and [Solve] makes it first if it is
// missing. [Table.Ask] answers the text of a position with all moves, the best first;
// [Table.Value] and [Table.Lookup] give only the value; [Table.States] iterates over all states.
// [SolveGame] and [OpenGame] do so for a [Game] that you define.
//
// A position is written as its rows from top to bottom, separated by slashes, with
// X, O or . for each cell and, in games with two sides, a space and the side to move:
// "X.O/.../..X o". "startpos" is the start, and moves may follow: "startpos moves a1c1".
// Outcomes are for the player to move. Steps are the plies to
// the end if the winner plays the fastest and the loser the slowest moves.
//
// Only this package, and the parts of game/custom that it names, have a stable interface, by
// Semantic Versioning. Other packages may change with every release; see
// docs/reference/library.md.
package backsolve
