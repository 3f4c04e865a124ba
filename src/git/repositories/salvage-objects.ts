import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Oid, parseOid } from '../../lib/oid.ts'
import { syncFolders } from '../disk/durable.ts'
import { installObjects } from '../objects/install-objects.ts'
import { objectInfo, readObject, wholeObject } from '../objects/objects.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'

/** Larger objects are not restored from a damaged pack. */
const largest = 256 * 1024 * 1024

/**
 * Restores the readable objects of the packs in the folder `aside` (as left by
 * `setDamagedObjectsAside`) that exist nowhere else in the repository. Returns their number.
 */
export async function salvageObjects(repo: Repository, aside: string): Promise<number> {
  const packs = await readdir(join(aside, 'objects/pack')).catch(() => [])
  const indexes = packs.filter(name => name.endsWith('.idx'))
  if (indexes.length === 0) return 0

  // The minimum that git needs to recognize a folder as a repository.
  await mkdir(join(aside, 'refs'), { recursive: true })
  await writeFile(join(aside, 'HEAD'), 'ref: refs/heads/none\n')
  const damaged: Repository = { dir: aside, processes: repo.processes }
  let salvaged = 0

  try {
    for (const index of indexes) {
      for (const oid of await listIndex(repo, join(aside, 'objects/pack', index))) {
        if ((await objectInfo(repo, [oid])).has(oid)) continue
        const bytes = await readWhole(damaged, oid)
        if (!bytes) continue
        await installObjects(repo, [{ oid, whole: () => bytes }])
        salvaged++
      }
    }
  } finally {
    repo.processes.closeRepository(aside)
  }

  return salvaged
}

/** Returns the ids that a pack index lists; none when it cannot be read. */
async function listIndex(repo: Repository, file: string): Promise<Oid[]> {
  const { code, stdout } = await runGit(repo, ['show-index'], { input: await readFile(file) })
  if (code !== 0) return []
  return stdout
    .toString()
    .split('\n')
    .flatMap(line => parseOid(line.split(' ')[1] ?? '') ?? [])
}

/**
 * Returns an object with its header, the bytes that its id is the hash of; undefined when the hash
 * does not match.
 */
async function readWhole(damaged: Repository, oid: Oid): Promise<Buffer | undefined> {
  try {
    const object = await readObject(damaged, oid, largest)
    if (!object) return undefined
    const whole = wholeObject(object)
    return createHash('sha1').update(whole).digest('hex') === oid ? whole : undefined
  } catch {
    // This object is damaged.
    return undefined
  }
}

/** Moves the packs of one repository into another on the same disk. */
export async function takePacks(from: Repository, to: Repository): Promise<void> {
  const [source, target] = [from.dir, to.dir].map(dir => join(dir, 'objects/pack')) as [
    string,
    string,
  ]

  await mkdir(target, { recursive: true })
  const there = new Set(await readdir(target))
  const names = (await readdir(source)).filter(name =>
    /^pack-[0-9a-f]{40}\.(?:pack|rev|idx)$/.test(name),
  )

  // The index makes a pack visible, so it comes last.
  names.sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')))
  for (const name of names)
    if (!there.has(name)) await rename(join(source, name), join(target, name))
  await syncFolders([target])
}
