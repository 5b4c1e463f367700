package cluster

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/nats-io/nats.go"
)

// CheckURL returns what is wrong with the address of a cluster, without passwords, or nil.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) {
		shown := "…"
		if err == nil {
			shown = u.Redacted()
		}
		return fmt.Errorf("%q is not an address of NATS; give one like nats://host:4222, or tls://host:4222", shown)
	}
	if u.User != nil {
		return fmt.Errorf("everybody on this machine can read a user or password in an address; give nats://%s, and set $NATS_CREDS, $NATS_USER and $NATS_PASSWORD, or $NATS_TOKEN", u.Host)
	}
	return nil
}

// credentials returns the NATS options that the environment asks for, with the variables of the command nats.
func credentials(getenv func(name string) string) (options []nats.Option, err error) {
	if file := getenv("NATS_CREDS"); file != "" {
		options = append(options, nats.UserCredentials(file))
	}
	if file := getenv("NATS_NKEY"); file != "" {
		seed, err := nats.NkeyOptionFromSeed(file)
		if err != nil {
			return nil, fmt.Errorf("cannot read the seed of $NATS_NKEY, %s: %w", file, err)
		}
		options = append(options, seed)
	}
	if user := getenv("NATS_USER"); user != "" {
		options = append(options, nats.UserInfo(user, getenv("NATS_PASSWORD")))
	}
	if token := getenv("NATS_TOKEN"); token != "" {
		options = append(options, nats.Token(token))
	}
	if file := getenv("NATS_CA"); file != "" {
		options = append(options, nats.RootCAs(file))
	}
	if cert, key := getenv("NATS_CERT"), getenv("NATS_KEY"); cert != "" && key != "" {
		options = append(options, nats.ClientCert(cert, key))
	}
	return options, nil
}
