#!/bin/sh
# Install a release of checkrein for your account, after its checksum was compared and, if cosign is here, its signature.
#
#   sh install.sh [--version V] [--dir DIR] [--from URL]
#
# DIR is ~/.local/bin unless you name another. An agent could replace programs there; to put them where only root may
# change them, run afterwards: sudo DIR/checkrein install --system
set -eu

version= dir="$HOME/.local/bin" from=https://github.com/checkrein/checkrein/releases
while [ $# -gt 0 ]; do
	case "$1" in
	--version) version="${2#v}" ;;
	--dir) dir="$2" ;;
	--from) from="$2" ;;
	*)
		sed -n '2,8s/^# \{0,1\}//p' "$0"
		exit 2
		;;
	esac
	shift 2
done

fail() {
	echo "install.sh: $*" >&2
	exit 1
}

fetch() { # URL FILE
	if command -v curl >/dev/null 2>&1; then
		curl -fsSL -o "$2" "$1" || fail "$1 cannot be downloaded"
	elif command -v wget >/dev/null 2>&1; then
		wget -q -O "$2" "$1" || fail "$1 cannot be downloaded"
	else
		fail "neither curl nor wget is here: install one of them"
	fi
}

case "$(uname -s)" in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) fail "there is no release for $(uname -s); on Windows use scoop or the zip file" ;;
esac
case "$(uname -m)" in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) fail "there is no release for $(uname -m): build it with Go (README.md)" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
if [ -n "$version" ]; then base="$from/download/v$version"; else base="$from/latest/download"; fi
fetch "$base/checksums.txt" "$work/checksums.txt"
archive=$(sed -n "s/^[0-9a-f]\{64\}  \(checkrein_[^ ]*_${os}_$arch\.tar\.gz\)\$/\1/p" "$work/checksums.txt" | head -n 1)
[ -n "$archive" ] || fail "$base has no archive for $os on $arch"

if command -v cosign >/dev/null 2>&1; then
	fetch "$base/checksums.txt.sigstore.json" "$work/signature"
	cosign verify-blob --bundle "$work/signature" --certificate-oidc-issuer https://token.actions.githubusercontent.com \
		--certificate-identity-regexp '^https://github.com/checkrein/checkrein/\.github/workflows/release\.yml@refs/tags/v' \
		"$work/checksums.txt" || fail "the signature of checksums.txt is wrong: nothing was installed"
else
	echo "cosign is not here, so the signature of checksums.txt is not checked" >&2
fi
fetch "$base/$archive" "$work/$archive"
cd "$work"
if command -v sha256sum >/dev/null 2>&1; then sum=$(sha256sum "$archive"); else sum=$(shasum -a 256 "$archive"); fi
grep -qx "${sum%% *}  $archive" checksums.txt || fail "the checksum of $archive is wrong: nothing was installed"

tar -xzf "$archive"
mkdir -p "$dir"
for program in checkrein checkreind checkrein-shell; do
	[ -f "$program" ] || continue
	cp "$program" "$dir/.$program.new"
	chmod 755 "$dir/.$program.new"
	mv -f "$dir/.$program.new" "$dir/$program"
done
"$dir/checkrein" version
echo "installed in $dir"
case ":$PATH:" in *":$dir:"*) ;; *) echo "$dir is not in your PATH" ;; esac
echo "to put the programs where only root may change them: sudo $dir/checkrein install --system"
echo "then: checkrein install --all"
