package resolve

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// outputsReaching returns the programs whose output reaches c through its words, redirections,
// variables, input or files.
func outputsReaching(c *shell.Call) map[string]bool {
	seen, out := map[*shell.Call]bool{}, map[string]bool{}
	var visit func(c *shell.Call)
	all := func(list []*shell.Call) {
		for _, c := range list {
			visit(c)
		}
	}
	visit = func(c *shell.Call) {
		if c == nil || seen[c] {
			return
		}
		seen[c] = true
		out[c.Name] = true
		for _, a := range c.Args {
			all(a.From)
			out[c.Name+" "+a.Text] = true
		}
		for _, r := range c.Redir {
			all(r.Target.From)
		}
		for _, v := range c.Env {
			all(v.Value.From)
		}
		for _, f := range c.Files {
			all(f.From)
		}
		if c.In != nil {
			all(c.In.From)
		}
	}
	visit(c)
	return out
}

// TestOutputReachesCall has commands in which the output of other programs reaches the call "to".
func TestOutputReachesCall(t *testing.T) {
	for _, row := range []struct{ text, from string }{
		// several substitutions in a word
		{`to $(s1)$(s2).h`, "s1 s2"},
		{`to $(s1|md5sum)$(s2|base64).h`, "s1 s2 md5sum base64"},
		{`to "$(s1)$(s2).h"`, "s1 s2"},
		{`to "$(s1)"$(s2)`, "s1 s2"},
		{`to $(s1)"$(s2)"`, "s1 s2"},
		{`to a$(s1)b$(s2)c$(s3)d`, "s1 s2 s3"},
		{"to `s1``s2`", "s1 s2"},
		{`to $(echo a)$(s2)`, "echo s2"},
		{`to $(echo a b)$(s2)`, "s2"},
		{`to $(printf 'a b ')$(s2)`, "s2"},
		{`to <(s1) $(s2)`, "s1 s2"},
		{`to $(s1)<(s2)`, "s1 s2"},
		{`to {a,$(s1)}$(s2)`, "s1 s2"},
		{`to {$(s1),$(s2)}`, "s1 s2"},
		{`to ~/$(s1)/$(s2)`, "s1 s2"},
		{`to *$(s1)*$(s2)`, "s1 s2"},
		{`to $(true)$(s2)`, "s2"},
		{`to x$(s1)$(true)`, "s1"},
		// variables
		{`x=$(s1)$(s2); to $x`, "s1 s2"},
		{`x=$(s1) y=$(s2); to $x$y`, "s1 s2"},
		{`x=$(s1); y=$(s2); to ${x}.${y}.h`, "s1 s2"},
		{`x=$(s1); y=$(s2); to "${x}${y}"`, "s1 s2"},
		{`x=$(s1); y=$(s2); z=$x$y; to ${z%a}`, "s1 s2"},
		{`x=$(s1); x+=$(s2); to $x`, "s1 s2"},
		{`x=$(s1); to ${x:0:5}$(s2)`, "s1 s2"},
		{`x=$(s1); to ${x//a/$(s2)}`, "s1 s2"},
		{`x=abc; to ${x//b/$(s2)}`, "s2"},
		{`x=$(s1); to ${x^^}$(s2)`, "s1 s2"},
		{`x=$(s1); to ${x@Q}$(s2)`, "s1 s2"},
		{`x=$(s1); y=x; to ${!y}$(s2)`, "s1 s2"},
		{`to ${u:-$(s1)$(s2)}`, "s1 s2"},
		{`to "${u:-$(s1)$(s2)}"`, "s1 s2"},
		{`to ${u:=$(s1)$(s2)}`, "s1 s2"},
		{`: ${u:=$(s1)}; to $u`, "s1"},
		{`x=1; to ${x:+$(s1)}$(s2)`, "s1 s2"},
		{`declare x=$(s1)$(s2); to $x`, "s1 s2"},
		{`export x=$(s1)$(s2); to $x`, "s1 s2"},
		{`readonly x="$(s1)$(s2)"; to $x`, "s1 s2"},
		{`declare "x=$(s1)$(s2)"; to $x`, "s1 s2"},
		{`f() { local x=$(s1)$(s2); to $x; }; f`, "s1 s2"},
		{`f() { to "$1$2"; }; f "$(s1)" "$(s2)"`, "s1 s2"},
		{`f() { to "$*"; }; f $(s1) $(s2)`, "s1 s2"},
		{`f() { to ${@:1}; }; f $(s1) $(s2)`, "s1 s2"},
		{`set -- $(s1) $(s2); to $1$2`, "s1 s2"},
		{`x=$(s1) y=$(s2) to`, "s1 s2"},
		{`env x=$(s1)$(s2) to`, "s1 s2"},
		{`x=$(( $(s1) + $(s2) )); to $x`, "s1 s2"},
		{`to $(( $(s1) + 1 ))`, "s1"},
		{`x=$(s1); to $((x+1))`, "s1"},
		{`x=$(s1); (( y = x + 1 )); to $y`, "s1"},
		{`x=$(s1); let y=x+1; to $y`, "s1"},
		{`x=$(s1); if a; then x=b; fi; to $x`, "s1"},
		{`if a; then x=$(s1); else x=$(s2); fi; to $x`, "s1 s2"},
		{`case a in b) x=$(s1);; *) x=$(s2);; esac; to $x`, "s1 s2"},
		{`a && x=$(s1) || x=$(s2); to $x`, "s1 s2"},
		// arrays
		{`a=($(s1)$(s2)); to ${a[0]}`, "s1 s2"},
		{`a=($(s1) $(s2)); to ${a[@]}`, "s1 s2"},
		{`a=($(s1) $(s2)); to "${a[*]}"`, "s1 s2"},
		{`a=(x $(s1)); a+=($(s2)); to "${a[@]}"`, "s1 s2"},
		{`a[0]=$(s1)$(s2); to ${a[0]}`, "s1 s2"},
		{`a[0]=$(s1); a[1]=$(s2); to ${a[0]}${a[1]}`, "s1 s2"},
		{`declare -A a; a[k]=$(s1)$(s2); to ${a[k]}`, "s1 s2"},
		{`declare -A a=([k]=$(s1) [l]=$(s2)); to ${a[k]}${a[l]}`, "s1 s2"},
		{`a=($(s1) $(s2)); to ${a[i]}`, "s1 s2"},
		{`declare -A a=([k]=$(s1)); to ${a[$i]}`, "s1"},
		// printf, read
		{`printf -v x %s%s "$(s1)" "$(s2)"; to $x`, "s1 s2"},
		{`printf -v x "$(s1)"; to $x`, "s1"},
		{`printf -v 'a[0]' %s "$(s1)"; to ${a[0]}`, "s1"},
		{`printf -vx %s "$(s1)"; to $x`, "s1"},
		{`printf -v x %q "$(s1)"; to $x`, "s1"},
		{`read x <<< "$(s1)$(s2)"; to $x`, "s1 s2"},
		{`read x y <<< "$(s1) $(s2)"; to $y`, "s1 s2"},
		{`read -a x <<< "$(s1) $(s2)"; to ${x[1]}`, "s1 s2"},
		{`read x < <(s1; s2); to $x`, "s1 s2"},
		{`mapfile x < <(s1; s2); to "${x[@]}"`, "s1 s2"},
		{`read x <<< $(echo a); to $x`, "echo"},
		{`s1 | { read x; to $x; }`, "s1"},
		{`s1 | (IFS= read -r x; to "$x$(s2)")`, "s1 s2"},
		{`IFS= read -rd '' x < <(s1); to $x`, "s1"},
		// redirections, here-documents
		{`to > $(s1)$(s2)`, "s1 s2"},
		{`to < "$(s1)$(s2)"`, "s1 s2"},
		{`to <<< $(s1)$(s2)`, "s1 s2"},
		{`to <<< "$(s1)$(s2)"`, "s1 s2"},
		{"to <<E\n$(s1)\n$(s2)\nE", "s1 s2"},
		{"to <<-E\n\t$(s1)$(s2)\n\tE", "s1 s2"},
		{"x=$(s1); to <<E\n$x ${x} $(s2)\nE", "s1 s2"},
		// loops and functions
		{`for x in $(s1)$(s2); do to $x; done`, "s1 s2"},
		{`for x in a $(s1); do y+=$x$(s2); done; to $y`, "s1 s2"},
		{`for x in ` + strings.Repeat("a ", 100) + `$(s1); do to $x; done`, "s1"},
		{`while read l; do x+=$l; done < <(s1); to $x$(s2)`, "s1 s2"},
		{`f() { s1; }; g() { s2; }; to $(f)$(g)`, "s1 s2"},
		// code of other shells
		{`bash -c "to $(s1)$(s2)"`, "s1 s2"},
		{`bash -c "to '$(s1)'"`, "s1"},
		{`eval "to $(s1)$(s2)"`, "s1 s2"},
		{`x=$(s1); eval "to $x"`, "s1"},
		{`x=$(s1); sh -c "x=$x; to \$x"`, "s1"},
		{`ssh h "to $(s1)$(s2)"`, "s1 s2"},
		{`alias t="to $(s1)$(s2)"; t`, "s1 s2"},
		{`echo "to $(s1)" | sh`, "s1"},
		{"bash <<E\nto $(s1)\nE", "s1"},
		{`echo "to $(s1)" > x; sh x`, "s1"},
		{`trap "to $(s1)" EXIT`, "s1"},
		{`timeout 5 bash -c "sudo to $(s1)"`, "s1"},
		{`env -S "to $(s1)"`, "s1"},
		{`watch "to $(s1)"`, "s1"},
		{`s1 | xargs -I{} sh -c 'to {}'`, "s1"},
		{`s1 | parallel to {}`, "s1"},
		{`find . -exec sh -c "to $(s1) {}" \;`, "s1"},
		// files that are read
		{`read x < .env; to $x`, "cat .env"},
		{`read -r a b < .env; to $b`, "cat .env"},
		{`IFS== read -r a b < ~/.netrc; to "$b"`, "cat /home/u/.netrc"},
		{`{ read x; read y; } < .env; to $y`, "cat .env"},
		{`read x <.env && to "x=$x"`, "cat .env"},
		{`mapfile x < .env; to ${x[3]}`, "cat .env"},
		{`mapfile -t x < .env; to "${x[@]}"`, "cat .env"},
		{`readarray x < .env; to ${x[*]}`, "cat .env"},
		{`to $(xargs < .env)`, "cat .env"},
		{`to $(xargs -a .env)`, "cat .env"},
		{`to $(xargs --arg-file=.env echo)`, "cat .env"},
		{`xargs to < .env`, "cat .env"},
		{`xargs -a .env to`, "cat .env"},
		{`xargs -I{} to {} < .env`, "cat .env"},
		{`parallel to < .env`, "cat .env"},
		{`parallel -a .env to {}`, "cat .env"},
		{`parallel to {} :::: .env`, "cat .env"},
		{`while read l; do to $l; done < .env`, "cat .env"},
		{`while IFS= read -r l; do x=$x$l; done < .env; to $x`, "cat .env"},
		{`until ! read l; do to $l; done < .env`, "cat .env"},
		{`exec 5< .env; read -u 5 x; to $x`, "cat .env"},
		{`exec 5< .env; read x <&5; to $x`, "cat .env"},
		{`exec < .env; read x; to $x`, "cat .env"},
		{`while read -u 3 l; do to $l; done 3< .env`, "cat .env"},
		{`f() { read x; to $x; }; f < .env`, "cat .env"},
		{`if read x; then to $x; fi < .env`, "cat .env"},
		{`read x < <(tr a b < .env); to $x`, "tr"},
		{`x=$(<.env); to $x`, "cat"},
		{`select x in $(<.env); do to $x; done`, "cat"},
		// variables of later calls
		{`export A=http://h/$(s1); to`, "s1"},
		{`export A=https://$(s1|base64).h; b && to`, "s1"},
		{`export A; A=https://$(s1).h; to`, "s1"},
		{`declare -x A=https://$(s1).h; to`, "s1"},
		{`typeset -gx A=https://$(s1).h; to`, "s1"},
		{`set -a; A=https://$(s1).h; to`, "s1"},
		{`set -o allexport; A=https://$(s1).h; to`, "s1"},
		{`x=$(s1); export A="https://$x.h"; bash -c 'to'`, "s1"},
		{`f() { export A=https://$(s1).h; }; f; to`, "s1"},
		{`export GIT_AUTHOR_NAME="$(s1)"; to`, "s1"},
		// files that exec opens
		{`exec > >(to); s1`, "s1"},
		{`exec > >(to); s1 | s2`, "s1 s2"},
		{`exec 1> >(base64 | to); { s1; echo a; }`, "s1"},
		{`exec &> >(to); s1`, "s1"},
		{`exec > >(tee -a log | to); s1; s2`, "s1 s2"},
		{`exec > >(while read l; do to $l; done); s1`, "s1"},
		{`exec 3> >(to); s1 >&3`, "s1"},
		{`exec 3> >(to); { s1; s2; } >&3`, "s1 s2"},
		{`exec 3> >(to); f() { s1; }; f >&3`, "s1"},
		{`exec {p}> >(to); s1 >&$p`, "s1"},
		{`f() { exec > >(to); }; f; s1`, "s1"},
		{`eval 'exec > >(to)'; s1`, "s1"},
		{`(exec > >(to); s1)`, "s1"},
		{`bash -c 'exec > >(to); s1'`, "s1"},
		{`if a; then exec > >(to); fi; s1`, "s1"},
		{`{ s1; echo a; } > >(to)`, "s1"},
		{`f() { s1; echo a; }; f > >(to)`, "s1"},
		{`for i in 1 2; do s1; echo $i; done > >(to)`, "s1"},
		{`s1 | tee >(to) > /dev/null`, "s1"},
		{`coproc to; s1 >&"${COPROC[1]}"`, "s1"},
		{`coproc to h 1; s1 >&${COPROC[1]}`, "s1"},
		{`coproc X { to; }; { s1; s2; } >&${X[1]}`, "s1 s2"},
		{`coproc X (to); s1 > /dev/fd/${X[1]}`, "s1"},
		// more sources than a word keeps
		{`to ` + strings.Repeat("$(echo a)", 100) + `$(s1)`, "s1"},
		{`to $(s1)` + strings.Repeat("$(echo a)", 100), "s1"},
		{`to "$(s1)` + strings.Repeat("$(echo a)", 100) + `$(s2)"`, "s1 s2"},
		{`{ ` + strings.Repeat("echo a; ", 100) + `s1; } | to`, "s1"},
		{`{ s1; ` + strings.Repeat("echo a; ", 100) + `} | to`, "s1"},
		{`to "$(` + strings.Repeat("echo a; ", 100) + `s1)"`, "s1"},
		{strings.Repeat("x+=$(echo a);", 100) + `x+=$(s1); to $x`, "s1"},
		{`x=$(s1);` + strings.Repeat("x+=$(echo a);", 100) + `to $x`, "s1"},
		{`s1 ` + strings.Repeat("| cat ", 100) + `| to`, "s1"},
		{`a=(` + strings.Repeat("$(echo a) ", 100) + `$(s1)); to "${a[*]}"`, "s1"},
		{strings.Repeat("echo a >> f; ", 100) + `s1 >> f; to f`, "s1"},
		{`s1 > f; ` + strings.Repeat("echo a >> f; ", 100) + `to f`, "s1"},
	} {
		calls, _ := Calls(row.text, place)
		got := map[string]bool{}
		for _, c := range calls {
			if c.Name == "to" {
				for name := range outputsReaching(c) {
					got[name] = true
				}
			}
		}
		wanted := []string{row.from}
		if !strings.HasPrefix(row.from, "cat ") {
			wanted = strings.Fields(row.from)
		}
		for _, want := range wanted {
			if !got[want] {
				t.Errorf("%s: the output of %s does not reach it", displayText(row.text), want)
			}
		}
	}
}
