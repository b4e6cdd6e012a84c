package known

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// file returns the content of a file with secrets, none of which is real, and their values.
func file() (text string, values []string) {
	values = []string{
		"sk-live_" + "9aX2kQp7Lm3Zt8Vw1Rb6", "Tr0ub4dor" + "&3xYz9!", "wJalr9XUtnFEMI/K7MDENG+bPxRfiCYz" + "q3Kd8Lp2",
		"7f3c9a1e5b8d" + "2046a9c3e7f10b5d8264", "q8" + "ZrT5mW",
	}
	text = fmt.Sprintf("APP_NAME=demo\nAPI_KEY=%s\nDB_PASSWORD=%q\nAWS_SECRET_ACCESS_KEY=%s\nexport SESSION_TOKEN='%s'\nMAIL_PASSWORD=%s # mail\nPORT=8080\n", values[0], values[1], values[2], values[3], values[4])
	return text, values
}

// shapes lists programs that print the file $F, or the value $V of it, in another shape. Each must print
// the whole value.
var shapes = []string{
	`cat $F`, `printf %s "$V"`, `fold -w1 $F`, `fold -w5 $F`, `fold -w7 $F | paste -sd' '`, `sed 's/./& /g' $F`, `sed 's/./&,/g' $F`,
	`sed 's/./& /g' $F | nl`, `sed "s/./'&', /g" $F`, `sed 's/./&-/g' $F`, `sed 's/./&_/g' $F`, `sed 's/./&:/g' $F`, `sed 's/./&./g' $F`, `sed 's/./&|/g' $F`,
	`tr -d '\n' <$F`, `tr a-z A-Z <$F`, `tr A-Z a-z <$F`, `tr A-Za-z N-ZA-Mn-za-m <$F`, `tr '_&!+/-' '      ' <$F`, `tr -d '&!+/_-' <$F`,
	`hexdump -C $F`, `hexdump -v -e '1/1 "%02x "' $F`, `hexdump -v -e '1/1 "0x%02x, "' $F`, `hexdump $F`, `hexdump -c $F`,
	`xxd $F`, `xxd -p $F`, `xxd -p -c 7 $F`, `xxd -c 5 $F`, `xxd -u $F`, `xxd -i $F`, `xxd -g1 $F`, `xxd -b $F`, `xxd -p $F | sed 's/../&:/g'`, `xxd -p $F | sed 's/../%&/g'`, `xxd -p $F | sed 's/../\\\\x&/g'`,
	`od -c $F`, `od -An -c $F`, `od -b $F`, `od -x $F`, `od -tx1 $F`, `od -An -tx1 $F`, `od -An -tx1 -v $F | tr -d ' \n'`, `od -td1 $F`, `od -An -tu1 $F`, `od -tx1z $F`, `od -a $F`, `od -A x -t x1z -v $F`,
	`base64 $F`, `base64 -w0 $F`, `printf %s "$V" | base64`, `printf 'x%s' "$V" | base64`, `printf 'xx%s' "$V" | base64`, `base64 $F | tr '+/' '-_'`, `base64 $F | rev`, `base64 $F | nl`, `base64 -w1 $F`,
	`base32 $F`, `printf 'abc%s' "$V" | base32`,
	`rev $F`, `fold -w5 $F | rev`, `printf %s "$V" | rev | fold -w3`, `tac $F`,
	`cat -n $F`, `nl -ba $F`, `cat -A $F`, `grep -o . $F`, `grep -no . $F`, `grep -n '' $F`, `fold -w1 $F | cat -n`, `fold -w4 $F | nl -ba`, `fold -w6 $F | grep -n .`, `fold -w9 $F | awk '{print NR ") " $0}'`, `fold -w9 $F | awk '{print "[" NR "] " $0}'`,
	`sed -n l $F`, `cut -c1-500 $F`, `python3 -c 'print(repr(open("'$F'").read()))'`, `python3 -c 'print(list(open("'$F'").read()))'`, `python3 -c 'print(*open("'$F'").read())'`,
	`python3 -c 'print(list(open("'$F'","rb").read()))'`, `python3 -c 'print([hex(c) for c in open("'$F'","rb").read()])'`, `python3 -c 'print(open("'$F'").read()[::-1])'`,
	`python3 -c 'import json; print(json.dumps(open("'$F'").read()))'`, `python3 -c 'import json; print(json.dumps(json.dumps(open("'$F'").read())))'`,
	`python3 -c 'import urllib.parse as u; print(u.quote(open("'$F'").read()))'`, `python3 -c 'print("".join("%%%02X" % ord(c) for c in open("'$F'").read()))'`,
	`python3 -c 'print("".join("\\u%04x" % ord(c) for c in open("'$F'").read()))'`, `python3 -c 'print("".join("&#%d;" % ord(c) for c in open("'$F'").read()))'`,
	`python3 -c 'print("".join("&#x%x;" % ord(c) for c in open("'$F'").read()))'`, `python3 -c 'import html; print(html.escape(open("'$F'").read()))'`,
	`python3 -c 'print("".join("\\%03o" % ord(c) for c in open("'$F'").read()))'`,
}

// TestShapes checks that each value of a file is found in each shape in which a program may show it.
func TestShapes(t *testing.T) {
	t.Parallel()
	text, values := file()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	list := AppendValues(nil, text, ".env")
	m := NewMatcher(list)
	run := func(shape, value string) (string, bool) {
		cmd := exec.Command("bash", "-c", shape)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "F="+path, "V="+value)
		out, err := cmd.Output()
		if err != nil {
			t.Logf("not tried: %s: %v", shape, err)
		}
		return string(out), err == nil
	}
	found, tried := 0, 0
	for _, shape := range shapes {
		shown, ok := run(shape, "")
		for _, value := range values {
			if strings.Contains(shape, "$V") {
				shown, ok = run(shape, value)
			}
			if !ok {
				break
			}
			tried++
			if slices.ContainsFunc(m.Find(shown), func(f Match) bool { return list[f.Value].Text == value }) {
				found++
			} else {
				t.Errorf("%s: %s is not found", shape, value)
			}
		}
	}
	t.Logf("%d of %d found, in %d shapes", found, tried, len(shapes))
}

// TestSpans checks that what is found is the value and not more.
func TestSpans(t *testing.T) {
	t.Parallel()
	const value = "p@9aX2k-Qp7Lm3Zt8Vw1!"
	m := NewMatcher([]Value{{value, "x", ".env"}})
	for _, c := range []struct{ text, want string }{
		{"before " + value + " after", value},
		{"before p@9aX2k-Qp7Lm3Zt8Vw1 after", "p@9aX2k-Qp7Lm3Zt8Vw1"},
		{"before p 9aX2k Qp7L,m3Zt8Vw1 after", "p 9aX2k Qp7L,m3Zt8Vw1"},
		{"x cEA5YVgyay1RcDdMbTNadDhWdzEh y", "cEA5YVgyay1RcDdMbTNadDhWdzEh"},
		{"x MTpwQDlhWDJrLVFwN0xtM1p0OFZ3MSE= y", "pwQDlhWDJrLVFwN0xtM1p0OFZ3MSE"},
		{"x 703961583261 y", ""},
		{"00000000  70 40 39 61 58 32 6b 2d  51 70 37 4c 6d 33 5a 74  |p@9aX2k-Qp7Lm3Zt|\n00000010  38 56 77 31 21 0a  |8Vw1!.|\n",
			"70 40 39 61 58 32 6b 2d  51 70 37 4c 6d 33 5a 74  |p@9aX2k-Qp7Lm3Zt|\n00000010  38 56 77 31 21 0a  |8Vw1!"},
	} {
		list := m.Find(c.text)
		got := ""
		if len(list) > 0 {
			end := 0
			for _, f := range list {
				end = max(end, f.End)
			}
			got = c.text[list[0].Start:end]
		}
		if got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// TestValues checks which values of a file are compared.
func TestValues(t *testing.T) {
	t.Parallel()
	text := "NODE_ENV=production\nDEBUG=true\nPORT=8080\nDB_PASSWORD=postgres\nDB_NAME=inventory_production\nAPI_KEY=your-api-key-here\nAPI_TOKEN=changeme123\n" +
		"HOST_URL=https://service.example.com/path\nSECRET_KEY=0000000000000000\nAWS_ACCOUNT_ID=123456789012\nTOKEN_TTL_SECONDS=86400000\nSESSION_SECRET=development\n" +
		"PUBLIC_KEY=9aX2kQp7Lm3Zt8Vw1Rb6\nAUTH_TOKEN=${OTHER_TOKEN}\nPRIVATE_KEY_PATH=/etc/ssl/private/server.key\nGIT_SHA=3f786850e387550fdab836ed7e6dc881de23001b\n"
	if list := AppendValues(nil, text, ".env"); len(list) > 0 {
		t.Errorf("%+v", list)
	}
	key := "-----BEGIN PRIVATE " + "KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDK8f3kL2mN\nq7Xv0PzR1tYw5uE9sA4bG6hJ3dF8kM2nC7xV1zQ5rT0yW9eU4iO6pL3aS8dG\n-----END PRIVATE " + "KEY-----\n"
	if list := AppendValues(nil, key, "key.pem"); len(list) < 2 {
		t.Errorf("the lines of a key: %+v", list)
	}
	if list := AppendValues(nil, "q8"+"ZrT5mWx0Kd3\n", ".token"); len(list) != 1 {
		t.Errorf("a file with a token alone: %+v", list)
	}
}
