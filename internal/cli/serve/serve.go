// Package serve is the command serve: the HTTP API of package server, for a person at a terminal.
package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime/debug"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/desk/feed"
	"github.com/checkrein/checkrein/internal/desk/page"
	"github.com/checkrein/checkrein/internal/desk/server"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/localhttp"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// A service is what serve and open run.
type service struct {
	env *console.Env
	run Program // runs the commands that the page shows

	phones lan
	otlp   string // the URL to which records are sent; "" = none
}

// Command returns the serve command.
func Command(env *console.Env, run Program) *cobra.Command {
	var addr, socket, otlp string
	var phones lan
	cmd := &cobra.Command{
		Use: "serve [--addr HOST:PORT | --socket PATH]", Short: "Answer events over HTTP, on this machine only",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := parseListenAddress(env, addr, socket, cmd.Flags().Changed("addr"))
			if err != nil {
				return err
			}
			s := service{env: env, run: run, phones: phones, otlp: otlp}
			return s.serve(cmd.Context(), at, nil)
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "the loopback `HOST:PORT`; port 0 means any free port")
	cmd.Flags().StringVar(&socket, "socket", "", "the `PATH` of a unix socket to use instead")
	cmd.Flags().StringVar(&otlp, "otlp", "", "send logs, traces and metrics of all agents to the OpenTelemetry collector at this `URL`")
	phones.register(cmd)
	return cmd
}

// parseListenAddress returns the address to listen on: the unix socket if one is given, or else addr.
// both means that --addr was given too, which is an error.
func parseListenAddress(env *console.Env, addr, socket string, hasAddr bool) (localhttp.Address, error) {
	if socket == "" {
		return localhttp.ParseAddress(addr)
	}
	if hasAddr {
		return localhttp.Address{}, errors.New("use --addr or --socket, not both")
	}
	return localhttp.SocketAddress(env.Path(socket))
}

// originOf returns the origin of the pages of a server at address on which passkeys work, or "" if
// another program could pose as the server there.
func originOf(address string, isLocalhost bool) string {
	u, err := url.Parse(address)
	if err != nil || !isLocalhost {
		return ""
	}
	return "http://localhost:" + u.Port()
}

// serverGC is the percentage by which the heap of a server grows between two garbage collections. The
// heap is small, so this costs a few dozen megabytes, and a tenth of the time of an event less.
const serverGC = 400

// serve serves until Ctrl-C. Once it listens, it calls ready, unless that is nil. Only a person may
// start it, because an agent could have its own server approve hooks.
func (v *service) serve(ctx context.Context, at localhttp.Address, ready func(url string, p *page.Page) error) error {
	env := v.env
	if err := base.RequirePerson(env, base.ByHandOrLeft); err != nil {
		return err
	}
	dir, err := base.StateDir(env)
	if err != nil {
		return err
	}
	token, file, err := server.ReadToken(dir)
	if err != nil {
		return base.AsRefusal(err)
	}
	k, err := base.OpenKit(env, app.Options{FilesByPlace: true})
	if err != nil {
		return err
	}
	own := &selfApprover{env: env, allowed: k.SelfApproves()}
	telemetry, err := v.newTelemetry(ctx, dir.Path(ledger.Folder))
	if err != nil {
		return &base.Exit{Code: console.Usage, Err: err}
	}
	defer telemetry()
	outside, err := v.phones.listen(env)
	if err != nil {
		return base.AsRefusal(err)
	}
	ln, err := at.Listen()
	if err != nil {
		return base.AsRefusal(err)
	}
	ln, isLocalhost := localhttp.JoinLocalhost(ln)
	address, path := localhttp.ListenerURL(ln)
	origin := originOf(address, isLocalhost)
	watch := feed.New(dir.Path(ledger.Folder))
	desk, err := newDesk(env, origin)
	if err != nil {
		return base.AsFailure(err)
	}
	p := newPage(env, dir, watch, desk, v.run)
	if path != "" {
		address += " (unix socket " + visible.EscapeLine(path) + ")"
	}
	if path == "" {
		remove, err := noteAddress(dir, address)
		if err != nil {
			return base.AsRefusal(err)
		}
		defer remove()
	}
	if ready == nil {
		fmt.Fprintln(env.Stdout, "serving on "+address)
	} else if err := ready(cmp.Or(origin, address), p); err != nil {
		return base.AsRefusal(err)
	}
	if path == "" && origin == "" {
		fmt.Fprintln(env.Stderr, "passkeys do not work here: another program could answer for http://localhost with this port")
	}
	if ready == nil {
		fmt.Fprintln(env.Stderr, "the token is in "+visible.EscapeLine(file))
	}
	if outside != nil {
		fmt.Fprintln(env.Stderr, "phones answer approvals on https://"+outside.Addr().String())
		go serveLAN(ctx, outside, desk.Pages())
	}
	switch {
	case ready != nil:
		fmt.Fprintln(env.Stderr, "the page works until you press Ctrl-C here")
	case k.IsSelfApproveHeld():
		fmt.Fprintln(env.Stderr, "hooks cannot be approved over HTTP: "+base.SelfApproveHeld+", then start checkrein serve again")
	case !own.allowed:
		fmt.Fprintln(env.Stderr, "hooks cannot be approved over HTTP: self_approve is not set in your own checkrein.yaml")
	}
	report := func(err error) { fmt.Fprintln(env.Stderr, "checkrein:", visible.EscapeLine(err.Error())) }
	if len(k.ApprovalSettings().Notify) > 0 {
		n := notifier{env: env, desk: desk, feed: watch, url: v.phones.url, report: report}
		go n.run(ctx)
	}
	s := server.New(server.Options{
		Dir: env.Dir, Program: base.HotProgram(env), Companion: env.Program, Token: token, Limits: localhttp.Limits{Conns: 128, Streams: 64}, Feed: watch,
		Routes: append(desk.Routes(), own.route(), linkRoute(p, cmp.Or(origin, address))), Page: withApprovals(p, desk),
		Open:   func(opts app.Options) (*app.Kit, error) { return base.OpenKit(env, opts) },
		Report: report,
	})
	debug.SetGCPercent(serverGC)
	if err := s.Serve(ctx, ln); err != nil {
		return &base.Exit{Code: console.Finding, Err: err}
	}
	return nil
}
