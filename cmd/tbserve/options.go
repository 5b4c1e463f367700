package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/coreos/go-systemd/v22/unit"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"backsolve/cmd/cli"
	"backsolve/internal/player/agents"
	"backsolve/internal/probe"
	"backsolve/internal/server"
	"backsolve/internal/server/jobs"
)

type options struct {
	config    string
	dirs      []string
	listen    []string
	admin     string
	hosts     []string
	tokenFile string
	cert, key string
	origins   []string
	always    bool
	health    bool
	logLevel  slog.Level
	search    cli.SearchFlags
	opponents []string
	jobs      string // directory, "" for none
	jobMemory cli.BytesValue
	server.Limits
}

// atOnce is how many positions are solved at once, and how many moves opponents find.
func atOnce() int { return max(1, runtime.GOMAXPROCS(0)/2) }

func newOptions(cmd *cobra.Command) *options {
	o, flags := &options{Limits: server.DefaultLimits()}, cmd.Flags()
	flags.StringVar(&o.config, "config", "", "`FILE` file with the line [tbserve] and NAME = VALUE for further flags")
	flags.StringVar(&o.admin, "admin", "", "`ADDRESS` serve profiles and metrics there, on loopback or unix:/path")
	flags.StringArrayVar(&o.dirs, "dir", []string{probe.DefaultDir()},
		"`DIR` directory of tables; may be repeated, earlier ones take precedence (default $BACKSOLVE_TABLES, else ./tables)")
	flags.Lookup("dir").DefValue = "[]" // help is the same wherever it is printed
	flags.StringArrayVar(&o.listen, "listen", []string{"127.0.0.1:8080"}, "`ADDRESS` address to listen on, host:port or unix:/path; may be repeated")
	flags.BoolVar(&o.always, "verify-always", false, "check the checksum of everything read for each answer, for a directory that others can write")
	o.search.Register(cmd, 0, "memory")
	flags.StringArrayVar(&o.opponents, "opponent", nil, "`NAME=AGENT` offer this agent as an opponent, for example net=zero:weights=FILE; may be repeated")
	flags.StringVar(&o.tokenFile, "token-file", "", "`FILE` file with the tokens of clients, one per line, followed by the word solve if the client may start jobs; * lets everyone ask")
	flags.StringVar(&o.cert, "tls-cert", "", "`FILE` file with the certificate chain for TLS")
	flags.StringVar(&o.key, "tls-key", "", "`FILE` file with the private key of the certificate")
	flags.StringArrayVar(&o.hosts, "host", nil, "`NAME` host name to accept on loopback addresses besides localhost, or *; may be repeated")
	flags.StringArrayVar(&o.origins, "cors", nil, "`ORIGIN` allow pages of this origin to read answers, or *; may be repeated")
	flags.Float64Var(&o.Rate, "rate", 0, "requests a second allowed to each client, 0 for no limit")
	flags.IntVar(&o.MaxBatch, "max-batch", o.MaxBatch, "most positions of a batch")
	flags.BoolVar(&o.health, "health", false, "do not serve; check whether the server at --listen is ready: status 0 if so, else 1")
	flags.TextVar(&o.logLevel, "log-level", slog.LevelInfo, "`WORD` lowest level to log: debug, info, warn or error")
	flags.StringVar(&o.jobs, "jobs", "", "`DIR` solve boards for clients whose token allows it, and keep jobs and tables here")
	flags.Var(&o.jobMemory, "job-memory", "memory limit of a job (default half of what is available)")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("opponent", completeOpponent))
	cli.Advanced(cmd, "admin", "verify-always", "memory", "max-batch", "job-memory")
	return o
}

func completeOpponent(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	name, agent, named := strings.Cut(begun, "=")
	var words []string
	if named {
		for _, word := range agents.CompleteName(agent) {
			words = append(words, name+"="+word)
		}
	}
	return words, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

func (o *options) check() error {
	for _, dir := range append(slices.Clone(o.dirs), o.jobs) {
		if err := cli.LocalDir(dir); err != nil {
			return err
		}
	}
	switch {
	case o.MaxBatch <= 0:
		return cli.Usagef("--max-batch must be more than 0")
	case !(o.Rate >= 0):
		return cli.Usagef("--rate must not be less than 0")
	case o.jobs != "" && o.tokenFile == "":
		return cli.Usagef("--jobs needs --token-file: a client that starts jobs needs a token that is followed by the word solve")
	case o.search.Think >= o.Write:
		return cli.Usagef("--think must be less than %v, the time for an answer", o.Write)
	case (o.cert == "") != (o.key == ""):
		return cli.Usagef("--tls-cert and --tls-key belong together; give both")
	}
	for _, origin := range o.origins {
		if u, err := url.Parse(origin); origin != "*" && (err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host) {
			return cli.Usagef("--cors %s is not an origin; give one as browsers send it, https://example.org, or *", origin)
		}
	}
	for _, host := range o.hosts {
		if host == "" || strings.ContainsAny(host, "/:") {
			return cli.Usagef("--host %s is not a host name; give it without scheme and port, example.org, or *", host)
		}
	}
	return nil
}

func (o *options) queue(log *slog.Logger, finished func()) (*jobs.Queue, error) {
	if o.jobs == "" {
		return nil, nil
	}
	solver, err := findSolver()
	if err != nil {
		return nil, err
	}
	return jobs.Open(jobs.Options{Dir: o.jobs, Solver: solver, Finished: finished, Log: log, Memory: int64(o.jobMemory)})
}

func findSolver() (string, error) {
	if own, err := os.Executable(); err == nil {
		if beside, err := exec.LookPath(filepath.Join(filepath.Dir(own), "tbsolve")); err == nil {
			return beside, nil
		}
	}
	path, err := exec.LookPath("tbsolve")
	if err != nil {
		return "", fmt.Errorf("--jobs needs tbsolve: %w; install it beside tbserve", err)
	}
	return path, nil
}

// configSection is the only section of a configuration file, which has the syntax of systemd's units.
const configSection = "tbserve"

// commandOnly are the flags that the environment and, as config, a file cannot set.
var commandOnly = []string{"health", "help", "version", "config"}

// configure sets the flags that the command line lacks: from the environment, else from the file
// of --config. The error is a *cli.UsageError unless the file cannot be read.
func (o *options) configure(cmd *cobra.Command) (err error) {
	flags := cmd.Flags()
	flags.VisitAll(func(f *pflag.Flag) {
		name := "TBSERVE_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if value := os.Getenv(name); value != "" && !f.Changed && !slices.Contains(commandOnly[:3], f.Name) {
			err = errors.Join(err, set(cmd, f, "$"+name, value))
		}
	})
	if err != nil || o.config == "" {
		return err
	}
	given := map[string]bool{}
	flags.Visit(func(f *pflag.Flag) { given[f.Name] = true })
	lines, err := readConfig(o.config)
	for _, line := range lines {
		f := flags.Lookup(line.Name)
		switch {
		case f == nil || slices.Contains(commandOnly, f.Name):
			err = cli.Usagef("%s: there is no setting %.40q; the settings are the flags of tbserve --help, without --", o.config, line.Name)
		case given[f.Name]:
			continue
		case f.Changed && f.Value.Type() != "stringArray":
			err = cli.Usagef("%s: %s is given twice; give it once", o.config, f.Name)
		default:
			err = set(cmd, f, o.config, line.Value)
		}
		if err != nil {
			return err
		}
	}
	return err
}

func set(cmd *cobra.Command, f *pflag.Flag, from, value string) error {
	if err := cmd.Flags().Set(f.Name, value); err != nil {
		return cli.Usagef("%s: %w", from, cmd.FlagErrorFunc()(cmd, err))
	}
	return nil
}

func readConfig(path string) ([]*unit.UnitEntry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the configuration cannot be read: %w", err)
	}
	defer f.Close()
	sections, err := unit.DeserializeSections(f)
	if err == nil && (len(sections) != 1 || sections[0].Section != configSection) {
		err = errors.New("it does not have the one section that is known")
	}
	if err != nil {
		return nil, cli.Usagef("%s: %w; begin with the line [%s], and write NAME = VALUE in each further line", path, err, configSection)
	}
	return sections[0].Entries, nil
}

// reread returns a function that reads the configuration again and changes the level of the log.
// It tells which other settings of a running server's flags differ; these need a restart.
func (o *options) reread(running *cobra.Command, level *slog.LevelVar) func() ([]any, error) {
	before := values(running)
	return func() ([]any, error) {
		cmd := new(cobra.Command)
		now := newOptions(cmd)
		err := cmd.ParseFlags(os.Args[1:])
		if err == nil {
			err = now.configure(cmd)
		}
		if err == nil {
			err = now.check()
		}
		if err != nil {
			return nil, err
		}
		level.Set(now.logLevel)
		restart := []string{}
		for name, value := range values(cmd) {
			if name != "log-level" && value != before[name] {
				restart = append(restart, name)
			}
		}
		slices.Sort(restart)
		return []any{"need_restart", restart}, nil
	}
}

func values(cmd *cobra.Command) map[string]string {
	all := map[string]string{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { all[f.Name] = f.Value.String() })
	return all
}
