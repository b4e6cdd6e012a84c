package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/desk/approvals"
	"github.com/checkrein/checkrein/internal/desk/feed"
	"github.com/checkrein/checkrein/internal/desk/page"
	"github.com/checkrein/checkrein/internal/desk/server"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/localhttp"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// A Program runs the command in env.Args and returns its exit code.
type Program func(ctx context.Context, env console.Env) int

// OpenCommand returns the open command.
func OpenCommand(env *console.Env, run Program) *cobra.Command {
	var addr string
	var printed bool
	cmd := &cobra.Command{
		Use: "open", Short: "Open the page in your browser",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := base.RequirePerson(env, base.ByHandOrLeft); err != nil {
				return err
			}
			o := opener{env: env, print: printed}
			if !cmd.Flags().Changed("addr") {
				if link := o.findLink(cmd.Context()); link != "" {
					return o.open(link)
				}
			}
			at, err := localhttp.ParseAddress(addr)
			if err != nil {
				return err
			}
			s := service{env: env, run: run}
			return s.serve(cmd.Context(), at, func(url string, p *page.Page) error {
				path, err := p.NewLink(env.Dir)
				if err != nil {
					return err
				}
				return o.open(url + path)
			})
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "start a server at the loopback `HOST:PORT`, even if one is running; port 0 means any free port")
	cmd.Flags().BoolVar(&printed, "print", false, "print the link instead of opening a browser")
	return cmd
}

// An opener opens links to the page.
type opener struct {
	env   *console.Env
	print bool
}

// open opens link in the browser. Without a browser, or with --print, it prints the link.
func (o *opener) open(link string) error {
	if !o.print {
		address, _, _ := strings.Cut(link, "#")
		if err := startBrowser(o.env, link); err == nil {
			fmt.Fprintln(o.env.Stderr, "opened "+address+" in your browser. If it does not appear, run checkrein open --print")
			return nil
		}
	}
	fmt.Fprintln(o.env.Stdout, link)
	fmt.Fprintln(o.env.Stderr, "the link works once, for two minutes")
	return nil
}

// startBrowser opens link with the program of the system. It returns an error if there is none, or no
// screen.
func startBrowser(env *console.Env, link string) error {
	name := map[string]string{"darwin": "open", "windows": "explorer"}[runtime.GOOS]
	if name == "" {
		_, x := environ.Lookup(env.Environ, "DISPLAY")
		_, wayland := environ.Lookup(env.Environ, "WAYLAND_DISPLAY")
		if !x && !wayland {
			return errors.New("there is no screen")
		}
		name = "xdg-open"
	}
	program, err := exec.LookPath(name)
	if err != nil {
		return err
	}
	cmd := exec.Command(program, link)
	cmd.Env = env.Environ
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait() // its exit code says nothing about the browser
	return nil
}

// addressFile is the name of the file in the state directory with the address of the newest server.
const addressFile = "serve-address"

// noteAddress writes the address of a server into the state directory dir. It returns a function that
// removes it, unless another server has replaced it.
func noteAddress(dir state.Dir, address string) (remove func(), err error) {
	if err := dir.Write(addressFile, []byte(address+"\n")); err != nil {
		return nil, err
	}
	return func() {
		if now, err := dir.Read(addressFile, 4<<10); err == nil && strings.TrimSpace(string(now)) == address {
			_ = dir.Remove(addressFile) // a later server replaces it
		}
	}, nil
}

// linkPath is the path at which a program with the token gets a link to the page.
const linkPath = "/v1/page"

// A linkRequest asks for a link to the page.
type linkRequest struct {
	Dir string `json:"dir,omitempty"` // the project that the page shows; "" = where the server was started
}

// linkRoute returns the route for links to p, whose pages have the given origin.
func linkRoute(p *page.Page, origin string) localhttp.Route {
	type link struct {
		Link string `json:"link"`
	}
	return localhttp.Route{Method: http.MethodPost, Path: linkPath, Token: true, Doc: localhttp.Doc{About: "Get a link to the page, which works once", In: linkRequest{}, Out: link{}}, Do: func(_ context.Context, r *localhttp.Request) localhttp.Answer {
		var is linkRequest
		if err := json.Unmarshal(r.Body, &is); err != nil || is.Dir != "" && !filepath.IsAbs(is.Dir) {
			return localhttp.ErrorAnswer(http.StatusBadRequest, "the request is not {\"dir\": PATH}", "send an absolute path, or {}")
		}
		path, err := p.NewLink(is.Dir)
		if err != nil {
			return localhttp.ErrorAnswer(http.StatusTooManyRequests, err.Error(), "use an open link")
		}
		o := rawjson.Object{'{'}
		o.Text("link", origin+path)
		o.Close()
		return localhttp.Answer{Body: o}
	}}
}

// findLink returns a link to the page of the server that runs, or "" if none answers.
func (o *opener) findLink(ctx context.Context) string {
	dir, err := base.StateDir(o.env)
	if err != nil {
		return ""
	}
	text, err := dir.Read(addressFile, 4<<10)
	if err != nil {
		return ""
	}
	at, err := url.Parse(strings.TrimSpace(string(text)))
	if err != nil || at.Scheme != "http" {
		return ""
	}
	if _, err := localhttp.ParseAddress(at.Host); err != nil { // the token must not leave the machine
		return ""
	}
	token, _, err := server.ReadToken(dir)
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	body, err := json.Marshal(linkRequest{o.env.Dir})
	if err != nil {
		return ""
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String()+linkPath, bytes.NewReader(body))
	if err != nil {
		return ""
	}
	r.Header.Set("Authorization", "Bearer "+token.String())
	r.Header.Set("Content-Type", "application/json")
	client := http.Client{Transport: &http.Transport{}} // no proxy
	resp, err := client.Do(r)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	var answer struct{ Link string }
	if resp.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(resp.Body, 4<<10)).Decode(&answer) != nil {
		return ""
	}
	return answer.Link
}

// newPage returns the page. It shows what the commands of run print in the directory of a project.
func newPage(env *console.Env, dir state.Dir, watch *feed.Feed, desk *approvals.Desk, run Program) *page.Page {
	home, _ := environ.Lookup(env.Environ, "HOME")
	return page.New(page.Options{
		Ledger: dir.Path(ledger.Folder), Desk: desk, Home: home, Dir: env.Dir, Now: env.Now, Feed: watch,
		Run: func(ctx context.Context, dir string, args ...string) ([]byte, error) {
			var out, errs bytes.Buffer
			e := *env
			e.Args, e.Dir, e.Stdin, e.Stdout, e.Stderr, e.Colour = args, dir, strings.NewReader(""), &out, &errs, "never"
			if code := run(ctx, e); code != console.Done && out.Len() == 0 {
				why := strings.TrimPrefix(strings.TrimSpace(errs.String()), "checkrein: ")
				return nil, errors.New(cmp.Or(visible.EscapeText(why), fmt.Sprintf("exit code %d", code)))
			}
			return out.Bytes(), nil
		},
	})
}
