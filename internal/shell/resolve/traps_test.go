package resolve

import "testing"

// lateRows are commands whose meaning is known only at their end, or that use the state of the shell.
var lateRows = []struct{ text, want string }{
	// traps
	{`trap 'rm -rf "$tmp"' EXIT; tmp=$(mktemp -d)`, `mktemp -d ; rm -rf /tmp/tmp.XXXXXXXXXX`},
	{`trap 'rm -rf "$tmp"' EXIT INT TERM; tmp=$(mktemp -d) && ls`, `mktemp -d ; ls ; rm -rf /tmp/tmp.XXXXXXXXXX`},
	{`trap 'rm -rf "$tmp"' EXIT`, `rm -rf …`},
	{`trap 'rm -rf /' EXIT`, `rm -rf /`},
	{`trap 'rm -rf ~' EXIT; trap - EXIT`, `rm -rf /home/u`},
	{`trap 'rm -rf "$d"' EXIT; d=~; trap - EXIT`, ``},
	{`trap 'rm -rf "$d"' EXIT; d=~; [ a ] && trap - EXIT`, `[ a ] ; rm -rf /home/u`},
	{`d=/tmp/x; trap 'rm -rf "$d"' EXIT; d=~`, `rm -rf /tmp/x ; rm -rf /home/u`},
	{`d=~; trap 'rm -rf "$d"' EXIT; exit; d=/tmp/x`, `rm -rf /home/u ; rm -rf /tmp/x`},
	{`(trap 'rm "$d"' EXIT; d=/x); d=/y; ls`, `rm /x ; ls`},
	{`x=$(trap 'rm "$d"' EXIT; d=/x); ls`, `rm /x ; ls`},
	{`{ trap 'rm "$d"' EXIT; d=/x; } | cat; ls`, `rm /x ; cat ; ls`},
	{`(trap 'rm "$d"' EXIT; d=/x) & ls`, `rm /x ; ls`},
	{`bash -c 'trap "rm \$d" EXIT; d=/x'; ls`, `rm /x ; ls`},
	{`f() { local d=/x; trap 'rm "$d"' EXIT; }; f; ls`, `rm /x ; ls`},
	{`f() { local d=/x; trap 'rm "$d"' RETURN; }; f; ls`, `rm /x ; ls`},
	{`c() { rm -rf "$t"; }; trap c EXIT; t=$(mktemp -d); ls`, `mktemp -d ; ls ; rm -rf /tmp/tmp.XXXXXXXXXX`},
	{`trap c EXIT; c() { rm -rf "$t"; }; t=~`, `rm -rf /home/u`},
	{`trap clean-up EXIT; clean-up() { rm x; }`, `rm x`},
	{`trap clean EXIT; ls`, `ls ; clean`},
	{`trap 'kill $p' EXIT; serve & p=$!`, `serve ; kill %!`},
	{`trap 'rm x; ls' ERR; ls`, `rm x ; ls ; ls`},
	{`trap "trap 'rm \$d' EXIT; d=/z" EXIT`, `rm … ; rm /z`},
	{`trap 'trap "$(trap)" EXIT' EXIT`, ``},
	{`cd /tmp/q; trap 'rm -rf *' EXIT; cd ~`, `(/tmp/q) rm -rf * ; (/home/u) rm -rf *`},
	// jobs
	{`serve & kill $!`, `serve ; kill %!`},
	{`serve & p=$!; sleep 1; kill "$p"`, `serve ; sleep 1 ; kill %!`},
	{`serve & echo $! > x; kill $(cat x)`, `serve ; echo %! >x ; cat x ; kill %!`},
	{`a & x=$!; b & y=$!; kill $x $y; wait`, `a ; b ; kill %! %!`},
	{`kill -- -$!`, `kill -- -%!`},
	// unknown arguments
	{`rm -rf "$@"`, `rm -rf …`},
	{`rm -rf $@`, `rm -rf …`},
	{`rm -rf "$*"`, `rm -rf …`},
	{`rm -rf $*`, `rm -rf …`},
	{`rm -rf "${@}"`, `rm -rf …`},
	{`rm -rf "${@:2}"`, `rm -rf …`},
	{`shift; rm "$@"`, `rm …`},
	{`for f in "$@"; do rm "$f"; done`, `rm …`},
	{`for f; do rm "$f"; done`, `rm …`},
	{`a=("$@"); rm "${a[@]}"`, `rm …`},
	{`x="$*"; rm $x`, `rm …`},
	{`set -- a "$@"; rm "$@"`, `rm a …`},
	{`"$@"`, `… ; !run`},
	{`f() { rm "$@"; }; f a b`, `rm a b`},
	{`f() { rm "$@"; }; f`, `rm`},
	{`f() { rm "$@"; }; f "$@"`, `rm …`},
	{`bash -c 'rm "$@"'`, `rm`},
	{`set --; rm "$@"`, `rm`},
	{`w$@hoami`, `whoami`},
	{`r$@m -rf /`, `rm -rf /`},
	{`rm -rf /$@`, `rm -rf /`},
	{`rm -rf "/$@"`, `rm -rf /`},
	{`rm -rf "$*/"`, `rm -rf /`},
	{`echo "args: $@"`, `echo [args: ]`},
	{`[ $# -eq 0 ] && ls`, `[ … -eq 0 ] ; ls`},
	{`${1+"$@"}`, `… ; !run`},
	// programs that log another command
	{`strace -o /etc/passwd ls`, `ls 3>/etc/passwd`},
	{`strace -f -A -o log sh -c ls`, `: 3>>log ; ls`},
	{`strace --output=log ls > x`, `ls >x 3>log`},
	{`strace -o'|rm -rf ~' ls`, `rm -rf /home/u ; ls`},
	{`ltrace -o log ls`, `ls 3>log`},
	{`time -o log ls`, `ls 3>log`},
	{`/usr/bin/time -a -o log ls`, `ls 3>>log`},
	{`perf record -g -o log -- ls`, `ls 3>log`},
	{`valgrind --log-file=log ls`, `ls 3>log`},
	{`perf record -g -- ls`, `ls`},
	{`time -p ls`, `ls`},
	// a variable that may be set: both values count
	{`${X_TOKEN:-rm} -rf ~`, `… -rf /home/u ; rm -rf /home/u ; !opaque`},
	{`rm -rf ${X_TOKEN:-~}`, `rm -rf … ; rm -rf /home/u`},
	{`x=${X_TOKEN:-rm}; $x -rf ~`, `… -rf /home/u ; rm -rf /home/u ; !opaque`},
}

// TestTrapsAndShellState resolves lateRows.
func TestTrapsAndShellState(t *testing.T) {
	for _, row := range lateRows {
		if got := render(row.text, place); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.text, got, row.want)
		}
	}
}
