package resolve

import (
	"strconv"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

const million = 1 << 20

// hostileTexts are written to cost time or memory. Resolving each of them must end, and must report a
// problem if problem is set.
var hostileTexts = []struct {
	name    string
	text    string
	problem bool
}{
	{"one word", strings.Repeat("a", million), false},
	{"quoted", "echo '" + strings.Repeat("a b;", million/4) + "'", false},
	{"double quoted", "echo \"" + strings.Repeat("$x ", million/3) + "\"", true},
	{"words", "echo " + strings.Repeat("a ", million/2), true},
	{"statements", strings.Repeat("a;", million/2), true},
	{"pipes", strings.Repeat("a|", million/2) + "a", true},
	{"ands", strings.Repeat("a&&", million/3) + "a", true},
	{"assignments", strings.Repeat("a=1;", million/4), true},
	{"many variables", manyVariables(), true},
	{"redirections", "a " + strings.Repeat(">b ", million/3), true},
	{"expansions", "echo " + strings.Repeat("$a", million/2), true},
	{"substitutions", strings.Repeat("$(", 10_000) + strings.Repeat(")", 10_000), true},
	{"open substitutions", strings.Repeat("$(", 10_000), true},
	{"backquotes", strings.Repeat("`", 100_000), true},
	{"subshells", strings.Repeat("(", 10_000) + "ls" + strings.Repeat(")", 10_000), true},
	{"blocks", strings.Repeat("{ ", 10_000) + "ls;" + strings.Repeat("};", 10_000), true},
	{"ifs", strings.Repeat("if ", 100_000), true},
	{"ifs closed", strings.Repeat("if a; then ", 5000) + "b" + strings.Repeat("; fi", 5000), true},
	{"loops", strings.Repeat("while a; do ", 5000) + "b" + strings.Repeat("; done", 5000), true},
	{"arithmetic", "echo $((" + strings.Repeat("!", 100_000) + "1))", true},
	{"arithmetic brackets", "echo $((" + strings.Repeat("(", 10_000) + "1" + strings.Repeat(")", 10_000) + "))", true},
	{"ternaries", "echo $((" + strings.Repeat("1?1:", 50_000) + "1))", true},
	{"parameters", strings.Repeat("${a:-", 10_000) + "b" + strings.Repeat("}", 10_000), true},
	{"indices", "echo " + strings.Repeat("${a[", 10_000) + "b" + strings.Repeat("]}", 10_000), true},
	{"tests", "[[ " + strings.Repeat("! ", 100_000) + "a ]]", true},
	{"range", "rm {1..1000000}", false},
	{"range of ranges", "rm " + strings.Repeat("{1..99}", 10), false},
	{"alternatives", "rm " + strings.Repeat("{a,b}", 60), false},
	{"nested braces", "rm " + strings.Repeat("{a,", 20_000) + "b" + strings.Repeat("}", 20_000), true},
	{"open braces", "rm " + strings.Repeat("{", 200), false},
	{"doubling", "a=xxxxxxxx;" + strings.Repeat("a=$a$a;", 40) + "echo $a", true},
	{"doubling output", "a=x;" + strings.Repeat(`a=$(echo "$a$a");`, 40), true},
	{"doubling append", "a=x;" + strings.Repeat(`a+=$a;`, 40), true},
	{"doubling arrays", "a=(x y);" + strings.Repeat(`a=("${a[@]}" "${a[@]}");`, 40), true},
	{"doubling replace", "a=xx;" + strings.Repeat(`a=${a//x/xx};`, 40), false},
	{"recursive function", "f() { [ x ] && f a; f b; f c; f d; }; f", true},
	{"wide recursion", "f() { if a; then " + strings.Repeat("f x; ", 50) + "fi; }; f x", true},
	{"functions in a row", manyFunctions(), true},
	{"recursive alias", "alias a='a a'; a", false},
	{"mutual aliases", "alias a='b b'; alias b='a a'; a", false},
	{"growing alias", "alias a='b x; b x'; alias b='c x; c x'; alias c='d; d'; alias d='e; e'; a", false},
	{"eval of itself", `x='eval "$x"'; eval "$x"`, true},
	{"shells in shells", nestedEvals(40), true},
	{"nested loops", strings.Repeat("for i in {1..60}; do ", 5) + "a" + strings.Repeat("; done", 5), false},
	{"long loop", "for i in {1..100000}; do rm $i; done", false},
	{"here-documents", strings.Repeat("a <<E;", 20_000) + "\n" + strings.Repeat("E\n", 20_000), true},
	{"wrappers", strings.Repeat("nice ", 1000) + "rm x", false},
	{"xargs in xargs", strings.Repeat("xargs ", 1000) + "rm x", true},
	{"find in find", strings.Repeat("find . -exec ", 1000) + "rm x", true},
	{"sudo in sudo", strings.Repeat("sudo ", 1000) + "rm x", false},
	{"more wrappers than are taken off", strings.Repeat("nice ", 5000) + "rm x", true},
	{"wrappers in turn", strings.Repeat("nice env ", 1000) + "rm x", true},
	{"patterns", "x=" + strings.Repeat("a", 2000) + "; echo " + strings.Repeat("${x##*a*a*a*a*a*b} ", 500), false},
	{"replace patterns", "x=" + strings.Repeat("a", 2000) + "; echo " + strings.Repeat("${x//*a*a*b/c} ", 500), false},
	{"printf", "printf '" + strings.Repeat("%s", 5000) + "' " + strings.Repeat("a ", 5000) + "| sh", false},
	{"parse errors", strings.Repeat("a )\n", 100_000), true},
	{"long broken line", strings.Repeat("echo \"a ", 30_000), true},
	{"process substitutions", "a " + strings.Repeat("<(b) ", 5000), true},
	{"comments", strings.Repeat("#a\n", million/3), true},
	{"branches", "x=a;" + strings.Repeat("a && x=b || x=c; $x;", 3000), false},
	{"zeroes", strings.Repeat("\x00", 100_000), false},
	{"brackets", strings.Repeat("[", 100_000), true},
	{"backslashes", strings.Repeat("\\", 100_000), true},
	{"elif", "if a; then b; " + strings.Repeat("elif a; then b; ", 20_000) + "fi", true},
	{"case items", "case x in " + strings.Repeat("a) b;; ", 20_000) + "esac", true},
}

// manyVariables returns a command that sets 20,000 variables.
func manyVariables() string {
	var b strings.Builder
	for i := range 20_000 {
		b.WriteString("v" + strconv.Itoa(i) + "=1;")
	}
	return b.String() + "echo $v1 $v19999"
}

// manyFunctions returns a command with functions that each call the next one twice.
func manyFunctions() string {
	var b strings.Builder
	for i := range 60 {
		n, m := strconv.Itoa(i), strconv.Itoa(i+1)
		b.WriteString("f" + n + "() { f" + m + "; f" + m + "; }; ")
	}
	return b.String() + "f60() { rm x; }; f0"
}

// nestedEvals returns rm x inside n nested calls of eval, or fewer if the text gets too long.
func nestedEvals(n int) string {
	text := "rm x"
	for range n {
		text = "eval " + doubleQuote(text)
		if len(text) > 200_000 {
			break
		}
	}
	return text
}

// doubleQuote returns s in double quotes.
func doubleQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// TestHostileTextsEnd checks that hostileTexts are resolved within the limits.
func TestHostileTextsEnd(t *testing.T) {
	for _, row := range hostileTexts {
		t.Run(row.name, func(t *testing.T) {
			calls, problems := Calls(row.text, shell.Place{})
			if len(calls) > maxCalls {
				t.Errorf("%d calls", len(calls))
			}
			if got := len(problems) > 0; got != row.problem {
				t.Errorf("problems: %v, want some: %v", problems, row.problem)
			}
			if len(problems) > maxProblem {
				t.Errorf("%d problems", len(problems))
			}
		})
	}
}

// TestDangerInNoiseIsFound checks that a dangerous command before or after a lot of harmless text is
// found.
func TestDangerInNoiseIsFound(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("ls;", 200_000) + "rm -rf /",
		"rm -rf /;" + strings.Repeat("ls;", 200_000),
		"rm -rf /\n" + strings.Repeat("$(", 10_000),
		"rm -rf /; echo " + strings.Repeat("{a,b}", 100),
		"echo " + strings.Repeat("x", million) + "; rm -rf /",
		"echo '" + strings.Repeat("x y ", million/4) + "'; rm -rf /",
	} {
		calls, _ := Calls(text, shell.Place{})
		found := false
		for _, c := range calls {
			found = found || c.Name == "rm" && len(c.Args) == 2 && c.Args[1].Text == "/"
		}
		if !found {
			t.Errorf("%.40s…: rm is not seen", text)
		}
	}
}

// BenchmarkHostile measures hostileTexts.
func BenchmarkHostile(b *testing.B) {
	for _, row := range hostileTexts {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				Calls(row.text, shell.Place{})
			}
		})
	}
}
