package desk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/advise"
	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/state"
	"github.com/checkrein/checkrein/internal/trust"
	"github.com/checkrein/checkrein/kit"
	"github.com/spf13/cobra"
)

func suggestCommand(env *console.Env) *cobra.Command {
	var at ledgerFlag
	var since string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "suggest", Short: "Find the smallest change that settles what is blocked again and again",
		Long: `suggest reads the ledger: what was asked, denied, let pass by a grant, approved by you when
the host asked, or called wrong. For what keeps coming up it shows the smallest change that
settles it, how often it came up, and what else the change would let pass. At a terminal it
asks about each; nothing is applied without a yes.`,
		Example: `  checkrein suggest
  checkrein suggest --since 7d
  checkrein suggest --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := at.dir(env)
			if err != nil {
				return err
			}
			f := filterFlags{since: since}
			choose, err := f.selection(env.Now())
			if err != nil {
				return err
			}
			return suggestChanges(cmd.Context(), env, dir, choose, asJSON)
		},
	}
	at.register(cmd)
	cmd.Flags().StringVar(&since, "since", "30d", "look at records from this `TIME` on: 7d, 12h, 2026-11-01")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, ask nothing")
	return cmd
}

func suggestChanges(ctx context.Context, env *console.Env, dir string, choose *selection, asJSON bool) error {
	if err := begun(env, dir); err != nil {
		return err
	}
	past, err := readPast(ctx, dir, choose)
	if err != nil {
		return failed(err)
	}
	cases, err := past.cases(ctx, env)
	if err != nil {
		return err
	}
	list, left := advise.Suggest(cases)
	if asJSON {
		out := make([]suggestion, len(list))
		for i := range list {
			out[i] = written(&list[i])
		}
		return printJSON(env, out)
	}
	if len(list) == 0 {
		fmt.Fprintf(env.Stdout, "nothing to suggest: calls were blocked %d times, and nothing shows that you wanted one of them to pass\n", past.blocked)
		showLeft(env, left)
		return nil
	}
	asks := isTerminal(env.Stdin) && isTerminal(env.Stdout) && byPerson(env, atTerminal) == nil
	for i := range list {
		if i > 0 {
			fmt.Fprintln(env.Stdout)
		}
		showSuggestion(env, &list[i], i+1)
		if !asks {
			continue
		}
		if list[i].Kind == "grant" { // all that it is for, not only its beginning
			showBlock(env.Stdout, &list[i].Cases[0].Block, env.Now())
		}
		if !confirmed(env, "Apply it?") {
			continue
		}
		if err := applySuggestion(env, &list[i]); err != nil {
			return err
		}
	}
	showLeft(env, left)
	if !asks {
		fmt.Fprintln(env.Stdout, "\nTo apply one: run checkrein suggest in a terminal of your own.")
	}
	return nil
}

// showLeft names what is denied often and left alone.
func showLeft(env *console.Env, left []*advise.Case) {
	for i, c := range left {
		if i == 0 {
			fmt.Fprintln(env.Stdout, "\nDenied again and again, and left so (if one is a false alarm: checkrein wrong HANDLE):")
		}
		if i == maxListed {
			fmt.Fprintf(env.Stdout, "   … and %d more\n", len(left)-maxListed)
			return
		}
		fmt.Fprintf(env.Stdout, "   %d times  %s [%s]\n", c.Denied+c.Asked, cut(trust.VisibleLine(c.Block.Shown), 48), trust.VisibleLine(c.Block.By[0].Name()))
	}
}

// A suggestion is one as JSON has it.
type suggestion struct {
	Kind    string   `json:"kind"`
	Change  string   `json:"change"`
	Calls   []string `json:"calls"`
	Project string   `json:"project,omitempty"`
	Rules   []string `json:"rules"`
	Denied  int      `json:"denied"`
	Asked   int      `json:"asked"`
	Yes     int      `json:"approved"`
	Lifted  int      `json:"lifted"`
	Wrong   int      `json:"wrong"`
	Others  []string `json:"also_lets_pass"`
	Further string   `json:"further,omitempty"` // what else such calls could do
}

func written(s *advise.Suggestion) suggestion {
	n := s.Counts()
	out := suggestion{Kind: s.Kind, Change: changeOf(s), Project: s.Cases[0].Block.Root, Denied: n.Denied, Asked: n.Asked, Yes: n.Yes, Lifted: n.Lifted, Wrong: n.Wrong,
		Calls: []string{}, Others: []string{}, Further: further(s)}
	seen := map[string]bool{}
	for _, c := range s.Cases {
		out.Calls = append(out.Calls, c.Block.Shown)
		for i := range c.Block.By {
			if name := c.Block.By[i].Name(); !seen[name] {
				seen[name] = true
				out.Rules = append(out.Rules, name)
			}
		}
	}
	for _, c := range s.Others {
		out.Others = append(out.Others, c.Block.Shown)
	}
	return out
}

// changeOf is the change in the words of a person or of a file.
func changeOf(s *advise.Suggestion) string {
	switch s.Kind {
	case "paths":
		rel, err := filepath.Rel(s.Cases[0].Block.Root, s.Folder)
		if err != nil {
			rel = s.Folder
		}
		return fmt.Sprintf("packs: [{name: %s, allow: ['./%s/**']}]", s.Pack, filepath.ToSlash(rel))
	case "pack":
		return fmt.Sprintf("packs: [{name: %s, %s: %s}]", s.Pack, s.Key, s.To)
	}
	return "a grant for this call in " + s.Cases[0].Block.Root
}

// further says what a change lets pass beyond what was seen.
func further(s *advise.Suggestion) string {
	switch s.Kind {
	case "paths":
		return "everything that the pack " + s.Pack + " guards below such a folder, in every project"
	case "pack":
		return fmt.Sprintf("all that the pack %s decides about %s, in every project: checkrein packs %s lists it", s.Pack, s.Key, s.Pack)
	}
	if len(s.Cases[0].Block.Deeds) == 0 {
		return "nothing else: it is for this call word for word"
	}
	return "only calls that do the same to the same"
}

const maxListed = 5

func showSuggestion(env *console.Env, s *advise.Suggestion, n int) {
	w := written(s)
	fmt.Fprintf(env.Stdout, "%d. %s\n", n, trust.VisibleLine(w.Change))
	fmt.Fprintf(env.Stdout, "   settles    %s\n", counted(&w))
	for i, call := range w.Calls {
		if i == maxListed {
			fmt.Fprintf(env.Stdout, "              … and %d more\n", len(w.Calls)-maxListed)
			break
		}
		fmt.Fprintf(env.Stdout, "              %s\n", cut(trust.VisibleLine(call), 64))
	}
	fmt.Fprintf(env.Stdout, "   decided by %s\n", trust.VisibleLine(strings.Join(w.Rules, ", ")))
	fmt.Fprintf(env.Stdout, "   lets pass  %s\n", trust.VisibleLine(w.Further))
	for i, call := range w.Others {
		if i == maxListed {
			fmt.Fprintf(env.Stdout, "              … and %d more that were blocked\n", len(w.Others)-maxListed)
			break
		}
		fmt.Fprintf(env.Stdout, "              also, blocked so far: %s\n", cut(trust.VisibleLine(call), 42))
	}
}

// counted says how often, in words.
func counted(w *suggestion) string {
	var out []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			out = append(out, one)
		case n > 1:
			out = append(out, fmt.Sprintf(many, n))
		}
	}
	add(w.Denied, "1 denial", "%d denials")
	add(w.Asked, "1 question", "%d questions")
	add(w.Yes, "1 of them approved by you", "%d of them approved by you")
	add(w.Lifted, "1 call that a grant let pass", "%d calls that a grant let pass")
	add(w.Wrong, "called wrong once", "called wrong %d times")
	return strings.Join(out, ", ")
}

// applySuggestion makes a change that a person said yes to.
func applySuggestion(env *console.Env, s *advise.Suggestion) error {
	if s.Kind == "grant" {
		k, err := open(env, kit.Options{Peek: true})
		if err != nil {
			return err
		}
		g := s.Grant()
		g.By, g.Why = whoGrants(), "checkrein suggest"
		g, err = k.Grant(g, &s.Cases[0].Block)
		if err != nil {
			return failed(err)
		}
		fmt.Fprintf(env.Stdout, "applied: grant %s; to end it: checkrein allow --revoke %s\n", g.ID, g.ID)
		return nil
	}
	k, err := open(env, kit.Options{Peek: true})
	if err != nil {
		return err
	}
	held := k.Guards().Held // what an agent may have written, and is not to be confirmed with it
	file := filepath.Join(placesOf(env).Config, "checkrein.yaml")
	added, err := addLine(file, changeOf(s))
	if err != nil {
		return failed(err)
	}
	if !added {
		fmt.Fprintf(env.Stdout, "%s has a packs: list already. Put this into it:\n  %s\n", file, changeOf(s))
		return nil
	}
	fmt.Fprintf(env.Stdout, "applied: added to %s\n", file)
	if len(held) > 0 {
		fmt.Fprintln(env.Stdout, "Other changes of that file wait to be confirmed, and this one with them: checkrein confirm")
		return nil
	}
	if k, err = open(env, kit.Options{Peek: true}); err != nil {
		return err
	}
	if err := k.Confirm(); err != nil { // an agent may be running, and the person has just said yes
		return failed(err)
	}
	return nil
}

// addLine adds a top-level line to a native file that has no such key yet.
func addLine(file, line string) (bool, error) {
	data, err := state.ReadRegular(file, 1<<20)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return false, err
	}
	text := string(data)
	if text == "" {
		text = "version: 1\n"
	}
	key, _, _ := strings.Cut(line, ":")
	for each := range strings.Lines(text) {
		if strings.HasPrefix(each, key+":") {
			return false, nil
		}
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return false, err
	}
	mode := os.FileMode(0o600)
	if real, err := filepath.EvalSymlinks(file); err == nil { // a link stays one
		file = real
	}
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	return true, replaceFile(file, []byte(text+line+"\n"), mode)
}
