import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolders } from './durable.ts'
import { installObjects } from './install-objects.ts'
import { objectInfo, readObject } from './objects.ts'
import { type Oid, parseOid } from './oid.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run.ts'

/** Larger objects are not taken out of a damaged pack. */
const largest = 256 * 1024 * 1024

/**
 * Brings back what can still be read of the packs in the folder `aside` (as `setDamagedObjectsAside` left them) and is
 * nowhere else in the repository. Gives how many objects that were.
 */
export async function salvageObjects(repo: Repository, aside: string): Promise<number> {
  const packs = await readdir(join(aside, 'objects/pack')).catch(() => [])
  const indexes = packs.filter(name => name.endsWith('.idx'))
  if (indexes.length === 0) return 0
  // What git needs to take a folder for a repository.
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

/** The ids that an index of a pack lists; none when it cannot be read. */
async function listIndex(repo: Repository, file: string): Promise<Oid[]> {
  const { code, stdout } = await runGit(repo, ['show-index'], { input: await readFile(file) })
  if (code !== 0) return []
  return stdout
    .toString()
    .split('\n')
    .flatMap(line => parseOid(line.split(' ')[1] ?? '') ?? [])
}

/** An object with its header, as its id is made of it; undefined when it is not what the id says. */
async function readWhole(damaged: Repository, oid: Oid): Promise<Buffer | undefined> {
  try {
    const object = await readObject(damaged, oid, largest)
    if (!object) return undefined
    const whole = Buffer.concat([Buffer.from(`${object.type} ${object.content.length}\0`), object.content])
    return createHash('sha1').update(whole).digest('hex') === oid ? whole : undefined
  } catch {
    // That is what is damaged in this pack.
    return undefined
  }
}

/** Adds all objects of one repository to another: its packs, which the first one loses. Both are on one disk. */
export async function takePacks(from: Repository, to: Repository): Promise<void> {
  const [source, target] = [from.dir, to.dir].map(dir => join(dir, 'objects/pack')) as [string, string]
  await mkdir(target, { recursive: true })
  const there = new Set(await readdir(target))
  const names = (await readdir(source)).filter(name => /^pack-[0-9a-f]{40}\.(?:pack|rev|idx)$/.test(name))
  // The index makes a pack known, so it comes last.
  names.sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')))
  for (const name of names) if (!there.has(name)) await rename(join(source, name), join(target, name))
  await syncFolders([target])
}
