import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import { installPushHook, writeHookFile } from '../../git/repositories/push-hook.ts'
import { listArchivedNumbers } from '../../store/discussions/change-requests.ts'
import { marksFolder } from './push-marks.ts'
import { changeRequestNumberOf, isAmongChangeRequests } from './ref-names.ts'

/** The state of a change request whose branch is pushed to; 'closed': merged, or never existed. */
export type RequestState = 'open' | 'archived' | 'closed'

/**
 * Returns why a push must not move a ref, as a clause without a full stop; undefined if it may.
 * Every entry point for pushes applies this policy; pushes to the repository folder meet it in the
 * hook below.
 */
export function whyNotPush(
  ref: string,
  stateOf: (number: number) => RequestState,
): string | undefined {
  if (!isAmongChangeRequests(ref)) return undefined
  const number = changeRequestNumberOf(ref)
  if (number === undefined) return notARequest
  const state = stateOf(number)
  if (state === 'open') return undefined
  return state === 'archived' ? archived(String(number)) : closed(String(number))
}

const notARequest =
  'a branch below change-requests/ must be named after the number of a change request'
const archived = (number: string) =>
  `change request ${number} is archived; reopen it before you push to it`
const closed = (number: string) =>
  `change request ${number} is merged or does not exist; open another one and push to its branch`

/**
 * A file in the repository folder that lists the numbers of archived change requests, one per line.
 */
const archivedFile = 'stemma-archived'

const mark = 'Written by Stemma'

/**
 * The policy as Git's `update` hook, in plain sh without access to the database: the branch of a
 * change request exists until it is merged, and a file lists the archived ones. `pushed` is the file
 * that marks the space, relative to the repository.
 */
const scriptOf = (pushed: string): string => `#!/bin/sh
# ${mark} after every start: changes are lost. Remove the first words of this line to keep your own hook.
ref=$1
old=$2
refuse() {
  echo "$1" >&2
  exit 1
}
take() {
  { true >"\${GIT_DIR:-.}/${pushed}"; } 2>/dev/null
  exit 0
}
case $ref in
refs/heads/change-requests | refs/heads/change-requests/*) ;;
*) take ;;
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
take
`

/**
 * Makes a space's repository refuse pushes that would be ignored and mark the others: installs the
 * hook and lists the archived change requests. Hold the space's lock while the server may be writing to it.
 * Idempotent.
 */
export async function guardPushes(ctx: Context, repo: Repository, spaceId: string): Promise<void> {
  if (!existsSync(repo.dir)) return
  const numbers = listArchivedNumbers(ctx.store, spaceId)
  const lines = numbers.map(number => `${number}\n`).join('')
  await writeHookFile(repo, archivedFile, lines === '' ? undefined : lines)
  const marks = marksFolder(ctx.config.dataDir)
  await mkdir(marks, { recursive: true })
  const script = scriptOf(relative(repo.dir, join(marks, spaceId)))
  if (await installPushHook(repo, { script, mark })) return
  ctx.log.warn(
    { space: spaceId },
    'the repository has its own update hook: pushes to merged and archived change requests are not refused, and other pushes may be processed an hour later',
  )
}
