import { simpleGit } from 'simple-git'

/**
 * Returns the paths, relative to a folder of a work tree, of the files that Git tracks or would add; undefined outside of a
 * work tree, in a folder that Git ignores, and without git.
 */
export async function listWorkTree(folder: string): Promise<string[] | undefined> {
  try {
    const git = simpleGit({ baseDir: folder })
    if ((await git.raw(['rev-parse', '--is-inside-work-tree'])).trim() !== 'true') return undefined
    // "-n" and "-v" print a line also for a folder that is not ignored: its pattern is empty then.
    const ignored = await git.raw(['check-ignore', '-n', '-v', folder])
    if (!ignored.startsWith('::')) return undefined
    const listed = await git.raw(['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
    return listed.split('\0').filter(path => path !== '' && !path.endsWith('/'))
  } catch {
    return undefined
  }
}

/** Returns the top folder of the work tree that contains a folder; undefined outside of one. */
export async function findWorkTree(folder: string): Promise<{ root: string; origin?: string } | undefined> {
  try {
    const git = simpleGit({ baseDir: folder })
    const root = (await git.revparse(['--show-toplevel'])).trim()
    const origin = (await git.getRemotes(true)).find(({ name }) => name === 'origin')?.refs.fetch
    return { root, ...(origin && { origin }) }
  } catch {
    return undefined
  }
}
