// Package reader finds secrets around the anchors of rules. A reader is a function that
// takes the search, a rule and the span of an anchor, and adds findings to the search.
// The file readers.go in package secret assigns readers to rules.
//
//	token_shape.go                    tokens with a recognisable form
//	vendor_value.go                   keys with a vendor's name and form
//	judge.go                          values with names that suggest a secret, which package value judges
//	near_key.go, near_password.go, said_password.go, setting_lines.go
//	                                  such values near their names: in sentences, answers, lists, settings
//	http_header.go, cookie.go, jwt.go, private_key.go, docker_auth.go, kubernetes_secret.go, …
//	                                  one format each
//	cli_*.go, command_input.go, curl_user.go, call_arguments.go, connection_url.go, login_files.go, columns.go
//	                                  passwords by their position in commands, code, URLs, files and tables
//	wallet_keys.go, other_scripts.go  secrets without an anchor: wallet keys, names in other scripts
package reader
