import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { historyReader } from '../clone/read-history.ts'
import { dateFiles, type SourceCommit } from './date-files.ts'
import { findProject, type Project } from './find-project.ts'
import { isGone, listFiles } from './list-files.ts'

/**
 * A file to send: its Git mode, the id that Git gives to its content, the file on disk, and its last
 * change as `History` has it.
 */
export type SentFile = {
  mode: string
  oid: string
  file: string
  size: number
  change?: string | null | undefined
}

/** A source that is read again and again. */
export type Source = {
  /**
   * Returns its present files by path, the symbolic links that are left out, what is taken along
   * from beside it, the project, with findings about all of these, and in a Git work tree the
   * commit.
   */
  read: () => Promise<{
    files: Map<string, SentFile>
    links: string[]
    also: string[]
    project: Project
    commit: SourceCommit | undefined
  }>
  /** Returns the files and, with a slash, folders beside it that counted or were missing then. */
  watched: () => readonly string[]
}

/**
 * Opens a folder as a source, of the tool `from` if it is given. The ids of files whose time and
 * size are unchanged are kept.
 */
export function openSource(folder: string, from?: string): Source {
  let known = new Map<string, { key: string; oid: string }>()
  let watched: readonly string[] = []
  const readHistory = historyReader()
  const read: Source['read'] = async () => {
    const project = await findProject(folder, from)
    watched = project.watched
    const reading = readHistory(
      folder,
      project.beside.map(({ file }) => file),
    )
    const list = await listFiles(folder, project.beside)
    const files = new Map<string, SentFile>()
    const now = new Map<string, { key: string; oid: string }>()

    for (const { path, file, stats } of list.files) {
      const key = `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.ino}`
      const before = known.get(file)
      const oid = before?.key === key ? before.oid : oidOf(file)
      if (oid === undefined) continue
      now.set(file, { key, oid })
      files.set(path, {
        mode: (stats.mode & 0o100) === 0 ? '100644' : '100755',
        oid,
        file,
        size: stats.size,
      })
    }

    known = now

    project.findings.push(...list.findings)
    const { links, also } = list
    const history = await reading
    const dated = history && (await dateFiles(folder, files, history))
    project.findings.push(...(dated?.findings ?? []))

    return { files, links, also, project, commit: dated?.commit }
  }

  return { read, watched: () => watched }
}

/**
 * Returns the id that Git gives to the content of a file; undefined for a file that was just
 * deleted.
 */
function oidOf(file: string): string | undefined {
  try {
    const bytes = readFileSync(file)
    return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}
