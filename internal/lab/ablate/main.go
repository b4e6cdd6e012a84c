// Command ablate shows what a part of the guard contributes: it switches the part off, judges all
// corpora with and without it, and prints what changes.
//
//	go run ./internal/lab/ablate -off openings
//	go run ./internal/lab/ablate -off internal/shell/resolve/tmux.go
//	go run ./internal/lab/ablate -off 'internal/shell/resolve/find.go:wrappers.find'
//	go run ./internal/lab/ablate -sweep internal/shell/exfil
//	go run ./internal/lab/ablate -walls -sweep internal/shell/code
//
// A function that is switched off returns zero values at once, or RESULTS with FILE:FUNC=RESULTS. The
// source files are not changed.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"

	"github.com/checkrein/checkrein/internal/lab/corpora"
)

func main() {
	off := flag.String("off", "", "what to switch off: named parts, FILE, FILE:FUNC, FILE:TYPE.METHOD, FILE:TABLE or FILE:FUNC=RESULTS; several separated by spaces")
	below := flag.String("sweep", "", "switch off each function below this directory, one after another")
	walls := flag.Bool("walls", false, "judge as where walls are installed")
	list := flag.Bool("list", false, "list the named parts")
	shown := flag.Int("show", 40, "how many changed commands to print of each kind; 0 = all")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	switch {
	case *list:
		for _, p := range parts {
			fmt.Printf("%-12s %s\n", p.name, p.about)
		}
	case *below != "":
		err = sweep(ctx, *below, *walls)
	case *off == "":
		err = errors.New("name what to switch off with -off, or list the named parts with -list")
	default:
		err = ablate(ctx, os.Stdout, strings.Fields(*off), *walls, *shown)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ablate:", err)
		os.Exit(1)
	}
}

// ablate prints what changes when names are switched off.
func ablate(ctx context.Context, out io.Writer, names []string, walls bool, shown int) error {
	dir, err := os.MkdirTemp("", "checkrein-ablate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, lines, err := writeOverlay(dir, ".", switchOffs(names))
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "judging all corpora as they are …")
	before, err := judgeCorpora(ctx, "", walls)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "judging them without %s (%d lines) …\n", strings.Join(names, ", "), lines)
	after, err := judgeCorpora(ctx, overlay, walls)
	if err != nil {
		return err
	}
	compare(before, after).print(out, lines, shown)
	return nil
}

// judgeCorpora returns the verdicts of a guard built with overlay about all corpora. If overlay is "",
// the guard is built as it is.
func judgeCorpora(ctx context.Context, overlay string, walls bool) ([]corpora.Verdict, error) {
	args := []string{"run"}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./internal/lab/ablate/score", fmt.Sprintf("-walls=%t", walls))...)
	var stdout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("scoring: %w", err)
	}
	var out []corpora.Verdict
	for lines := json.NewDecoder(&stdout); ; {
		var v corpora.Verdict
		if err := lines.Decode(&v); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
}
