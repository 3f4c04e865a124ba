import { type Oid, parseOid } from '../../lib/oid.ts'
import type { Repository } from '../process/processes.ts'
import { streamGit } from '../process/run.ts'
import { commandError, isGitError } from '../values/errors.ts'
import { type PackIds, Reached } from './pack-ids.ts'
import { hasMore, lacksObjects, PackRefused } from './pack-refused.ts'
import type { Quarantine } from './quarantine.ts'
import { type ClosureOptions, type WalkedPack, walkFew } from './walk-few.ts'

const walkMs = 300_000
/** The most commits whose parents are kept: a push may bring millions. */
const mostParents = 20_000

type Options = Omit<ClosureOptions, 'pack'> & {
  pack: PackIds
  /** Other commands of the push were refused, whose objects the pack may have. */
  isPartial: boolean
}

/**
 * Checks that everything that the new tips lead to is in the pack or reachable from what the sender
 * sees: an object that the repository holds for other reasons must not become visible by naming its
 * id. Checks the same of each object of the pack, unless it is partial: an object that no ref leads
 * to would stay for ever. Returns up to 20,000 new commits. Throws PackRefused, GitError 'busy',
 * 'timeout', 'aborted'.
 */
export async function checkClosure(quarantine: Quarantine, options: Options): Promise<WalkedPack> {
  const walked = await walkFew(quarantine.repo, options)
  return walked?.objects === options.pack.size ? walked : walkByGit(quarantine, options)
}

/** Does what `checkClosure` does, of any pack, in one or two processes. */
export async function walkByGit(
  { repo, target }: Quarantine,
  { tips, visible, pack, fileBytes, signal, isPartial }: Options,
): Promise<WalkedPack> {
  const parents = new Map<Oid, readonly Oid[]>()
  const foreign = new Set<Oid>()
  const reached = new Reached(pack)
  const args = [
    'rev-list',
    '--objects',
    '--no-object-names',
    '--parents',
    `--filter=blob:limit=${fileBytes + 1}`,
    '--filter-print-omitted',
    '--stdin',
  ]

  for await (const line of walk(repo, args, [...tips, ...visible.map(oid => `^${oid}`)], signal)) {
    const omitted = line.startsWith('~')
    const [first = '', ...rest] = (omitted ? line.slice(1) : line).split(' ')
    const oid = parseOid(first)
    if (!oid) continue
    if (rest.length > 0 && parents.size < mostParents) parents.set(oid, rest as Oid[])
    if (!reached.add(oid)) foreign.add(oid)
    else if (omitted)
      throw new PackRefused(`a file is larger than ${Math.floor(fileBytes / 1024 ** 2)} MB`)
  }

  const objects = reached.size

  if (foreign.size > 0 || !(isPartial || reached.isAll))
    await checkReachable(
      target,
      { foreign, reached: isPartial ? undefined : reached },
      visible,
      signal,
    )

  return { parents, objects }
}

/** Objects outside the pack that the tips lead to, and objects of the pack that were reached. */
type Questionable = { foreign: Set<Oid>; reached: Reached | undefined }

/**
 * Throws PackRefused unless the foreign objects and the rest of the pack are reachable from the
 * visible commits. A walk that stops at visible commits may list objects that only older ones
 * contain, as after a revert, and does not list those that are visible elsewhere, which a client
 * that has not fetched sends.
 */
async function checkReachable(
  repo: Repository,
  { foreign, reached }: Questionable,
  visible: readonly Oid[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const isDone = () => foreign.size === 0 && reached?.isAll !== false
  // Recent objects come first: mostly one of these is asked for.
  const order = ['--use-bitmap-index', '--in-commit-order']
  const args = ['rev-list', '--objects', '--no-object-names', ...order, '--stdin']

  if (visible.length > 0)
    for await (const line of walk(repo, args, visible, signal)) {
      foreign.delete(line as Oid)
      reached?.add(line as Oid)
      if (isDone()) return
    }

  throw foreign.size > 0 ? lacksObjects() : hasMore()
}

/** Yields the lines of a walk. Git fails when an object on the way is missing. */
async function* walk(
  repo: Repository,
  args: readonly string[],
  starts: readonly string[],
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  const options = {
    input: `${starts.join('\n')}\n`,
    slots: 'push' as const,
    timeoutMs: walkMs,
    maxStdout: Number.POSITIVE_INFINITY,
    ...(signal && { signal }),
  }
  let rest = ''
  try {
    for await (const chunk of streamGit(repo, args, options, failure)) {
      const lines = (rest + chunk.toString('latin1')).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (error) {
    // A signal: trees so deep that Git runs out of stack.
    if (isGitError(error, 'failed')) throw new PackRefused('folders nested too deeply')
    throw error
  }
}

function failure(code: number, stderr: string): Error {
  const error = commandError('walk the pushed commits', code, stderr)
  return error.code === 'no_space' ? error : lacksObjects()
}
