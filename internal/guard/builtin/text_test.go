package builtin

import (
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"testing"
)

func TestText(t *testing.T) {
	t.Parallel()
	guardtest.Check(t, Truncate("abc", 3), "abc")
	guardtest.Check(t, Truncate("abcd", 3), "abc\n... (truncated)")
	guardtest.Check(t, Truncate("aé", 2), "a\n... (truncated)")
	guardtest.Check(t, Truncate("é", 1), "\n... (truncated)")
	guardtest.Check(t, QuoteIfOdd("a b é.txt"), "a b é.txt")
	guardtest.Check(t, QuoteIfOdd("a\n- b"), `"a\n- b"`)
	guardtest.Check(t, QuoteIfOdd("a\xff"), `"a\xff"`)
	guardtest.Check(t, QuoteIfOdd("a\u2028b"), `"a\u2028b"`)
}
