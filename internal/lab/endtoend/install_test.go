package endtoend

import "encoding/json"

// install has the host call checkrein, and a person say yes where the host
// wants that. The programs lie where programs do not stay, so their path is named.
func (w *world) install() {
	w.t.Helper()
	w.checkrein("install", w.name, "--program", w.Program("checkrein"))
	if _, err := w.ApproveHooks(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	if w.name == "gemini" {
		b, err := json.Marshal(map[string]string{w.Project: "TRUST_FOLDER"})
		if err != nil {
			w.t.Fatal(err)
		}
		w.files(w.Home, map[string]string{".gemini/trustedFolders.json": string(b)})
	}
}
