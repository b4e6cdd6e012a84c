package resolve

import (
	"strconv"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestScriptsOnDiskAreFollowed checks that existing scripts are walked if they can be read.
func TestScriptsOnDiskAreFollowed(t *testing.T) {
	t.Parallel()
	disk := map[string]string{
		"/p/x.sh": "rm a\n", "/p/y": "#!/usr/bin/env python3\nprint(1)\n", "/p/outer.sh": ". ./x.sh\n", "/p/loop.sh": "sh loop.sh; rm b\n", "/p/d/Makefile": "all:\n\trm m\n",
		"/p/args.sh": "rm \"$1\"\n", "/p/start": "rm s\n", "/tmp/z.sh": "rm z\n",
	}
	place := shell.Place{Dir: "/p", Root: "/p", Home: "/home/u", Read: func(path string) (string, bool) { text, ok := disk[path]; return text, ok }}
	for _, row := range []struct{ text, want string }{
		{`sh x.sh`, `rm a`},
		{`./x.sh`, `rm a`},
		{`. ./x.sh`, `rm a`},
		{`nohup sh x.sh &`, `rm a`},
		{`sh args.sh q`, `rm q`},
		{`cat x.sh | sh`, `cat x.sh ; rm a`},
		{`sh < x.sh`, `: <x.sh ; rm a`},
		{`sh outer.sh`, `rm a`},
		{`sh loop.sh`, `rm b`},
		{`sh /tmp/z.sh`, `rm z`},
		{`./y b`, `python3 ./y b`},
		{`make -C d`, `make -C d ; (/p/d) rm m`},
		{`cd d && make`, `(/p/d) make ; (/p/d) rm m`},
		{`cp x.sh w.sh; sh w.sh`, `cp x.sh w.sh ; rm a`},
		{`echo 'rm n' >> x.sh; sh x.sh`, `echo [rm n] >>x.sh ; rm a ; rm n`},
		{`echo ls > x.sh; sh x.sh`, `echo ls >x.sh ; ls`},
		{`BASH_ENV=start bash -c ls`, `rm s ; ls`},
		{`sh none.sh`, `sh none.sh`},
		{`sh "$X"`, `sh …`},
	} {
		if got := render(row.text, place); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.text, got, row.want)
		}
	}
	place.Read = nil
	if got := render(`sh x.sh`, place); got != `sh x.sh` {
		t.Errorf("without Read: %s", got)
	}
}

// TestFileReadsAreBounded checks that a command cannot cause any number of file reads.
func TestFileReadsAreBounded(t *testing.T) {
	t.Parallel()
	asked := 0
	place := shell.Place{Dir: "/p", Read: func(string) (string, bool) { asked++; return "", false }}
	var text strings.Builder
	for i := range 1000 {
		text.WriteString("cat f" + strconv.Itoa(i) + "\n")
	}
	Calls(text.String(), place)
	if asked == 0 || asked > maxLookups {
		t.Errorf("asked %d times", asked)
	}
}
