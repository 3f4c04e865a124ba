import type { Stats } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { listWorkTree } from '../clone/list-work-tree.ts'
import { Failure } from '../output/failure.ts'
import type { Beside } from './find-project.ts'
import { isLeftOut } from './left-out.ts'

/** A file of the source. `path` is relative to it, with "/". */
type SourceFile = { path: string; file: string; stats: Stats }

/** The files of a source, sorted by path, and the symbolic links that are left out. */
type SourceList = { files: SourceFile[]; links: string[] }

const mostFiles = 19_000
const mostBytes = 19_000_000

/**
 * Returns the files of a folder that are published: in a Git work tree those that Git does not
 * ignore, elsewhere all, without what `isLeftOut` names. A symbolic link to a file inside the
 * folder counts as a copy of it; others are left out. `beside` is what belongs to it elsewhere. Throws Failure for no files, too many files
 * and too large ones.
 */
export async function listFiles(
  folder: string,
  beside: readonly Beside[] = [],
): Promise<SourceList> {
  const list = await filesIn(folder)
  for (const { path, file } of beside) {
    if (path.endsWith('/')) {
      const more = await filesIn(file)
      list.files.push(...more.files.map(each => ({ ...each, path: path + each.path })))
      list.links.push(...more.links.map(link => path + link))
    } else list.files.push({ path, file, stats: await stat(file) })
  }
  check(folder, list.files)
  return list
}

async function filesIn(folder: string): Promise<SourceList> {
  const root = await realpath(folder)
  const paths = (await listWorkTree(root)) ?? (await walk(root))
  const list: SourceList = { files: [], links: [] }
  for (const path of [...new Set(paths)].filter(each => !isLeftOut(each)).sort())
    await add(list, root, path)
  return list
}

async function add(list: SourceList, root: string, path: string): Promise<void> {
  const file = join(root, path)
  try {
    const stats = await lstat(file)
    if (stats.isFile()) list.files.push({ path, file, stats })
    else if (stats.isSymbolicLink()) await addLink(list, root, path)
  } catch (error) {
    // Deleted since it was listed, or still in Git's index.
    if (!isGone(error)) throw error
  }
}

async function addLink(list: SourceList, root: string, path: string): Promise<void> {
  const target = await realpath(join(root, path)).catch(() => undefined)
  const inside = target === undefined ? '..' : relative(root, target).split(sep).join('/')
  const stats =
    target === undefined || inside.split('/')[0] === '..' ? undefined : await stat(target)
  if (target !== undefined && stats?.isFile() && !isLeftOut(inside))
    list.files.push({ path, file: target, stats })
  else list.links.push(path)
}

/** Returns whether an error of the file system means that there is no such file or folder. */
export function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

async function walk(root: string, inner = ''): Promise<string[]> {
  const paths: string[] = []
  for (const entry of await readdir(join(root, inner), { withFileTypes: true })) {
    const path = inner + entry.name
    if (isLeftOut(path)) continue
    if (entry.isDirectory()) paths.push(...(await walk(root, `${path}/`)))
    else paths.push(path)
    if (paths.length > mostFiles) throw tooMany(root)
  }

  return paths
}

function check(folder: string, files: readonly SourceFile[]): void {
  if (files.length === 0)
    throw new Failure(
      `There is nothing to publish in ${folder}: it has no files, or .gitignore leaves them out.`,
    )

  if (files.length > mostFiles) throw tooMany(folder)
  const large = files.find(({ stats }) => stats.size > mostBytes)

  if (large)
    throw new Failure(
      `${large.path} has ${Math.ceil(large.stats.size / 1_000_000)} MB. Files of up to ${mostBytes / 1_000_000} MB can be published: leave it out with .gitignore in a Git repository, or import the repository with "stemma import".`,
    )
}

const tooMany = (folder: string) =>
  new Failure(
    `${folder} has more than ${mostFiles} files. Name the folder of the documentation, or import its repository with "stemma import".`,
  )
