import type { Repository } from '../process/processes.ts'
import { streamGit } from '../process/run.ts'
import { commandError, isGitError } from '../values/errors.ts'
import { type Oid, parseOid } from '../values/oid.ts'
import { lacksObjects, PackRefused } from './pack-refused.ts'
import type { Quarantine } from './quarantine.ts'
import { type ClosureOptions, walkFew } from './walk-few.ts'

const walkMs = 300_000
/** The most commits whose parents are kept: a push may bring millions. */
const mostParents = 20_000

/**
 * Checks that everything that the new tips lead to is in the pack or reachable from what the sender sees: an object
 * that the repository holds for other reasons must not become visible by naming its id. Returns new commits with their
 * parents: all of them up to 20,000, without root commits. Throws PackRefused, GitError 'busy', 'timeout', 'aborted'.
 */
export async function checkClosure(
  quarantine: Quarantine,
  options: ClosureOptions,
): Promise<Map<Oid, readonly Oid[]>> {
  const walked = await walkFew(quarantine.repo, options)
  return walked?.parents ?? walkByGit(quarantine, options)
}

/** Does what `checkClosure` does, of any pack, in one or two processes. */
export async function walkByGit(
  { repo, target }: Quarantine,
  { tips, visible, pack, fileBytes, signal }: ClosureOptions,
): Promise<Map<Oid, readonly Oid[]>> {
  const parents = new Map<Oid, readonly Oid[]>()
  const foreign = new Set<Oid>()
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
    if (!pack.has(oid)) foreign.add(oid)
    else if (omitted) throw new PackRefused(`a file is larger than ${Math.floor(fileBytes / 1024 ** 2)} MB`)
  }
  if (foreign.size > 0) await checkReachable(target, foreign, visible, signal)
  return parents
}

/**
 * Throws PackRefused unless all of these objects are reachable from the visible commits. A walk that stops at visible
 * commits may list objects that only older ones contain, as after a revert.
 */
async function checkReachable(
  repo: Repository,
  objects: Set<Oid>,
  visible: readonly Oid[],
  signal: AbortSignal | undefined,
): Promise<void> {
  if (visible.length === 0) throw lacksObjects()
  const args = ['rev-list', '--objects', '--no-object-names', '--use-bitmap-index', '--stdin']
  for await (const line of walk(repo, args, visible, signal)) {
    objects.delete(line as Oid)
    if (objects.size === 0) return
  }
  throw lacksObjects()
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
