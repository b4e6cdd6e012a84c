package approvals

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/sys/localhttp"
)

// Routes returns the routes for programs that have the server's token. The token alone answers
// nothing.
func (d *Desk) Routes() []localhttp.Route {
	const one = "/v1/approvals/{handle}"
	return []localhttp.Route{
		{Method: http.MethodGet, Path: "/v1/approvals", Token: true, Do: func(context.Context, *localhttp.Request) localhttp.Answer {
			list, err := d.List()
			return jsonAnswer(waiting{list}, err)
		}, Doc: localhttp.Doc{About: "List the blocked calls that a person can allow", Out: waiting{}}},
		{Method: http.MethodGet, Path: one, Token: true, Do: func(_ context.Context, r *localhttp.Request) localhttp.Answer {
			a, err := d.Find(r.PathPart("handle"))
			return jsonAnswer(a, err)
		}, Doc: localhttp.Doc{About: "Show a blocked call", Out: Approval{}}},
		{Method: http.MethodPost, Path: one, Token: true, Do: func(_ context.Context, r *localhttp.Request) localhttp.Answer {
			var body proven
			if err := json.Unmarshal(r.Body, &body); err != nil {
				return jsonAnswer(nil, unreadable(err))
			}
			a, err := d.Answer(r.PathPart("handle"), body.Answer, &body.Proof)
			return jsonAnswer(a, err)
		}, Doc: localhttp.Doc{About: "Answer with a person's proof", In: proven{}, Out: Answered{}}},
		{Method: http.MethodPost, Path: one + "/challenge", Token: true, Do: func(_ context.Context, r *localhttp.Request) localhttp.Answer {
			c, err := d.Challenge(r.PathPart("handle"))
			return jsonAnswer(c, err)
		}, Doc: localhttp.Doc{About: "Get the challenge that a proof must sign", Out: Challenge{}}},
	}
}

// A waiting is a list of blocked calls.
type waiting struct {
	Approvals []*Approval `json:"approvals"`
}

// proven is an answer with its proof. The answer is kept as it was sent, because signatures cover it.
type proven struct {
	Answer json.RawMessage `json:"answer"`
	Proof  Proof           `json:"proof"`
}

func unreadable(err error) error {
	return &Error{Status: http.StatusBadRequest, Why: "the request cannot be read: " + err.Error(), Remedy: `send {"answer": {…}, "proof": {…}}`}
}

// jsonAnswer returns v as the answer to a request, or the error.
func jsonAnswer(v any, err error) localhttp.Answer {
	status := http.StatusOK
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			e = &Error{Status: http.StatusServiceUnavailable, Why: err.Error(), Remedy: "run checkrein doctor"}
		}
		status = e.Status
		v = struct {
			Error  string    `json:"error"`
			Remedy string    `json:"remedy"`
			Answer *Answered `json:"answer,omitempty"`
		}{e.Why, e.Remedy, e.Answer}
	}
	body, err := json.Marshal(v)
	if err != nil {
		return localhttp.ErrorAnswer(http.StatusInternalServerError, err.Error(), "report this as a bug of checkrein")
	}
	return localhttp.Answer{Status: status, Body: body}
}

// WriteJSON writes v as the response, or err.
func WriteJSON(w http.ResponseWriter, v any, err error) {
	a := jsonAnswer(v, err)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body)
}

// PagePath is the path below which Pages answers.
const PagePath = "/approve/"

//go:embed assets
var assets embed.FS

// Pages returns the pages on which a person answers a link, or enrols a key. They have no session:
// each request has the secret of its link, which a browser does not send by itself.
func (d *Desk) Pages() http.Handler {
	files, _ := fs.Sub(assets, "assets")
	mux := http.NewServeMux()
	mux.Handle("GET "+PagePath, http.StripPrefix(PagePath, http.FileServerFS(files)))
	for name, do := range map[string]func([]byte) (any, error){"show": d.showLink, "challenge": d.challengeLink, "answer": d.answerLink, "enrol": d.enrolLink} {
		mux.HandleFunc("POST "+PagePath+name, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
			var v any
			if err == nil {
				v, err = do(body)
			} else {
				err = &Error{Status: http.StatusRequestEntityTooLarge, Why: "the request cannot be read: " + err.Error(), Remedy: "send at most 64 KiB"}
			}
			WriteJSON(w, v, err)
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		if r.Method == http.MethodPost && !isFromOwnPage(r) {
			http.Error(w, "the request does not come from this server's own page", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// isFromOwnPage reports whether a browser sent r from a page of the same origin, as JSON.
func isFromOwnPage(r *http.Request) bool {
	_, host, _ := strings.Cut(r.Header.Get("Origin"), "://")
	return host == r.Host && r.Header.Get("Content-Type") == "application/json"
}

// LinkTo returns the path of the page for a, with the secret of a link in its fragment. Who has the
// link can read the approval until it expires, and nothing else.
func LinkTo(k *app.Kit, a *Approval) (string, error) {
	raw := binary.BigEndian.AppendUint64(nil, uint64(a.Expires.Unix()))
	mac, err := linkMAC(k, a.Handle, raw)
	return PagePath + "#" + a.Handle + "." + base64.RawURLEncoding.EncodeToString(append(raw, mac...)), err
}

// linkMAC returns the MAC of a link to handle that ends at end.
func linkMAC(k *app.Kit, handle string, end []byte) ([]byte, error) {
	key, err := k.BlockKey()
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("link\x00" + handle + "\x00"))
	mac.Write(end)
	return mac.Sum(nil)[:16], err
}

// openLink returns the handle of link, the fragment of an address that LinkTo returned.
func (d *Desk) openLink(link string) (string, error) {
	handle, text, _ := strings.Cut(link, ".")
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil && len(raw) == 24 {
		k, err := d.opts.Open("")
		if err != nil {
			return "", err
		}
		mac, err := linkMAC(k, handle, raw[:8])
		if err != nil {
			return "", err
		}
		if hmac.Equal(mac, raw[8:]) && uint64(d.opts.Now().Unix()) < binary.BigEndian.Uint64(raw) {
			return handle, nil
		}
	}
	return "", &Error{Status: http.StatusForbidden, Why: "the link is wrong or has expired", Remedy: "open the newest message, or list the calls that wait: checkrein approvals"}
}

// A linkRequest is a request of the page.
type linkRequest struct {
	Link string `json:"link"`
	proven
	Secret string `json:"secret"` // of an enrolment
	Public []byte `json:"public"` // the key
}

// readLink parses body, and returns it with the handle of its link.
func (d *Desk) readLink(body []byte) (*linkRequest, string, error) {
	var r linkRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, "", unreadable(err)
	}
	handle, err := d.openLink(r.Link)
	return &r, handle, err
}

func (d *Desk) showLink(body []byte) (any, error) {
	_, handle, err := d.readLink(body)
	if err != nil {
		return nil, err
	}
	return d.Find(handle)
}

func (d *Desk) challengeLink(body []byte) (any, error) {
	_, handle, err := d.readLink(body)
	if err != nil {
		return nil, err
	}
	return d.Challenge(handle)
}

func (d *Desk) answerLink(body []byte) (any, error) {
	r, handle, err := d.readLink(body)
	if err != nil {
		return nil, err
	}
	return d.Answer(handle, r.Answer, &r.Proof)
}

// enrolLink answers the page of an enrolment: without a key it says what is enrolled, with one it
// takes the key.
func (d *Desk) enrolLink(body []byte) (any, error) {
	var r linkRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, unreadable(err)
	}
	if len(r.Public) > 0 {
		k, err := d.Enrol(r.Secret, r.Public, &r.Proof)
		if err != nil {
			return nil, err
		}
		return map[string]string{"name": k.Name, "kind": k.Kind, "fingerprint": k.Fingerprint()}, nil
	}
	kind, name, err := d.EnrolmentKind(r.Secret)
	if err == nil && kind == "" {
		err = &Error{Status: http.StatusForbidden, Why: "the link is wrong or has expired", Remedy: "run checkrein approvals again in your own terminal"}
	}
	return map[string]string{"name": name, "kind": kind}, err
}
