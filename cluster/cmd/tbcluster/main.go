// Command tbcluster solves boards with many processes: it runs the coordinator and the
// workers, and reports their status.
package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"backsolve/cluster"
	"backsolve/cmd/cli"
	"backsolve/cmd/solving"
	"backsolve/internal/registry"
)

// Remedies for the errors of package cluster, which knows no command lines.
func init() {
	cli.AddRemedy(cluster.ErrBusy, "wait for it, or stop it with tbcluster stop")
	cli.AddRemedy(cluster.ErrOther, "finish that one with the same version, --cluster and --store, or discard it with --force")
	cli.AddRemedy(cluster.ErrOtherStore, "give the same --store, or start over with --force")
	cli.AddRemedy(cluster.ErrLost, "start over with --force")
	cli.AddRemedy(cluster.ErrStore, "give the same --store as the coordinator")
}

func main() {
	cli.Main(newRoot(), cli.TableStatus)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "tbcluster",
		Short: "Solve boards with many processes, on one or more machines",
		Long: `tbcluster solves a board with many processes and writes the same table as tbsolve. A
coordinator (tbcluster solve) assigns blocks to workers (tbcluster work) through NATS
with JetStream; a shared store holds the results. On one machine tbsolve is faster.`,
		Example: `  tbcluster solve notakto 6 --workers 3
  tbcluster solve notakto 6 --cluster nats://host:4222 --store /shared/backsolve
  tbcluster work --cluster nats://host:4222 --store /shared/backsolve
  tbcluster status --cluster nats://host:4222`,
	}
	root.AddCommand(solveCommand(), workCommand(), statusCommand(), stopCommand())
	return root
}

func solveCommand() *cobra.Command {
	cmd := solving.Command("solve", new(sharing))
	cmd.Short = "Solve a board with workers, and coordinate them"
	cmd.Long = `Solve a board with workers: those that --workers starts on this machine, or those of a
cluster. ` + solving.Help + `

` + credentials
	cmd.Example = `  tbcluster solve notakto 6 --workers 3
  tbcluster solve quixo 5 --cluster nats://host:4222 --store /shared/backsolve --memory 2GiB
  tbcluster solve quixo 4 --steps --plan --workers 3`
	return cmd
}

const credentials = `Credentials come from the environment, not from the command line:

  NATS  $NATS_CREDS (a credentials file), $NATS_NKEY (a seed file), $NATS_USER and
        $NATS_PASSWORD, or $NATS_TOKEN
  TLS   $NATS_CA, $NATS_CERT and $NATS_KEY
  S3    $AWS_ACCESS_KEY_ID and $AWS_SECRET_ACCESS_KEY, or the configuration files of
        the AWS tools`

func clusterFlag(f *pflag.FlagSet) *string {
	url := f.String("cluster", os.Getenv("NATS_URL"), "`URL` address of the NATS server of the cluster (default $NATS_URL)")
	f.Lookup("cluster").DefValue = "" // keeps $NATS_URL out of help texts
	return url
}

// waitForNATS is how long a command waits at the start for NATS: a job may start both at once.
const waitForNATS = 2 * time.Minute

func checkCluster(url string) error {
	if url == "" {
		return cli.Usagef("the address of the cluster is missing; give --cluster nats://host:4222, or set $NATS_URL")
	}
	if err := cluster.CheckURL(url); err != nil {
		return cli.Usagef("--cluster: %w", err)
	}
	return nil
}

func metricsFlag(f *pflag.FlagSet, address *string) {
	f.StringVar(address, "metrics", "", "`ADDRESS` serve metrics for Prometheus there at /metrics, for example :9090")
}

// serveMetrics serves metrics until stop is called; without an address there are none.
func serveMetrics(address string) (_ prometheus.Registerer, stop func(), err error) {
	if address == "" {
		return nil, func() {}, nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, nil, fmt.Errorf("%w; choose another address with --metrics", err)
	}
	metrics, mux := registry.New(programVersion()), http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)}
	go web.Serve(l)
	return metrics, func() { web.Close() }, nil
}
