#!/usr/bin/env bash
# Builds what is published of a version into a directory: archives for six platforms, packages for
# Debian and for systems with RPM, what a container image is made of (image/), Python wheels, a bill
# of materials, and checksums. The same sources, compilers and version give the same bytes.
#
#   build.sh NAME OUT              all of it; NAME is a version of git describe
#   build.sh version NAME          print it as files and as packages have it
#   build.sh pack NAME OS-ARCH TREE OUT  what is packed of a tree, as below /usr/local
#
# man pages and completions lie in share/. The wheel for this platform needs a C compiler and Python 3;
# those for other platforms a cross compiler (gcc-aarch64-linux-gnu, gcc-mingw-w64-x86-64) or a Mac.
# The date of everything is $SOURCE_DATE_EPOCH.
set -euo pipefail
umask 022
export LC_ALL=C TZ=UTC
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
go=${GO:-go}
platforms=${PLATFORMS:-'linux-amd64 linux-arm64 darwin-amd64 darwin-arm64 windows-amd64 windows-arm64'}

die() { echo "error: $*" >&2; exit 1; }

# version NAME sets file, of names of files, and package, by which packages order: 0.1.0+3.gabcdef0 for
# v0.1.0-3-gabcdef0, 0.1.0~rc1, 0~git.abcdef0.
version() {
	local of='^v([0-9]+\.[0-9]+\.[0-9]+)(-((alpha|beta|rc)[.0-9]*))?(-([0-9]+)-g([0-9a-f]+))?(-dirty)?$'
	file=${1#v}
	if [[ $1 =~ $of ]]; then
		package=${BASH_REMATCH[1]}${BASH_REMATCH[3]:+"~${BASH_REMATCH[3]}"}${BASH_REMATCH[6]:+"+${BASH_REMATCH[6]}.g${BASH_REMATCH[7]}"}
		[ -n "${BASH_REMATCH[5]}${BASH_REMATCH[8]}" ] || tag=$file
	elif [[ $1 =~ ^[0-9a-f]{7,40}(-dirty)?$ ]]; then
		package=0~git.${1%-dirty}
	else
		die "\"$1\" is not a version; give one as git describe has it: v0.1.0, v0.1.0-rc1, v0.1.0-3-gabcdef0 or abcdef0"
	fi
	if [[ $1 == *-dirty ]]; then package+=.dirty; fi
}

# compile OS-ARCH DIR builds the programs.
compile() {
	local module packages
	while read -r module packages; do
		# shellcheck disable=SC2086 # there are several packages
		env CGO_ENABLED=0 GOOS="${1%-*}" GOARCH="${1#*-}" GOAMD64=v1 GOARM64=v8.0 GOFLAGS= "$go" build -C "$root/$module" -trimpath -buildvcs=false \
			-ldflags "-s -w -X $("$go" list -C "$root" -m)/cmd/cli.version=$name" -o "$2/" $packages
	done <<-'END'
		. ./cmd/tbsolve ./cmd/tbquery ./cmd/tbserve ./cmd/tbplay
		cluster ./cmd/...
		mcp ./cmd/...
		research ./cmd/...
		tools ./bench
	END
}

# library OS-ARCH DIR builds the C library of a wheel, if its compiler is there.
library() {
	local compiler='' file=libbacksolve.so flags=-extldflags=-Wl,-soname,libbacksolve.so
	if [ "$1" != "$("$go" env GOHOSTOS)-$("$go" env GOHOSTARCH)" ]; then
		case $1 in
		linux-amd64) compiler=x86_64-linux-gnu-gcc ;;
		linux-arm64) compiler=aarch64-linux-gnu-gcc ;;
		windows-amd64) compiler=x86_64-w64-mingw32-gcc ;;
		esac
		command -v "${compiler:-none}" >/dev/null || { echo "Python: no wheel for $1, as ${compiler:-a C compiler for it} is not installed"; return; }
	fi
	case $1 in
	darwin-*) file=libbacksolve.dylib flags='' ;;
	windows-*) file=libbacksolve.dll flags='' ;;
	esac
	env CGO_ENABLED=1 GOOS="${1%-*}" GOARCH="${1#*-}" GOAMD64=v1 GOARM64=v8.0 GOFLAGS= ${compiler:+CC=$compiler} "$go" build -C "$root" -trimpath -buildvcs=false \
		-buildmode=c-shared -ldflags "-s -w -X main.version=$name $flags" -o "$2/$file" ./cmd/libbacksolve || die 'install a C compiler'
	rm -f "$2"/*.h
}

# tree OS-ARCH TREE adds what goes along with the programs.
tree() {
	local doc=$2/share/doc/backsolve
	[ -d "$root/share/man" ] || die 'there are no man pages and completions in share; make them with make man completions'
	mkdir -p "$doc"
	cp -R "$root/share/." "$2/share/"
	[[ $1 == windows-* ]] || rm -rf "$2/share/powershell"
	if [[ $1 == linux-* ]]; then
		mkdir -p "$2/lib/systemd/system"
		cp "$root"/cmd/tbserve/systemd/tbserve.{service,socket} "$2/lib/systemd/system/"
	fi
	cp -R "$root"/{README.md,CHANGELOG.md,CONTRIBUTING.md,SECURITY.md,LICENSE,docs} "$work/THIRD-PARTY-LICENSES.txt" "$doc/"
}

# pack OS-ARCH TREE OUT writes the archive of a tree and, for Linux, packages and a part of the image.
pack() {
	local top=backsolve-$file-$1 stage
	stage=$(mktemp -d)
	cp -R "$2" "$stage/$top"
	find "$stage/$top" -type d -exec chmod 755 {} + -o -path '*/bin/*' -exec chmod 755 {} + -o -exec chmod 644 {} +
	find "$stage/$top" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
	if [[ $1 == windows-* ]]; then
		(cd "$stage" && python3 -m zipfile -c "$3/$top.zip" "$top")
	else
		tar -C "$stage" --sort=name --owner=root:0 --group=root:0 --mtime="@$SOURCE_DATE_EPOCH" -c "$top" | gzip -9n >"$3/$top.tar.gz"
	fi
	if [[ $1 == linux-* ]]; then packages "${1#*-}" "$stage/$top" "$3"; fi
	rm -rf "$stage"
}

# packages ARCH TREE OUT writes packages by nfpm.yaml. They leave out the programs for research, whose
# names are too plain for all to see.
packages() {
	local image=$3/image/linux-$1/usr
	mkdir -p "$image"/{bin,share/doc/backsolve} "$3/image/tables" # its owner is that of a new volume
	cp "$here/Dockerfile" "$3/image/"
	cp "$2"/bin/{tbserve,tbsolve,tbquery,tbcluster} "$image/bin/"
	cp "$2"/share/doc/backsolve/{LICENSE,THIRD-PARTY-LICENSES.txt} "$image/share/doc/backsolve/"
	cp -R "$here/scripts" "$2/"
	gzip -9n "$2"/share/man/man1/tb*.1
	sed -i.before 's|/usr/local/|/usr/|g' "$2"/lib/systemd/system/tbserve.service && rm "$2"/lib/systemd/system/*.before
	case $1 in
	amd64) KERNELS='On Intel servers since Ice Lake and AMD since Zen 4 it uses AVX-512, on other Intel since
 Haswell and AMD since Zen AVX2 with BMI2. Older processors take up to three times as long.' ;;
	arm64) KERNELS='It uses NEON, which every 64-bit ARM processor has.' ;;
	esac
	for kind in deb rpm; do
		(cd "$2" && ARCH=$1 VERSION=$package KERNELS=$KERNELS "$nfpm" package --config "$here/nfpm.yaml" --packager "$kind" --target "$3/" >/dev/null)
	done
}

# tools builds nfpm, unless $NFPM is one.
tools() {
	nfpm=${NFPM:-$work/nfpm}
	[ -n "${NFPM:-}" ] || GOFLAGS='' "$go" build -C "$here" -o "$nfpm" github.com/goreleaser/nfpm/v2/cmd/nfpm
}

all() {
	local p
	[ -z "${tag:-}" ] || grep -qE "^## ${tag//./\\.}( |\$)" "$root/CHANGELOG.md" || die "CHANGELOG.md has nothing on $tag; write a section \"## $tag\""
	[ -z "$(ls -A "$out" 2>/dev/null)" ] || die "$out has files already; remove it"
	tools
	for p in $platforms; do
		echo "$p: compiling"
		compile "$p" "$work/tree/$p/bin"
		library "$p" "$work/library/$p"
	done
	mkdir -p "$out"
	GOFLAGS='' "$go" build -C "$here" -o "$work/release" .
	"$work/release" "$root" "$work" "$file" "$out"
	for p in $platforms; do
		echo "$p: packing"
		tree "$p" "$work/tree/$p"
		pack "$p" "$work/tree/$p" "$out"
		for library in "$work/library/$p"/*; do
			[ ! -e "$library" ] || python3 "$root/python/wheel.py" "$library" "$name" "${p/-//}" "$out" "$work/THIRD-PARTY-LICENSES.txt"
		done
	done
	(cd "$out" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%f\n' | sort | xargs sha256sum >SHA256SUMS)
}

if [ "${1:-}" = version ]; then
	version "${2:-}"
	echo "$file $package"
	exit
fi
: "${SOURCE_DATE_EPOCH:?is not set; set it to the date of the version, in seconds since 1970}"
[[ $SOURCE_DATE_EPOCH =~ ^[0-9]+$ ]] || die "\$SOURCE_DATE_EPOCH is \"$SOURCE_DATE_EPOCH\"; set it to a number of seconds since 1970"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "${1:-}" = pack ]; then
	version "$2"
	tools
	pack "$3" "$4" "$5"
	exit
fi
name=${1:-} out=$(realpath -m "${2:-dist}")
version "$name"
all
