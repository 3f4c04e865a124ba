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
  { commit, uncommitted, changeOf }: History,
): Promise<{ commit: SourceCommit; findings: string[] }> {
  const root = (await realpath(folder)) + sep
  const sent = new Set<string>()
  let unknown = 0

  for (const each of files.values()) {
    sent.add(each.file)
    each.change = changeOf(each.file)
    if (each.change === null) unknown++
  }

  const isOfSource = (file: string): boolean =>
    sent.has(file) || (file.startsWith(root) && !isLeftOut(relative(root, file)))
  const isWhole = ![...uncommitted].some(isOfSource)

  return {
    commit: { id: commit, isWhole },
    findings:
      unknown === 0
        ? []
        : [
            `${counted(unknown, 'file')} without a date: this clone does not have the history of the repository. In a CI job, set "fetch-depth: 0" (GitHub, Forgejo) or "GIT_DEPTH: 0" (GitLab); elsewhere run "git fetch --unshallow"`,
          ],
  }
}
