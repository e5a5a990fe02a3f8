#!/usr/bin/env bash
# @hey-api/openapi-ts 0.99.0: its peer range accepts TypeScript 7, with which it cannot start.
#
# Expected: `npm install @hey-api/openapi-ts` alone installs a compiler that it works with, or a start that names the wrong version.
# Seen: npm chooses TypeScript 7.0.2, whose module exports only its version. The command stops while it loads, before it reads its arguments,
# with a TypeError that names no version. With TypeScript 5.9.3 it works.
# Why it matters: a new project that follows the guide gets no client, and the error does not lead to the compiler.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"

try() {
  mkdir "$1"
  (
    cd "$1"
    npm install --silent --no-audit --no-fund --ignore-scripts @hey-api/openapi-ts@0.99.0 "typescript@$1"
    npx openapi-ts --version 2>&1 | grep -oE 'TypeError|AnyKeyword|^[0-9]+\.[0-9]+\.[0-9]+$' | sort -u | paste -sd' ' | sed "s/^/$1: /" || true
  )
}
npm view @hey-api/openapi-ts@0.99.0 peerDependencies.typescript | tee seen.txt
{
  try 7.0.2
  try 5.9.3
} | tee -a seen.txt
diff seen.txt - <<'EXPECTED'
>=5.5.3 || >=6.0.0 || 6.0.1-rc
7.0.2: AnyKeyword TypeError
5.9.3: 0.99.0
EXPECTED
