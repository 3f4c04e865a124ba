#!/bin/sh
# Brings a folder of a Git checkout into a change request of a space, and fails if that breaks links.
#   docs-job.sh FOLDER NAME          opens the change request of this name, or adds to it
#   docs-job.sh FOLDER NAME merge    merges it afterwards, and fails on conflicts
# Needs git, curl and jq, and the variables STEMMA_URL, STEMMA_TOKEN and STEMMA_SPACE (the id of the space).
set -eu
folder=$1 name=$2 then=${3:-}
auth="Authorization: Bearer $STEMMA_TOKEN"

api() {
  path=$1
  shift
  curl -sS --fail-with-body -H "$auth" "$@" "$STEMMA_URL/v1$path"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
remote() { git -C "$work" -c "http.extraHeader=$auth" "$@"; }

git -c "http.extraHeader=$auth" clone -q --depth 1 "$STEMMA_URL/$STEMMA_SPACE.git" "$work"
# The change request may exist already: then its branch goes on.
if remote fetch -q --depth 1 origin "$name" 2>/dev/null; then git -C "$work" checkout -q FETCH_HEAD; fi

git -C "$work" rm -rq --ignore-unmatch .
git -C "$folder" archive HEAD . | tar -x -C "$work"
git -C "$work" add -A

if ! git -C "$work" diff --cached --quiet; then
  message=$(git -C "$folder" log -1 --format=%B -- .)
  git -C "$work" -c user.name="$(git -C "$folder" log -1 --format=%an)" \
    -c user.email="$(git -C "$folder" log -1 --format=%ae)" commit -q -m "$message"
  remote push -q origin "HEAD:refs/for/main/$name"
fi

request=$(api "/spaces/$STEMMA_SPACE/change-requests?limit=1000" | jq -r --arg name "$name" '[.items[] | select(.branch == $name)][0].number // empty')
if [ -z "$request" ]; then
  echo "The space has the content of $folder."
  exit 0
fi

broken=$(api "/spaces/$STEMMA_SPACE/change-requests/$request/links?brokenContext=change-request")
echo "$broken" | jq -r '.items[].link | "\(.path):\(.line): there is no \(.target)"'
[ "$(echo "$broken" | jq '.stats.broken.changeRequest')" -eq 0 ] || exit 1

if [ "$then" = merge ]; then
  api "/spaces/$STEMMA_SPACE/change-requests/$request/merge?conflict=409" -X POST
fi
