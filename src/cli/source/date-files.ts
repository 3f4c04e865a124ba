import { realpath } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import type { History } from '../clone/read-history.ts'
import { counted } from '../output/print.ts'
import { isLeftOut } from './left-out.ts'

/** The commit of a source, and whether the files are exactly those of it. */
export type SourceCommit = { id: string; isWhole: boolean }

/** A file on disk and its last change, as `History` has it. */
type Dated = { file: string; change?: string | null | undefined }

/**
 * Adds the last changes to the files of a folder. Returns the commit that they are from, and
 * findings.
 */
export async function dateFiles(
  folder: string,
  files: ReadonlyMap<string, Dated>,
  { commit, isRead, uncommitted, changeOf }: History,
): Promise<{ commit: SourceCommit; findings: string[] }> {
  const root = (await realpath(folder)) + sep
  const sent = new Set<string>()
  let unknown = 0
  let isWhole = isRead

  for (const each of files.values()) {
    sent.add(each.file)
    each.change = changeOf(each.file)
    if (each.change === null) unknown++
    // Git does not track the file, or it differs from the commit.
    if (each.change === undefined) isWhole = false
  }

  const isOfSource = (file: string): boolean =>
    sent.has(file) || (file.startsWith(root) && !isLeftOut(relative(root, file)))
  if ([...uncommitted].some(isOfSource)) isWhole = false

  return {
    commit: { id: commit, isWhole },
    findings: [
      ...(isRead
        ? []
        : [
            'The dates of the commits were left out: Git could not list them within a minute. Pages have the date of this run',
          ]),
      ...(unknown === 0
        ? []
        : [
            `${counted(unknown, 'file')} without a date: this clone does not have the history of the repository. In a CI job, set "fetch-depth: 0" (GitHub, Forgejo) or "GIT_DEPTH: 0" (GitLab); elsewhere run "git fetch --unshallow"`,
          ]),
    ],
  }
}
