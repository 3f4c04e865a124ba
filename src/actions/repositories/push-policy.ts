import { existsSync } from 'node:fs'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { installPushHook, writeHookFile } from '../../git/repositories/push-hook.ts'
import { listArchivedNumbers } from '../../store/discussions/change-requests.ts'
import { changeRequestNumberOf, isAmongChangeRequests } from './ref-names.ts'

/** What a push finds in the place of a change request; 'closed': it is merged, or there never was one. */
export type RequestState = 'open' | 'archived' | 'closed'

/**
 * Returns why a push must not move a ref, as a clause without a full stop; undefined when it may. This is the policy for
 * every way in: pushes to the folder of a repository meet it as a hook, which `script` writes down in the same words.
 */
export function whyNotPush(ref: string, stateOf: (number: number) => RequestState): string | undefined {
  if (!isAmongChangeRequests(ref)) return undefined
  const number = changeRequestNumberOf(ref)
  if (number === undefined) return notARequest
  const state = stateOf(number)
  if (state === 'open') return undefined
  return state === 'archived' ? archived(String(number)) : closed(String(number))
}

const notARequest = 'branches below change-requests/ are named by the number of a change request'
const archived = (number: string) =>
  `change request ${number} is archived: open it again before you push to it`
const closed = (number: string) =>
  `change request ${number} is merged or does not exist: open another one and push to its branch`

/** The file beside a repository's config that has the numbers of archived change requests, one a line. */
const archivedFile = 'stemma-archived'

const mark = 'Written by Stemma'

/**
 * The policy for Git's `update` hook, in plain sh and without a look at the database: the branch of a change request is there
 * as long as it is not merged, and a file lists those that are archived.
 */
const script = `#!/bin/sh
# ${mark} at every start: changes are lost. Remove the first words of this line to keep your own hook.
ref=$1
old=$2
refuse() {
  echo "$1" >&2
  exit 1
}
case $ref in
refs/heads/change-requests | refs/heads/change-requests/*) ;;
*) exit 0 ;;
esac
number=\${ref#refs/heads/change-requests/}
case $number in
'' | 0* | *[!0-9]* | ??????????*) refuse "${notARequest}" ;;
esac
case $old in
*[!0]*) ;;
*) refuse "${closed('$number')}" ;;
esac
if grep -qx "$number" "\${GIT_DIR:-.}/${archivedFile}" 2>/dev/null; then
  refuse "${archived('$number')}"
fi
exit 0
`

/**
 * Makes the repository of a space refuse pushes that nobody would see: installs the hook, and writes down which change
 * requests are archived. Hold the space's lock where the server may be writing to it. Doing it again is harmless.
 */
export async function guardPushes(ctx: Context, repo: Repository, spaceId: string): Promise<void> {
  if (!existsSync(repo.dir)) return
  const numbers = listArchivedNumbers(ctx.store, spaceId)
  const lines = numbers.map(number => `${number}\n`).join('')
  await writeHookFile(repo, archivedFile, lines === '' ? undefined : lines)
  if (await installPushHook(repo, { script, mark })) return
  ctx.log.warn(
    { space: spaceId },
    'the repository has an update hook of its own: pushes to merged and archived change requests are not refused',
  )
}
