package docs_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/text/term"
)

const picture = "picture.svg"

// tried is what the agent of README's picture does, and allowed what the person then types.
const (
	tried   = "git push --force origin main"
	allowed = "checkrein allow 5f08"
)

// TestPicture makes README's picture from a real run, of what Claude Code is told of a call
// and of what a person then does about it, and holds it against the one that
// is checked in. `make picture` writes it.
func TestPicture(t *testing.T) {
	t.Parallel()
	s := open(t)
	defer s.end()
	if !s.terminal() {
		return
	}
	var b bytes.Buffer
	agent := term.New(&b, term.Options{Colour: "always", Environ: []string{"COLUMNS=100"}})
	agent.Line(term.T(term.Strong, "● Bash("+tried+")"))
	for i, line := range s.named(lines(s.blocked("5f08 " + tried))) {
		style := term.Bad
		if i > 0 {
			style = term.Faint
		}
		agent.Text(2, 2, term.T(style, line))
	}
	agent.Blank()
	agent.Line(term.T(term.Strong, "$ "+allowed))
	s.do("unset NO_COLOR", false)
	out, _ := s.do(s.bound(allowed), true)
	shown := append(lines(b.String()), s.named(lines(s.shown(out)))...)
	now := draw(shown)
	if *update {
		if err := os.WriteFile(picture, []byte(now), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	if still(string(before)) != still(now) {
		t.Error("what README shows is not what happens: make picture, and look at it")
	}
}

// still is a picture without what differs from run to run.
func still(svg string) string {
	var out []string
	for line := range strings.Lines(svg) {
		out = append(out, general(strings.TrimRight(line, "\n")))
	}
	return strings.Join(out, "\n")
}

// colours are those of the codes that checkrein prints, on a dark ground.
var colours = map[string]string{"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "36": "#79c0ff"}

var code = regexp.MustCompile("\x1b\\[([0-9;]*)[a-zA-Z]")

// draw is a terminal as SVG.
func draw(screen []string) string {
	const size, height, pad, columns = 14.0, 20.0, 18.0, 100
	rows := fold(screen, columns)
	w, h := pad*2+columns*size*0.602, pad*2+height*float64(len(rows))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="%.0f">`+"\n", w, h, size)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>`+"\n")
	for i, row := range rows {
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f" fill="#e6edf3" xml:space="preserve">`, pad, pad+height*float64(i)+size)
		for _, p := range row {
			var text strings.Builder
			_ = xml.EscapeText(&text, []byte(p.text)) // to memory
			fmt.Fprintf(&b, "<tspan%s>%s</tspan>", p.look, text.String())
		}
		b.WriteString("</text>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// A piece is a text with one look, as attributes of SVG.
type piece struct{ look, text string }

// fold splits lines into pieces, and breaks those that are too long for the terminal.
func fold(screen []string, columns int) [][]piece {
	var rows [][]piece
	for _, line := range screen {
		var row []piece
		used, look := 0, ""
		put := func(text string) {
			for _, r := range text {
				if used == columns {
					rows, row, used = append(rows, row), nil, 0
				}
				if n := len(row); n > 0 && row[n-1].look == look {
					row[n-1].text += string(r)
				} else {
					row = append(row, piece{look, string(r)})
				}
				used++
			}
		}
		at := 0
		for _, m := range code.FindAllStringSubmatchIndex(line, -1) {
			put(line[at:m[0]])
			if line[m[1]-1] == 'm' {
				look = lookOf(line[m[2]:m[3]])
			}
			at = m[1]
		}
		put(line[at:])
		rows = append(rows, row)
	}
	return rows
}

func lookOf(codes string) string {
	out := ""
	for c := range strings.SplitSeq(codes, ";") {
		switch c {
		case "1":
			out += ` font-weight="bold"`
		case "2":
			out += ` opacity="0.65"`
		default:
			if colours[c] != "" {
				out += ` fill="` + colours[c] + `"`
			}
		}
	}
	return out
}
