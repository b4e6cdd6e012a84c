module example.com/handler

go 1.26.0

require github.com/checkrein/checkrein v0.0.0

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	github.com/goccy/go-yaml v1.19.2 // indirect
	golang.org/x/sys v0.49.0 // indirect
	mvdan.cc/sh/v3 v3.14.1 // indirect
)

replace github.com/checkrein/checkrein => ../..
