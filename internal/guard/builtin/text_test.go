package builtin

import (
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"testing"
)

func TestText(t *testing.T) {
	t.Parallel()
	guardtest.CheckEqual(t, Truncate("abc", 3), "abc")
	guardtest.CheckEqual(t, Truncate("abcd", 3), "abc\n... (truncated)")
	guardtest.CheckEqual(t, Truncate("aé", 2), "a\n... (truncated)")
	guardtest.CheckEqual(t, Truncate("é", 1), "\n... (truncated)")
	guardtest.CheckEqual(t, QuoteUnprintable("a b é.txt"), "a b é.txt")
	guardtest.CheckEqual(t, QuoteUnprintable("a\n- b"), `"a\n- b"`)
	guardtest.CheckEqual(t, QuoteUnprintable("a\xff"), `"a\xff"`)
	guardtest.CheckEqual(t, QuoteUnprintable("a\u2028b"), `"a\u2028b"`)
}
