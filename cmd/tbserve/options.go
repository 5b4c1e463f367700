package main

import (
	"log/slog"
	"net/url"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/player/agents"
	"backsolve/internal/probe"
	"backsolve/internal/server"
	"backsolve/internal/server/token"
)

// options are the values of the flags.
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
	jobs      jobOptions
	server.Limits
}

// drain is the time for open requests to finish when the server stops.
const drain = 15 * time.Second

// atOnce is how many positions are solved at once, and how many moves opponents find.
func atOnce() int { return max(1, runtime.GOMAXPROCS(0)/2) }

func newOptions() *options { return &options{Limits: server.DefaultLimits()} }

func (o *options) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.config, "config", "", "`FILE` file with the line [tbserve] and NAME = VALUE for further flags")
	flags.StringVar(&o.admin, "admin", "", "`ADDRESS` serve profiles and metrics there, on loopback or unix:/path")
	flags.StringArrayVar(&o.dirs, "dir", []string{probe.DefaultDir()},
		"`DIR` directory of tables; may be repeated, earlier ones take precedence (default $BACKSOLVE_TABLES, else ./tables)")
	flags.Lookup("dir").DefValue = "[]" // help is the same wherever it is printed
	flags.StringArrayVar(&o.listen, "listen", []string{"127.0.0.1:8080"}, "`ADDRESS` address to listen on, host:port or unix:/path; may be repeated")
	flags.BoolVar(&o.always, "verify-always", false, "check the checksum of everything read for each answer, for a directory that others can write")
	o.search.Register(cmd, 0, "memory")
	flags.StringArrayVar(&o.opponents, "opponent", nil, "`NAME=AGENT` offer this agent as an opponent, for example net=zero:weights=FILE; may be repeated")
	flags.StringVar(&o.tokenFile, "token-file", "", "`FILE` file with the tokens of clients, one a line, with the word solve after it if it allows jobs; * lets everyone ask")
	flags.StringVar(&o.cert, "tls-cert", "", "`FILE` file with the certificate chain for TLS")
	flags.StringVar(&o.key, "tls-key", "", "`FILE` file with the private key of the certificate")
	flags.StringArrayVar(&o.hosts, "host", nil, "`NAME` host name to accept on loopback addresses besides localhost, or *; may be repeated")
	flags.StringArrayVar(&o.origins, "cors", nil, "`ORIGIN` allow pages of this origin to read answers, or *; may be repeated")
	flags.Float64Var(&o.Rate, "rate", 0, "requests a second allowed to each client, 0 for no limit")
	flags.IntVar(&o.MaxBatch, "max-batch", o.MaxBatch, "most positions of a batch")
	flags.BoolVar(&o.health, "health", false, "do not serve; check whether the server at --listen is ready: status 0 if so, else 1")
	flags.TextVar(&o.logLevel, "log-level", slog.LevelInfo, "`WORD` lowest level to log: debug, info, warn or error")
	o.jobs.register(cmd)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("opponent", completeOpponent))
	cli.Advanced(cmd, "admin", "verify-always", "memory", "max-batch")
}

// completeOpponent completes the agent after a name.
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

// check returns an error for flags that make no sense.
func (o *options) check() error {
	for _, dir := range o.dirs {
		if err := cli.LocalDir(dir); err != nil {
			return err
		}
	}
	if o.MaxBatch <= 0 {
		return cli.Usagef("--max-batch must be more than 0")
	}
	if !(o.Rate >= 0) {
		return cli.Usagef("--rate must not be less than 0")
	}
	if err := o.jobs.check(o.tokenFile); err != nil {
		return err
	}
	if o.search.Think() >= o.Write {
		return cli.Usagef("--think must be less than %v, the time for an answer", o.Write)
	}
	if (o.cert == "") != (o.key == "") {
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

// tokens reads the tokens, nil without --token-file.
func (o *options) tokens() (*token.Set, error) {
	if o.tokenFile == "" {
		return nil, nil
	}
	return token.Read(o.tokenFile)
}

// renewTokens returns a function that reads the tokens again and sets them in a server.
func (o *options) renewTokens(s *server.Server) func() ([]any, error) {
	return func() ([]any, error) {
		t, err := o.tokens()
		if err == nil {
			s.SetTokens(t)
		}
		return nil, err
	}
}
