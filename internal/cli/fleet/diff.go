package fleet

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/app/replay"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	cli "github.com/checkrein/checkrein/internal/cli/replay"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/fleet/bundle"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/spf13/cobra"
)

// noBundle is the value of --against for machines without a bundle.
const noBundle = "none"

// diffCommand returns the fleet diff command.
func diffCommand(env *console.Env) *cobra.Command {
	q := newQuery()
	var out cli.Output
	var against string
	cmd := &cobra.Command{
		Use: "diff BUNDLE", Short: "Show how a bundle would decide the recorded calls",
		Long: `Decide the calls in the fleet's records again, under the bundle in the directory BUNDLE and under the one
that most machines enforce, and print which calls would newly be denied, asked about or allowed, by rule,
with examples. Nothing is executed. Users' own settings and projects' hooks are not at the hub, and neither are
records of private projects; calls that cannot be decided without them are counted.

--against DIR compares with another bundle, and --against none with the default guards alone.`,
		Example: `  checkrein fleet diff policies --since 7d
  checkrein fleet diff policies --since 7d --fail-on newly-denied,newly-asked`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.Check(); err != nil {
				return err
			}
			values, err := q.values(env)
			if err != nil {
				return err
			}
			l, err := readLogin(env)
			if err != nil {
				return err
			}
			values.Set("kind", ledger.KindEvent)
			temp, err := os.MkdirTemp("", "checkrein-diff-*") // for this account only
			if err != nil {
				return base.AsFailure(err)
			}
			defer os.RemoveAll(temp)
			c := comparison{env, l, temp}
			if err := c.place(cmd.Context(), args[0], against); err != nil {
				return base.AsFailure(err)
			}
			list, err := c.download(cmd.Context(), values)
			if err != nil {
				return base.AsFailure(err)
			}
			return out.Run(cmd.Context(), env, list, replay.Options{Policy: newPolicy, Against: oldPolicy, Open: c.open})
		},
	}
	q.register(cmd)
	out.Register(cmd)
	cmd.Flags().StringVar(&against, "against", "", "compare with the bundle in this `DIR`, or with none")
	return cmd
}

// The administrator's directories of the two policies that are compared.
const newPolicy, oldPolicy = "new", "old"

// A comparison compares two bundles in a directory for temporary files.
type comparison struct {
	env  *console.Env
	hub  *login
	temp string
}

// place makes the administrator's directories of machines that run the bundle in dir, and against.
func (c *comparison) place(ctx context.Context, dir, against string) error {
	old := filepath.Join(c.temp, oldPolicy)
	if err := placeBundle(c.env.Path(dir), filepath.Join(c.temp, newPolicy)); err != nil {
		return err
	}
	if err := os.MkdirAll(old, 0o755); err != nil {
		return err
	}
	switch against {
	case noBundle:
		return nil
	case "":
		return c.placeCurrent(ctx, old)
	}
	return placeBundle(c.env.Path(against), old)
}

// placeBundle makes managed the administrator's directory of a machine that runs the bundle in dir.
func placeBundle(dir, managed string) error {
	_, b, err := bundle.Build(dir)
	if err != nil {
		return err
	}
	return b.Place(managed)
}

// placeCurrent makes managed the administrator's directory of most machines of the fleet.
func (c *comparison) placeCurrent(ctx context.Context, managed string) error {
	from := files{c.hub}
	r, err := from.Open(ctx, "1.root.json")
	if err != nil {
		return err
	}
	defer r.Close()
	root, err := io.ReadAll(io.LimitReader(r, 1<<20))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(root)
	client := bundle.Client{Dir: filepath.Join(managed, config.FleetDir), Source: from, Now: c.env.Now}
	if err := client.Pin(ctx, root, hex.EncodeToString(sum[:])); err != nil {
		return err
	}
	plan, err := client.Refresh(ctx)
	if err != nil {
		return err
	}
	return client.Apply(ctx, plan.PlanOfMost())
}

// open opens a kit that decides calls as a machine with the policy does.
func (c *comparison) open(root, agent, policy string) (*app.Kit, error) {
	return app.Open(app.Options{Dir: cmp.Or(root, c.temp), Agent: agent, AgentIsGuess: true, Environ: c.env.Environ, Now: c.env.Now, Program: base.HotProgram(c.env),
		Managed: filepath.Join(c.temp, policy), Config: filepath.Join(c.temp, "config"), State: filepath.Join(c.temp, "state"), Replay: &app.Replay{}})
}

// download gets the records of the fleet that q chooses, in a file for each ledger.
func (c *comparison) download(ctx context.Context, q url.Values) ([]replay.Source, error) {
	answer, err := c.hub.send(ctx, http.MethodGet, protocol.PathSearch+"?"+q.Encode(), nil)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	s := splitter{dir: c.temp, ends: map[string]*end{}}
	lines := bufio.NewReaderSize(answer, 1<<20)
	for err == nil {
		var line []byte
		if line, err = lines.ReadBytes('\n'); len(line) > 0 {
			if err := s.add(line); err != nil {
				return nil, err
			}
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return s.list, s.close()
}

// A splitter writes records to a file for each ledger, or several where records do not continue.
type splitter struct {
	dir  string
	list []replay.Source
	ends map[string]*end // by machine and ledger

	file *os.File // the open one
	out  *bufio.Writer
}

// An end is the last record of a ledger.
type end struct {
	seq  uint64
	hash string
	path string
}

// add writes the record in line, a result of a search.
func (s *splitter) add(line []byte) error {
	record, ok := rawjson.Get(line, "record")
	id := rawjson.GetText(line, "ledger")
	seq, err := strconv.ParseUint(rawText(record, "seq"), 10, 64)
	if !ok || err != nil || id == "" {
		return fmt.Errorf("the hub sent a line that is not a record: %.100q", line)
	}
	key := rawjson.GetText(line, "machine") + "/" + id
	e := s.ends[key]
	if e == nil || seq <= e.seq || seq == e.seq+1 && rawjson.GetText(record, "prev") != e.hash {
		e = &end{path: filepath.Join(s.dir, fmt.Sprintf("%d.jsonl", len(s.list)))}
		s.ends[key] = e
		s.list = append(s.list, replay.Source{File: e.path, Name: rawjson.GetText(line, "name") + "/" + id})
	}
	e.seq, e.hash = seq, rawjson.GetText(record, "hash")
	if s.file == nil || s.file.Name() != e.path {
		if err := s.close(); err != nil {
			return err
		}
		if s.file, err = os.OpenFile(e.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
			return err
		}
		s.out = bufio.NewWriter(s.file)
	}
	_, err = s.out.Write(append(bytes.TrimSpace(record), '\n'))
	return err
}

// rawText returns the member key of an object as it is written.
func rawText(object []byte, key string) string {
	val, _ := rawjson.Get(object, key)
	return string(val)
}

// close closes the open file.
func (s *splitter) close() error {
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.out.Flush(), s.file.Close())
	s.file = nil
	return err
}
