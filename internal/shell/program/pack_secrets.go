package program

import "github.com/checkrein/checkrein/internal/shell"

// secretsPack knows where secrets are kept. Printing a secret is unknown by itself:
// it hangs on where the output goes, which is judged with what leaves the machine.
var secretsPack = shell.RuleSet{
	Pack: shell.PackSecrets,
	Rules: []shell.Rule{
		// HashiCorp Vault.
		{
			ID: "vault-delete", Cmd: "vault|bao kv delete|destroy|metadata|rollback", Any: "delete destroy", Not: "get put",
			Label: shell.Destructive, Kind: "delete", Category: shell.SecretDelete, Radius: shell.RadiusHigh, Reason: "deletes secrets",
			Match:   []string{"vault kv delete secret/app", "vault kv destroy -versions=1 secret/app", "vault kv metadata delete secret/app"},
			NoMatch: []string{"vault kv get secret/app", "vault kv list secret", "vault kv metadata get x"},
		},
		{
			ID: "vault-delete-path", Cmd: "vault|bao delete",
			Label: shell.Destructive, Kind: "delete", Category: shell.SecretDelete, Radius: shell.RadiusHigh, Reason: "deletes a path with its secret or setting",
			Match:   []string{"vault delete secret/app", "vault delete auth/github/x"},
			NoMatch: []string{"vault read secret/app"},
		},
		{
			ID: "vault-disable", Cmd: "vault|bao secrets|auth|audit|policy|namespace|plugin|lease|token|operator|transit|ssh|pki disable|delete|deregister|revoke|seal|step-down|raft|rekey|rotate|generate-root|import|move|init|migrate|remove-peer", Not: "list-peers lookup key-status rotate move import init migrate snapshot",
			Label: shell.Destructive, Kind: "delete", Category: shell.SecretDelete, Radius: shell.RadiusHigh, Reason: "switches off, seals or revokes what keeps secrets",
			Match:   []string{"vault secrets disable kv/", "vault auth disable github", "vault operator seal", "vault lease revoke -prefix aws/", "vault token revoke -self", "vault policy delete p", "vault audit disable file"},
			NoMatch: []string{"vault secrets list", "vault token lookup", "vault operator raft list-peers"},
		},
		{
			ID: "vault-raft-remove", Cmd: "vault|bao operator raft remove-peer|snapshot", Not: "save",
			Label: shell.Destructive, Kind: "delete", Category: shell.SecretDelete, Radius: shell.RadiusHigh, Reason: "takes a peer out of the cluster or replaces its state",
			Match:   []string{"vault operator raft remove-peer n1", "vault operator raft snapshot restore x"},
			NoMatch: []string{"vault operator raft list-peers", "vault operator raft snapshot save x"},
		},
		{
			ID: "vault-write", Cmd: "vault|bao write|kv|secrets|auth|policy|token|operator|audit|login|lease|namespace|patch put|patch|enable|tune|write|create|renew|unseal|init|rotate|rekey|move|import|undelete|rollback|*|generate-root|migrate", Not: "get list lookup delete destroy capabilities disable read key-status seal revoke list-peers list-versions metadata",
			Label: shell.Unknown, Kind: "modify", Category: shell.SecretChange, Radius: shell.RadiusMedium, Reason: "changes secrets or how they are kept",
			Match:   []string{"vault kv put secret/app a=b", "vault write auth/x a=b", "vault secrets enable kv", "vault operator unseal x"},
			NoMatch: []string{"vault kv get x", "vault status", "vault secrets list", "vault token lookup"},
		},
		{
			ID: "vault-read", Cmd: "vault|bao kv|read|unwrap|print get|*|token", Not: "put delete list destroy patch metadata rollback undelete",
			Label: shell.Unknown, Kind: "read", Category: shell.SecretRead, Radius: shell.RadiusMedium, Reason: "prints a secret",
			Match:   []string{"vault kv get secret/app", "vault read secret/app", "vault kv get -field=password secret/app", "vault print token"},
			NoMatch: []string{"vault kv list secret", "vault status"},
		},
		{
			ID: "vault-status", Cmd: "vault|bao status|list|version|path-help|server|agent|version-history|events",
			Label: shell.Safe, Kind: "run", Category: shell.SecretList, Reason: "asks how the vault is",
			Match:   []string{"vault status", "vault list secret/", "vault server -dev"},
			NoMatch: []string{"vault delete x", "vault kv get x"},
		},
		{
			ID: "vault-list", Cmd: "vault|bao kv|secrets|auth|policy|token|audit|namespace|plugin|operator list|lookup|read|capabilities|metadata|key-status|fmt|help|info|list-peers|diagnose|usage|members", Not: "delete put patch",
			Label: shell.Safe, Kind: "run", Category: shell.SecretList, Reason: "lists what the vault keeps",
			Match:   []string{"vault kv list secret", "vault secrets list", "vault token lookup", "vault kv metadata get x"},
			NoMatch: []string{"vault kv delete x", "vault kv metadata delete x"},
		},

		// Password managers.
		{
			ID: "op-delete", Cmd: "op item|document|vault|user|group|service-account|connect|account|events-api delete|suspend|revoke|remove|forget",
			Label: shell.Destructive, Kind: "delete", Category: shell.SecretDelete, Radius: shell.RadiusHigh, Reason: "deletes secrets or takes access away",
			Match:   []string{"op item delete x", "op vault delete v", "op document delete d", "op item delete x --archive"},
			NoMatch: []string{"op item list", "op item get x"},
		},
		{
			ID: "op-read", Cmd: "op read|item|document|inject|run|signin|account get|template|*", Not: "list create edit delete move share suspend forget add",
			Label: shell.Unknown, Kind: "read", Category: shell.SecretRead, Radius: shell.RadiusMedium, Reason: "prints or hands on a secret",
			Match:   []string{"op read op://v/i/f", "op item get x --fields password", "op document get d", "op inject -i t -o f"},
			NoMatch: []string{"op item list", "op whoami", "op vault list", "op item template list"},
		},
		{
			ID: "op-change", Cmd: "op item|vault|document|user|group|connect|service-account create|edit|move|share|grant|provision|confirm|reactivate|token|server|user", Not: "list get",
			Label: shell.Unknown, Kind: "modify", Category: shell.SecretChange, Radius: shell.RadiusMedium, Reason: "changes secrets",
			Match:   []string{"op item create --category login", "op item edit x a=b"},
			NoMatch: []string{"op item list"},
		},
		{
			ID: "op-list", Cmd: "op item|vault|document|user|group|account|whoami|plugin|service-account|template list|ls|*|get|inspect", Any: "list ls whoami user group template", Not: "get delete create edit read grant revoke provision suspend confirm share move remove",
			Label: shell.Safe, Kind: "run", Category: shell.SecretList, Reason: "lists secrets without their values",
			Match:   []string{"op item list", "op vault list"},
			NoMatch: []string{"op item get x", "op item delete x", "op read x"},
		},
		{
			ID: "op-user", Cmd: "op user|group|vault get|list",
			Label: shell.Safe, Kind: "read", Category: shell.SecretList, Reason: "looks up who has access",
			Match:   []string{"op user get bob", "op group list"},
			NoMatch: []string{"op item get x"},
		},
		{
			ID: "bw-delete", Cmd: "bw|bws|rbw delete|purge|restore|remove|rm|logout|move|project|secret", Not: "list get create edit restore move logout",
			Label: shell.Destructive, Kind: "delete", Category: shell.SecretDelete, Radius: shell.RadiusHigh, Reason: "deletes secrets",
			Match:   []string{"bw delete item 123", "bw delete item 123 --permanent", "rbw rm x", "rbw purge", "bws secret delete 1"},
			NoMatch: []string{"bw list items", "bw get item x", "bws secret list"},
		},
		{
			ID: "bw-read", Cmd: "bw|bws|rbw get|export|list|secret|code|send|receive|generate|unlock|login|encode|serve|sync", Not: "delete generate sync create edit",
			Label: shell.Unknown, Kind: "read", Category: shell.SecretRead, Radius: shell.RadiusMedium, Reason: "prints or unlocks secrets",
			Match:   []string{"bw get password x", "bw list items", "rbw get x", "bw export --format json", "bws secret get 1", "bw unlock"},
			NoMatch: []string{"bw status", "bw delete item 1", "bw generate", "bw sync"},
		},
		{
			ID: "bw-status", Cmd: "bw|rbw status|sync|generate|lock|config|update|completion|unlocked|list|stop-agent|register", Not: "items server set unset passwords",
			Label: shell.Safe, Kind: "run", Category: shell.SecretList, Reason: "asks how the password manager is",
			Match:   []string{"bw status", "bw generate -l 20", "bw lock"},
			NoMatch: []string{"bw delete item 1", "bw list items", "bw config server x"},
		},
		{
			ID: "pass-delete", Cmd: "pass|gopass|passage|prs|kpcli|keepassxc-cli|lpass|dashlane|dcli|enpass-cli|keeper|nordpass|summon|ripasso rm|remove|delete|mv|move|init|del|rmdir|db-edit|rmdir|rm-tree|clear-clipboard|recipients|delete-keys", Not: "clear-clipboard recipients",
			Label: shell.Destructive, Kind: "delete", Category: shell.SecretDelete, Radius: shell.RadiusHigh, Reason: "deletes secrets or replaces their key",
			Match:   []string{"pass rm -rf work", "gopass delete x", "keepassxc-cli rm db.kdbx x", "pass init NEWKEY", "lpass rm x"},
			NoMatch: []string{"pass ls", "gopass list", "pass git log"},
		},
		{
			ID: "pass-read", Cmd: "pass|gopass|passage|keepassxc-cli|lpass|prs|dcli|chamber|keeper|kpcli show|cat|otp|clip|get|export|print|dump|grep|read|exec|env|password|tail|attachment-export",
			Label: shell.Unknown, Kind: "read", Category: shell.SecretRead, Radius: shell.RadiusMedium, Reason: "prints a secret",
			Match:   []string{"pass show work/mail", "gopass show x", "lpass show --password x", "keepassxc-cli show db.kdbx x", "chamber export app", "chamber read app key"},
			NoMatch: []string{"pass ls", "pass rm x", "chamber list app"},
		},
		{
			ID: "pass-list", Cmd: "pass|gopass|passage|keepassxc-cli|lpass|prs|chamber|keeper ls|list|find|search|git|version|generate|audit|fsck|sync|status|list-services|history|db-info|diceware|estimate|help|doctor|config", Not: "push reset -f --force rm -i --in-place delete expand -e --expand",
			Label: shell.Safe, Kind: "run", Category: shell.SecretList, Reason: "lists secrets without their values",
			Match:   []string{"pass ls", "gopass list", "chamber list app", "lpass ls"},
			NoMatch: []string{"pass show x", "pass rm x", "pass git push", "pass generate -f x"},
		},
		{
			ID: "pass-write", Cmd: "pass|gopass|passage|keepassxc-cli|lpass|chamber|keeper|prs insert|add|edit|generate|cp|copy|import|write|set|new|create|git|setup|clone|mount|unmount|add-recipients|db-create|merge|rename|delete", Any: "insert add edit -f --force cp copy import write set new create push reset setup clone mount unmount add-recipients db-create merge rename -i --in-place", Not: "log status diff ls list",
			Label: shell.Unknown, Kind: "modify", Category: shell.SecretChange, Radius: shell.RadiusMedium, Reason: "changes secrets",
			Match:   []string{"pass insert work/x", "pass generate -f x", "chamber write app k v", "pass git push"},
			NoMatch: []string{"pass ls", "pass show x", "pass generate x", "pass git log"},
		},

		// Others.
		{
			ID: "manager-delete", Cmd: "doppler|infisical|chamber|envkey|akeyless|conjur|teller|dotenv-vault|berglas|ejson|secrethub|strongdm|sdm|tsh|tctl|boundary|teleport|step|phase|dotenvx|credstash|confidant|summon|torus|keywhiz|aws-vault|saml2aws|knox|keeper|bitwarden", Any: "delete rm remove revoke delete-item delete-items delete-role unset purge clear destroy reset lock unlink rollback logout",
			Label: shell.Destructive, Kind: "delete", Category: shell.SecretDelete, Radius: shell.RadiusHigh, Reason: "deletes secrets or takes access away",
			Match:   []string{"doppler secrets delete API_KEY -y", "chamber delete app key", "infisical secrets delete X", "akeyless delete-item -n x", "doppler projects delete p", "credstash delete x", "tctl rm user/bob", "aws-vault remove prod", "step ca revoke 1", "doppler configs delete -c x"},
			NoMatch: []string{"doppler secrets", "chamber list app", "infisical secrets", "tctl get users", "aws-vault list"},
		},
		{
			ID: "manager-read", Cmd: "doppler|infisical|akeyless|conjur|teller|credstash|berglas|ejson|dotenvx|dotenv-vault|aws-vault|saml2aws|envkey|phase", Any: "secrets get export run exec download get-secret-value show getall decrypt access env sh yaml redact print variable", Not: "delete set upload --only-names put",
			Label: shell.Unknown, Kind: "read", Category: shell.SecretRead, Radius: shell.RadiusMedium, Reason: "prints or hands on secrets",
			Match:   []string{"doppler secrets", "doppler secrets get X --plain", "infisical export", "credstash get x", "akeyless get-secret-value -n x", "dotenvx get X"},
			NoMatch: []string{"doppler me", "aws-vault list", "doppler --version"},
		},
		{
			ID: "manager-list", Cmd: "doppler|infisical|akeyless|aws-vault|tsh|tctl|teleport|step|conjur|phase|credstash", Any: "me list projects configs environments activity status ls --only-names version inspect fingerprint whoami verify list-items health", Not: "delete rm remove get set exec run revoke create update add",
			Label: shell.Safe, Kind: "run", Category: shell.SecretList, Reason: "lists what there is without its value",
			Match:   []string{"doppler me", "aws-vault list", "doppler projects", "tsh status", "tsh ls", "doppler secrets --only-names", "step certificate inspect x.crt", "credstash list"},
			NoMatch: []string{"doppler secrets", "doppler secrets delete X", "tctl rm x"},
		},
		{
			ID: "sops-edit", Cmd: "sops|age|ansible-vault|git-crypt|transcrypt|blackbox_edit|blackbox_edit_start|git-secret|kubeseal|rage|ejson|blackbox_decrypt_all_files|agenix|ragenix", Not: "status --version -V --help keygen",
			Label: shell.Unknown, Kind: "modify", Category: shell.SecretChange, Radius: shell.RadiusMedium, Reason: "encrypts, decrypts or changes secrets",
			Match:   []string{"sops secrets.yaml", "sops -d secrets.yaml", "age -d -i key x.age", "git-crypt unlock", "sops -i -e x.yaml"},
			NoMatch: []string{"sops --version", "git-crypt status"},
		},
		{
			ID: "git-crypt-status", Cmd: "git-crypt status|help|version",
			Label: shell.Safe, Kind: "read", Category: shell.SecretList, Reason: "asks which files are encrypted",
			Match:   []string{"git-crypt status", "git-crypt version"},
			NoMatch: []string{"git-crypt unlock"},
		},
		{
			ID: "sops-rm", Cmd: "sops|transcrypt|git-secret|blackbox_deregister_file", Any: "--rm-pgp --rm-kms --rm-age --rm-gcp-kms --rm-hc-vault-transit --flush-credentials --uninstall killperson removeperson",
			Label: shell.Destructive, Kind: "delete", Category: shell.SecretDelete, Radius: shell.RadiusMedium, Reason: "takes keys or encryption away",
			Match:   []string{"sops -r -i --rm-pgp X f.yaml", "transcrypt --flush-credentials", "git-secret killperson bob", "sops rotate -i --rm-age x f"},
			NoMatch: []string{"sops -d x"},
		},
		{
			ID: "gpg-delete", Cmd: "gpg|gpg2|gpgsm|gpgconf", Any: "--delete-keys --delete-key --delete-secret-keys --delete-secret-key --delete-secret-and-public-key --delete-secret-and-public-keys --delete-sigs --gen-revoke --generate-revocation --quick-revoke-uid --quick-revuid --quick-revoke-sig",
			Label: shell.Destructive, Kind: "delete", Category: shell.SecretDelete, Radius: shell.RadiusHigh, Reason: "deletes or revokes keys",
			Match:   []string{"gpg --delete-secret-keys ABC", "gpg --batch --yes --delete-keys ABC", "gpg --delete-secret-and-public-key ABC", "gpg --delete-secret-key x"},
			NoMatch: []string{"gpg --list-keys", "gpg --verify a.sig"},
		},
		{
			ID: "gpg-export", Cmd: "gpg|gpg2", Any: "--export-secret-keys --export-secret-key --export-secret-subkeys",
			Label: shell.Unknown, Kind: "read", Category: shell.SecretRead, Radius: shell.RadiusMedium, Reason: "prints private keys",
			Match:   []string{"gpg --export-secret-keys ABC", "gpg -a --export-secret-key x", "gpg --export-secret-subkeys x"},
			NoMatch: []string{"gpg --export ABC", "gpg -K"},
		},
		{
			ID: "gpg-change", Cmd: "gpg|gpg2|gpg-connect-agent|gpgconf|pinentry|gpg-agent", Any: "--import --edit-key --gen-key --full-generate-key --full-gen-key --quick-generate-key --quick-gen-key -d --decrypt -e --encrypt -c --symmetric -s --sign --clearsign --detach-sign -b --send-keys --recv-keys --receive-keys --refresh-keys --keyserver --trust-model --import-ownertrust --kill --card-edit --change-pin --passwd --change-passphrase --lsign-key --sign-key --export --dearmor --export-ownertrust --search-keys --quick-add-key -r --recipient",
			Label: shell.Unknown, Kind: "modify", Category: shell.SecretChange, Radius: shell.RadiusMedium, Reason: "changes keys, encrypts or decrypts",
			Match:   []string{"gpg --import key.asc", "gpg -d x.gpg", "gpg --edit-key x", "gpg -c x"},
			NoMatch: []string{"gpg --list-keys", "gpg --verify x"},
		},
		{
			ID: "ssh-key-remove", Cmd: "ssh-keygen", Any: "-R",
			Label: shell.Unknown, Kind: "delete", Category: shell.SecretChange, Reason: "takes a host out of the known hosts",
			Match:   []string{"ssh-keygen -R example.com", "ssh-keygen -f x -R host"},
			NoMatch: []string{"ssh-keygen -l -f x"},
		},
		{
			ID: "ssh-agent-empty", Cmd: "ssh-add", Any: "-D -d -x -e",
			Label: shell.Unknown, Kind: "delete", Category: shell.SecretChange, Reason: "takes keys out of the agent",
			Match:   []string{"ssh-add -D", "ssh-add -d key"},
			NoMatch: []string{"ssh-add -l"},
		},
		{
			ID: "ssh-key-change", Cmd: "ssh-keygen", Any: "-p -y -s -e -i -k -Y -A -H -M -D -K -c",
			Label: shell.Unknown, Kind: "modify", Category: shell.SecretChange, Radius: shell.RadiusMedium, Reason: "changes, signs or prints a key",
			Match:   []string{"ssh-keygen -p -f id_rsa", "ssh-keygen -y -f id_rsa", "ssh-keygen -s ca -I x key.pub"},
			NoMatch: []string{"ssh-keygen -l -f x", "ssh-keygen -t ed25519"},
		},
		{
			ID: "keyring-delete", Cmd: "security|keyctl|secret-tool|kwallet-query|cmdkey|certutil|keytool|pk12util|certmgr|trust|update-ca-certificates|update-ca-trust|gnome-keyring|keyring|wincred|vaultcmd", Any: "delete-* remove-trusted-cert clear purge unlink revoke clear-all /delete* -delete -D -delstore remove del erase invalidate",
			Label: shell.Destructive, Kind: "delete", Category: shell.SecretDelete, Radius: shell.RadiusHigh, Reason: "deletes keys, passwords or certificates",
			Match:   []string{"security delete-generic-password -s x", "security delete-keychain login.keychain", "keyctl purge user", "secret-tool clear a b", "cmdkey /delete:x", "keytool -delete -alias x", "keyring del svc user", "certutil -delstore My x"},
			NoMatch: []string{"security list-keychains", "keyctl show", "keytool -list", "cmdkey /list"},
		},
		{
			ID: "keyring-read", Cmd: "security|keyctl|secret-tool|kwallet-query|keyring|keytool", Any: "find-generic-password find-internet-password dump-keychain lookup print read pipe export get -r --read-password -w search -exportcert -importkeystore -exportsecret find-key decrypt",
			Label: shell.Unknown, Kind: "read", Category: shell.SecretRead, Radius: shell.RadiusMedium, Reason: "prints a password or key",
			Match:   []string{"security find-generic-password -s x -w", "security find-internet-password -g x", "secret-tool lookup a b", "keyctl print 1", "security dump-keychain -d", "keyring get svc user", "security export -k x", "keytool -exportcert -alias x"},
			NoMatch: []string{"security list-keychains", "keyctl show", "security find-certificate -a"},
		},
		{
			ID: "keyring-change", Cmd: "security|keyctl|secret-tool|cmdkey|certutil|keytool|trust|keyring|update-ca-certificates|update-ca-trust|certmgr", Not: "list-keychains -list show list find-certificate find-identity /list default-keychain help verify-cert -dump -verify -hashfile -encode -decode get lookup find-* cms error --list-backends rdescribe describe -printcert -urlcache -L -V dump-keychain export print clear delete-* purge -delete",
			Label: shell.Unknown, Kind: "modify", Category: shell.SecretChange, Radius: shell.RadiusMedium, Reason: "changes keys, passwords or trust",
			Match:   []string{"security add-generic-password -s x -w y", "security add-trusted-cert x.crt", "secret-tool store a b", "keytool -import -file x", "update-ca-certificates", "security unlock-keychain x"},
			NoMatch: []string{"security list-keychains", "keyctl show", "keytool -list"},
		},
		{
			ID: "keyring-list", Cmd: "security|keyctl|keytool|cmdkey|trust|certutil|keyring", Any: "list-keychains -list show list find-certificate find-identity /list default-keychain help verify-cert -dump -verify -hashfile -printcert describe rdescribe cms error --list-backends -L -V", Not: "-delete -import clear purge /delete* delete-* -D -urlcache -d",
			Label: shell.Safe, Kind: "run", Category: shell.SecretList, Reason: "lists keys or certificates",
			Match:   []string{"security list-keychains", "security find-identity -v -p codesigning", "keyctl show", "keytool -list -keystore x", "certutil -hashfile x SHA256"},
			NoMatch: []string{"security delete-keychain x", "keyctl purge user", "keytool -delete -alias x"},
		},
		{
			ID: "certificates", Cmd: "certbot|acme.sh|mkcert|cfssl|easyrsa|step-ca|lego|letsencrypt|dehydrated|easy-rsa", Any: "delete revoke --revoke --remove -uninstall unregister --uninstall --deactivate init-pki rollback",
			Label: shell.Destructive, Kind: "delete", Category: shell.SecretDelete, Radius: shell.RadiusHigh, Reason: "revokes or deletes certificates",
			Match:   []string{"certbot delete --cert-name x", "certbot revoke --cert-path x", "acme.sh --revoke -d x", "easyrsa revoke bob", "mkcert -uninstall", "certbot unregister"},
			NoMatch: []string{"certbot certificates", "mkcert localhost", "acme.sh --list", "certbot revoke --dry-run x"},
		},
		{
			ID: "certificates-new", Cmd: "certbot|acme.sh|mkcert|cfssl|easyrsa|lego", Any: "renew run certonly --issue --renew -install install localhost genrsa genpkey gencert -keyout gen-req build-ca sign-req gendsa ecparam -newkey build-client-full build-server-full enhance reconfigure gen-dh dhparam -out",
			Label: shell.Unknown, Kind: "create", Category: shell.SecretChange, Radius: shell.RadiusMedium, Reason: "makes or renews certificates and keys",
			Match:   []string{"certbot renew", "mkcert localhost", "acme.sh --issue -d x"},
			NoMatch: []string{"certbot certificates", "openssl x509 -in x -noout", "openssl rand -hex 8"},
		},
		{
			ID: "certificates-read", Cmd: "certbot certificates|plugins|show_account|--version",
			Label: shell.Safe, Kind: "read", Category: shell.SecretList, Reason: "lists certificates",
			Match:   []string{"certbot certificates", "certbot plugins"},
			NoMatch: []string{"certbot delete --cert-name x"},
		},
		{
			ID: "kube-secret-read", Cmd: "kubectl get|describe secret|secrets|secret/*|secrets/*", Any: "-o=yaml -o=json -o=jsonpath* -o=go-template* -o=custom-columns* --output=yaml --output=json --output=jsonpath* --output=go-template* --output=custom-columns* --template",
			Label: shell.Unknown, Kind: "read", Category: shell.SecretRead, Radius: shell.RadiusMedium, Reason: "prints secrets of a cluster",
			Match:   []string{"kubectl get secret x -o yaml", "kubectl get secrets -o json", "kubectl get secret x -o jsonpath='{.data.p}'", "kubectl get secret/x -oyaml", "kubectl get secret x -o go-template=x"},
			NoMatch: []string{"kubectl get secrets", "kubectl get pods -o yaml", "kubectl get secret x"},
		},
		// Keys in hardware.
		{
			ID: "token-delete", Cmd: "ykman|nitropy|solo|solo1|solo2|fido2-token|tpm2_clear|tpm2_evictcontrol|tpm2_nvundefine|tpm2_changeauth|tpm2_dictionarylockout|tpm2_clearcontrol|tpm2_hierarchycontrol|tpm2|pkcs11-tool|pkcs15-init|pkcs15-tool|openpgp-tool|piv-tool|yubico-piv-tool|ykpersonalize|p11tool|softhsm2-util|nitrocli|gpg-card|onlykey-cli|trezorctl|ledgerctl|yubihsm-shell|sc-hsm-tool|cryptoki|lunacm|cmu|hsmtool|ssh-tpm-keygen|clevis|systemd-cryptenroll", Any: "reset delete del remove --delete --delete-object --delete-objects --erase --erase-card --erase-application -E -R -D -z delete-certificate delete-key factory-reset wipe wipe-device --delete-token --wipe-slot zeroize clear evictcontrol nvundefine changeauth -areset -adelete-certificate -adelete-key --delete-data-object --delete-privkey --delete-cert initialize --init-token --reset",
			Label: shell.Destructive, Kind: "delete", Category: shell.SecretDelete, Radius: shell.RadiusHigh, Reason: "deletes keys that nobody can read out of their hardware",
			Match:   []string{"ykman piv reset", "ykman oath accounts delete github", "fido2-token -R /dev/hidraw0", "pkcs11-tool --delete-object --type privkey --id 01", "nitropy fido2 reset", "softhsm2-util --delete-token --token x", "trezorctl wipe-device"},
			NoMatch: []string{"ykman info", "ykman oath accounts list", "pkcs11-tool --list-slots", "fido2-token -L"},
		},
		{
			ID: "tpm-clear", Cmd: "tpm2_clear|tpm_clear|tpm2_nvundefine|tpm2_evictcontrol|tpm2_changeauth",
			Label: shell.Destructive, Kind: "delete", Category: shell.SecretDelete, Radius: shell.RadiusHigh, Reason: "deletes keys that nobody can read out of their hardware",
			Match:   []string{"tpm2_clear", "tpm2_clear -c p", "tpm2_evictcontrol -C o -c 0x81010001", "tpm2_nvundefine 0x1500016"},
			NoMatch: []string{"tpm2_getcap properties-fixed"},
		},
		{
			ID: "token-read", Cmd: "ykman|nitropy|solo|fido2-token|pkcs11-tool|pkcs15-tool|p11tool|softhsm2-util|tpm2_getcap|tpm2_pcrread|tpm2_getrandom|tpm2_nvreadpublic|tpm2_readpublic|openpgp-tool|yubico-piv-tool|trezorctl|opensc-tool|tpm2_selftest|tpm2_gettestresult", Any: "info list -L --list-* --show-slots -I -l version --info -astatus --dump ls -n --list-slots --list-tokens --list-all code get-features properties-* sha256* sha1* --list-readers -a *", Not: "reset delete --delete* -R -D set change-pin change-puk generate import export --init-token --write-object --login remove add --keypairgen wipe* clear -z -E --erase* initialize",
			Label: shell.Safe, Kind: "run", Category: shell.SecretList, Reason: "lists what a key in hardware holds",
			Match:   []string{"ykman info", "ykman list", "ykman oath accounts list", "pkcs11-tool --list-slots", "tpm2_getcap properties-fixed"},
			NoMatch: []string{"ykman piv reset", "pkcs11-tool --delete-object", "fido2-token -R /dev/hidraw0"},
		},
	},
}
