package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/desk/approvals"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
	"rsc.io/qr"
)

// ApprovalsCommand returns the approvals command.
func ApprovalsCommand(env *console.Env) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use: "approvals", Short: "List blocked calls that wait, and answer from a browser",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return listApprovals(env, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(&cobra.Command{
		Use: "code [HANDLE]", Short: "Make a code for one answer in a browser",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return makeCode(env, strings.ToLower(strings.Join(args, "")))
		},
	}, &cobra.Command{
		Use: "remove NAME", Short: "Remove a passkey or phone",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return removeKey(env, args[0]) },
	}, enrolCommand(env, approvals.Passkey, "Answer with a passkey of this computer"),
		enrolCommand(env, approvals.Phone, "Answer with a key in the browser of a phone"))
	return cmd
}

// enrolCommand returns the command that enrols keys of a kind.
func enrolCommand(env *console.Env, kind, short string) *cobra.Command {
	var address string
	cmd := &cobra.Command{
		Use: kind + " add NAME", Short: short,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] != "add" {
				return fmt.Errorf("%q is not valid: use %s add NAME, or approvals remove NAME", args[0], kind)
			}
			return enrolKey(cmd.Context(), env, kind, args[1], address)
		},
	}
	if kind == approvals.Phone {
		cmd.Flags().StringVar(&address, "url", "", "the `URL` of the server for the phone, such as https://desk.example:8443")
	}
	return cmd
}

// An approvalsList is the JSON output of the approvals command.
type approvalsList struct {
	Approvals []linkedApproval `json:"approvals"`
	Keys      []enrolledKey    `json:"keys"`
}

// A linkedApproval is an approval with the path of its page.
type linkedApproval struct {
	*approvals.Approval
	Link string `json:"link"`
}

// An enrolledKey is a key as approvals --json prints it.
type enrolledKey struct {
	Name        string    `json:"name"`
	Kind        string    `json:"kind"`
	Fingerprint string    `json:"fingerprint"`
	Made        time.Time `json:"made"`
	Used        time.Time `json:"used,omitzero"`
}

// listApprovals prints what waits for an answer, and the keys that may answer.
func listApprovals(env *console.Env, asJSON bool) error {
	k, err := base.OpenKit(env, app.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	list, err := approvals.ListPending(k)
	if err != nil {
		return base.AsFailure(err)
	}
	keys, err := approvals.OpenBook(k.Grants()).Keys()
	if err != nil {
		return base.AsFailure(err)
	}
	all := approvalsList{Approvals: []linkedApproval{}, Keys: []enrolledKey{}}
	out := report.New(env)
	t := &term.Table{Columns: []term.Column{{Title: "HANDLE"}, {Title: "WAITS FOR AN ANSWER", Give: 1, Least: 24}, {Title: "WHEN"}}}
	for _, a := range list {
		link, err := approvals.LinkTo(k, a)
		if err != nil {
			return base.AsFailure(err)
		}
		all.Approvals = append(all.Approvals, linkedApproval{a, link})
		t.AddRow([]term.Span{term.T(term.Name, a.Handle)}, []term.Span{term.P(a.Call)}, []term.Span{term.P(out.Ago(a.Blocked))})
		t.AddBelow(term.T(term.Faint, base.OneLine(a.Why[0].Reason)+" ["+a.Why[0].Rule+"]"))
	}
	for i := range keys {
		all.Keys = append(all.Keys, enrolledKey{keys[i].Name, keys[i].Kind, keys[i].Fingerprint(), keys[i].Made, keys[i].Used})
	}
	if len(list) > 0 {
		out.Table(0, t)
		out.AddRemedies(0, message.Run("checkrein allow "+list[0].Handle, "to allow one here"))
	} else {
		out.Text(0, 2, term.P("nothing waits for an answer"))
	}
	printKeys(out, keys)
	return out.Print(env, asJSON, all)
}

// printKeys prints the enrolled keys.
func printKeys(out *report.Report, keys []approvals.Key) {
	if len(keys) == 0 {
		out.Text(0, 2, term.T(term.Faint, "No passkey or phone is enrolled. To answer from a browser once, run checkrein approvals code"))
		return
	}
	t := &term.Table{Columns: []term.Column{{Title: "KEY"}, {Title: "KIND"}, {Title: "FINGERPRINT"}, {Title: "USED"}}}
	for i := range keys {
		used := "not used"
		if k := &keys[i]; !k.Used.IsZero() {
			used = out.Ago(k.Used)
		}
		t.AddRow([]term.Span{term.T(term.Name, keys[i].Name)}, []term.Span{term.P(keys[i].Kind)}, []term.Span{term.P(keys[i].Fingerprint())}, []term.Span{term.P(used)})
	}
	out.Table(0, t)
}

// makeCode prints a new code.
func makeCode(env *console.Env, handle string) error {
	k, err := base.PersonKit(env, base.AtTerminal)
	if err != nil {
		return err
	}
	about := "any one call that waits"
	switch {
	case approvals.IsPolicyHandle(handle):
		about = "only to the policy change that the page shows with this number"
	case handle != "":
		b, err := k.Grants().Block(handle)
		if errors.Is(err, grant.ErrUnknown) {
			return base.AsRefusal(fmt.Errorf("no call that was blocked in the last day has the handle %s. To list the calls that wait, run checkrein approvals", visible.EscapeLine(handle)))
		}
		if err != nil {
			return base.AsFailure(err)
		}
		about = "only: " + visible.EscapeLine(b.Shown)
	}
	code, err := approvals.OpenBook(k.Grants()).NewCode(handle)
	if err != nil {
		return base.AsFailure(err)
	}
	fmt.Fprintf(env.Stdout, "%s\nIt answers once, within %.0f minutes, %s\n", code, approvals.CodeLife.Minutes(), about)
	return nil
}

// removeKey removes an enrolled key. It needs no terminal, since it only makes the guard stricter.
func removeKey(env *console.Env, name string) error {
	k, err := base.PersonKit(env, base.ByHand)
	if err != nil {
		return err
	}
	if err := approvals.OpenBook(k.Grants()).RemoveKey(name); err != nil {
		return base.AsRefusal(err)
	}
	if _, err := k.RecordAct(app.Act{Act: "approvals remove", Call: name, By: base.PersonName()}); err != nil {
		return base.AsFailure(err)
	}
	fmt.Fprintln(env.Stdout, "removed "+visible.EscapeLine(name))
	return nil
}

// enrolKey has a browser make a key, and enrols it if the person confirms its fingerprint.
func enrolKey(ctx context.Context, env *console.Env, kind, name, address string) error {
	k, err := base.PersonKit(env, base.AtTerminal)
	if err != nil {
		return err
	}
	at, err := enrolmentURL(env, kind, address)
	if err != nil {
		return base.AsRefusal(err)
	}
	book := approvals.OpenBook(k.Grants())
	secret, err := book.BeginEnrolment(kind, name)
	if err != nil {
		return base.AsRefusal(err)
	}
	defer book.EndEnrolment(secret, nil) // does nothing once the key is confirmed
	link := at + approvals.PagePath + "#enrol=" + secret
	if kind == approvals.Phone {
		printQR(env, link)
	}
	fmt.Fprintf(env.Stdout, "Open this in the browser that will hold the key, within %.0f minutes:\n  %s\nWaiting for the key …\n", approvals.EnrolmentLife.Minutes(), link)
	key, err := awaitKey(ctx, book, secret)
	if err != nil {
		return base.AsRefusal(err)
	}
	fmt.Fprintf(env.Stdout, "A browser made a key with the fingerprint %s\n", key.Fingerprint())
	if !base.Confirm(env, "Does the browser show the same?") {
		return base.AsRefusal(errors.New("nothing was enrolled"))
	}
	if _, err := k.RecordAct(app.Act{Act: "approvals add", Call: kind + " " + name + " " + key.Fingerprint(), By: base.PersonName()}); err != nil {
		return base.AsFailure(err)
	}
	if err := book.EndEnrolment(secret, key); err != nil {
		return base.AsRefusal(err)
	}
	fmt.Fprintf(env.Stdout, "enrolled %s. To remove it: checkrein approvals remove %s\n", name, name)
	return nil
}

// awaitKey returns the key that a browser makes for an enrolment.
func awaitKey(ctx context.Context, book *approvals.Book, secret string) (*approvals.Key, error) {
	for {
		if key, err := book.EnrolledKey(secret); key != nil || err != nil {
			return key, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.New("nothing was enrolled")
		case <-time.After(300 * time.Millisecond):
		}
	}
}

// enrolmentURL returns where a browser makes a key of a kind: a phone at address, and a passkey at the
// running server by the name on which passkeys work. A browser of this machine must not make the key of a
// phone, because it keeps the key in a file that agents can read.
func enrolmentURL(env *console.Env, kind, address string) (string, error) {
	if kind == approvals.Phone {
		return parsePhoneURL(address)
	}
	dir, err := base.StateDir(env)
	if err != nil {
		return "", err
	}
	text, err := dir.Read(addressFile, 4<<10)
	u, bad := url.Parse(strings.TrimSpace(string(text)))
	if err != nil || bad != nil || u.Port() == "" {
		return "", errors.New("no server is running: start one in another terminal with checkrein serve")
	}
	return "http://localhost:" + u.Port(), nil
}

// parsePhoneURL returns text, the address by which phones reach a server, without a slash at its end.
func parsePhoneURL(text string) (string, error) {
	u, err := url.Parse(strings.TrimSuffix(text, "/"))
	if err != nil || u.Scheme != "https" || u.Host == "" || u.Path != "" || u.RawQuery+u.Fragment != "" {
		return "", errors.New("--url must be https://HOST or https://HOST:PORT: a network without TLS lets others answer")
	}
	return u.String(), nil
}

// printQR prints text as a QR code, two rows in each line.
func printQR(env *console.Env, text string) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return // the link is printed too
	}
	const edge = 2
	var b strings.Builder
	for y := -edge; y < code.Size+edge; y += 2 {
		for x := -edge; x < code.Size+edge; x++ {
			// Terminals are mostly dark, so the light parts are drawn.
			b.WriteString([...]string{"█", "▀", "▄", " "}[bit(code.Black(x, y))*2+bit(code.Black(x, y+1))])
		}
		b.WriteByte('\n')
	}
	fmt.Fprint(env.Stdout, b.String())
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// newDesk returns the desk of a server whose pages have the given origin; "" means that passkeys do not
// work on them.
func newDesk(env *console.Env, origin string) (*approvals.Desk, error) {
	return approvals.New(approvals.Options{Person: base.PersonName(), Now: env.Now, Origin: origin, Config: filepath.Join(base.Places(env).Config, "checkrein.yaml"), Open: func(dir string) (*app.Kit, error) {
		return base.OpenKit(env, app.Options{Dir: dir, FilesByPlace: true, ReadOnly: true})
	}})
}

// withApprovals returns the handler of the pages and, below its path, of the desk's.
func withApprovals(pages http.Handler, desk *approvals.Desk) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	mux.Handle(approvals.PagePath, desk.Pages())
	return mux
}
