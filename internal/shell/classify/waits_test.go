package classify_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
)

// TestWaitingPrograms checks that shells and interpreters without code or a script are reported as
// waiting for commands.
func TestWaitingPrograms(t *testing.T) {
	t.Parallel()
	for want, list := range map[bool]string{
		true: "bash|sh -i|sh -s|zsh -o vi|bash --norc|bash --rcfile x|python3|python3 -i|python3 -i x.py|python3.12 -q|node|node -i|php -a|irb|perl|lua|vim|ed|nohup bash|env -i sh|sh < /dev/tty|cd x && bash|script -c bash x",
		false: "bash -c ls|bash x.sh|bash -lc ls|sh < x|echo ls \\| sh|bash --version|python3 x.py|python3 -c 1|python3 -m x|python3 --version|python3 -V|node x.js|node -e 1|node --test|node -v|perl -e 1|perl -v|" +
			"php -r 1|vim -c wq x|ed x|emacs --batch x|docker exec -it x bash|ssh host bash|kubectl exec -it x -- sh|ls|bash <<< ls|python3 - < x",
	} {
		for command := range strings.SplitSeq(strings.ReplaceAll(list, `\|`, "\x00"), "|") {
			command = strings.ReplaceAll(command, "\x00", "|")
			r := classify.Command(command, shell.Place{Dir: "/w/p", Root: "/w/p", Home: "/home/u"})
			if got := slices.ContainsFunc(r.Effects, func(e shell.Effect) bool { return e.Rule == shell.RuleWaits }); got != want {
				t.Errorf("%s: waits %v, want %v", command, got, want)
			}
		}
	}
}
