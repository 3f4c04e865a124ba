import { lstatSync, type Stats, statSync } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { listWorkTree } from '../clone/list-work-tree.ts'
import { Failure } from '../output/failure.ts'
import type { Beside } from './find-project.ts'
import { isLeftOut } from './left-out.ts'

/** A file of the source. `path` is relative to it, with "/". */
type SourceFile = { path: string; file: string; stats: Stats }

/** The files of a source, sorted by path, and the symbolic links that are left out. */
type SourceList = { files: SourceFile[]; links: string[] }

/** What is taken along from beside a folder, and what is not, in sentences. */
type TakenAlong = { also: string[]; findings: string[] }

const mostFiles = 19_000
const mostBytes = 19_000_000

/**
 * Returns the files of a folder that are published: in a Git work tree those that Git does not
 * ignore, elsewhere all, without what `isLeftOut` names. A symbolic link to a file inside the
 * folder counts as a copy of it unless that file is left out; other links are left out. Throws
 * Failure for no folder, no files, too many files and too large ones. `beside` is what belongs to
 * the folder elsewhere: as much of it as may be published.
 */
export async function listFiles(
  folder: string,
  beside: readonly Beside[] = [],
): Promise<SourceList & TakenAlong> {
  const own = await filesIn(folder).catch(error => {
    if (statSync(folder, { throwIfNoEntry: false })?.isFile())
      throw new Failure(`${folder} is a file. Name its folder.`)
    throw isGone(error) ? new Failure(`There is no folder ${folder}.`) : error
  })
  const list = { ...own, also: [], findings: [] }

  check(folder, list.files)
  for (const each of beside) await takeAlong(list, each)
  return list
}

async function takeAlong(list: SourceList & TakenAlong, { path, file }: Beside): Promise<void> {
  const more = await filesBeside(path, file).catch(error => {
    if (isGone(error)) return 'gone'
    if (error instanceof Failure) return 'too many'
    throw error
  })

  if (more === 'gone') return
  if (more === 'too many' || list.files.length + more.files.length > mostFiles) {
    list.findings.push(
      `${basename(file)} beside the folder was left out: together they have more than ${mostFiles} files`,
    )
    return
  }

  for (const each of more.files)
    if (each.stats.size <= mostBytes) list.files.push(each)
    else list.findings.push(`${each.path} beside the folder was left out: it has ${tooLarge(each)}`)

  list.links.push(...more.links)
  list.also.push(file)
}

/** Returns a file, or the files of a folder, by their paths in the space. */
async function filesBeside(path: string, file: string): Promise<SourceList> {
  if (!path.endsWith('/')) return { files: [{ path, file, stats: await lstat(file) }], links: [] }
  const { files, links } = await filesIn(file)
  return {
    files: files.map(each => ({ ...each, path: path + each.path })),
    links: links.map(link => path + link),
  }
}

async function filesIn(folder: string): Promise<SourceList> {
  const root = await realpath(folder)
  const tracked = await listWorkTree(root)
  const paths = new Set(tracked ?? (await walk(root)))
  // What Git ignores is not published under the name of a link either.
  const mayLead = (inside: string) => !isLeftOut(inside) && (!tracked || paths.has(inside))
  const list: SourceList = { files: [], links: [] }
  const folders = new Map<string, boolean>([['.', false]])

  for (const path of [...paths].filter(each => !isLeftOut(each)).sort())
    if (!(await isBelowLink(folders, list, root, dirname(path))))
      await add(list, root, path, mayLead)

  return list
}

/**
 * Returns whether a folder is a symbolic link or below one, and adds the link to the list. Git's
 * index may name files below what is a link on disk. `known` has the answers so far.
 */
async function isBelowLink(
  known: Map<string, boolean>,
  list: SourceList,
  root: string,
  folder: string,
): Promise<boolean> {
  const before = known.get(folder)
  if (before !== undefined) return before

  const isBelow = await isBelowLink(known, list, root, dirname(folder))
  const stats = isBelow ? undefined : await lstat(join(root, folder)).catch(() => undefined)
  const isLink = stats?.isSymbolicLink() === true
  if (isLink && !list.links.includes(folder)) list.links.push(folder)
  known.set(folder, isBelow || isLink)

  return isBelow || isLink
}

async function add(
  list: SourceList,
  root: string,
  path: string,
  mayLead: (inside: string) => boolean,
): Promise<void> {
  const file = join(root, path)
  try {
    // Not awaited: a thousand files would take ten times as long.
    const stats = lstatSync(file)
    if (stats.isFile()) list.files.push({ path, file, stats })
    else if (stats.isSymbolicLink()) await addLink(list, root, path, mayLead)
  } catch (error) {
    // Deleted since it was listed, or still in Git's index.
    if (!isGone(error)) throw error
  }
}

async function addLink(
  list: SourceList,
  root: string,
  path: string,
  mayLead: (inside: string) => boolean,
): Promise<void> {
  const target = await realpath(join(root, path)).catch(() => undefined)
  const inside = target === undefined ? '..' : relative(root, target).split(sep).join('/')
  const stats =
    target === undefined || inside.split('/')[0] === '..' ? undefined : await stat(target)
  if (target !== undefined && stats?.isFile() && mayLead(inside))
    list.files.push({ path, file: target, stats })
  else if (!list.links.includes(path)) list.links.push(path)
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
      `${large.path} has ${tooLarge(large)}: leave it out with .gitignore in a Git repository, or import the repository with "stemma import".`,
    )
}

const tooLarge = ({ stats }: SourceFile): string =>
  `${Math.ceil(stats.size / 1_000_000)} MB. Files of up to ${mostBytes / 1_000_000} MB can be published`

const tooMany = (folder: string) =>
  new Failure(
    `${folder} has more than ${mostFiles} files. Name the folder of the documentation, or import its repository with "stemma import".`,
  )
