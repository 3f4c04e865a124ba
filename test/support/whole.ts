import fs, { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import git from 'isomorphic-git'
import { fsck } from './git/repo.ts'
import { isLongRun, sampleOf } from './long-run.ts'

/**
 * More repositories than this are not checked, the oldest first: a test that makes many spaces
 * makes them all alike.
 */
const most = isLongRun ? 12 : 3

/**
 * Throws unless the repositories of a data folder are intact: `git fsck --strict` reports nothing,
 * and isomorphic-git, an independent implementation, reads the newest commit of each branch and its
 * folders.
 */
export async function checkRepositories(dataDir: string): Promise<void> {
  const top = join(dataDir, 'spaces')
  const dirs = (existsSync(top) ? readdirSync(top) : []).flatMap(shelf =>
    readdirSync(join(top, shelf)).map(name => join(top, shelf, name)),
  )
  const born = new Map(
    dirs.map(dir => [dir, statSync(join(dir, 'config'), { throwIfNoEntry: false })?.mtimeMs ?? 0]),
  )
  dirs.sort((a, b) => (born.get(a) as number) - (born.get(b) as number))

  for (const dir of sampleOf(dirs.slice(0, most))) {
    fsck({ dir })
    const branches = await git.listBranches({ fs, gitdir: dir })
    const heads = await Promise.all(
      branches.map(name => git.resolveRef({ fs, gitdir: dir, ref: `refs/heads/${name}` })),
    )

    for (const oid of new Set(heads)) {
      const { commit } = await git.readCommit({ fs, gitdir: dir, oid })
      const { tree } = await git.readTree({ fs, gitdir: dir, oid: commit.tree })
      for (const entry of tree.filter(each => each.type === 'tree')) {
        await git.readTree({ fs, gitdir: dir, oid: entry.oid })
      }
    }
  }
}
