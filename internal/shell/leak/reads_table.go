package leak

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A readRow says which words of a program are files that it shows, in whole, in
// another form, or line by line in what it complains about.
type readRow struct {
	name  string
	flags string // options whose value is such a file; "*" = every word, "file:" = what is behind file://, "etc:" = names of files in /etc
}

// readRows are sorted by name. A program that shows a file only by an option is not
// one that shows files: `file KEY` says what it is, `file -f KEY` prints its lines.
var readRows = [...]readRow{
	{"alpine", "-F"},
	{"apache2", "-f -C -c"},
	{"apache2ctl", "-f -C -c"},
	{"ar", "*"},
	{"arj", "*"},
	{"arp", "-f --file"},
	{"as", "*"},
	{"ascii-xfr", "*"},
	{"ascii85", "*"},
	{"aspell", "*"},
	{"atobm", "*"},
	{"aws", "file:"},
	{"base58", "*"},
	{"basez", "*"},
	{"bbot", "-cy -c"},
	{"bc", "*"},
	{"bconsole", "-c"},
	{"bridge", "-b -batch"},
	{"c89", "*"},
	{"c99", "*"},
	{"cc", "*"},
	{"check_cups", "--extra-opts"},
	{"check_log", "-F"},
	{"check_memory", "--extra-opts"},
	{"check_raid", "--extra-opts"},
	{"check_statusfile", "*"},
	{"clamscan", "-f --file-list"},
	{"cmake", "*"},
	{"cmp", "*"},
	{"csplit", "*"},
	{"csvtool", "*"},
	{"cupsfilter", "*"},
	{"curl", "file:"},
	{"date", "-f --file"},
	{"dialog", "*"},
	{"dig", "-f"},
	{"dmesg", "-F -rF --file"},
	{"dos2unix", "-O --to-stdout"},
	{"ed", "*"},
	{"efax", "-d"},
	{"emacs", "*"},
	{"eqn", "*"},
	{"espeak", "-f -qXf"},
	{"expect", "*"},
	{"fastfetch", "--file --file-raw -l --logo --source"},
	{"file", "-f -m --files-from --magic-file"},
	{"fping", "-f --file"},
	{"g++", "*"},
	{"gcc", "*"},
	{"genisoimage", "*"},
	{"getent", "etc:"},
	{"highlight", "*"},
	{"ip", "-b -batch"},
	{"ksshell", "-i"},
	{"last", "-f --file"},
	{"lastb", "-f --file"},
	{"links", "*"},
	{"logrotate", "*"},
	{"look", "*"},
	{"ltrace", "-F"},
	{"lwp-download", "file:"},
	{"lwp-request", "file:"},
	{"m4", "*"},
	{"man", "*"},
	{"mkisofs", "*"},
	{"mosquitto", "-c"},
	{"msgattrib", "*"},
	{"msgcat", "*"},
	{"msgconv", "*"},
	{"msgfilter", "*"},
	{"msgmerge", "*"},
	{"msguniq", "*"},
	{"mtr", "-F --filename"},
	{"mutt", "-F"},
	{"mypy", "*"},
	{"nano", "*"},
	{"nasm", "*"},
	{"neofetch", "--ascii --source"},
	{"nft", "-f --file"},
	{"nm", "*"},
	{"nmap", "-iL"},
	{"nroff", "*"},
	{"ntpdate", "-k"},
	{"openvpn", "--config"},
	{"pandoc", "*"},
	{"pax", "*"},
	{"pg", "*"},
	{"pic", "*"},
	{"pico", "*"},
	{"ptx", "*"},
	{"pyright", "*"},
	{"qpdf", "--add-attachment"},
	{"rake", "-f --rakefile"},
	{"readelf", "*"},
	{"redcarpet", "*"},
	{"rustc", "*"},
	{"rustdoc", "*"},
	{"rustfmt", "*"},
	{"shuf", "*"},
	{"soelim", "*"},
	{"ss", "-F --filter"},
	{"ssh", "-F"},
	{"ssh-keyscan", "-f"},
	{"sysctl", "*"},
	{"tbl", "*"},
	{"tic", "*"},
	{"tmux", "-f"},
	{"troff", "*"},
	{"tsc", "*"},
	{"ul", "*"},
	{"unexpand", "*"},
	{"urlget", "*"},
	{"vi", "*"},
	{"vim", "*"},
	{"w3m", "*"},
	{"wall", "*"},
	{"wc", "--files0-from"},
	{"wget", "-i --input-file"},
	{"whiptail", "*"},
	{"xmodmap", "*"},
	{"xmore", "*"},
	{"xpad", "-f --file"},
	{"yelp", "*"},
	{"zsoelim", "*"},
}

// readsOf is the row of a program, or nil.
func readsOf(name string) *readRow {
	lo, hi := 0, len(readRows)
	for lo < hi {
		if m := int(uint(lo+hi) >> 1); readRows[m].name < name {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(readRows) && readRows[lo].name == name {
		return &readRows[lo]
	}
	return nil
}

// shown looks at the files that a row is about. They may stand behind @, file:// or
// man:.
func (row *readRow) shown(c *shell.Call, look func(string) bool) {
	for i := range c.Args {
		t := c.Args[i].Text
		name, value, given := strings.Cut(t, "=")
		switch {
		case row.flags == "etc:": // getent shadow
			look("/etc/" + t)
			continue
		case row.flags == "file:":
			if strings.HasPrefix(t, "file://") {
				look(plainName(t))
			}
			continue
		case row.flags == "*" && t != "" && t[0] != '-':
			value = t
		case isFlag(row.flags, name) && given:
		case i > 0 && isFlag(row.flags, c.Args[i-1].Text):
			value = t
		default:
			continue
		}
		look(plainName(value))
		if _, rest, ok := strings.Cut(value, " "); ok { // Include FILE
			look(rest)
		}
	}
}

func isFlag(list, word string) bool {
	for one := range strings.FieldsSeq(list) {
		if one == word && word != "*" {
			return true
		}
	}
	return false
}

// plainName cuts off what may stand before the name of a file.
func plainName(text string) string {
	text = strings.TrimPrefix(text, "@")
	if rest, ok := strings.CutPrefix(text, "file://"); ok {
		return rest
	}
	return strings.TrimPrefix(text, "man:")
}
