package web_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/crypto"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"

	"github.com/checkrein/checkrein/hub/internal/hubtest"
)

// A member is someone whom the provider knows.
type member struct {
	name   string
	groups []string
}

const (
	hubClient = "hub"
	password  = "of all members"
)

// A provider is the OpenID provider of zitadel/oidc. Its members log in with a form.
type provider struct {
	*storage.Storage
	URL string

	t       testing.TB
	mu      sync.Mutex
	members map[string]member // by name
	forge   *forgery
}

// A forgery is what a provider, or who stands between it and the hub, changes about a token.
type forgery struct {
	claims   map[string]any // nil removes one
	otherKey bool           // the token is signed with a key that the provider does not publish
}

// startProvider starts a provider for the hub with this address.
func startProvider(t testing.TB, hub string) *provider {
	t.Helper()
	p := &provider{t: t, members: map[string]member{}}
	p.Storage = storage.NewStorageWithClients(p, map[string]*storage.Client{hubClient: storage.WebClient(hubClient, "secret", hub+"/login/callback")})
	server := httptest.NewUnstartedServer(nil)
	p.URL = "http://" + server.Listener.Addr().String()
	handler, err := op.NewProvider(&op.Config{CodeMethodS256: true}, p, op.StaticIssuer(p.URL), op.WithAllowInsecure(), op.WithLogger(slog.New(slog.DiscardHandler)))
	hubtest.Must(t, err)
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.FormValue("authRequestID")
		switch {
		case r.URL.Path != "/login/username":
			p.serve(w, r, handler)
		case p.CheckUsernamePassword(r.FormValue("username"), r.FormValue("password"), id) != nil:
			http.Error(w, "wrong name or password", http.StatusForbidden)
		default:
			http.Redirect(w, r, handler.AuthorizationEndpoint().Absolute(p.URL)+"/callback?id="+id, http.StatusFound)
		}
	})
	server.Start()
	t.Cleanup(server.Close)
	return p
}

// serve answers a request with h, but for what is forged.
func (p *provider) serve(w http.ResponseWriter, r *http.Request, h http.Handler) {
	p.mu.Lock()
	forge := p.forge
	p.mu.Unlock()
	if forge == nil || !strings.HasSuffix(r.URL.Path, "/token") {
		h.ServeHTTP(w, r)
		return
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	var reply map[string]any
	if rec.Code == http.StatusOK && json.Unmarshal(rec.Body.Bytes(), &reply) == nil {
		reply["id_token"] = p.sign(reply["id_token"].(string), forge)
		text, _ := json.Marshal(reply)
		rec.Body = bytes.NewBuffer(text)
	}
	maps.Copy(w.Header(), rec.Header())
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes())
}

// sign changes a token as forge says, and signs it again.
func (p *provider) sign(token string, forge *forgery) string {
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	hubtest.Must(p.t, err)
	var claims map[string]any
	hubtest.Must(p.t, json.Unmarshal(payload, &claims))
	maps.Copy(claims, forge.claims)
	key, err := p.SigningKey(context.Background())
	hubtest.Must(p.t, err)
	if forge.otherKey {
		other, err := rsa.GenerateKey(rand.Reader, 2048)
		hubtest.Must(p.t, err)
		key = signingKey{key, other}
	}
	signer, err := op.SignerFromKey(key)
	hubtest.Must(p.t, err)
	text, err := crypto.Sign(claims, signer)
	hubtest.Must(p.t, err)
	return text
}

// A signingKey is another key with the id of the provider's.
type signingKey struct {
	op.SigningKey
	key *rsa.PrivateKey
}

func (k signingKey) Key() any { return k.key }

// setForgery has the provider forge tokens from now on, or no more.
func (p *provider) setForgery(f *forgery) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forge = f
}

// add adds m, or gives the member with this name other groups.
func (p *provider) add(m member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.members[m.name] = m
}

// GetUserByUsername implements storage.UserStore.
func (p *provider) GetUserByUsername(name string) *storage.User {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.members[name]; !ok {
		return nil
	}
	return &storage.User{ID: "id-" + name, Username: name, Password: password}
}

// GetUserByID implements storage.UserStore.
func (p *provider) GetUserByID(id string) *storage.User {
	return p.GetUserByUsername(strings.TrimPrefix(id, "id-"))
}

// ExampleClientID implements storage.UserStore.
func (p *provider) ExampleClientID() string { return hubClient }

// SetUserinfoFromToken adds a member's groups to what the provider says about them. Like many, it keeps them
// out of the token.
func (p *provider) SetUserinfoFromToken(ctx context.Context, info *oidc.UserInfo, token, subject, origin string) error {
	p.mu.Lock()
	groups := p.members[strings.TrimPrefix(subject, "id-")].groups
	p.mu.Unlock()
	info.AppendClaims("groups", groups)
	return p.Storage.SetUserinfoFromToken(ctx, info, token, subject, origin)
}
