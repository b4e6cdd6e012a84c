package yamldoc

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	for name, src := range map[string]string{
		"3docs": "a: 1\n---\n---\nb: 2\n",
		"bom": "\ufeffversion: 1\nhooks: {}\n",
		"mergelist": "a: &x {b: 1}\nc: &y {d: 2}\ne:\n  <<: [*x, *y]\n  f: 3\n",
		"mergescalar": "e:\n  <<: 5\n  f: 3\n",
		"floats": "a: 1.10\nb: 007\nc: 1e3\nd: 123456789012345678901234567890\ne: 0.1\nf: -0\ng: +5\nh: 1_0.5\ni: 0o17\nj: TRUE\nk: 0b11\nl: .5\nm: 5.\n",
		"directive": "%YAML 1.2\n---\na: 1\n",
		"docend": "a: 1\n...\nb: 2\n",
		"tagkey": "a: !!binary abc\n",
		"nullkey": "~: 1\n? \n: 2\n",
		"crlf": "a: 1\r\nb: \"x\\.y\"\r\n",
		"tab": "a:\t1\n",
		"dupmerge": "a: &x {b: 1}\nd:\n  b: 2\n  <<: *x\n",
		"dupkeyflow": "{a: 1, a: 2}",
		"dupkeyquoted": "a: 1\n\"a\": 2\n",
		"emptyflowval": "{a, b: }",
		"strkey": "? |\n  abc\n: 1\n",
		"comment": "# hi\n",
		"onlydash": "---\n",
		"selfmerge": "a: &x\n  <<: *x\n  b: 1\n",
		"anchorredef": "a: &x 1\nb: &x 2\nc: *x\n",
	} {
		n, w, err := Parse([]byte(src))
		if err != nil { fmt.Printf("%s: ERR %v\n", name, err); continue }
		fmt.Printf("%s: %s warnings=%v\n", name, n.JSON(), w)
	}
	big := func(name, src string) {
		start := time.Now()
		_, _, err := Parse([]byte(src))
		e := fmt.Sprint(err); if len(e) > 100 { e = e[:100] }
		fmt.Printf("BIG %s: %d bytes %v err=%v\n", name, len(src), time.Since(start).Round(time.Millisecond), e)
	}
	rep := func(s string, n int) string { return strings.Repeat(s, n/len(s)) }
	const M = 1 << 20 - 100
	for _, n := range []int{M/8, M/4} {
		big("lines", func() string { var b strings.Builder; for i := 0; b.Len() < n; i++ { fmt.Fprintf(&b, "k%d: v\n", i) }; return b.String() }())
		big("list", rep("- a\n", n))
		big("flow", "["+rep("a,", n)+"]")
		big("flowmap", "{"+func() string { var b strings.Builder; for i := 0; b.Len() < n; i++ { fmt.Fprintf(&b, "k%d: v,", i) }; return b.String() }()+"}")
		big("escapes", "a: \""+rep(`\.`, n)+"\"")
		big("anchors", "a: "+rep("&a ", n)+"b")
		big("tags", "a: "+rep("!a ", n)+"b")
		big("dashtab", rep("-\t", n)+"b")
		big("qmark", rep("?\n", n)+"b")
		big("colon", "a"+rep(": ", n))
		big("colonn", rep("a:\n", n))
		big("quotes", rep("'' ", n))
		big("dquotes", rep("\"\" ", n))
		big("block", "a: |\n"+rep("  x\n", n))
		big("comments", rep("# x\n", n))
		big("stars", "a: "+rep("* ", n))
		big("spaces", "a: "+rep(" ", n)+"b")
		big("newlines", "a: b"+rep("\n", n)+"c: d")
		big("pipe", rep("|\n", n))
		big("gt", rep("a: >\n", n))
		big("docs", rep("---\n", n))
		big("dashes-lines", rep("-\n", n))
		big("indent", func() string { var b strings.Builder; for i := 0; b.Len() < n && i < 2000; i++ { b.WriteString(strings.Repeat(" ", i)); b.WriteString("a:\n") }; return b.String() }())
		big("escapes at the end", "a: \""+rep(`x`, n)+strings.Repeat(`\.`, 150)+"\"")
		big("escapes after lines", func() string { var b strings.Builder; for i := 0; b.Len() < n; i++ { fmt.Fprintf(&b, "k%d: v\n", i) }; return b.String() }()+"z: \""+strings.Repeat(`\.`, 150)+"\"")
		big("long string lines", "a: \""+rep("x\n  ", n)+"\"")
	}
}
