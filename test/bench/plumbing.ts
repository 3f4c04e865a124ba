import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { corpora, corpus, fileOf, type Shape } from './corpus.ts'
import { git, gitLine } from './git.ts'

/** A bare clone of a generated repository, in which Git's own commands do what the server does. */
export type Plumbing = {
  /**
   * Commits a page on main: hash-object, mktree for the folder and for the root, commit-tree,
   * update-ref.
   */
  edit: (page: number, text: string) => Promise<void>
  /** Creates a branch with this page changed. */
  branch: (name: string, page: number, text: string) => Promise<void>
  /** Merges a branch into main: merge-tree, commit-tree, update-ref. */
  merge: (name: string) => Promise<void>
}

const main = 'refs/heads/main'

/** Runs `work` with a temporary clone. */
export async function withPlumbing<Result>(
  shape: Shape,
  work: (plumbing: Plumbing) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'stemma-bench-git-'))
  try {
    const dir = join(folder, 'a.git')
    await git(folder, ['clone', '-q', '--bare', join(corpora, await corpus(shape)), dir])
    return await work(await plumb(dir))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function plumb(dir: string): Promise<Plumbing> {
  let head = await gitLine(dir, ['rev-parse', main])
  const move = async (to: string) => {
    await git(dir, ['update-ref', main, to, head])
    head = to
  }

  // Tree lookups are cached: the reference does only the necessary work.
  const trees = new Map<string, string>()
  const treeOf = async (folder: string) => {
    const known = trees.get(folder)
    if (known !== undefined) return known
    const read = (
      await git(dir, ['ls-tree', folder === '.' ? main : `${main}:${folder}`])
    ).toString()
    trees.set(folder, read)
    return read
  }

  const replace = async (folder: string, name: string, oid: string) => {
    const lines = (await treeOf(folder)).split('\n')
    const changed = lines.map(line =>
      line.endsWith(`\t${name}`) ? line.replace(/[0-9a-f]{40}/, oid) : line,
    )
    trees.set(folder, changed.join('\n'))
    return gitLine(dir, ['mktree'], trees.get(folder))
  }

  return {
    edit: async (page, text) => {
      const path = fileOf(page)
      const [folder, name] = [dirname(path), path.slice(dirname(path).length + 1)]
      await treeOf(folder)
      const blob = await gitLine(dir, ['hash-object', '-w', '--stdin'], text)
      const tree = await replace('.', folder, await replace(folder, name, blob))
      await move(await gitLine(dir, ['commit-tree', tree, '-p', head, '-m', 'Edit a page']))
    },
    branch: async (name, page, text) => {
      await git(
        dir,
        ['fast-import', '--quiet'],
        commitStream(`refs/heads/${name}`, main, fileOf(page), text),
      )
    },
    merge: async name => {
      const tree = await gitLine(dir, ['merge-tree', '--write-tree', main, name])
      await move(await gitLine(dir, ['commit-tree', tree, '-p', head, '-p', name, '-m', 'Merge']))
    },
  }
}

/** The input of `git fast-import` for a commit of one file on a branch. */
export const commitStream = (ref: string, from: string, path: string, text: string): string =>
  `commit ${ref}\ncommitter Bench <bench@example.org> 1700000000 +0000\ndata 6\nChange\nfrom ${from}\n` +
  `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`
