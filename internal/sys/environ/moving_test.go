package environ

import (
	"slices"
	"testing"
)

func TestWithoutRedirects(t *testing.T) {
	t.Parallel()
	in := []string{"A=1", "HTTPS_PROXY=x", "https_proxy=x", "ALL_PROXY=x", "no_proxy=x", "SSL_CERT_FILE=x", "SSL_CERT_DIR=x", "GODEBUG=x", "RES_OPTIONS=x", "LOCALDOMAIN=x", "HTTPS_PROXY_X=2", "OPENAI_API_KEY=k"}
	if got := WithoutConnectionRedirects(in); !slices.Equal(got, []string{"A=1", "HTTPS_PROXY_X=2", "OPENAI_API_KEY=k"}) {
		t.Errorf("%q", got)
	}
}
