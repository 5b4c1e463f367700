package anygame

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/server"
	"backsolve/internal/server/catalog"
	"backsolve/internal/server/page"
)

func serveCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use: "serve", Short: "Show the tables in the browser, and answer over HTTP", Args: cli.Args(0),
		Long: `Show the tables in the browser, and answer over HTTP as tbserve does. Only clients on
this machine can ask, unless --listen says otherwise; nothing is encrypted.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir := cli.Dir(cmd)
			if err := cli.LocalDir(dir); err != nil {
				return err
			}
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return cli.Usagef("--listen: %w", err)
			}
			return serve(cmd.Context(), l, dir, cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8080", "`ADDRESS` address to listen on, host:port")
	return cmd
}

// serve answers until ctx ends. It makes the directory if it is missing, as tables may come.
func serve(ctx context.Context, l net.Listener, dir string, w io.Writer) error {
	defer l.Close() // unless the server has done so
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	tables, err := catalog.Open([]string{dir}, catalog.Options{})
	if err != nil {
		return err
	}
	defer tables.Close()
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	watching.Go(func() { tables.Run(ctx) })
	fmt.Fprintf(w, "the tables of %s are at http://%s/\n", dir, l.Addr())
	s := server.New(server.Options{Catalog: tables, Page: page.Handler(), Limits: server.DefaultLimits()})
	return s.Serve(ctx, []net.Listener{l}, nil, time.Second)
}
