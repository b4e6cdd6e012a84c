// Package reader looks at the places in which secrets are met. Each reader is a function
// that gets the search, a rule and where an anchor of the rule is; readers.go in package
// secret has which rule is read by which.
//
//	token_shape.go                    tokens that are known by themselves
//	vendor_value.go                   keys that are known by a vendor's name and a shape
//	judge.go                          values of names that say something, which package value judges
//	near_key.go, near_password.go, said_password.go, setting_lines.go
//	                                  such values near their names: in sentences, answers, lists, lines of settings
//	http_header.go, cookie.go, jwt.go, private_key.go, docker_auth.go, kubernetes_secret.go, …
//	                                  one format each
//	cli_*.go, command_input.go, curl_user.go, call_arguments.go, connection_url.go, login_files.go, columns.go
//	                                  passwords by their place in commands, code, addresses, files and tables
//	wallet_keys.go, other_scripts.go  what has no anchor: keys of wallets, names in other scripts
package reader
