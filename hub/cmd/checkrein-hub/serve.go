package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/checkrein/checkrein/hub/internal/approvals"
	"github.com/checkrein/checkrein/hub/internal/machines"
	"github.com/checkrein/checkrein/hub/internal/people"
	"github.com/checkrein/checkrein/hub/internal/records"
	"github.com/checkrein/checkrein/hub/internal/rollout"
	"github.com/checkrein/checkrein/hub/internal/siem"
	"github.com/checkrein/checkrein/hub/internal/store"
	"github.com/checkrein/checkrein/hub/internal/web"
	"github.com/checkrein/checkrein/internal/fleet/bundle"
)

// Files in the hub's directory.
const (
	keyFile        = "hub.key"
	adminTokenFile = "admin.token"
)

// options are the settings of all commands that open the store.
type options struct {
	dir   string
	store store.Options
}

func (o *options) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.dir, "dir", "/var/lib/checkrein-hub", "the hub's directory: its key, and the store unless --nats is given")
	f.StringVar(&o.store.URL, "nats", "", "use the NATS cluster at this URL instead of the hub's own store")
	f.StringVar(&o.store.Credentials, "nats-creds", "", "file with credentials for --nats")
	f.StringVar(&o.store.CA, "nats-ca", "", "file with certificates for --nats")
	f.StringVar(&o.store.Cert, "nats-cert", "", "file with a client certificate for --nats")
	f.StringVar(&o.store.Key, "nats-key", "", "file with the key of --nats-cert")
	f.IntVar(&o.store.Replicas, "replicas", 0, "copies of everything in the cluster (default: 3 if it has at least three servers)")
	f.DurationVar(&o.store.Keep, "keep", 400*24*time.Hour, "how long records are kept")
	f.Int64Var(&o.store.MaxBytes, "max-bytes", 0, "the most bytes of records; the oldest go first (default: no limit)")
}

// open opens the store.
func (o *options) open(ctx context.Context) (*store.Store, error) {
	o.store.Dir = o.dir
	return store.Open(ctx, o.store)
}

// initCommand returns the init command.
func initCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use: "init", Short: "Create a hub: its key and the first administrator's token",
		Example: `  checkrein-hub init --dir /var/lib/checkrein-hub`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := os.MkdirAll(o.dir, 0o700); err != nil {
				return err
			}
			path := filepath.Join(o.dir, keyFile)
			_, err := bundle.LoadKey(path)
			if errors.Is(err, fs.ErrNotExist) {
				_, err = bundle.NewKey(path)
			}
			if err != nil {
				return err
			}
			s, err := o.open(cmd.Context())
			if err != nil {
				return err
			}
			defer s.Close()
			token, err := people.Tokens{Store: s.State}.New(cmd.Context(), people.Person{Name: "first administrator", Role: people.Admin})
			if err != nil {
				return err
			}
			path = filepath.Join(o.dir, adminTokenFile)
			if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
				return err
			}
			id, err := s.ID(cmd.Context())
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "hub    %s\ntoken  %s: of the first administrator; keep it, and delete the file\n", id, path)
			return nil
		},
	}
	o.register(cmd)
	return cmd
}

// serveCommand returns the serve command.
func serveCommand() *cobra.Command {
	var o options
	var addr, cert, key, name string
	var targets, headers []string
	var oidc provider
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve machines and people over HTTPS",
		Example: `  checkrein-hub serve --tls-cert hub.crt --tls-key hub.key
  checkrein-hub serve --tls-cert hub.crt --tls-key hub.key --nats nats://n1:4222,nats://n2:4222 --nats-creds hub.creds
  checkrein-hub serve --tls-cert hub.crt --tls-key hub.key --url https://hub.example.com --oidc-issuer https://id.example.com \
    --oidc-client checkrein-hub --oidc-secret oidc.secret --oidc-scope groups --oidc-role security=approver --oidc-role platform=admin`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			hubKey, err := bundle.LoadKey(filepath.Join(o.dir, keyFile))
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s is missing: run checkrein-hub init --dir %s first", filepath.Join(o.dir, keyFile), o.dir)
			}
			if err != nil {
				return err
			}
			var siems []*siem.Target
			for _, text := range targets {
				t, err := siem.ParseTarget(text, headers)
				if err != nil {
					return err
				}
				siems = append(siems, t)
			}
			logins, err := oidc.open()
			if err != nil {
				return err
			}
			certs := &certificate{cert: cert, key: key, log: log}
			if _, err := certs.get(nil); err != nil {
				return err
			}
			s, err := o.open(cmd.Context())
			if err != nil {
				return err
			}
			defer s.Close()
			id, err := s.ID(cmd.Context())
			if err != nil {
				return err
			}
			registry, err := machines.NewRegistry(cmd.Context(), s.Machines, s.Tokens)
			if err != nil {
				return err
			}
			control, err := rollout.New(cmd.Context(), s, hubKey, log)
			if err != nil {
				return err
			}
			board, err := approvals.NewBoard(cmd.Context(), s.Approvals)
			if err != nil {
				return err
			}
			server := &web.Server{
				ID: id, Name: name, Machines: registry, Records: records.NewBook(s), People: people.Tokens{Store: s.State}, Rollout: control, Approvals: board,
				Sessions: people.Sessions{Store: s.Sessions, Tokens: people.Tokens{Store: s.State}}, Provider: logins,
				Closing: cmd.Context().Done(), Log: log, Now: time.Now,
			}
			go control.Watch(cmd.Context(), server.Records, registry.Get)
			for _, t := range siems {
				go follow(cmd.Context(), server, t)
			}
			return serveHTTPS(cmd.Context(), addr, certs, server.Handler(), log)
		},
	}
	o.register(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&targets, "siem", nil, "pass records on to this `TARGET`: otlp+https://HOST:PORT, cef+tls://HOST:PORT, ocsf+tls://HOST:PORT or ocsf+https://HOST/PATH; repeatable")
	f.StringArrayVar(&headers, "siem-header", nil, "send the header `NAME=VALUE` with requests of --siem; repeatable")
	f.StringVar(&addr, "addr", ":8443", "address to listen on")
	f.StringVar(&cert, "tls-cert", "", "file with the certificate; it is read again when it changes")
	f.StringVar(&key, "tls-key", "", "file with the key of the certificate")
	f.StringVar(&name, "name", "fleet", "the fleet's name, which its machines show to people")
	oidc.register(f)
	_ = cmd.MarkFlagRequired("tls-cert")
	_ = cmd.MarkFlagRequired("tls-key")
	return cmd
}

// A provider has the settings of the OpenID provider by which people log in.
type provider struct {
	people.ProviderOptions
	secret string // a file
	roles  []string
}

func (p *provider) register(f *pflag.FlagSet) {
	f.StringVar(&p.Hub, "url", "", "the hub's address in browsers; an OpenID provider redirects people to it after they log in")
	f.StringVar(&p.Issuer, "oidc-issuer", "", "let people log in through the OpenID provider at this URL; register the address of --url with /login/callback there")
	f.StringVar(&p.Client, "oidc-client", "", "the hub's client id at the provider")
	f.StringVar(&p.secret, "oidc-secret", "", "file with the hub's client secret at the provider")
	f.StringArrayVar(&p.Scopes, "oidc-scope", nil, "also ask the provider for this scope, such as groups; repeatable")
	f.StringVar(&p.Claim, "oidc-claim", "groups", "claim of the provider whose values give people their roles")
	f.StringArrayVar(&p.roles, "oidc-role", nil, "give people with this value of the claim a role: `VALUE=ROLE`, where ROLE is viewer, approver or admin; repeatable")
}

// open returns the provider, or nil if there is none.
func (p *provider) open() (*people.Provider, error) {
	if p.Issuer == "" {
		return nil, nil
	}
	if p.secret != "" {
		text, err := os.ReadFile(p.secret)
		if err != nil {
			return nil, err
		}
		p.ClientSecret = strings.TrimSpace(string(text))
	}
	p.Now, p.Roles = time.Now, map[string]people.Role{}
	p.Scopes = append([]string{"profile", "email"}, p.Scopes...)
	for _, text := range p.roles {
		at := max(0, strings.LastIndex(text, "=")) // names of groups may have one, too
		role, err := people.ParseRole(strings.TrimPrefix(text[at:], "="))
		if err != nil {
			return nil, fmt.Errorf("--oidc-role %s: %w", text, err)
		}
		p.Roles[text[:at]] = role
	}
	return people.NewProvider(p.ProviderOptions)
}

// follow passes records on to t until ctx is done.
func follow(ctx context.Context, s *web.Server, t *siem.Target) {
	name := func(id string) string { m, _ := s.Machines.Get(id); return m.Facts.Name }
	if err := siem.Follow(ctx, s.Records, t, name, s.Log); err != nil && ctx.Err() == nil {
		s.Log.Error("records are no longer passed on", "to", t.String(), "err", err)
	}
}

// serveHTTPS serves h until ctx is done, and then finishes the requests that have begun.
func serveHTTPS(ctx context.Context, addr string, certs *certificate, h http.Handler, log *slog.Logger) error {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		TLSConfig: &tls.Config{GetCertificate: certs.get, MinVersion: tls.VersionTLS12},
		ErrorLog:  slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	log.Info("serving", "addr", ln.Addr().String())
	done := make(chan error, 1)
	go func() {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		done <- server.Shutdown(end)
	}()
	if err := server.ServeTLS(ln, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-done
}

// A certificate is the server's certificate, which may be renewed while it runs.
type certificate struct {
	cert, key string
	log       *slog.Logger

	mu     sync.Mutex
	read   time.Time // modification time of the file that was read
	parsed *tls.Certificate
}

// get returns the certificate. If the new one cannot be read, the last good one stays. One that clients
// will refuse because of its dates is logged when it is read.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	info, err := os.Stat(c.cert)
	if err == nil && info.ModTime().Equal(c.read) {
		return c.parsed, nil
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		if c.parsed != nil {
			return c.parsed, nil
		}
		return nil, fmt.Errorf("reading the certificate: %w", err)
	}
	c.parsed, c.read = &pair, info.ModTime()
	if now := time.Now(); now.After(pair.Leaf.NotAfter) || now.Before(pair.Leaf.NotBefore) {
		c.log.Warn("machines and people will refuse the certificate: renew it, or correct this machine's clock", "file", c.cert, "from", pair.Leaf.NotBefore, "until", pair.Leaf.NotAfter)
	}
	return c.parsed, nil
}
