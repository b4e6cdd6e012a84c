package fleet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/fleet/machine"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/moment"
	"github.com/spf13/cobra"
)

// A login is how a person talks to a hub.
type login struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	CA    string `json:"ca,omitempty"`
}

func loginFile(env *console.Env) string {
	return filepath.Join(base.Places(env).Config, "fleet-login.json")
}

// readLogin reads the login of this user, for a command that a person gives: the token in it is theirs.
func readLogin(env *console.Env) (*login, error) {
	if err := base.RequirePerson(env, base.ByHand); err != nil {
		return nil, err
	}
	data, err := state.ReadRegular(loginFile(env), 64<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, base.AsRefusal(errors.New("you are not logged in to a hub: run checkrein fleet login"))
	}
	l := &login{}
	if err == nil {
		err = json.Unmarshal(data, l)
	}
	return l, base.AsFailure(err)
}

// withLogin returns a command's function that runs run with the login of this user.
func withLogin(env *console.Env, run func(ctx context.Context, l *login, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		l, err := readLogin(env)
		if err != nil {
			return err
		}
		return run(cmd.Context(), l, args)
	}
}

// call sends in to the hub as JSON and decodes the answer into out, unless that is nil.
func (l *login) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	answer, err := l.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer answer.Close()
	if out == nil {
		return nil
	}
	return base.AsFailure(json.NewDecoder(io.LimitReader(answer, 256<<20)).Decode(out))
}

// send sends body to the hub and returns the answer.
func (l *login) send(ctx context.Context, method, path string, body []byte) (io.ReadCloser, error) {
	client, err := machine.NewHTTPClient(l.URL, l.CA, "")
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(l.URL, "/")+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+l.Token)
	resp, err := client.Do(req)
	if err != nil {
		return nil, base.AsFailure(machine.Unreachable(l.URL, err))
	}
	if resp.StatusCode != http.StatusOK {
		return nil, base.AsRefusal(machine.ReadRefusal(resp))
	}
	return resp.Body, nil
}

// loginCommand returns the fleet login command.
func loginCommand(env *console.Env) *cobra.Command {
	l := login{}
	var tokenFile string
	cmd := &cobra.Command{
		Use: "login URL", Short: "Log in to a hub, as viewer, approver or administrator",
		Example: `  checkrein fleet login https://hub.example.com --token-file admin.token`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := base.RequirePerson(env, base.ByHand); err != nil {
				return err
			}
			data, err := base.ReadInput(env, tokenFile)
			if err != nil {
				return base.AsFailure(err)
			}
			l.URL, l.Token = args[0], strings.TrimSpace(string(data))
			if l.CA != "" {
				l.CA = env.Path(l.CA)
			}
			var who struct{ Name, Role string }
			if err := l.call(cmd.Context(), http.MethodGet, protocol.PathMe, nil, &who); err != nil {
				return err
			}
			text, err := json.Marshal(&l)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Dir(loginFile(env)), 0o700); err != nil {
				return base.AsFailure(err)
			}
			if err := state.ReplaceFile(loginFile(env), append(text, '\n'), 0o600); err != nil {
				return base.AsFailure(err)
			}
			fmt.Fprintf(env.Stdout, "You are %s at %s, with the role %s.\n", who.Name, l.URL, who.Role)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&tokenFile, "token-file", "-", "read your token from `FILE`; - is the standard input")
	f.StringVar(&l.CA, "ca", "", "`FILE` with the certificate of the hub's authority, if the system does not know it")
	return cmd
}

// tokenCommand returns the fleet token command.
func tokenCommand(env *console.Env) *cobra.Command {
	in := protocol.NewToken{}
	var remove string
	cmd := &cobra.Command{
		Use: "token", Short: "Make a token with which machines join the fleet",
		Long: `Make a token with which machines join the fleet or, with --role, one with which a person or a program uses the
hub: a viewer sees everything, an approver can also answer approvals and freeze the fleet, and an admin can do
everything. --remove ends all tokens of a person, and their sessions.`,
		Example: `  checkrein fleet token --uses 50 --for 24h
  checkrein fleet token --role approver --name anna --for 720h
  checkrein fleet token --remove anna`,
		Args: cobra.NoArgs,
		RunE: withLogin(env, func(ctx context.Context, l *login, _ []string) error {
			if remove != "" {
				return l.call(ctx, http.MethodDelete, protocol.PathTokens+"/"+url.PathEscape(remove), nil, nil)
			}
			var out protocol.MadeToken
			if err := l.call(ctx, http.MethodPost, protocol.PathTokens, in, &out); err != nil {
				return err
			}
			if in.Role != "" {
				fmt.Fprintln(env.Stdout, out.Secret)
				fmt.Fprintf(env.Stderr, "%s is %s with it until %s.\n", in.Name, in.Role, out.Expires.In(base.Zone(env)).Format(time.DateTime))
				return nil
			}
			fmt.Fprintln(env.Stdout, machine.Token{Hub: out.Hub, Root: out.Root, Secret: out.Secret})
			fmt.Fprintf(env.Stderr, "%s can join with it until %s.\n", base.Amount(in.Uses, "machine"), out.Expires.In(base.Zone(env)).Format(time.DateTime))
			return nil
		}),
	}
	cmd.Flags().IntVar(&in.Uses, "uses", 1, "how many machines can join with it")
	cmd.Flags().DurationVar(&in.For, "for", 24*time.Hour, "how long it is valid")
	cmd.Flags().StringVar(&in.Role, "role", "", "make a token for a person with this role: viewer, approver or admin")
	cmd.Flags().StringVar(&in.Name, "name", "", "the person's name, which is shown to others")
	cmd.Flags().StringVar(&remove, "remove", "", "end all tokens of the person with this `NAME`")
	return cmd
}

// machinesCommand returns the fleet machines command.
func machinesCommand(env *console.Env) *cobra.Command {
	var asJSON, flags bool
	cmd := &cobra.Command{
		Use: "machines", Short: "List the machines of the fleet",
		Long: `List the machines of the fleet. FLAGS names what people should look at: gap (records are missing or were
changed), silence, wiring (an agent no longer calls checkrein), guards (weaker than by default), proof (an
agent was updated since it was proven) and bundle (the hub's is not active). --flags shows each with its reason,
and exits with 1 if there are any.`,
		Args: cobra.NoArgs,
		RunE: withLogin(env, func(ctx context.Context, l *login, _ []string) error {
			var list []protocol.Machine
			if err := l.call(ctx, http.MethodGet, protocol.PathMachines, nil, &list); err != nil {
				return err
			}
			switch {
			case flags:
				return printFlags(env, list, asJSON)
			case asJSON:
				return base.PrintJSON(env, list)
			}
			w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "ID\tNAME\tBUNDLE\tSEEN\tSTATE\tFLAGS")
			for i := range list {
				m := &list[i]
				var kinds []string
				for _, f := range m.Flags(env.Now()) {
					if !slices.Contains(kinds, f.Kind) {
						kinds = append(kinds, f.Kind)
					}
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", m.ID, m.Facts.Name, cmp.Or(m.Report.Bundle, "none"), m.Seen.In(base.Zone(env)).Format(time.DateTime), m.State(env.Now()), strings.Join(kinds, " "))
			}
			return w.Flush()
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&flags, "flags", false, "show what people should look at")
	return cmd
}

// printFlags prints the flags of all machines, and returns an error if there are any.
func printFlags(env *console.Env, list []protocol.Machine, asJSON bool) error {
	type flagged struct {
		Machine string `json:"machine"`
		Name    string `json:"name"`
		protocol.Flag
	}
	all := []flagged{}
	for i := range list {
		for _, f := range list[i].Flags(env.Now()) {
			all = append(all, flagged{list[i].ID, list[i].Facts.Name, f})
		}
	}
	var err error
	if asJSON {
		err = base.PrintJSON(env, all)
	} else {
		for _, f := range all {
			fmt.Fprintf(env.Stdout, "%s  %s  %s  %s  %s\n", f.Machine, base.OneLine(f.Name), f.Kind, f.Time.In(base.Zone(env)).Format(time.DateTime), base.OneLine(f.Text))
		}
	}
	return base.OrFinding(err, len(all) > 0, "machines have flags")
}

// revokeCommand returns the fleet revoke command.
func revokeCommand(env *console.Env) *cobra.Command {
	return &cobra.Command{
		Use: "revoke MACHINE", Short: "Refuse a machine, such as one that was stolen",
		Long: `Make the hub refuse all requests of a machine from now on. Its records stay at the hub. The machine keeps
its bundle, so its guards stay.`,
		Args: cobra.ExactArgs(1),
		RunE: withLogin(env, func(ctx context.Context, l *login, args []string) error {
			if err := l.call(ctx, http.MethodPost, protocol.PathMachines+"/"+args[0]+"/revoke", nil, nil); err != nil {
				return err
			}
			fmt.Fprintf(env.Stdout, "The hub refuses %s from now on.\n", args[0])
			return nil
		}),
	}
}

// recordsCommand returns the fleet records command.
func recordsCommand(env *console.Env) *cobra.Command {
	q := newQuery()
	var limit int
	cmd := &cobra.Command{
		Use: "records", Short: "Print records of the fleet, one JSON object per line",
		Long: `Print records of the fleet as JSON, one per line, oldest first: the machine, its name, the ledger, the
ledger's owner, and the record as the machine wrote it. --since and --until select by the time when the hub
stored it.`,
		Example: `  checkrein fleet records --since yesterday --decision deny
  checkrein fleet records --since 2031-05-01 --until 2031-05-01 > 2031-05-01.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			values, err := q.values(env)
			if err != nil {
				return err
			}
			if limit > 0 {
				values.Set("limit", strconv.Itoa(limit))
			}
			l, err := readLogin(env)
			if err != nil {
				return err
			}
			answer, err := l.send(cmd.Context(), http.MethodGet, protocol.PathSearch+"?"+values.Encode(), nil)
			if err != nil {
				return err
			}
			defer answer.Close()
			_, err = io.Copy(env.Stdout, answer)
			return base.AsFailure(err)
		},
	}
	q.register(cmd)
	q.add(cmd, "kind", "only records of this `KIND`, such as event, person or gap")
	cmd.Flags().IntVar(&limit, "limit", 0, "print at most `N` records")
	return cmd
}

// A query chooses records of the fleet by flags of a command, by their names.
type query map[string]*string

func newQuery() query { return query{} }

// add adds a flag to cmd that is a parameter of the query.
func (q query) add(cmd *cobra.Command, name, about string) {
	q[name] = cmd.Flags().String(name, "", about)
}

// register adds the flags to cmd.
func (q query) register(cmd *cobra.Command) {
	q.add(cmd, "machine", "only of the machine with this `ID`")
	q.add(cmd, "ledger", "only of the ledger with this `ID`")
	q.add(cmd, "decision", "only events with this `DECISION`: none, allow, ask or deny")
	q.add(cmd, "text", "only records that contain `TEXT`")
	q.add(cmd, "since", "begin at this `TIME`, such as 2h, yesterday or 2031-05-01")
	q.add(cmd, "until", "end at this `TIME`, which is included")
}

// values returns the parameters of the search.
func (q query) values(env *console.Env) (url.Values, error) {
	out := url.Values{}
	times := map[string]time.Time{}
	for name, val := range q {
		switch {
		case *val == "":
		case name == "since" || name == "until":
			at, err := moment.Parse(*val, env.Now(), name == "until")
			if err != nil {
				return nil, err
			}
			times[name] = at
			out.Set(name, at.UTC().Format(time.RFC3339))
		default:
			out.Set(name, *val)
		}
	}
	if len(times) == 2 && !times["since"].Before(times["until"]) {
		return nil, fmt.Errorf("--since %s must be earlier than --until %s", *q["since"], *q["until"])
	}
	return out, nil
}
