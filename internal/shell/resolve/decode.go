package resolve

import (
	"encoding/base64"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// decoded is the output of base64 -d and its kin.
func decoded(c *shell.Call, in string) (string, bool) {
	decode, wide, b32, hex := false, c.Name != "openssl", c.Name == "base32", false
	for i, a := range c.Args {
		switch a.Text {
		case "-d", "--decode", "-D", "-di", "-id":
			decode = true
		case "base64", "-base64", "-a":
			wide = true
		case "--base32":
			b32 = true
		case "--base16":
			hex = true
		case "-i", "--ignore-garbage", "-A", "enc", "-", "--base64", "--base64url", "/dev/stdin":
		case "-w":
		default:
			// A long flag may be shortened as long as it is clear.
			if len(a.Text) > 3 && strings.HasPrefix("--decode", a.Text) {
				decode = true
			} else if strings.HasPrefix(a.Text, "-") || i > 0 && c.Args[i-1].Text == "-w" {
				continue
			} else {
				return "", false
			}
		}
	}
	if !wide {
		return "", false
	}
	if !decode {
		if b32 || c.Name == "openssl" {
			return "", false
		}
		return base64.StdEncoding.EncodeToString([]byte(in)) + "\n", true
	}
	if hex {
		return unhexed([]shell.Word{{Text: "-rp"}}, in)
	}
	text := strings.NewReplacer("\n", "", "\r", "", " ", "", "-", "+", "_", "/").Replace(in)
	text = strings.TrimRight(text, "=")
	if b32 {
		return base32Text(text), true
	}
	out, err := base64.RawStdEncoding.DecodeString(text)
	return string(out), err == nil || len(out) > 0
}

// base32Text decodes five bits a letter.
func base32Text(text string) string {
	var out []byte
	acc, have := 0, 0
	for i := range len(text) {
		v := strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", text[i])
		if v < 0 {
			continue
		}
		acc, have = acc<<5|v, have+5
		if have >= 8 {
			have -= 8
			out = append(out, byte(acc>>have))
			acc &= 1<<have - 1
		}
	}
	return string(out)
}

// unhexed is the output of xxd -r -p.
func unhexed(args []shell.Word, in string) (string, bool) {
	back, plain := false, false
	for _, a := range args {
		if len(a.Text) < 2 || a.Text[0] != '-' {
			return "", false
		}
		back = back || strings.Contains(a.Text, "r")
		plain = plain || strings.Contains(a.Text, "p")
	}
	if !plain {
		return "", false
	}
	if !back {
		const hex = "0123456789abcdef"
		var b []byte
		for i := range len(in) {
			b = append(b, hex[in[i]>>4], hex[in[i]&15])
		}
		return string(b) + "\n", len(in) <= 30
	}
	var out []byte
	in = strings.TrimPrefix(in, "0x")
	high, half := 0, false
	for i := range len(in) {
		d := digit(in[i])
		if d > 15 {
			continue
		}
		if half {
			out = append(out, byte(high<<4|d))
		}
		high, half = d, !half
	}
	return string(out), true
}

// translated is the output of tr.
func translated(args []shell.Word, in string) (string, bool) {
	remove, squeeze := false, false
	for len(args) > 0 && len(args[0].Text) > 1 && args[0].Text[0] == '-' {
		switch args[0].Text {
		case "-d", "--delete":
			remove = true
		case "-s", "--squeeze-repeats":
			squeeze = true
		default:
			return "", false
		}
		args = args[1:]
	}
	if len(args) == 0 || !args[0].Known() {
		return "", false
	}
	from, ok := charSet(args[0].Text)
	var to string
	if len(args) > 1 {
		if !args[1].Known() {
			return "", false
		}
		more := true
		to, more = charSet(args[1].Text)
		ok = ok && more
	}
	if !ok {
		return "", false
	}
	if !remove && to == "" && !squeeze {
		return "", false
	}
	out := make([]byte, 0, len(in))
	for i := range len(in) {
		c := in[i]
		j := strings.IndexByte(from, c)
		if j >= 0 && remove {
			continue
		}
		if j >= 0 && to != "" {
			c = to[min(j, len(to)-1)]
		}
		if squeeze && j >= 0 && len(out) > 0 && out[len(out)-1] == c {
			continue
		}
		out = append(out, c)
	}
	return string(out), true
}

// charSet writes out a set of tr: a-z, [:upper:], \n. It reports false when it does
// not know how, or when the set is too long.
func charSet(s string) (string, bool) {
	raw := make([]byte, 0, len(s))
	if strings.Contains(s, "[=") || strings.Contains(s, "*]") || isRepeat(s) {
		return "", false
	}
	for i := 0; i < len(s); {
		if len(raw) > 4096 {
			return "", false
		}
		if strings.HasPrefix(s[i:], "[:") {
			if end := strings.Index(s[i:], ":]"); end > 0 {
				for c := range 128 {
					if named(s[i+2:i+end], byte(c)) {
						raw = append(raw, byte(c))
					}
				}
				i += end + 2
				continue
			}
		}
		lo, n := setChar(s[i:])
		i += n
		if i+1 < len(s) && s[i] == '-' {
			hi, m := setChar(s[i+1:])
			i += 1 + m
			for c := int(lo); c <= int(hi); c++ {
				raw = append(raw, byte(c))
			}
			continue
		}
		raw = append(raw, lo)
	}
	return string(raw), true
}

// isRepeat reports whether a set of tr may repeat a character: [x*5].
func isRepeat(s string) bool {
	i := strings.IndexByte(s, '*')
	return i > 1 && s[i-2] == '[' && strings.IndexByte(s[i:], ']') > 0
}

func setChar(s string) (byte, int) {
	if s[0] != '\\' || len(s) < 2 {
		return s[0], 1
	}
	out, n, _ := escape(nil, s[1:], false)
	if len(out) != 1 {
		return s[1], 2
	}
	return out[0], 1 + n
}

// ends is the output of head and tail.
func ends(c *shell.Call, in string) (string, bool) {
	count, bytes := 10, false
	for i, a := range c.Args {
		t := a.Text
		switch {
		case t == "-n" || t == "-c" || t == "--lines" || t == "--bytes":
			if i+1 >= len(c.Args) {
				return "", false
			}
			count, bytes = number(c.Args[i+1].Text), strings.Contains(t, "c") || t == "--bytes"
		case strings.HasPrefix(t, "-n") || strings.HasPrefix(t, "-c"):
			count, bytes = number(t[2:]), t[1] == 'c'
		case len(t) > 1 && t[0] == '-' && isNumber(t[1:]):
			count = number(t[1:])
		case i > 0 && isNumber(t):
		default:
			return "", false
		}
	}
	if count == 1<<30 {
		return "", false
	}
	if bytes {
		if c.Name == "head" {
			return in[:min(count, len(in))], true
		}
		return in[max(len(in)-count, 0):], true
	}
	lines := strings.SplitAfter(in, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if c.Name == "head" {
		lines = lines[:min(count, len(lines))]
	} else {
		lines = lines[max(len(lines)-count, 0):]
	}
	return strings.Join(lines, ""), true
}

// uudecoded is the file that uudecode makes, and what is in it; "" = it prints it.
func uudecoded(c *shell.Call, in string) (name, text string, ok bool) {
	head, body, _ := strings.Cut(in, "\n")
	parts := strings.Fields(head)
	if len(parts) != 3 || parts[0] != "begin" {
		return "", "", false
	}
	name = parts[2]
	for i, a := range c.Args {
		switch {
		case a.Text == "-p":
			name = ""
		case a.Text == "-o" && i+1 < len(c.Args):
			name = c.Args[i+1].Text
		}
	}
	if name == "/dev/stdout" || name == "-" {
		name = ""
	}
	var out []byte
	for line := range strings.Lines(body) {
		if line = strings.TrimRight(line, "\r\n"); line == "end" || line == "" || line == "`" {
			break
		}
		n := int(line[0]-' ') & 63
		var group []byte
		for i := 1; i+3 < len(line)+3; i += 4 {
			var v uint32
			for j := range 4 {
				v <<= 6
				if i+j < len(line) {
					v |= uint32(line[i+j]-' ') & 63
				}
			}
			group = append(group, byte(v>>16), byte(v>>8), byte(v))
		}
		out = append(out, group[:min(n, len(group))]...)
	}
	return name, string(out), true
}
