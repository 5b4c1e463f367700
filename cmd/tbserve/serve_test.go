package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"backsolve/internal/probe/probetest"
)

const position = "/v1/quixo/2/position?p=../.."

// process is a running tbserve.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	// said is the line in which it says where it answers, log all others so far.
	said string
	log  strings.Builder
	rest *bufio.Reader
}

// begin starts a command that is tbserve, or becomes it, and waits until it says
// where it answers.
func begin(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be stopped gently there")
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	p := &process{t: t, cmd: cmd, rest: bufio.NewReader(stderr)}
	for {
		line, err := p.rest.ReadString('\n')
		if err != nil {
			t.Fatalf("%v after %s%s", err, &p.log, line)
		}
		if strings.HasPrefix(line, "tbserve answers at ") {
			p.said = line
			return p
		}
		p.log.WriteString(line)
	}
}

// url is where the process says it answers.
func (p *process) url() string {
	url, _, _ := strings.Cut(strings.TrimPrefix(p.said, "tbserve answers at "), "/,")
	return url
}

// stop ends the process with a signal and wants the exit status 0.
func (p *process) stop(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
	io.Copy(&p.log, p.rest)
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("%v: %s", err, &p.log)
	}
}

// wantWin asks a client for the position that is won.
func wantWin(t *testing.T, client *http.Client, url string, token string) {
	t.Helper()
	req, err := http.NewRequest("GET", url+position, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), `"outcome":"win","steps":3`) {
		t.Errorf("%v, %s", err, body)
	}
	client.CloseIdleConnections()
}

// tables returns a directory with the table of quixo 2×2.
func tables(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	probetest.Solve(t, dir, probetest.Rules(t, "quixo", 2), 0, true)
	return dir
}

// overUnix returns a client that reaches a Unix socket, whatever the address.
func overUnix(path string) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
}

// The server prints its address, answers, and exits with status 0 on a signal.
func TestServe(t *testing.T) {
	dir := tables(t)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		p := begin(t, exec.Command("tbserve", "--dir", dir, "--listen", "127.0.0.1:0"))
		if !strings.HasSuffix(p.said, "/, 1 table\n") {
			t.Errorf("%q", p.said)
		}
		wantWin(t, new(http.Client), p.url(), "")
		p.stop(s)
		if !strings.Contains(p.log.String(), `"msg":"table opened","file":"quixo-2x2.tb"`) || strings.Contains(p.log.String(), "everyone") {
			t.Error(p.log.String())
		}
	}
}

// wantHealth runs the health check, which ends with a status and says something.
func wantHealth(t *testing.T, status int, says string, args ...string) {
	t.Helper()
	cmd := exec.Command("tbserve", append([]string{"--health"}, args...)...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != status || !strings.Contains(string(out), says) || status == 0 && len(out) > 0 {
		t.Errorf("--health %q: status %d, %s; want %d and %q", args, got, out, status, says)
	}
}

// The health check needs no directory. It asks every address, and is not content with
// a server that answers but takes no requests.
func TestHealth(t *testing.T) {
	p := begin(t, exec.Command("tbserve", "--dir", tables(t), "--listen", "127.0.0.1:0"))
	running := strings.TrimPrefix(p.url(), "http://")
	wantHealth(t, 0, "", "--listen", running)
	_, port, err := net.SplitHostPort(running)
	if err != nil {
		t.Fatal(err)
	}
	wantHealth(t, 0, "", "--dir", "nowhere", "--listen", ":"+port)
	starting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			t.Errorf("%s is asked for", r.URL.Path)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer starting.Close()
	busy := starting.Listener.Addr().String()
	wantHealth(t, 1, "no server is ready at "+busy+": it answers 503", "--listen", running, "--listen", busy)
	wantHealth(t, 2, "is not an address", "--listen", port)
	p.stop(os.Interrupt)
	wantHealth(t, 1, "no server is ready at "+running, "--listen", running)
}

// A port that is in use is not taken.
func TestPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	out, err := exec.Command("tbserve", "--dir", tables(t), "--listen", l.Addr().String()).CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 || !strings.Contains(string(out), "choose another address with --listen") {
		t.Errorf("%v: %s", err, out)
	}
}

// Where everyone may ask, that is said.
func TestWarnsWhereEveryoneMayAsk(t *testing.T) {
	dir := tables(t)
	p := begin(t, exec.Command("tbserve", "--dir", dir, "--listen", "0.0.0.0:0"))
	p.stop(os.Interrupt)
	if !strings.Contains(p.log.String(), `"level":"WARN","msg":"anyone who can reach`) {
		t.Error(p.log.String())
	}
}

func TestTokenAndTLS(t *testing.T) {
	dir := tables(t)
	with := httptest.NewUnstartedServer(nil) // for its certificate
	with.StartTLS()
	defer with.Close()
	key, err := x509.MarshalPKCS8PrivateKey(with.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	p := begin(t, exec.Command("tbserve", "--dir", dir, "--listen", "127.0.0.1:0",
		"--token-file", write("token", []byte("s3cret\n")),
		"--tls-cert", write("cert", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: with.Certificate().Raw})),
		"--tls-key", write("key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))))
	if !strings.HasPrefix(p.url(), "https://127.0.0.1:") {
		t.Error(p.said)
	}
	roots := x509.NewCertPool()
	roots.AddCert(with.Certificate())
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	wantWin(t, client, p.url(), "s3cret")
	wantHealth(t, 0, "", "--listen", strings.TrimPrefix(p.url(), "https://"), "--tls-cert", filepath.Join(dir, "cert"), "--tls-key", filepath.Join(dir, "key"))
	resp, err := client.Get(p.url() + position)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the token: %s", resp.Status)
	}
	client.CloseIdleConnections()
	p.stop(os.Interrupt)
}

// On SIGHUP the server reloads the token and the tables, and keeps serving.
func TestHangup(t *testing.T) {
	dir, aside := tables(t), t.TempDir()
	probetest.Solve(t, aside, probetest.Rules(t, "notakto", 2), 0, true)
	token := filepath.Join(aside, "token")
	replace(t, token, []byte("before"))
	p := begin(t, exec.Command("tbserve", "--dir", dir, "--listen", "127.0.0.1:0", "--token-file", token))
	wantWin(t, new(http.Client), p.url(), "before")
	replace(t, token, []byte("behind"))
	if err := os.Rename(filepath.Join(aside, "notakto-2x2.tb"), filepath.Join(dir, "notakto-2x2.tb")); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	for !strings.Contains(log.String(), "table opened") || !strings.Contains(log.String(), "tokens read again") {
		line, err := p.rest.ReadString('\n')
		if log.WriteString(line); err != nil {
			t.Fatalf("%v after %s", err, &log)
		}
	}
	if !strings.Contains(log.String(), "SIGHUP") {
		t.Errorf("it was read before the signal: %s", &log)
	}
	wantWin(t, new(http.Client), p.url(), "behind")
	p.stop(syscall.SIGTERM)
}

// A Unix socket of a server that is gone is replaced, one in use is not.
func TestUnixSocket(t *testing.T) {
	dir := tables(t)
	socket := filepath.Join(dir, "s")
	stale, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	stale.(*net.UnixListener).SetUnlinkOnClose(false)
	stale.Close()
	p := begin(t, exec.Command("tbserve", "--dir", dir, "--listen", "unix:"+socket))
	if p.said != "tbserve answers at unix:"+socket+", 1 table\n" {
		t.Errorf("%q", p.said)
	}
	out, err := exec.Command("tbserve", "--dir", dir, "--listen", "unix:"+socket).CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 {
		t.Errorf("%v: %s", err, out)
	}
	wantWin(t, overUnix(socket), "http://unix", "")
	wantHealth(t, 0, "", "--listen", "unix:"+socket)
	p.stop(os.Interrupt)
	wantHealth(t, 1, "no server is ready at unix:"+socket, "--listen", "unix:"+socket)
	if _, err := os.Stat(socket); err == nil {
		t.Error("the socket is left")
	}
}

// The server takes its socket from systemd, and notifies it when it is ready and when it
// stops.
func TestSystemd(t *testing.T) {
	dir := tables(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	handed, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Skip(err) // a system that has no such files
	}
	defer handed.Close()
	l.Close()
	notified, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "notify"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer notified.Close()
	wantNotified := func(want string) {
		t.Helper()
		message := make([]byte, 100)
		if n, err := notified.Read(message); err != nil || string(message[:n]) != want {
			t.Errorf("systemd got %q, %v, want %s", message[:n], err, want)
		}
	}
	// Only the process itself knows the number that it must be given.
	cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ exec tbserve --dir "$0" --listen 127.0.0.1:1`, dir)
	cmd.ExtraFiles = []*os.File{handed}
	cmd.Env = append(os.Environ(), "LISTEN_FDS=1", "NOTIFY_SOCKET="+notified.LocalAddr().String())
	p := begin(t, cmd)
	if p.url() != "http://"+l.Addr().String() {
		t.Errorf("%q", p.said)
	}
	wantNotified("READY=1")
	wantWin(t, new(http.Client), p.url(), "")
	p.stop(syscall.SIGTERM)
	wantNotified("STOPPING=1")
}

// What is overwritten behind the server's back, with the file's times as they were,
// is not answered from with --verify-always.
func TestVerifyAlways(t *testing.T) {
	dir := tables(t)
	p := begin(t, exec.Command("tbserve", "--dir", dir, "--listen", "127.0.0.1:0", "--verify-always"))
	wantWin(t, new(http.Client), p.url(), "")
	path := filepath.Join(dir, "quixo-2x2.tb")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	header := make([]byte, 4096)
	if _, err := f.ReadAt(header, 0); err != nil {
		t.Fatal(err)
	}
	// The steps of the empty board are one page, before that of its mask and the footer.
	footer := int64(binary.LittleEndian.Uint64(header[72:]))
	if _, err := f.WriteAt(make([]byte, 4096), footer-8192); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(p.url() + position)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusInternalServerError || !strings.Contains(string(body), "wrong checksum") {
		t.Errorf("%s: %s", resp.Status, body)
	}
	p.stop(os.Interrupt)
}
