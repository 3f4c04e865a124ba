import { resolve } from 'node:path'
import { simpleGit } from 'simple-git'

/** The user's own clone of a repository, as far as an import or export needs it. */
export type Clone = {
  /** The top folder of the working tree. */
  root: string
  /** The URL of the remote "origin"; undefined without one. */
  url: string | undefined
  /** The branch on the remote that the current branch tracks, or else its own name; undefined on a detached HEAD. */
  branch: string | undefined
  /** The current folder relative to the root; '' for the root. */
  directory: string
  /** The number of commits that are not on the remote. */
  unpushed: number
  /** The number of files with uncommitted changes. */
  uncommitted: number
}

/** Returns the clone that contains a folder; undefined outside of a working tree and without git. */
export async function readClone(folder: string): Promise<Clone | undefined> {
  try {
    const git = simpleGit({ baseDir: resolve(folder) })
    if (!(await git.checkIsRepo())) return undefined
    const root = await git.revparse(['--show-toplevel'])
    const directory = (await git.revparse(['--show-prefix'])).replace(/\/$/, '')
    const origin = (await git.getRemotes(true)).find(({ name }) => name === 'origin')
    const { current, tracking, detached, ahead, files } = await git.status()
    const tracked = tracking?.startsWith('origin/') ? tracking.slice('origin/'.length) : undefined
    const branch = detached ? undefined : (tracked ?? current ?? undefined)
    const url = origin?.refs.fetch || undefined
    return { root, url, branch, directory, unpushed: ahead, uncommitted: files.length }
  } catch {
    // No folder, no git, or a bare repository: the caller then asks for the URL.
    return undefined
  }
}
