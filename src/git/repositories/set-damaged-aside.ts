import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInflate } from 'node:zlib'
import { syncFolders } from '../disk/durable.ts'
import { nameLeftPacks } from '../disk/left-packs.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { readRef } from '../refs/refs.ts'

const hours = 3_600_000

/**
 * Moves a file of the repository to the same name in the folder `aside`: damaged files are moved,
 * never deleted.
 */
export async function moveAside(repo: { dir: string }, name: string, aside: string): Promise<void> {
  const to = join(aside, name)
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await rename(join(repo.dir, name), to)
  await syncFolders([dirname(join(repo.dir, name)), dirname(to)])
}

/**
 * Moves unreadable loose objects, packs and indexes aside. An index that can be rebuilt from its
 * pack is rebuilt. Returns the names of the damaged files, relative to the repository. The intact
 * objects of a damaged pack are moved with it: `salvageObjects` restores them.
 */
export async function setDamagedObjectsAside(repo: Repository, aside: string): Promise<string[]> {
  await mkdir(join(repo.dir, 'objects/pack'), { recursive: true })
  await mkdir(join(repo.dir, 'objects/info'), { recursive: true })
  await nameLeftPacks(repo)
  const names = await readdir(join(repo.dir, 'objects'), { recursive: true, encoding: 'utf8' })
  const damaged: string[] = []

  for (const name of names) {
    const [, folder, rest] = /^([0-9a-f]{2})\/([0-9a-f]{38})$/.exec(name) ?? []
    if (folder && rest && (await looseId(join(repo.dir, 'objects', name))) !== folder + rest)
      damaged.push(`objects/${name}`)
  }

  const stems = new Set(
    names.flatMap(name => /^(pack\/pack-[0-9a-f]{40})\.\w+$/.exec(name)?.[1] ?? []),
  )

  for (const stem of stems) {
    const files = names.filter(name => name.startsWith(`${stem}.`)).map(name => `objects/${name}`)
    damaged.push(...(await checkPack(repo, `objects/${stem}`, files, aside)))
  }

  for (const [name, tool] of derived)
    if (names.includes(name) && !(await succeeds(repo, [tool, 'verify', '--no-progress'])))
      damaged.push(`objects/${name}`)
  for (const name of damaged) await moveAside(repo, name, aside).catch(ignoreGone)

  return damaged
}

/** Files that only speed up finding objects: git works without them. */
const derived = [
  ['info/commit-graph', 'commit-graph'],
  ['pack/multi-pack-index', 'multi-pack-index'],
] as const

const succeeds = async (repo: Repository, args: readonly string[]): Promise<boolean> =>
  (await runGit(repo, args, { timeoutMs: hours })).code === 0

function ignoreGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/** Returns the id of the object in a loose file; undefined when it cannot be unpacked. */
async function looseId(file: string): Promise<string | undefined> {
  const hash = createHash('sha1')
  const source = createReadStream(file)
  const inflate = createInflate()
  source.on('error', error => inflate.destroy(error))

  try {
    for await (const chunk of source.pipe(inflate)) hash.update(chunk as Uint8Array)
  } catch {
    return undefined
  } finally {
    source.destroy()
  }

  return hash.digest('hex')
}

/**
 * Returns the damaged files of a pack. An index that can be rebuilt is rebuilt, and the old one
 * moved aside immediately.
 */
async function checkPack(
  repo: Repository,
  stem: string,
  files: readonly string[],
  aside: string,
): Promise<string[]> {
  const [pack, index] = [`${stem}.pack`, `${stem}.idx`]
  if (!files.includes(pack)) return [...files]
  const at = (name: string) => join(repo.dir, name)
  if (files.includes(index) && (await succeeds(repo, ['verify-pack', at(index)]))) return []

  const made = at(`${stem}.new.idx`)
  if (!(await succeeds(repo, ['index-pack', '-o', made, at(pack)]))) return [...files]

  const stale = files.filter(name => name !== pack)

  for (const name of stale) await moveAside(repo, name, aside)
  await rename(made, at(index))
  await syncFolders([dirname(at(index))])

  return []
}

/** Moves refs aside whose content Git cannot read. Returns the names of their files. */
export async function setDamagedRefsAside(repo: Repository, aside: string): Promise<string[]> {
  const damaged: string[] = []
  const entries = await readdir(join(repo.dir, 'refs'), {
    recursive: true,
    withFileTypes: true,
  }).catch(() => [])

  for (const entry of entries) {
    const name = join(entry.parentPath, entry.name).slice(repo.dir.length + 1)
    if (entry.isFile() && !name.endsWith('.lock') && !isRef(repo, name)) damaged.push(name)
  }

  for (const name of damaged) await moveAside(repo, name, aside)

  // Only now does git's exit code tell whether packed-refs is readable; what the refs point at is
  // checked elsewhere.
  if (await succeeds(repo, ['for-each-ref', '--format=%(refname)'])) return damaged
  await moveAside(repo, 'packed-refs', aside).catch(ignoreGone)

  return [...damaged, 'packed-refs']
}

function isRef(repo: Repository, name: string): boolean {
  try {
    readRef(repo, name)
    return true
  } catch {
    return false
  }
}
