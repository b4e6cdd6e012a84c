package files

// An output is how a program is told which file it writes.
type output struct {
	name    string
	sub     string // words that come first, separated by slashes; * = any
	needs   string // options of which one must be there
	short   string // letters whose value is the file
	long    string // options whose value is the file
	into    string // options that name the directory which the files are in
	fetches bool   // without a name a file gets that of its address
	word    which  // the word that names the file
	values  string // options whose value is no such word
}

// A which says which word of a call names what it writes.
type which uint8

const (
	noWord which = iota
	firstWord
	secondWord
	lastWord     // of at least two
	behindOutput // the one behind the word output
	eachWord     // all are changed in place
)

// goFiles are the options of go test that name files.
const goFiles = "-o -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace --coverprofile --cpuprofile --memprofile"

// outputs are programs that others know, but whose outputs can hit a file that must
// not be hit; sorted by name, of which there may be several rows.
var outputs = [...]output{
	{name: "age", short: "o", long: "--output"},
	{name: "ar", word: secondWord, values: "--plugin --target"},
	{name: "aria2c", short: "ol", long: "--out --log --save-session", into: "-d --dir", fetches: true},
	{name: "arj", sub: "e", word: secondWord},
	{name: "arj", sub: "x", word: secondWord},
	{name: "as", short: "o"},
	{name: "az", sub: "storage/blob/download", short: "f", long: "--file"},
	{name: "base64", short: "o", long: "--output"},
	{name: "c++", short: "o"},
	{name: "c89", short: "o"},
	{name: "c99", short: "o"},
	{name: "cc", short: "o"},
	{name: "check_log", short: "O"},
	{name: "clang", short: "o"},
	{name: "clang++", short: "o"},
	{name: "coverage", short: "o", long: "--data-file"},
	{name: "csvtool", short: "o"},
	{name: "curl", short: "oDc", long: "--output --dump-header --cookie-jar --trace --trace-ascii --stderr --hsts --alt-svc --etag-save --libcurl", into: "--output-dir", fetches: true},
	{name: "dmidecode", long: "--dump-bin"},
	{name: "dos2unix", needs: "-n --newfile", word: secondWord},
	{name: "dos2unix", word: eachWord},
	{name: "dumpcap", short: "w"},
	{name: "exiftool", short: "o"},
	{name: "exiftool", needs: "-overwrite_original -overwrite_original_in_place -all", word: eachWord},
	{name: "exiftool", long: "-filename -Filename -FileName -testname -W -w"},
	{name: "g++", short: "o"},
	{name: "gcc", short: "o"},
	{name: "gfortran", short: "o"},
	{name: "gh", sub: "release/download", short: "O", long: "--output", into: "-D --dir", fetches: true},
	{name: "gh", sub: "run/download", into: "-D --dir", fetches: true},
	{name: "git", sub: "bundle/create", word: firstWord},
	{name: "git", sub: "apply", needs: "--unsafe-paths", into: "--directory", fetches: true},
	{name: "go", short: "o", long: goFiles},
	{name: "gpg", short: "o", long: "--output"},
	{name: "gs", short: "o", long: "-sOutputFile"},
	{name: "gtester", short: "o"},
	{name: "hashcat", short: "o", long: "--outfile"},
	{name: "http", short: "o", long: "--output"},
	{name: "inkscape", short: "o", long: "--export-filename"},
	{name: "ip6tables-save", short: "f", long: "--file"},
	{name: "iptables-save", short: "f", long: "--file"},
	{name: "jpegtran", long: "-outfile"},
	{name: "lame", word: lastWord, values: "-b -V -q -m"},
	{name: "latex", into: "-output-directory --output-directory", fetches: true},
	{name: "ld", short: "o", long: "--output -Map"},
	{name: "lualatex", into: "-output-directory --output-directory", fetches: true},
	{name: "lwp-download", word: secondWord},
	{name: "lz4", word: secondWord},
	{name: "m4", short: "F", long: "--freeze-state"},
	{name: "mac2unix", needs: "-n --newfile", word: secondWord},
	{name: "mac2unix", word: eachWord},
	{name: "mogrify", word: eachWord, values: "-resize -quality -format -path -crop -rotate -density -background -gravity -extent -depth -colorspace -strip -define"},
	{name: "mongodump", short: "o", long: "--archive --out"},
	{name: "mysql", long: "--tee"},
	{name: "mysqldump", short: "r", long: "--result-file --log-error"},
	{name: "nmap", long: "-oN -oX -oG -oA -oS"},
	{name: "nvcc", short: "o"},
	{name: "objcopy", word: lastWord, values: "-I -O -B -F -j -R -K -N -L -G -W"},
	{name: "openssl", long: "-out -keyout -writerand"},
	{name: "pandoc", short: "o", long: "--output --log"},
	{name: "pdflatex", into: "-output-directory --output-directory", fetches: true},
	{name: "pdftk", word: behindOutput},
	{name: "pg_dump", short: "f", long: "--file"},
	{name: "pg_dumpall", short: "f", long: "--file"},
	{name: "psql", short: "oL", long: "--output --log-file"},
	{name: "ptx", word: secondWord},
	{name: "rclone", sub: "copyto", word: secondWord},
	{name: "rclone", sub: "moveto", word: secondWord},
	{name: "redis-cli", long: "--rdb"},
	{name: "rustc", short: "o"},
	{name: "rustdoc", into: "-o --out-dir --output", fetches: true},
	{name: "script", short: "OIB", long: "--log-out --log-in --log-io --log-timing", word: firstWord, values: "-c --command -m -t -T -o -E -O -I -B"},
	{name: "sftp", word: lastWord, values: "-o -P -i -F -b -B -c -D -J -l -R -s -S -X"},
	{name: "sort", short: "o", long: "--output"},
	{name: "ssh-keygen", short: "f"},
	{name: "strace", short: "o", long: "--output"},
	{name: "strip", short: "o"},
	{name: "tcpdump", short: "w"},
	{name: "time", short: "o", long: "--output"},
	{name: "tree", short: "o"},
	{name: "tshark", short: "w"},
	{name: "unix2dos", needs: "-n --newfile", word: secondWord},
	{name: "unix2dos", word: eachWord},
	{name: "unix2mac", needs: "-n --newfile", word: secondWord},
	{name: "unix2mac", word: eachWord},
	{name: "update-alternatives", long: "--install"},
	{name: "uudecode", short: "o", long: "--output-file"},
	{name: "varnishlog", short: "w"},
	{name: "varnishncsa", short: "w"},
	{name: "wget", short: "Oo", long: "--output-document --output-file --save-cookies --rejected-log --warc-file --hsts-file", into: "-P --directory-prefix", fetches: true},
	{name: "wget2", short: "Oo", long: "--output-document --output-file", into: "-P --directory-prefix", fetches: true},
	{name: "wireshark", short: "w"},
	{name: "xelatex", into: "-output-directory --output-directory", fetches: true},
	{name: "xh", short: "o", long: "--output"},
	{name: "xmllint", long: "--output"},
	{name: "yq", long: "--output"},
	{name: "yq", needs: "-i --inplace", word: eachWord, values: "-p -o --input-format --output-format"},
	{name: "zig", long: "-femit-bin -femit-asm -femit-h"},
}
