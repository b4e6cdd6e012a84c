package ledger

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func aStamp() Stamp {
	return Stamp{
		Seq: 17, Kind: KindEvent, Time: time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC),
		Boot: "b1", Mono: 42, Prev: Hash{0xab},
	}
}

// TestLineFormatIsFixed guards the format, since ledgers outlive programs.
func TestLineFormatIsFixed(t *testing.T) {
	t.Parallel()
	s := aStamp()
	got, hash := AppendLine([]byte("before"), &s, []byte(`"a":1`), nil)
	want := `before{"v":1,"seq":17,"kind":"event","time":"2026-02-03T04:05:06.000000007Z","boot":"b1","mono":42,"prev":"ab` +
		strings.Repeat("0", 62) + `","a":1,"len":172,"hash":"` + hash.String() + "\"}\n"
	if string(got) != want {
		t.Errorf("line\n%s\nwant\n%s", got, want)
	}
	const sum = "7075e3733658a9e7"
	if !json.Valid(bytes.TrimPrefix(got, []byte("before"))) {
		t.Error("not JSON")
	}
	if !strings.HasPrefix(hash.String(), sum) {
		t.Errorf("hash %s, want %s…", hash, sum)
	}
}

// TestSealFormatIsFixed guards the format of seals.
func TestSealFormatIsFixed(t *testing.T) {
	t.Parallel()
	s := aStamp()
	got, hash := AppendLine(nil, &s, []byte(`"a":1`), Key{1, 2, 3}.Seals())
	const seal = "cf4d4d161663b64524185b49c7438d26"
	want := `{"v":1,"seq":17,"kind":"event","time":"2026-02-03T04:05:06.000000007Z","boot":"b1","mono":42,"prev":"ab` +
		strings.Repeat("0", 62) + `","a":1,"seal":"` + seal + `","len":214,"hash":"` + hash.String() + "\"}\n"
	if string(got) != want {
		t.Errorf("line\n%s\nwant\n%s", got, want)
	}
	sum := sha256.Sum256([]byte(want[:strings.LastIndex(want, `,"hash"`)]))
	if Hash(sum) != hash {
		t.Errorf("hash %s, want %x", hash, sum)
	}
	line, err := ParseLine(bytes.TrimSuffix(got, []byte("\n")))
	if err != nil || string(line.Members()) != `"a":1` {
		t.Errorf("members %s, %v", line.Members(), err)
	}
	// Only one spelling is a seal.
	capitals := strings.Replace(want, seal, strings.ToUpper(seal), 1)
	if line, err := ParseLine(lineFromBody(capitals[:strings.LastIndex(capitals, `,"len"`)])); err != nil || line.Sealed {
		t.Errorf("in capitals: %v, %v", line.Sealed, err)
	}
}

func TestMacIsHMAC(t *testing.T) {
	t.Parallel()
	for n := range 64 {
		key, text := [32]byte{byte(n), 9}, bytes.Repeat([]byte{byte(n)}, n+1)
		mac := hmac.New(sha256.New, key[:])
		mac.Write(text)
		if got := shortMAC(&key, text); !hmac.Equal(got[:], mac.Sum(nil)) {
			t.Errorf("%d bytes: %x", n+1, got)
		}
	}
}

func drawStamp(t *rapid.T) Stamp {
	text := rapid.StringMatching(`[ !#-\[\]-~]{0,12}`)
	return Stamp{
		Seq:  rapid.Uint64().Draw(t, "seq"),
		Kind: rapid.OneOf(text, rapid.SampledFrom([]string{KindEvent, KindTorn})).Draw(t, "kind"),
		Time: time.Unix(rapid.Int64Range(-62167219200, 253402300799).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC(),
		Boot: text.Draw(t, "boot"),
		Mono: rapid.Int64().Draw(t, "mono"),
		Prev: Hash(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "prev")),
	}
}

func drawMembers(t *rapid.T) []byte {
	var out []byte
	for i := range rapid.IntRange(0, 3).Draw(t, "members") {
		if i > 0 {
			out = append(out, ',')
		}
		val, err := json.Marshal(map[string]any{"len": rapid.Int().Draw(t, "len"), "prev": rapid.String().Draw(t, "val")})
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, `"m":`...), val...)
	}
	return out
}

func TestLineRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, members := drawStamp(t), drawMembers(t)
		var seals *Seals
		if rapid.Bool().Draw(t, "sealed") {
			seals = Key{3}.Seals()
		}
		line, hash := AppendLine(nil, &s, members, seals)
		raw := line[:len(line)-1]
		got, err := ParseLine(raw)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got.Stamp != s || got.Hash != hash || !bytes.Equal(got.Members(), members) {
			t.Fatalf("%+v with %s\nwant %+v with %s", got.Stamp, got.Members(), s, members)
		}
		if got.Sealed != (seals != nil) || got.Sealed && !seals.IsValid(&got) || (Key{4}).Seals().IsValid(&got) {
			t.Fatalf("sealed: %v, and it does not fit, or fits with another key", got.Sealed)
		}
		changed := bytes.Clone(raw)
		changed[rapid.IntRange(0, len(raw)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if _, err := ParseLine(changed); err == nil {
			t.Fatalf("changed and still a record: %s", changed)
		}
		if _, err := ParseLine(raw[:rapid.IntRange(0, len(raw)-1).Draw(t, "cut")]); err == nil {
			t.Fatal("cut and still a record")
		}
	})
}

// lineFromBody returns a line with the right length and hash from any text before its length.
func lineFromBody(body string) []byte {
	text := fmt.Appendf(nil, `%s,"len":%d`, body, len(body))
	return fmt.Appendf(text, `,"hash":"%x"}`, sha256.Sum256(text))
}

func TestOnlyOneSpelling(t *testing.T) {
	t.Parallel()
	s := aStamp()
	line, _ := AppendLine(nil, &s, nil, nil)
	body, _, _ := strings.Cut(string(line), `,"len":`)
	if _, err := ParseLine(lineFromBody(body)); err != nil {
		t.Fatalf("unchanged: %v", err)
	}
	for name, change := range map[string][2]string{
		"leading zero":     {`"seq":17`, `"seq":017`},
		"plus":             {`"seq":17`, `"seq":+17`},
		"no number":        {`"seq":17`, `"seq":`},
		"too large":        {`"seq":17`, `"seq":18446744073709551616`},
		"minus zero":       {`"mono":42`, `"mono":-0`},
		"mono too large":   {`"mono":42`, `"mono":9223372036854775808`},
		"mono too small":   {`"mono":42`, `"mono":-9223372036854775809`},
		"escape":           {`"boot":"b1"`, `"boot":"\u00621"`},
		"not ASCII":        {`"kind":"event"`, `"kind":"évent"`},
		"comma in time":    {`06.000000007Z`, `06,000000007Z`},
		"short fraction":   {`06.000000007Z`, `06.007Z`},
		"other zone":       {`06.000000007Z`, `06.00000000+1`},
		"no such day":      {`2026-02-03`, `2026-02-30`},
		"no such month":    {`2026-02-03`, `2026-13-03`},
		"no such hour":     {`T04:`, `T24:`},
		"leap second":      {`:06.`, `:60.`},
		"hash in capitals": {`"prev":"ab`, `"prev":"AB`},
		"hash too short":   {`"prev":"ab`, `"prev":"b`},
		"no hash":          {`"prev":"ab`, `"prev":"xb`},
		"other version":    {`"v":1`, `"v":2`},
		"space":            {`"seq":17`, `"seq": 17`},
	} {
		changed := strings.Replace(body, change[0], change[1], 1)
		if changed == body {
			t.Errorf("%s: nothing was changed", name)
		}
		if l, err := ParseLine(lineFromBody(changed)); err == nil {
			t.Errorf("%s: a record: %+v", name, l.Stamp)
		}
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	h := Hash{1, 0xfe}
	text, err := json.Marshal(h)
	if err != nil || string(text) != `"01fe`+strings.Repeat("0", 60)+`"` {
		t.Errorf("%s, %v", text, err)
	}
	var back Hash
	if err := json.Unmarshal(text, &back); err != nil || back != h {
		t.Errorf("%v, %v", back, err)
	}
	for _, bad := range []string{"", "01", strings.ToUpper(h.String()), h.String() + "00", strings.Repeat("x", 64)} {
		if _, ok := ParseHash(bad); ok {
			t.Errorf("%q is a hash", bad)
		}
		if json.Unmarshal([]byte(`"`+bad+`"`), &back) == nil {
			t.Errorf("%q is a hash in JSON", bad)
		}
	}
}

func FuzzParseLine(f *testing.F) {
	s := aStamp()
	line, _ := AppendLine(nil, &s, []byte(`"a":{"len":3,"hash":"x"}`), nil)
	f.Add(line[:len(line)-1], "")
	f.Add([]byte(nil), string(line[:180]))
	f.Add([]byte(`{"v":1,"seq":`), `{"v":1,"seq":1,"kind":"","time":"`)
	f.Fuzz(func(t *testing.T, raw []byte, body string) {
		for _, raw := range [][]byte{raw, lineFromBody(body)} { // with the right hash it gets further
			l, err := ParseLine(raw)
			if err != nil {
				continue
			}
			members := l.Members()
			if l.Sealed { // by whom does not matter here
				members = append(bytes.Clone(members), raw[bytes.LastIndex(raw, []byte(sealKey)):][:sealLen]...)
				members = bytes.TrimPrefix(members, []byte(","))
			}
			again, hash := AppendLine(nil, &l.Stamp, members, nil)
			if !bytes.Equal(again, append(bytes.Clone(raw), '\n')) || hash != l.Hash {
				t.Errorf("read   %s\nwrites %s", raw, again)
			}
		}
	})
}

func TestKey(t *testing.T) {
	t.Parallel()
	raw, _ := hex.DecodeString("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
	k, err := ParseKey(raw)
	if err != nil {
		t.Fatal(err)
	}
	// Computed elsewhere: ledgers outlive programs, so labels must not change.
	for label, want := range map[string]string{
		LabelHead: "4dabaf8d", LabelDigests: "497df9f8", LabelLines: "38dc43fc", LabelSigning: "e6ef6837",
	} {
		sum := k.Derive(label)
		if got := hex.EncodeToString(sum[:4]); got != want {
			t.Errorf("%s: %s, want %s", label, got, want)
		}
	}
	if got := k.ID(); got != "c3729963b30c8d20" {
		t.Errorf("id %s", got)
	}
	for _, n := range []int{0, 31, 33} {
		if _, err := ParseKey(make([]byte, n)); err == nil {
			t.Errorf("a key of %d bytes", n)
		}
	}
}

func aHead(key Key) Head {
	return Head{
		Ledger: key.ID(), Segment: 3, Began: time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC),
		Size: 12345, Seq: 17, Hash: Hash{0xab}, Boot: "b1",
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	key := Key{1, 2, 3}
	h := aHead(key)
	line := h.AppendSealed(nil, key)
	want := `{"ledger":"` + key.ID() + `","segment":3,"began":"2026-02-03T04:05:06.000000007Z","size":12345,"seq":17,"hash":"ab` +
		strings.Repeat("0", 62) + `","boot":"b1","mac":"`
	if !strings.HasPrefix(string(line), want) || len(line) != len(want)+64+len("\"}\n") {
		t.Errorf("head\n%swant\n%s…", line, want)
	}
	longer := append(bytes.Clone(line), "rest of a longer one\n"...)
	if got, err := ParseHead(longer, key); err != nil || got != h {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := ParseHead(nil, key); !errors.Is(err, ErrNoHead) {
		t.Errorf("no head: %v", err)
	}
	if _, err := ParseHead(line, Key{9}); !errors.Is(err, ErrHead) {
		t.Errorf("other key: %v", err)
	}
	for i := range line {
		if _, err := ParseHead(line[:i], key); i > 0 && !errors.Is(err, ErrHead) {
			t.Errorf("cut after %d bytes: %v", i, err)
		}
		for bit := range 8 {
			forged := bytes.Clone(line)
			forged[i] ^= 1 << bit
			if _, err := ParseHead(forged, key); !errors.Is(err, ErrHead) {
				t.Errorf("bit %d of byte %d: %v", bit, i, err)
			}
		}
	}
	if _, err := ParseHead((&Head{}).AppendSealed(nil, key), key); err != nil {
		t.Errorf("a head without records: %v", err)
	}
}

func BenchmarkParseLine(b *testing.B) {
	s := aStamp()
	line, _ := AppendLine(nil, &s, []byte(`"pad":"`+strings.Repeat("x", 800)+`"`), nil)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseLine(line[:len(line)-1]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppendLine measures the cost of a seal. One key is derived per record, as in a process that
// lives for one call.
func BenchmarkAppendLine(b *testing.B) {
	s, members := aStamp(), []byte(`"pad":"`+strings.Repeat("x", 1500)+`"`)
	for _, sealed := range []bool{false, true} {
		b.Run(fmt.Sprint(sealed), func(b *testing.B) {
			var buf []byte
			for b.Loop() {
				var seals *Seals
				if sealed {
					seals = Key{1}.Seals()
				}
				buf, _ = AppendLine(buf[:0], &s, members, seals)
			}
		})
	}
}
