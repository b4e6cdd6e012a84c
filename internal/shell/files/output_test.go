package files

import (
	"slices"
	"testing"
)

// TestOutputFilesByRole has commands of programs without rules in this package, with the file that
// their arguments name as an output; "" means none.
func TestOutputFilesByRole(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ command, want string }{
		{"shuf -o /etc/x y", "/etc/x"},
		{"shuf -o/etc/x y", "/etc/x"},
		{"shuf -o y x", ""},
		{"git diff --output=/etc/x", "/etc/x"},
		{"git diff --output=x", ""},
		{"git -C /etc archive -o x HEAD", "/etc/x"},
		{"git archive -o ~/x HEAD", "/home/me/x"},
		{"uniq a /etc/x", "/etc/x"},
		{"uniq /etc/passwd", ""},
		{"xxd -r a /dev/sda", "/dev/sda"},
		{"split -b 1 a /etc/x", "/etc/x"},
		{"less -o /etc/x a", "/etc/x"},
		{"less /etc/passwd", ""},
		{"script /etc/x", "/etc/x"},
		{"logsave /etc/x ls", "/etc/x"},
		{"logsave -a x ls", ""},
		{"csplit -f /etc/x a 2", "/etc/x"},
		{"pdftoppm -r 72 a.pdf /etc/x", "/etc/x"},
		{"tesseract a.png /etc/x", "/etc/x"},
		{"pod2man a.pod /etc/x", "/etc/x"},
		{"pod2man /etc/a.pod", ""},
		{"cpp -I . a.c /etc/x", "/etc/x"},
		{"cpp /etc/a.c", ""},
		{"gcc -MF /etc/x a.c", "/etc/x"},
		{"valgrind --massif-out-file=/etc/x ls", "/etc/x"},
		{"node --heap-prof-dir=/etc --heap-prof-name=x a.js", "/etc/x"},
		{"node --tls-keylog=/etc/x a.js", "/etc/x"},
		{"tmux save-buffer -b 1 /etc/x", "/etc/x"},
		{"tmux show-buffer -b /etc/x", ""},
		{"tar cvf a.tar --index-file=/etc/x src", "/etc/x"},
		{"ffmpeg -y -i a /etc/x", "/etc/x"},
		{"ffmpeg -i a /etc/x", "/etc/x"},
		{"convert a.png /etc/x.png", "/etc/x.png"},
		{"docker cp a:/b /etc/x", "/etc/x"},
		{"docker cp /etc/x a:/b", ""},
		{"aws s3 cp s3://b/a /etc/x", "/etc/x"},
		{"aws s3 cp /etc/x s3://b/a", ""},
		{"kubectl get pods -o /etc/x", ""},
		{"grep -o /etc x", ""},
		{"ps -o /etc", ""},
		{"cd /etc && shuf -o x y", "/etc/x"},
		{"plutil -convert xml1 -o /etc/passwd x", "/etc/passwd"},
		{"curl --output-dir /etc -o x http://e", "/etc/x"},
		{"terser a.js --output ~/x", "/home/me/x"},
		{"newtool --output=/etc/x a", "/etc/x"},
		{"aarch64-linux-gnu-gcc -o /etc/x a.c", "/etc/x"},
		{"nmap -oN /etc/x host", "/etc/x"},
		{"yq -i .a=1 /etc/x", "/etc/x"},
		{"yq .a /etc/x", ""},
		{"protoc --go_out=/etc/x a.proto", "/etc/x"},
	} {
		got := changedPaths(t, tt.command, &here)
		if tt.want == "" && len(got) > 0 || tt.want != "" && !slices.Contains(got, tt.want) {
			t.Errorf("%s: changes %q, want %q", tt.command, got, tt.want)
		}
	}
}
