import { gitIn } from './run-git.ts'

/**
 * Returns the paths, relative to a folder of a work tree, of the files that Git tracks or would
 * add; undefined outside of a work tree, in a folder that Git ignores, and without git.
 */
export async function listWorkTree(folder: string): Promise<string[] | undefined> {
  try {
    const git = await gitIn(folder)
    const [isInside, isNamed, listed] = await Promise.all([
      git('rev-parse', '--is-inside-work-tree'),
      git('check-ignore', '-q', folder).then(() => true, notMatched),
      git('ls-files', '-z', '--cached', '--others', '--exclude-standard'),
    ])
    if (isInside.trim() !== 'true' || isNamed) return undefined
    return listed.split('\0').filter(path => path !== '' && !path.endsWith('/'))
  } catch {
    return undefined
  }
}

/**
 * Returns whether Git ignores what has a name in a folder of a work tree; false outside of one, and
 * without git.
 */
export const isIgnored = async (folder: string, name: string): Promise<boolean> =>
  gitIn(folder)
    .then(git => git('check-ignore', '-q', '--', name))
    .then(
      () => true,
      () => false,
    )

/** Returns false for the failure of `git check-ignore` that says that no pattern matched. */
function notMatched(error: unknown): false {
  if ((error as { code?: unknown }).code !== 1) throw error
  return false
}

/** Returns the top folder of the work tree that contains a folder; undefined outside of one. */
export async function findWorkTree(
  folder: string,
): Promise<{ root: string; origin?: string } | undefined> {
  try {
    const git = await gitIn(folder)
    const root = (await git('rev-parse', '--show-toplevel')).trim()
    const origin = await git('remote', 'get-url', 'origin').catch(() => '')
    return { root, ...(origin !== '' && { origin: origin.trim() }) }
  } catch {
    return undefined
  }
}

/** Returns whether a folder of a work tree has changes that are not committed; false elsewhere. */
export const hasChanges = (folder: string): Promise<boolean> =>
  gitIn(folder)
    .then(git => git('status', '--porcelain', '--', '.'))
    .then(
      listed => listed.trim() !== '',
      () => false,
    )
