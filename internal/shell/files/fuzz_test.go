package files

import (
	"reflect"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/cputime"
	"github.com/checkrein/checkrein/internal/shell"
)

// FuzzEffects passes random words to every program. Nothing may panic, the result must be the same
// each time, and effects must be complete.
func FuzzEffects(f *testing.F) {
	for _, s := range []string{"rm\x00-rf\x00/", "find\x00.\x00(\x00-name\x00*.pyc\x00)\x00-delete", "sed\x00-i\x00s/[/]/x/w f\x00x", "awk\x00{print > \"x\"}", "chmod\x00-R\x00u+s\x00~", "tar\x00cfz\x00x", "dd\x00of=/dev/\uFFFC"} {
		f.Add(s, "/work/app", "x")
	}
	f.Fuzz(func(t *testing.T, text, dir, redirect string) {
		words := strings.Split(text, "\x00")
		c := &shell.Call{Name: words[0], Path: words[0], Dir: dir, Redir: []shell.Redirect{{Op: ">", Target: shell.Word{Text: redirect}}}}
		for _, w := range words[1:] {
			c.Args = append(c.Args, shell.Word{Text: w})
		}
		for _, p := range []*shell.Place{&here, {}, {Dialect: shell.Cmd}} {
			effects, known := Effects(c, p)
			again, _ := Effects(c, p)
			if !reflect.DeepEqual(effects, again) {
				t.Fatal("a second run has another result")
			}
			for _, e := range append(effects, RedirectEffects(c, p)...) {
				if e.Kind == "" || e.Category == shell.NoCategory || e.Rule == "" || e.Reason == "" {
					t.Fatalf("incomplete: %+v", e)
				}
			}
			if strings.HasPrefix(words[0], "rm") && len(words) > 1 && known && len(effects) == 0 {
				t.Fatal("rm without an effect")
			}
		}
	})
}

// FuzzZone compares the zone of a path with that of a longer spelling of it.
func FuzzZone(f *testing.F) {
	f.Add("/etc/passwd")
	f.Add("~/x/../.ssh")
	f.Fuzz(func(t *testing.T, p string) {
		if p == "" || strings.ContainsAny(p, "\\\uFFFC~:") {
			return
		}
		odd := strings.ReplaceAll(p, "/", "//./")
		a, b := locate(p, nil, &here), locate(odd, nil, &here)
		if a.zone != b.zone || a.path != b.path {
			t.Fatalf("%q %v %q, %q %v %q", p, a.zone, a.path, odd, b.zone, b.path)
		}
	})
}

// TestLargeInputIsLinear checks that the time for large input does not grow out of proportion.
func TestLargeInputIsLinear(t *testing.T) {
	big := strings.Repeat("a/../", 100_000)
	stars := strings.Repeat("*a", 100_000)
	many := make([]shell.Word, 20_000)
	for i := range many {
		many[i].Text = "src/x" + strings.Repeat("y", i%7)
	}
	deep := make([]shell.Word, 0, 40_000)
	for range 10_000 {
		deep = append(deep, shell.Word{Text: "("}, shell.Word{Text: "-exec"}, shell.Word{Text: "find"}, shell.Word{Text: "-delete"})
	}
	starts := make([]shell.Word, 0, 12_000)
	for range 6_000 {
		starts = append(starts, shell.Word{Text: "x"})
	}
	for range 2_000 {
		starts = append(starts, shell.Word{Text: "-exec"}, shell.Word{Text: "rm"}, shell.Word{Text: "{}"}, shell.Word{Text: ";"})
	}
	for _, name := range []string{"rm", "find", "fd", "chmod", "mv", "sed", "awk", "tar", "cp", "tee", "dd", "mkfs", "truncate", "zip", "curl", "perl"} {
		for _, args := range [][]shell.Word{{{Text: big}}, {{Text: "-i"}, {Text: stars}, {Text: "/" + stars}, {Text: "~/" + stars}}, many, deep, starts, {{Text: strings.Repeat("s/[", 50_000)}}, {{Text: strings.Repeat("{print > \"", 30_000)}}} {
			part := args[:max(1, len(args)/8)]
			if len(args) < 8 {
				part = []shell.Word{{Text: args[len(args)-1].Text[:len(args[len(args)-1].Text)/8]}}
			}
			if cputime.Explodes(func() { Effects(&shell.Call{Name: name, Args: part}, &here) }, func() { Effects(&shell.Call{Name: name, Args: args}, &here) }) {
				t.Errorf("%s with %d words takes far too long", name, len(args))
			}
		}
	}
}

// sink keeps the compiler from removing the benchmarked calls.
var sink []shell.Effect

func BenchmarkEffects(b *testing.B) {
	for _, cmd := range []string{"rm -rf ./build", "rm -rf ~", "cp -r a b", "sed -i s/a/b/ main.go", "find . -name '*.pyc' -delete", "chmod +x x.sh", "git status", "echo x > out.txt"} {
		c := parseCall(b, cmd)
		b.Run(strings.ReplaceAll(cmd, " ", "_"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink, _ = Effects(c, &here)
				sink = RedirectEffects(c, &here)
			}
		})
	}
}
