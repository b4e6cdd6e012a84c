package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	t.Parallel()
	page := strings.ReplaceAll(`<!-- one
two -->
# Title

Running text
over two lines.

- first
  goes on
  - nested

  more of the first
- second

  '''sh
  echo '# no heading'
  '''

| a | b |
|---|---|
| 1 \| 2 | x |

    code without a fence

'''
    indented code
'''
1. counted
`, "'''", "```")
	want := []Block{
		{Kind: Comment, Line: 1, Text: "one\ntwo"},
		{Kind: Heading, Line: 3, Level: 1, Text: "Title"},
		{Kind: Paragraph, Line: 5, Text: "Running text over two lines."},
		{Kind: Item, Line: 8, Level: 2, Mark: "-", Text: "first goes on"},
		{Kind: Item, Line: 10, Level: 4, Mark: "-", Text: "nested"},
		{Kind: Paragraph, Line: 12, Level: 2, Text: "more of the first"},
		{Kind: Item, Line: 13, Level: 2, Mark: "-", Text: "second"},
		{Kind: Fence, Line: 15, Level: 2, Info: "sh", Text: "echo '# no heading'\n"},
		{Kind: Table, Line: 19, Rows: [][]string{{"a", "b"}, {"1 | 2", "x"}}},
		{Kind: Indented, Line: 23, Text: "code without a fence\n"},
		{Kind: Fence, Line: 25, Text: "    indented code\n"},
		{Kind: Item, Line: 28, Level: 3, Mark: "1.", Text: "counted"},
	}
	if diff := cmp.Diff(want, Parse(page)); diff != "" {
		t.Error(diff)
	}
}
