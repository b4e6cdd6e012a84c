package value

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
)

// IsPublishedExample reports whether val contains an example from a standard or from a program's
// documentation.
func IsPublishedExample(val string) bool {
	if len(val) > lex.LongReach {
		return false
	}
	for _, part := range publishedParts {
		if strings.Contains(val, part) {
			return true
		}
	}
	return lex.HasPrefixFold(val, "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about") || lex.HasPrefixFold(val, "test test test test test test test test test test test junk")
}

// publishedParts lists a distinctive part of each published example.
var publishedParts = [...]string{
	"SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",                   // jwt.io
	"XbPfbIHMI6arZ3Y922BhjWgQzWXcXNrz0ogtVhfEd2o",                   // jwt.io, older
	"TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ",                   // jwt.io, oldest
	"eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0K", // RFC 7519
	"mF_9.B5f-4.1JqM",                              // RFC 6750
	"QWxhZGRpbjpvcGVuIHNlc2FtZQ",                   // RFC 7617
	"QWxhZGRpbjpPcGVuU2VzYW1l",                     // RFC 2617
	"YWxhZGRpbjpvcGVuc2VzYW1l",                     // MDN
	"czZCaGRSa3F0Mzo",                              // RFC 6749
	"2YotnFZFEjr1zCsicMWpAA",                       // RFC 6749
	"tGzv3JOkF0XG5Qx2TlKWIA",                       // RFC 6749
	"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6", // Azurite
	"C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2n", // the Cosmos DB emulator
}
