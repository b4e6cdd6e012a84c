package resolve

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// call is what a function makes of its values.
func (p *printing) call(name string, args []made) made {
	first, second := "", ""
	if len(args) > 0 {
		first = args[0].text
	}
	if len(args) > 1 {
		second = args[1].text
	}
	switch name[strings.LastIndexAny(name, ".:")+1:] {
	case "chr", "fromCharCode", "char":
		return made{text: p.chars(args)}
	case "bytes", "bytearray":
		if len(args) > 0 && !args[0].many {
			return args[0]
		}
		return made{text: p.chars(args)}
	case "map", "list":
		if len(args) == 2 && first == "chr" {
			return p.each(args[1])
		}
		if len(args) == 1 && args[0].many {
			return args[0]
		}
	case "b64decode", "atob", "decode_base64", "base64_decode", "decode64", "strict_decode64", "urlsafe_b64decode":
		return made{text: p.base64(first)}
	case "fromhex", "unhexlify", "hex2bin", "a2b_hex":
		text, _ := unhexed([]shell.Word{{Text: "-rp"}}, first)
		return made{text: text}
	case "pack":
		if first == "H*" {
			text, _ := unhexed([]shell.Word{{Text: "-rp"}}, second)
			return made{text: text}
		}
	case "from", "Buffer":
		if len(args) == 1 && args[0].many {
			return made{text: p.chars(args)}
		}
		return made{text: p.recoded(first, second)}
	case "decode":
		return made{text: p.recoded(first, second)}
	case "str_rot13":
		return made{text: facts.Rot13(first)}
	case "strrev", "reverse", "reversed":
		return made{text: backwards(first)}
	case "str", "String", "b", "unescape":
		return made{text: first}
	case "join":
		if len(args) == 2 && args[1].many {
			return made{text: strings.Join(args[1].list, first)}
		}
	}
	p.bad = true
	return made{}
}

// each makes characters of numbers.
func (p *printing) each(v made) made {
	out := made{many: true}
	for _, n := range v.list {
		out.list = append(out.list, p.char(n))
	}
	p.bad = p.bad || !v.many
	return out
}

func (p *printing) char(text string) string {
	n, ok := parsedNumber(text)
	if !ok || n < 0 || n > utf8.MaxRune {
		p.bad = true
		return ""
	}
	return string(rune(n))
}

// chars is the text of numbers.
func (p *printing) chars(args []made) string {
	var b strings.Builder
	for _, a := range args {
		list := a.list
		if !a.many {
			list = []string{a.text}
		}
		for _, n := range list {
			b.WriteString(p.char(n))
		}
	}
	return b.String()
}

func (p *printing) base64(text string) string {
	text = strings.NewReplacer("-", "+", "_", "/", "\n", "").Replace(strings.TrimRight(text, "=\n"))
	out, err := base64.RawStdEncoding.DecodeString(text)
	p.bad = p.bad || err != nil
	return string(out)
}

// recoded is a text read as an encoding says.
func (p *printing) recoded(text, as string) string {
	switch strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(as)) {
	case "base64", "base64url":
		return p.base64(text)
	case "hex":
		out, _ := unhexed([]shell.Word{{Text: "-rp"}}, text)
		return out
	case "rot13":
		return facts.Rot13(text)
	case "", "utf8", "ascii", "latin1", "binary":
		return text
	}
	p.bad = true
	return ""
}

// suffix does one thing that follows a value: .decode(), [::-1].
func (p *printing) suffix(s *string, v *made) bool {
	if rest, ok := strings.CutPrefix(*s, "[::-1]"); ok {
		*s = rest
		v.text = backwards(v.text)
		return true
	}
	if p.dots || !strings.HasPrefix(*s, ".") || strings.HasPrefix(*s, "..") {
		return false
	}
	n := 1
	for n < len(*s) && startsName((*s)[n]) {
		n++
	}
	name := (*s)[1:n]
	*s = (*s)[n:]
	var args []made
	if strings.HasPrefix(*s, "(") {
		*s = (*s)[1:]
		args = p.arguments(s, ')')
	}
	first, second := "", ""
	if len(args) > 0 {
		first = args[0].text
	}
	if len(args) > 1 {
		second = args[1].text
	}
	p.method(v, name, args, first, second)
	return !p.bad
}

// method does what a method of a text or a list does.
func (p *printing) method(v *made, name string, args []made, first, second string) {
	switch name {
	case "decode", "toString", "encode":
		if v.text = p.recoded(v.text, first); name == "encode" {
			p.bad = p.bad || strings.Contains(first, "64") || strings.Contains(first, "hex")
		}
	case "strip", "trim", "chomp", "rstrip":
		v.text = strings.TrimSpace(v.text)
	case "lower", "toLowerCase", "downcase":
		v.text = strings.ToLower(v.text)
	case "upper", "toUpperCase", "upcase":
		v.text = strings.ToUpper(v.text)
	case "reverse":
		v.text = backwards(v.text)
		for i, j := 0, len(v.list)-1; i < j; i, j = i+1, j-1 {
			v.list[i], v.list[j] = v.list[j], v.list[i]
		}
	case "split":
		if p.work += 16 * len(v.text); p.work > maxOutput {
			p.bad = true
			return
		}
		v.list, v.many = strings.Split(v.text, first), true
		if first == "" && len(args) == 0 {
			v.list = strings.Fields(v.text)
		}
	case "join":
		if v.many {
			v.text, v.many = strings.Join(v.list, first), false
		} else if len(args) == 1 && args[0].many {
			v.text = strings.Join(args[0].list, v.text)
		} else {
			p.bad = true
		}
	case "replace", "gsub", "replaceAll":
		if p.work += len(v.text) * (len(second) + 1); first == "" || p.work > maxOutput {
			p.bad = true
			return
		}
		v.text = strings.ReplaceAll(v.text, first, second)
	default:
		p.bad = true
	}
}
