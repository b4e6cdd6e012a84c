package rawjson

import "testing"

func TestText(t *testing.T) {
	for name, tt := range map[string]struct {
		in, want string
		ok       bool
	}{
		"plain":                   {`"abc"`, "abc", true},
		"empty":                   {`""`, "", true},
		"white space around":      {" \"a b\"\n", "a b", true},
		"every escape":            {`"\"\\\/\b\f\n\r\t\u0041"`, "\"\\/\b\f\n\r\tA", true},
		"hexadecimal in any case": {`"\u00e9\u00E9"`, "éé", true},
		"NUL":                     {`"\u0000"`, "\x00", true},
		"pair":                    {`"\ud83d\ude00"`, "😀", true},
		"high half":               {`"\ud83d"`, "\ufffd", true},
		"high half, then text":    {`"\ud83dA"`, "\ufffdA", true},
		"high half, then escape":  {`"\ud83d\u0041"`, "\ufffdA", true},
		"low half":                {`"\ude00"`, "\ufffd", true},
		"halves the wrong way":    {`"\ude00\ud83d"`, "\ufffd\ufffd", true},
		"half, then a pair":       {`"\ud83d\ud83d\ude00"`, "\ufffd😀", true},
		"escaped backslash":       {`"\\u0041"`, `\u0041`, true},
		"ends in backslashes":     {`"a\\\\"`, `a\\`, true},
		"number":                  {"1", "", false},
		"null":                    {"null", "", false},
		"array":                   {`["a"]`, "", false},
		"nothing":                 {"", "", false},
		"unterminated":            {`"a`, "", false},
		"a quote":                 {`"`, "", false},
		"escaped end":             {`"a\"`, "", false},
		"two strings":             {`"a","b"`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := Text([]byte(tt.in)); got != tt.want || ok != tt.ok {
				t.Errorf("got %q, %v; want %q, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestTextAllocatesOnce(t *testing.T) {
	val := []byte(`"a command\nof several lines\nwith \"quotes\" and 漢字 and \u6f22"`)
	if n := testing.AllocsPerRun(10, func() { Text(val) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

func TestQuote(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"empty":             {"", `""`},
		"plain":             {"abc é漢😀", `"abc é漢😀"`},
		"quote, backslash":  {`a"b\c/`, `"a\"b\\c/"`},
		"short escapes":     {"\b\f\n\r\t", `"\b\f\n\r\t"`},
		"control":           {"\x00\x1b\x1f\x7f", `"\u0000\u001b\u001f` + "\x7f\""},
		"HTML is kept":      {"<a href='x'>&</a>", `"<a href='x'>&</a>"`},
		"line separators":   {"\u2028\u2029\u202a", `"\u2028\u2029` + "\u202a\""},
		"invalid utf-8":     {"a\xffb\xc0\x80", `"a\ufffdb\ufffd\ufffd"`},
		"U+FFFD itself":     {"\ufffd", "\"\ufffd\""},
		"surrogate as utf8": {"\xed\xa0\x80", `"\ufffd\ufffd\ufffd"`},
	} {
		t.Run(name, func(t *testing.T) {
			got := Quote(tt.in)
			if string(got) != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if err := Check(got); err != nil {
				t.Errorf("%s: %v", got, err)
			}
		})
	}
	if got := AppendString([]byte("x:"), "a"); string(got) != `x:"a"` {
		t.Errorf("AppendString: got %s", got)
	}
}
