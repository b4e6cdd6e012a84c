package trust

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func FuzzWalk(f *testing.F) {
	for _, seed := range []string{
		"./x.sh", "a \"b $(c `d`)\" 'e' $'f\\'' ${g:-h}", "cat <<-'E' <<F\n\tE\nF\n", "case a in b|(c) d;; *) e;& esac",
		"bash -c 'sh -c \"./x\"' <<<a <(b) 2>&1 &>c", "((1<<2)); a=(b); [[ c ]]; $((d)) $[e]", "\\", "$", "\"", "${", "$(", "`\\", "a=~/b ~c",
		"cd a && cd $b; env A=1 timeout 5 ./c", "\x00\xff\xfe\n\r",
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, text string, argv bool) {
		w := walker{root: "/r", home: "/h", bases: []string{"/r/b"}}
		if argv {
			w.argv(strings.Split(text, "\x00"))
		} else {
			w.text(text, false)
		}
		if w.depth != 0 {
			t.Errorf("depth is %d at the end", w.depth)
		}
		if len(w.bases) > maxBases {
			t.Errorf("%d bases", len(w.bases))
		}
		if most := (maxDepth + 1) * 4 * (len(text) + 1); len(w.mentions) > most {
			t.Errorf("%d mentions in %d bytes", len(w.mentions), len(text))
		}
		for _, m := range w.mentions {
			if len(m.paths) == 0 {
				t.Error("a mention without a path")
			}
			for _, p := range m.paths {
				if !filepath.IsAbs(p) || filepath.Clean(p) != p || strings.IndexByte(p, 0) >= 0 {
					t.Errorf("path is %q", p)
				}
			}
		}
	})
}

// TestLinear walks what makes a careless lexer quadratic or worse.
func TestLinear(t *testing.T) {
	t.Parallel()
	const size = 1 << 18
	for _, unit := range []string{
		"a ", "./a ", "\"", "'", "\\", "$", "`", "$(", "${", "$((", "((", "(", ")", "<<a ", "<<a\n", "a=(", "a=~", "\"$(", "`\\`",
		"bash \"$(", "bash -c '\"", "bash '(", "case a in ", ";;", "cd a;", "${a:-$(", "$'\\x", "\"${a:-'", "<(", "eval \"a 'b", "~", "{,",
		"sh <<a\n", "$_", "x=\"$(bash '$(", "a\nb\tc",
	} {
		text := strings.Repeat(unit, size/len(unit))
		w := walker{root: "/r", home: "/h", bases: []string{"/r"}}
		start := time.Now()
		w.text(text, false)
		if took := time.Since(start); took > 60*time.Second {
			t.Errorf("%q: %v", unit, took)
		} else if testing.Verbose() {
			t.Logf("%q: %v, %d mentions, %v", unit, took, len(w.mentions), w.problem)
		}
	}
}
