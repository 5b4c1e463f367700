package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// ExitCodes is the help topic on the exit statuses, the same for all programs.
const ExitCodes = `  0         done; tbserve --health: the server takes requests
  1         the work failed: a disk error, an engine that failed, a server that
            is down, or a check that found errors
  2         the command line or a position is malformed, --dir is not a directory,
            or the board is too large for a table
  3         there is no such table, or the outcome is unknown
  4         the table is damaged, truncated, of a newer format or of another board
  5         too little memory or disk space, no place to write, or a worker of
            another version
  6         the rules of your own game are wrong
  130, 143  stopped by Ctrl-C or SIGTERM`

// The parts of help texts on the forms of BOARD, and on tables on web servers.
const (
	TableHelp = `BOARD is a game and its size, quixo 4 or quixo:4, a game that has one board,
connect4-4x4, or the file of a table.`
	WebHelp = `

With --dir https://HOST/PATH the table is read from a web server. Opening it and each
read from it fail after two minutes, retries included.`
)

// Help never has lines longer than maxWidth columns: longer ones are hard to read.
const (
	standardWidth = 80
	minWidth      = 60
	maxWidth      = 100
)

// AddTopic adds a topic to the help command of a program.
func AddTopic(root *cobra.Command, name, short, text string) {
	root.AddCommand(&cobra.Command{Use: name, Short: short, Long: short + ":\n\n" + text})
}

// helpWidth returns the width of help written to w: $COLUMNS, else the terminal's width, within bounds.
func helpWidth(w io.Writer) int {
	width, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if f, ok := w.(*os.File); ok && err != nil {
		width, _, err = term.GetSize(int(f.Fd()))
	}
	if err != nil || width <= 0 {
		return standardWidth
	}
	return min(max(width, minWidth), maxWidth)
}

func addHelp(root *cobra.Command) {
	root.CompletionOptions.HiddenDefaultCmd = !slices.ContainsFunc(root.Commands(), isOwn)
	AddTopic(root, "exit-codes", "Exit statuses", ExitCodes)
	root.InitDefaultHelpCmd()
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		w := cmd.OutOrStdout()
		io.WriteString(w, Help(cmd, helpWidth(w)))
	})
}

// Help returns the help of a command in lines of at most width columns, longer only for a word that is longer.
func Help(cmd *cobra.Command, width int) string {
	h := &layout{width: width}
	h.text(cmp.Or(strings.TrimSpace(cmd.Long), cmd.Short))
	if cmd.IsAdditionalHelpTopicCommand() {
		return h.String()
	}
	h.section("Usage")
	branches := isBranch(cmd)
	if _, takes, _ := strings.Cut(cmd.Use, " "); takes != "" || !branches {
		h.text("  " + cmd.UseLine())
	}
	if branches {
		h.text("  " + cmd.CommandPath() + " COMMAND")
	}
	if cmd.HasExample() {
		h.section("Examples")
		h.examples(cmd.Example)
	}
	if branches {
		h.commands(cmd)
	}
	everyday, advanced := flagRows(cmd)
	h.rows("Flags", everyday)
	h.rows("Advanced flags", advanced)
	h.WriteString("\n")
	if branches {
		h.text("Help on a command: " + cmd.CommandPath() + " COMMAND --help")
	}
	for _, topic := range cmd.Root().Commands() {
		if topic.IsAdditionalHelpTopicCommand() {
			h.text(topic.Short + ": " + cmd.Root().Name() + " help " + topic.Name())
		}
	}
	return h.String()
}

// isOwn reports whether a command is one of the program's own, not a topic nor cobra's.
func isOwn(c *cobra.Command) bool {
	return c.IsAvailableCommand() && c.Name() != "completion" && c.Name() != "help"
}

type layout struct {
	strings.Builder
	width int
}

func (l *layout) section(title string) { fmt.Fprintf(l, "\n%s:\n", title) }

// text lays out paragraphs, which empty lines separate. Indented lines are rows of a term
// and, two spaces or more after it, its explanation.
func (l *layout) text(text string) {
	var words []string
	var rows [][2]string
	flush := func() {
		if len(words) > 0 {
			l.WriteString(fold(strings.Join(words, " "), l.width, "") + "\n")
		}
		l.columns(rows)
		words, rows = nil, nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		row, indented := strings.CutPrefix(line, "  ")
		switch {
		case strings.TrimSpace(line) == "":
			flush()
			l.WriteString("\n")
		case !indented:
			if rows != nil {
				flush()
			}
			words = append(words, line)
		case strings.HasPrefix(row, "  ") && rows != nil:
			rows[len(rows)-1][1] += " " + strings.TrimSpace(row)
		default:
			if words != nil {
				flush()
			}
			term, explanation, _ := strings.Cut(row, "  ")
			rows = append(rows, [2]string{term, strings.TrimSpace(explanation)})
		}
	}
	flush()
}

func (l *layout) columns(rows [][2]string) {
	left := 0
	for _, row := range rows {
		if n := utf8.RuneCountInString(row[0]); n <= l.width*2/5 {
			left = max(left, n)
		}
	}
	indent := strings.Repeat(" ", left+4)
	for _, row := range rows {
		term, text := row[0], fold(row[1], l.width-len(indent), indent)
		if n := utf8.RuneCountInString(term); n > l.width-2 {
			term = fold(term, l.width-4, "    ")
		} else if n <= left {
			text = strings.Repeat(" ", left+2-n) + text
		}
		if utf8.RuneCountInString(row[0]) > left && text != "" {
			text = "\n" + indent + text
		}
		fmt.Fprintf(l, "  %s%s\n", term, strings.TrimRight(text, " "))
	}
}

func (l *layout) rows(title string, rows [][2]string) {
	if len(rows) > 0 {
		l.section(title)
		l.columns(rows)
	}
}

// examples lays out command lines, broken by backslashes, or explained ones like text.
func (l *layout) examples(text string) {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	if slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(strings.TrimSpace(line), "  ") }) {
		l.text(text)
		return
	}
	for _, line := range lines {
		line, indent := strings.TrimSpace(line), "  "
		for utf8.RuneCountInString(line) > l.width-len(indent) {
			at := breakAt(line, l.width-len(indent)-2)
			if at < 0 {
				break
			}
			fmt.Fprintf(l, "%s%s \\\n", indent, line[:at])
			line, indent = line[at+1:], "    "
		}
		fmt.Fprintf(l, "%s%s\n", indent, line)
	}
}

// breakAt returns the index of the last space of a command line, outside quotes, with at
// most that number of characters before it, else of the first one, −1 if there is none.
func breakAt(line string, most int) (at int) {
	at, quote := -1, rune(0)
	for i, r := range line {
		switch {
		case at >= 0 && utf8.RuneCountInString(line[:i]) > most:
			return at
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case quote == 0 && r == ' ':
			at = i
		}
	}
	return at
}

func (l *layout) commands(cmd *cobra.Command) {
	rest := &cobra.Group{Title: "Commands:"}
	if len(cmd.Groups()) > 0 {
		rest.Title = "Other commands:"
	}
	for _, g := range append(slices.Clone(cmd.Groups()), rest) {
		var rows [][2]string
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() && c.GroupID == g.ID {
				rows = append(rows, [2]string{c.Name(), c.Short})
			}
		}
		l.rows(strings.TrimSuffix(g.Title, ":"), rows)
	}
}

func flagRows(cmd *cobra.Command) (everyday, advanced [][2]string) {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		word, usage := flagHelp(f)
		name := "    --" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", --" + f.Name
		}
		if standard := strings.Trim(f.DefValue, "[]"); !slices.Contains([]string{"", "0", "0s", "false"}, standard) {
			usage += " (default " + strings.ReplaceAll(standard, ",", ", ") + ")" // which can be folded
		}
		row := [2]string{strings.Replace(strings.TrimRight(name+" "+word, " "), " [=", "[=", 1), usage}
		if f.Annotations[advancedMark] != nil {
			advanced = append(advanced, row)
		} else {
			everyday = append(everyday, row)
		}
	})
	return everyday, advanced
}

// valueWords are the words in help for values of flags whose usage does not begin with one, by type.
var valueWords = map[string]string{
	"bool": "", "duration": "DURATION", "float64": "NUMBER", "string": "TEXT", "stringArray": "TEXT", "stringSlice": "LIST", "intSlice": "LIST",
	"int": "N", "int64": "N", "uint64": "N",
}

// flagHelp returns the word in help for a flag's value, "" if it takes none, and the text
// about the flag. A usage text may begin with the word in backquotes: "`FILE` to write".
func flagHelp(f *pflag.Flag) (word, usage string) {
	switch f.Name {
	case "help":
		return "", "print this help"
	case "version":
		return "", "print the version"
	}
	if quoted, ok := strings.CutPrefix(f.Usage, "`"); ok {
		word, usage, _ = strings.Cut(quoted, "`")
		return word, strings.TrimSpace(usage)
	}
	word, known := valueWords[f.Value.Type()]
	if !known {
		word = f.Value.Type()
	}
	return word, f.Usage
}

// fold breaks a text at spaces into lines of at most width columns; indent begins all but the first.
func fold(text string, width int, indent string) string {
	var b strings.Builder
	length := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case length+1+n > width:
			b.WriteString("\n" + indent)
			length = 0
		default:
			b.WriteByte(' ')
			length++
		}
		b.WriteString(word)
		length += n
	}
	return b.String()
}

const advancedMark = "backsolve_advanced"

// Advanced marks flags of a command that few need: help lists them after the others.
func Advanced(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		cobra.CheckErr(cmd.Flags().SetAnnotation(name, advancedMark, []string{"true"}))
	}
}

// Describe is the argument with which a program prints its Description as JSON, for man pages.
const Describe = "__describe"

// Description is the help of a command and of its subcommands.
type Description struct {
	Use, Short, Long, Example string
	Flags                     []FlagDescription
	Commands                  []Description
}

// FlagDescription is a flag; Value is empty if it takes none. All commands below have a global one.
type FlagDescription struct {
	Name, Shorthand, Value, Usage string
	Global                        bool
}

func describe(cmd *cobra.Command) Description {
	d := Description{Use: cmd.Use, Short: cmd.Short, Long: cmd.Long, Example: cmd.Example}
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			value, usage := flagHelp(f)
			d.Flags = append(d.Flags, FlagDescription{f.Name, f.Shorthand, value, usage, cmd.PersistentFlags().Lookup(f.Name) != nil})
		}
	})
	for _, c := range cmd.Commands() {
		if isOwn(c) {
			d.Commands = append(d.Commands, describe(c))
		}
	}
	return d
}
