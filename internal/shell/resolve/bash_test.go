package resolve

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// standIns are names of programs that are replaced by scripts which only log how they were called.
var standIns = []string{"rm", "foo", "bar", "mkfs", "dd"}

// realPrograms only pass on words or change text, so tests run the real ones.
var realPrograms = []string{"bash", "sh", "env", "xargs", "timeout", "nice", "nohup", "setsid", "base64", "rev", "tr", "cat", "seq", "basename", "dirname", "head", "tail", "cut", "sed", "tee", "sleep", "which", "stdbuf"}

// A realBash runs commands in Bash, with stand-ins for dangerous programs.
type realBash struct {
	t    testing.TB
	bash string
	dir  string
}

// newRealBash returns a realBash with its own directory for programs. It skips the test if Bash is not
// installed.
func newRealBash(t testing.TB) *realBash {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("SKIPPED: Bash is not installed, so expansions are not compared with it")
	}
	b := &realBash{t: t, bash: bash, dir: t.TempDir()}
	bin := filepath.Join(b.dir, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	// Each call is logged by a single write, so that those of a pipeline do not mix.
	const body = "#!/bin/sh\ns=${0##*/}\nfor a; do s=\"$s\x1f$a\"; done\nprintf '%s\\036' \"$s\" >> \"$LOG\"\n"
	for _, name := range standIns {
		if err := built.WriteScript(filepath.Join(bin, name), body); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range realPrograms {
		path, err := exec.LookPath(name)
		if name == "sh" {
			path, err = bash, nil // other shells lack some quotes
		}
		if err == nil {
			if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b
}

// loggedCalls runs each of texts in Bash and returns the calls of stand-ins that it made, with their
// words separated by \x1f.
func (b *realBash) loggedCalls(texts []string) [][]string {
	var driver strings.Builder
	for i, text := range texts {
		work := filepath.Join(b.dir, fmt.Sprintf("work%d", i))
		if err := os.MkdirAll(work, 0o755); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(b.dir, fmt.Sprintf("text%d", i)), []byte(text), 0o644); err != nil {
			b.t.Fatal(err)
		}
		fmt.Fprintf(&driver, "cd %s && LOG=%s/log%d bash -c \"$(<%s/text%d)\" </dev/null >/dev/null 2>&1; wait\n", work, b.dir, i, b.dir, i)
	}
	file := filepath.Join(b.dir, "driver")
	if err := os.WriteFile(file, []byte(driver.String()), 0o644); err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.Command(b.bash, file)
	cmd.Env = []string{"PATH=" + filepath.Join(b.dir, "bin"), "HOME=/home/u"}
	if out, err := cmd.CombinedOutput(); err != nil && len(out) > 0 {
		b.t.Logf("driver: %v: %s", err, out)
	}
	all := make([][]string, len(texts))
	for i := range texts {
		log := filepath.Join(b.dir, fmt.Sprintf("log%d", i))
		data, _ := os.ReadFile(log)
		for _, call := range strings.Split(string(data), "\x1e") {
			if call != "" {
				all[i] = append(all[i], call)
			}
		}
		os.Remove(log)
	}
	return all
}

// resolvedCalls returns the calls of stand-ins that [Calls] finds in text, in the form of loggedCalls.
func resolvedCalls(text string) []string {
	calls, _ := Calls(text, shell.Place{Home: "/home/u"})
	var out []string
	for _, c := range calls {
		if !slices.Contains(standIns, c.Name) {
			continue
		}
		s := c.Name
		for _, a := range c.Args {
			s += "\x1f" + a.Text
		}
		out = append(out, s)
	}
	return out
}

// formatCalls returns calls in the form of loggedCalls as one readable line.
func formatCalls(calls []string) string {
	return strings.ReplaceAll(strings.Join(calls, " ; "), "\x1f", "|")
}

// exactCommands are commands for which [Calls] must find exactly the calls that Bash makes.
var exactCommands = []string{
	`r''m -rf /x`, `\rm -rf x`, `"r"m x`, `$'\x72m' $'a\tb' $'\162'`, `$"rm" x`, `r\m x`, `'rm' 'a b' "c d"`,
	`r=rm; $r -rf x`, `r=rm; ${r} x`, `a=r b=m; $a$b x`, `x="rm -rf y"; $x`, `x=rm; x+=' -rf /y'; $x`, `x='a  b'; foo $x "$x"`,
	`${u:-rm} x`, `${u:=rm} x; $u y`, `${u-rm -rf a} b`, `foo "${u:-a b}" ${u:-c d}`, `x=1; foo ${x:+set} end`,
	`x=armz; ${x:1:2} a`, `x=hello; foo ${x:1:3} ${x: -2} ${x:2} ${#x} ${x:0:-1}`,
	`x=a/b/c.tar.gz; foo ${x##*/} ${x#*/} ${x%.*} ${x%%.*} ${x/b/Q} ${x//[abc]/_} ${x/#a/Z} ${x/%gz/Y}`,
	`x=Hello; foo ${x^^} ${x,,}`, `x=rm; y=x; ${!y} z`,
	`a=(rm -rf "x y"); "${a[@]}"`, `a=(rm -rf "x y"); ${a[@]}`, `a=(1 2 3); foo ${a[1]} ${#a[@]} ${a[-1]} "${a[*]}" ${a[@]:1:2}`, `a=(rm); a+=(x y); "${a[@]}"; a[1]=q; foo "${a[@]}"`,
	`a=([2]=x [0]=y); foo "${a[0]}" "${a[2]}"`,
	`set -- rm "a b" c; "$@"; foo $#; shift; foo "$*" $1 ${@:2}`, `set -- a b; for i; do rm $i; done`, `set -- "a b" c; foo pre"$@"post; foo pre$@post`,
	`f() { rm "$1" $#; }; f x y`, `f() { "$@"; }; f rm "a b"`, `function g { local x=$1; rm $x; }; x=o; g i; rm $x`, `f() { f2 "$@"; }; f2() { rm "$2"; }; f a b`,
	`rm${IFS}a${IFS}b`, `IFS=,; x=a,b,,c; foo $x`, `IFS=:; set -- a b; foo "$*"`, `x=" a b "; foo $x"c"`,
	`{rm,-rf,x}`, `foo {a,b}{1..3} x{c,d{e,f}}y {3..1} {a..e..2} {01..03} {a} {,x}z a{b`, `foo "{a,b}" \{a,b} {a,"b c"} "$HOME"{1,2}`, `foo {1..2}{a,b}$((1+1))`,
	`foo ~/x ~ "~" a~ ~/"y z"`, `foo "$HOME" $HOME/x`, `x=~/q; foo $x`,
	`foo * "*" \* a*b?c '[x]'`, `$(echo rm) x`, "`printf rm` x", `$(printf '%s' rm) "$(echo 'a  b')" $(echo 'a  b')`, "foo `echo \\`echo n\\`` $(echo $(echo deep))", `foo "$(printf 'a\n\n')"x`,
	`$(printf '\x72\x6d') x`, `$(printf '\162\155') x`, `$(echo -e '\x72\x6d') x`,
	`rm a; rm b && rm c`, `(rm a; rm b)`, `{ rm a; rm b; }`, `if true; then rm a; fi`, `for i in a "b c" d; do rm $i "$i"; done`, `for i in {1..3}; do rm $i; done`, `for ((i=0;i<3;i++)); do rm $i; done`,
	`while read -r a b; do rm "$b" "$a"; done <<< "x y z"`, `printf '%s\n' a 'b c' | while read l; do rm "$l"; done`, `read a b c <<< "rm -rf x y"; $a $b "$c"`, `IFS=, read -r a b <<< "rm,x y"; $a "$b"`, `mapfile -t a < <(printf 'rm\n-rf\nx y\n'); "${a[@]}"`, `read -ra w <<< "rm a b"; "${w[@]}"`,
	"read -r -d '' x <<'E'\nfoo a\nrm 'b c'\nE\neval \"$x\"", "IFS= read -rd '' x <<'E'\nfoo a\nrm b\nE\nbash -c \"$x\"", `read -d, x <<< "rm a,foo b"; $x`, `read -rd ';' x <<< "rm a;foo b"; $x`, `read -r x <<< 'rm a\b'; $x`,
	`read -a w -r <<< "rm a b"; "${w[@]}"`, `read -raw <<< "rm a b"; "${w[@]}"`, `mapfile -t -d , a <<< "rm,x y,z,"; foo "${a[1]}"; ${a[0]} b`, `while IFS= read -rd '' l; do eval "$l"; done < <(printf '%s\0' 'rm a' 'foo b')`, `printf '%s;' 'rm a' 'rm b' | while read -r -d ';' l; do $l; done`,
	`eval 'rm "a b"'`, `eval rm '$HOME' "'x  y'"`, `x='rm $HOME'; eval "$x"`, `eval eval rm x`, `exec rm x`, `command rm x`, `builtin eval rm x`, `trap 'rm x' EXIT`, `time rm x`, `! rm x`,
	`bash -c 'rm "$1" $0' zero 'a b'`, `bash -ec 'rm x'`, `sh -c 'rm $#' a b c`, `bash -c -- 'rm x'`, `bash --norc -c 'rm x'`, `bash -o errexit -c 'rm x'`, `bash <<< 'rm x'`, `echo 'rm x' | sh`, `echo 'rm $1' | bash -s -- 'a'`, "sh <<E\nrm a$((1+1))\nE", "sh -s q <<'E'\nrm $1 \"\\$x\"\nE", "x=1; sh <<E\ny=2; rm $x \\$y\nE", "cat <<E | sh\nrm x\nE", "sh <<-E\n\trm x\n\tE", `sh <(echo rm x)`, `bash -c "bash -c 'rm x'"`, `X=rm bash -c '$X y'`, `export X=rm; bash -c '$X y'`,
	`env A=1 rm x`, `env -u X A=b rm y`, `env -S 'rm "a b"' c`, `nohup rm x`, `timeout 5 rm x`, `timeout -s KILL -k 1 5 rm x`, `nice -n 5 rm x`, `nice rm x`, `env nice timeout 5 env rm x`, `stdbuf -oL rm x`,
	`echo a b | xargs rm`, `echo "a 'b c' d\ e" | xargs rm`, `printf '%s\0' a 'b c' | xargs -0 rm`, `printf 'a b\nc\n' | xargs -I{} rm {} x{}y`, `echo a,b | xargs -d , rm`, `echo x | xargs -n1 bash -c 'rm "$0"'`, `xargs rm <<< "p q"`,
	`echo 'rm x' > s; sh s`, `printf 'rm %s' x > s.sh; bash ./s.sh`, "cat > s.sh <<'E'\nrm \"$1\"\nE\nbash s.sh 'a b'", `echo 'rm y' | tee s | sh`,
	`printf -v x '%s-%s' a b; foo $x`, `foo $((1+2*3)) $((7/2)) $((7%3)) $((1<2)) $((x=4)) $x $((x++)) $x`, `i=1; ((i+=2)); foo $i; let i=i*2; foo $i`, `foo $((010)) $((0x1f))`,
	`rm() { foo mine "$@"; }; rm x; command rm y; unset -f rm; rm z`, `x=1; (x=2; foo $x); foo $x`, `x=1; echo | { x=2; foo $x; }; foo $x`, `unset u; foo "${u-none}" "${u}"`, `x=; foo "${x:-d}" "${x-e}"`, `readonly R=rm; $R x`, `declare x=rm; $x y`, `typeset x=rm; $x y`, `local_() { local r=foo; }; r=rm; local_; $r x`,
	`foo "a\$b\"c\\d\e"`, `foo a\ b 'it'"'"'s'`, "foo a\\\nb \"c\\\nd\"", `foo # rm x`, `foo a#b`, `foo "$(rm inner >/dev/null; echo o)"`, `[[ $(rm a; echo) ]]; foo`, `foo <(rm a) >/dev/null || true`,
	`case a in a) rm yes;; esac`, `f() { return; }; f; rm x`, `x=rm y=$x; foo "$y"; foo ${y:0:1}`, `foo ${x:=a} ${x:=b}`, `x=abc; foo ${x:$((1)):1}`, `declare -n r=v; v=1; foo $r; r=2; foo $v`, `a=(x); a+=y; foo "${a[@]}"`,
}

// branchingCommands are commands for which [Calls] may find more calls than Bash makes, because each
// branch counts as taken.
var branchingCommands = []string{
	`x=foo; false || x=rm; $x a`, `x=foo; true && x=rm; $x a`, `if false; then x=rm; else x=foo; fi; $x a`, `x=rm; if false; then x=foo; fi; $x a`, `x=foo; case b in a) x=bar;; b) x=rm;; esac; $x a`,
	`rm a || rm b`, `false && rm a; foo b`, `x=rm; while false; do x=foo; done; $x a`, `D=; $D rm x`, `false && rm() { :; }; rm x`, `x=foo; [ -n "$HOME" ] && { x=rm; }; $x y`, `x=foo; f() { x=rm; }; f; $x y`,
	"shopt -s expand_aliases\nalias zap='rm -rf'\nzap x", `for i in a b; do [ $i = a ] && continue; rm $i; done`, `i=0; while [ $i -lt 2 ]; do rm x; i=$((i+1)); done`, `exit 0; rm x`, `x=foo; for i in 1; do x=rm; done; $x y`, `x=rm; y=foo; z=$x; true || z=$y; $z q`, `u=; ${u:+foo} rm x`, `foo ${u:+unset} end`, `while read -r -d: l; do rm "$l"; done <<< "a:b c:d"`,
}

// TestCallsMatchBash compares the resolved calls of commands with those that Bash makes.
func TestCallsMatchBash(t *testing.T) {
	t.Parallel()
	b := newRealBash(t)
	got := b.loggedCalls(append(slices.Clone(exactCommands), branchingCommands...))
	for i, text := range exactCommands {
		want, have := slices.Sorted(slices.Values(got[i])), slices.Sorted(slices.Values(resolvedCalls(text)))
		if !slices.Equal(have, want) {
			t.Errorf("%s\n got %s\nbash %s", text, formatCalls(have), formatCalls(want))
		}
		if len(want) == 0 {
			t.Errorf("%s: bash ran nothing, so nothing is confirmed", text)
		}
	}
	for i, text := range branchingCommands {
		have := resolvedCalls(text)
		for _, call := range got[len(exactCommands)+i] {
			if !slices.Contains(have, call) {
				t.Errorf("%s\n got %s\nbash also ran %s", text, formatCalls(have), formatCalls([]string{call}))
			}
		}
	}
}

// TestGeneratedCommandsMatchBash does the same for randomly generated commands.
func TestGeneratedCommandsMatchBash(t *testing.T) {
	t.Parallel()
	b := newRealBash(t)
	texts := make([]string, 80)
	gen := rapid.Custom(func(t *rapid.T) string { return genText(t, 2) })
	for i := range texts {
		texts[i] = gen.Example(i)
	}
	for i, ran := range b.loggedCalls(texts) {
		want, have := slices.Sorted(slices.Values(ran)), slices.Sorted(slices.Values(resolvedCalls(texts[i])))
		if !slices.Equal(have, want) {
			t.Errorf("%s\n got %s\nbash %s", texts[i], formatCalls(have), formatCalls(want))
		}
	}
}

// genText returns a random harmless command with nested code and unusual quoting.
func genText(t *rapid.T, depth int) string {
	kinds := 1
	if depth > 0 {
		kinds = 14
	}
	inner := func() string { return genText(t, depth-1) }
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 1:
		return inner() + "\n" + inner()
	case 2:
		return "{ " + inner() + "\n}"
	case 3:
		return "( " + inner() + "\n)"
	case 4:
		return "if true; then " + inner() + "\nfi"
	case 5:
		return "for i in " + genWord(t) + " " + genWord(t) + "; do foo \"$i\"; done"
	case 6:
		return "bash -c " + expand.Quote(inner())
	case 7:
		return "eval " + expand.Quote(inner())
	case 8:
		return "printf '%s\\n' " + expand.Quote(inner()) + " | sh"
	case 9:
		end := "END" + strconv.Itoa(depth)
		return "sh <<'" + end + "'\n" + inner() + "\n" + end + "\n"
	case 10:
		return "fn() { " + inner() + "\nrm \"$1\"; }; fn " + genWord(t)
	case 11:
		return "true && " + inner()
	case 12:
		return "sh <(printf '%s' " + expand.Quote(inner()) + ")"
	case 13:
		return rapid.SampledFrom([]string{"env A=1 ", "nice -n 1 ", "timeout 9 ", "command ", "env -u Q nohup "}).Draw(t, "wrapper") + genCall(t)
	}
	return genCall(t)
}

// genCall returns a call of a random stand-in with random words.
func genCall(t *rapid.T) string {
	words := []string{genQuoted(t, rapid.SampledFrom(standIns).Draw(t, "program"))}
	for range rapid.IntRange(0, 3).Draw(t, "words") {
		words = append(words, genWord(t))
	}
	return strings.Join(words, " ")
}

// genWord returns a random word, quoted at random.
func genWord(t *rapid.T) string {
	return genQuoted(t, rapid.SampledFrom([]string{"a", "-rf", "/x", "a b", "", "*.c", "it's", `b\c`, "q\"r", "$HOME", "x;y", "{a,b}", "~", "#h", "tab\there", "a=b", "ümlaut"}).Draw(t, "word"))
}

// genQuoted returns s in one of the notations that a shell expands to s.
func genQuoted(t *rapid.T, s string) string {
	bare := s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./") == ""
	switch rapid.IntRange(0, 9).Draw(t, "coding") {
	case 0:
		if bare {
			return s
		}
	case 1:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(s) + `"`
	case 2:
		var b strings.Builder
		b.WriteString("$'")
		for i := range len(s) {
			fmt.Fprintf(&b, `\x%02x`, s[i])
		}
		return b.String() + "'"
	case 3:
		var b strings.Builder
		b.WriteString("$'")
		for i := range len(s) {
			fmt.Fprintf(&b, `\%03o`, s[i])
		}
		return b.String() + "'"
	case 4:
		cut := rapid.IntRange(0, len(s)).Draw(t, "cut")
		for cut < len(s) && s[cut]&0xC0 == 0x80 {
			cut++
		}
		return "'" + strings.ReplaceAll(s[:cut], "'", `'\''`) + "'" + `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`).Replace(s[cut:]) + `"`
	case 5:
		if s != "" {
			return `"$(printf %s ` + "'" + strings.ReplaceAll(s, "'", `'\''`) + `')"`
		}
	case 6:
		if bare {
			return "${nope:-" + s + "}"
		}
	case 7:
		if bare {
			return "`echo " + s + "`"
		}
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
