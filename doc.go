// Package backsolve opens tables of solved two-player board games and answers from
// them: who wins a position under best play, in how many steps, and what every move
// is worth. It also solves boards that are small enough to be solved in passing.
//
// A [Table] is one game on one board. [Open] finds it in a directory where the
// program tbsolve has put it, [OpenFile] opens any, and [Solve] makes it first where
// it is not there. [Table.Ask] answers the text of a position with all moves, the
// best first; [Table.Value] and [Table.Lookup] tell what a position is worth and
// nothing else; [Table.States] goes through all states.
//
// A position is written as its rows from top to bottom, separated by slashes, with
// X, O or . for each cell and, in games with two sides, a space and the side to move:
// "X.O/.../..X o". Outcomes are those of the player to move. Steps are the plies to
// the end when the winner is as quick and the loser as slow as can be.
//
// This package is what other modules may lean on: it changes as Semantic Versioning
// allows. The packages below it, which it is made of, can do more and may change with
// every release; docs/reference/library.md says which is which.
package backsolve
