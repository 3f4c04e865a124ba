import { join } from 'node:path'
import { stateSlot } from '../../caches.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import { readTree } from '../../git/objects/objects.ts'
import type { Repository } from '../../git/process/processes.ts'
import { PackRefused } from '../../git/receiving/pack-refused.ts'
import { isPlainName } from '../../git/receiving/plain-objects.ts'
import { checkStored } from '../../git/receiving/store-pack.ts'
import { changedFiles } from '../../git/trees/changed-files.ts'
import {
  findEntry,
  listFiles,
  submoduleMode,
  type TreeFile,
  treeOf,
} from '../../git/trees/tree-files.ts'
import { BoundedCache } from '../../lib/bounded-cache.ts'
import { findInvisible, lookAlike } from '../../lib/invisible.ts'
import type { Arrival } from './arrival.ts'

/**
 * The commits that passed, with those beside them: a push is checked before and after its objects
 * are kept.
 */
const passed = stateSlot(() => new BoundedCache<string, true>(1000))

/** A change of more files is compared by full lists. */
const fewFiles = 5_000

/**
 * Throws Fault 'invalid' for a file that a commit adds or changes and that no content may hold, by
 * whatever way it comes: one that Git's check of objects refuses, as a strict clone does; a new
 * path with an invisible character; and a new name that looks like another one in its folder. Files
 * of the commits beside it are not checked again.
 */
export async function checkFiles(ctx: Context, repo: Repository, arrival: Arrival): Promise<void> {
  const key = [arrival.head, ...arrival.beside].join(' ')
  if (ctx.caches.get(passed).get(key)) return
  await checkChanged(ctx, repo, arrival)
  ctx.caches.get(passed).set(key, true, 1)
}

async function checkChanged(
  ctx: Context,
  repo: Repository,
  { head, beside }: Arrival,
): Promise<void> {
  const changed = await filesBeyond(repo, head, beside[0])
  const special: TreeFile[] = []
  for (const { file, isNew } of changed) {
    const suspect = isNew && (findInvisible(file.path) !== undefined || !isAscii(file.path))
    const isSpecial = !isPlainName(latin1(nameOf(file.path)), file.mode)
    if ((!suspect && !isSpecial) || (await isHeld(repo, beside.slice(1), file))) continue
    if (isNew) checkVisible(file.path)
    if (isSpecial) special.push(file)
  }

  await checkTwins(repo, head, beside, changed)
  for (const file of special) await checkSpecial(ctx, repo, head, file)
}

type Changed = { file: TreeFile; isNew: boolean }

/** Returns the files that a commit adds or changes. */
async function filesBeyond(
  repo: Repository,
  head: Arrival['head'],
  base: Arrival['head'] | undefined,
) {
  const tree = await treeOf(repo, head)
  const before = base && (await treeOf(repo, base))
  const few = before && (await changedFiles(repo, before, tree, fewFiles))

  if (few)
    return few.flatMap(({ before, after }): Changed[] =>
      after ? [{ file: after, isNew: !before }] : [],
    )

  const old = new Map(
    (before ? (await listFiles(repo, before)).files : []).map(file => [file.path, file]),
  )

  return (await listFiles(repo, tree)).files.flatMap((file): Changed[] => {
    const was = old.get(file.path)
    return was?.oid === file.oid && was.mode === file.mode ? [] : [{ file, isNew: !was }]
  })
}

async function isHeld(repo: Repository, commits: Arrival['beside'], { path, oid, mode }: TreeFile) {
  for (const commit of commits) {
    const held = await findEntry(repo, commit, path)
    if (held?.oid === oid && held.mode === mode) return true
  }
  return false
}

function checkVisible(path: string): void {
  const found = findInvisible(path)
  if (found === undefined) return
  const shown = path.replace(/[^\x20-\x7e]/gu, each => (findInvisible(each) ? '\ufffd' : each))
  throw new Fault(
    'path_not_allowed',
    `The path "${shown}" has an invisible character (${found}). Rename the file.`,
    {
      path,
    },
  )
}

/** Throws Fault 'invalid' when a new name looks like another one in the same folder. */
async function checkTwins(
  repo: Repository,
  head: Arrival['head'],
  beside: Arrival['beside'],
  changed: readonly Changed[],
): Promise<void> {
  const added = new Map<string, Set<string>>()
  for (const { file, isNew } of changed) if (isNew) addParts(added, file.path)

  for (const [folder, names] of added) {
    const entry = await findEntry(repo, head, folder)
    const siblings = (entry ? await readTree(repo, entry.oid) : []).flatMap(
      ({ name }) => name ?? [],
    )
    if (siblings.every(isAscii)) continue

    const marked = siblings.filter(name => !isAscii(name))

    for (const name of names) {
      for (const twin of isAscii(name) ? marked : siblings) {
        if (!lookAlike(name, twin) || (await areTogether(repo, beside, folder, [name, twin])))
          continue
        const path = pathIn(folder, name)
        throw new Fault(
          'path_not_allowed',
          `The path "${path}" looks like "${twin}" in the same folder. Choose another name.`,
          {
            path,
          },
        )
      }
    }
  }
}

/** Adds each part of a path to the names of its folder. */
function addParts(added: Map<string, Set<string>>, path: string): void {
  const parts = path.split('/')
  for (const [i, name] of parts.entries()) {
    const folder = parts.slice(0, i).join('/')
    const names = added.get(folder)
    if (names) names.add(name)
    else added.set(folder, new Set([name]))
  }
}

/**
 * Returns whether one of the commits has all these names in the folder: a merge must not bring them
 * together.
 */
async function areTogether(
  repo: Repository,
  commits: Arrival['beside'],
  folder: string,
  names: readonly string[],
): Promise<boolean> {
  for (const commit of commits) {
    const found = await Promise.all(
      names.map(name => findEntry(repo, commit, pathIn(folder, name))),
    )
    if (found.every(entry => entry !== undefined)) return true
  }
  return false
}

/**
 * Has Git check a file whose name is special to it, with its folder: the folder tells Git what the
 * file is.
 */
async function checkSpecial(
  ctx: Context,
  repo: Repository,
  head: Arrival['head'],
  { path, oid, mode }: TreeFile,
) {
  const folder = await findEntry(repo, head, path.split('/').slice(0, -1).join('/'))
  const oids = [...(folder ? [folder.oid] : []), ...(mode === submoduleMode ? [] : [oid])]
  try {
    await checkStored(repo, join(ctx.config.dataDir, 'staging'), oids)
  } catch (error) {
    if (!(error instanceof PackRefused)) throw error
    throw new Fault(
      'path_not_allowed',
      `The file "${path}" is not allowed: ${error.message}. Git would refuse to clone it.`,
      {
        path,
      },
    )
  }
}

const pathIn = (folder: string, name: string): string =>
  folder === '' ? name : `${folder}/${name}`
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
const latin1 = (name: string): string => Buffer.from(name).toString('latin1')
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)
