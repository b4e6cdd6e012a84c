package usage

import "testing"

func TestUnloadURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ base, api, want string }{
		{"http://h:1/engines/v1", "", "http://h:1/engines/_unload"},
		{"http://h:1/engines/v1/", "", "http://h:1/engines/_unload"},
		{"http://h/engines/llama.cpp/v1", "", "http://h/engines/llama.cpp/_unload"},
		{"http://h", "", "http://h/_unload"},
		{"http://h/v1?x=1#y", "", "http://h/_unload"},
		{"http://h/v12", "", "http://h/v12/_unload"},
		{"https://h/v1", "/admin/free", "https://h/admin/free"},
		{"https://h/v1", "admin/free", "https://h/admin/free"},
		{"https://h/v1", "a?u=http://x/", "https://h/a?u=http://x/"},
		{"", "http://h/x", "http://h/x"},
		{"http://H:1/v1", "https://h:2/x", "https://h:2/x"},
		{"http://[::1]:1/v1", "http://[::1]:2/x", "http://[::1]:2/x"},
		{"http://[::1]:1/v1", "http://[::2]:1/x", ""},
		{"http://h/v1", "http://h@evil/x", ""},
		{"http://h/v1", "http://evil?h", ""},
		{"h/v1", "", ""},
		{"", "", ""},
		{"", "x", ""},
	} {
		if got, err := unloadURL(tt.base, tt.api); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%q %q: got %q, %v, want %q", tt.base, tt.api, got, err, tt.want)
		}
	}
}
