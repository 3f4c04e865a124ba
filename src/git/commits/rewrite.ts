import { createHash } from 'node:crypto'
import { asOid, type Oid, parseOid } from '../../lib/oid.ts'
import { installObjects } from '../objects/install-objects.ts'
import { type NewObject, type ObjectType, readObject, wholeObject } from '../objects/objects.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { serializeTree } from '../trees/tree-edit.ts'
import { commandError, GitError } from '../values/errors.ts'
import { parseTree } from '../values/parse.ts'

/** New objects held in memory before they are written. */
const portion = 5_000

/** The paths at which blobs occurred, by oid. */
export type BlobPaths = Map<Oid, Set<string>>

/**
 * Returns either all blobs that any commit of a ref had at or below a path, or all paths at which
 * one blob occurred.
 */
export async function findBlobs(
  repo: Repository,
  what: { path: string } | { blob: Oid },
): Promise<BlobPaths> {
  const args = [
    'log',
    '--all',
    '--format=',
    '--raw',
    '-z',
    '-m',
    '--root',
    '--no-abbrev',
    '--no-renames',
  ]
  const which = 'path' in what ? ['--', what.path] : [`--find-object=${what.blob}`]
  const { code, stdout, stderr } = await runGit(repo, [...args, ...which], { timeoutMs: 3_600_000 })
  if (code !== 0) throw commandError('look for content', code, stderr)

  const found: BlobPaths = new Map()
  const parts = stdout.toString().split('\0')

  for (let at = 0; at + 1 < parts.length; at += 2) {
    const sides = /:(\d+) (\d+) ([0-9a-f]{40}) ([0-9a-f]{40}) /.exec(parts[at] as string)
    if (!sides) continue

    for (const [mode, text] of [
      [sides[1], sides[3]],
      [sides[2], sides[4]],
    ]) {
      const oid = parseOid(text ?? '')
      if (!oid || mode === '000000' || mode === '160000' || ('blob' in what && oid !== what.blob))
        continue
      const paths = found.get(oid) ?? new Set()
      found.set(oid, paths.add(parts[at + 1] as string))
    }
  }

  return found
}

/** The result of removing blobs from the history. */
type Rewritten = {
  /** The new ids of rewritten commits and annotated tags by their old id. */
  objects: Map<Oid, Oid>
}

/**
 * Rewrites every commit that a ref reaches, replacing the given blobs with the placeholder.
 * Authors, dates and messages are kept; signatures of rewritten commits are dropped, since they
 * would be invalid. With `write` the new objects are written to the repository, where they have no
 * effect until a ref reaches them. No ref moves.
 */
export async function rewriteHistory(
  repo: Repository,
  gone: ReadonlySet<Oid>,
  placeholder: Buffer,
  { write }: { write: boolean },
): Promise<Rewritten> {
  const objects = new Map<Oid, Oid>()
  const trees = new Map<Oid, Oid>()
  let fresh: NewObject[] = []
  const add = async (type: ObjectType, content: Buffer): Promise<Oid> => {
    const whole = wholeObject({ type, content })
    const oid = asOid(createHash('sha1').update(whole).digest('hex'))
    if (write) fresh.push({ oid, whole: () => whole })
    if (fresh.length >= portion) await flush()
    return oid
  }

  const flush = async () => {
    await installObjects(repo, fresh)
    fresh = []
  }
  const put = await add('blob', placeholder)
  const rewriteTree = async (oid: Oid): Promise<Oid> => {
    const known = trees.get(oid)
    if (known) return known
    const entries = parseTree(await contentOf(repo, oid, 'tree'))
    let changed = false

    for (const [at, entry] of entries.entries()) {
      const isFolder = entry.mode === '40000' || entry.mode === '040000'
      const now = isFolder ? await rewriteTree(entry.oid) : gone.has(entry.oid) ? put : entry.oid
      if (now === entry.oid) continue
      changed = true
      entries[at] = { ...entry, oid: now, mode: entry.mode === '120000' ? '100644' : entry.mode }
    }

    const made = changed ? await add('tree', serializeTree(entries)) : oid

    trees.set(oid, made)

    return made
  }

  for (const oid of await listCommits(repo)) {
    const content = await contentOf(repo, oid, 'commit')
    const tree = /^tree ([0-9a-f]{40})\n/.exec(content.toString('latin1', 0, 46))?.[1] as Oid
    const text = rewriteCommit(content, await rewriteTree(tree), objects)
    if (text) objects.set(oid, await add('commit', text))
  }

  for (const oid of await listTags(repo)) {
    const text = (await contentOf(repo, oid, 'tag')).toString('latin1')
    const named = /^object ([0-9a-f]{40})\n/.exec(text)?.[1]
    const now = named && objects.get(named as Oid)
    if (!now) continue
    const unsigned = text.replace(/-----BEGIN (?:PGP|SSH) SIGNATURE-----[\s\S]*$/, '')
    objects.set(oid, await add('tag', Buffer.from(unsigned.replace(named, now), 'latin1')))
  }

  if (write) await flush()

  return { objects }
}

/**
 * Returns the content of a commit with another tree and other parents; undefined when nothing
 * changes.
 */
function rewriteCommit(
  content: Buffer,
  tree: Oid,
  objects: ReadonlyMap<Oid, Oid>,
): Buffer | undefined {
  const text = content.toString('latin1')
  const end = text.indexOf('\n\n')
  const header = text.slice(0, end)
  const changed = header
    .replace(/^tree [0-9a-f]{40}/, `tree ${tree}`)
    .replace(/^parent ([0-9a-f]{40})$/gm, (line, oid) => {
      const now = objects.get(oid as Oid)
      return now ? `parent ${now}` : line
    })
  if (changed === header) return undefined

  const unsigned = changed
    .replace(/^(?:gpgsig|gpgsig-sha256|mergetag) .*(?:\n .*)*\n?/gm, '')
    .trimEnd()

  return Buffer.from(unsigned + text.slice(end), 'latin1')
}

async function contentOf(repo: Repository, oid: Oid, type: ObjectType): Promise<Buffer> {
  const object = await readObject(repo, oid)
  if (object?.type === type) return object.content
  throw new GitError('object_unreadable', 'An object of the repository is missing or damaged.', {
    oid,
  })
}

/** Returns all commits that a ref reaches, parents first. */
async function listCommits(repo: Repository): Promise<Oid[]> {
  const args = ['rev-list', '--topo-order', '--reverse', '--all']
  const { code, stdout, stderr } = await runGit(repo, args, { timeoutMs: 3_600_000 })
  if (code !== 0) throw commandError('list commits', code, stderr)
  return stdout
    .toString()
    .split('\n')
    .flatMap(line => parseOid(line) ?? [])
}

/** Returns the annotated tags that refs point at. */
async function listTags(repo: Repository): Promise<Oid[]> {
  const format = '--format=%(objecttype) %(objectname)'
  const { code, stdout, stderr } = await runGit(repo, ['for-each-ref', format])
  if (code !== 0) throw commandError('list tags', code, stderr)
  return stdout
    .toString()
    .split('\n')
    .flatMap(line => (line.startsWith('tag ') ? (parseOid(line.slice(4)) ?? []) : []))
}
