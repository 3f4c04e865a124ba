import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFile } from '../disk/durable.ts'
import { limiter, mostFileBytes } from '../process/limits.ts'
import { runGit } from '../process/run.ts'
import { commandError } from '../values/errors.ts'
import { noIds, type PackIds, readPackIds } from './pack-ids.ts'
import type { Quarantine } from './quarantine.ts'
import type { ClosureOptions } from './walk-few.ts'

const packMs = 600_000
const endings = ['pack', 'rev', 'idx']

/**
 * Replaces the checked pack of a quarantine by one of only those of its objects that `tips` lead to
 * and that the repository lacks. Takes deltas as they are. Throws GitError.
 */
export async function dropUnreached(
  { repo, packFile }: Quarantine,
  { tips, visible, signal }: Pick<ClosureOptions, 'tips' | 'visible' | 'signal'>,
): Promise<{ pack: PackIds; synced: Promise<unknown> }> {
  const kept = join(dirname(packFile), 'kept')
  const args = ['--revs', '--local', '--non-empty', '--delta-base-offset', '--window=0', '-q', kept]
  const result = await runGit(repo, ['pack-objects', ...args], {
    input: `${[...tips, ...visible.map(oid => `^${oid}`)].join('\n')}\n`,
    slots: 'push',
    timeoutMs: packMs,
    config: [
      ['core.fsync', 'none'],
      ['pack.writeReverseIndex', 'true'],
    ],
    wrapper: limiter(mostFileBytes),
    ...(signal && { signal }),
  })
  if (result.code !== 0)
    throw commandError('take the objects of a push', result.code, result.stderr)

  // The process that reads the objects has the old pack open.
  repo.processes.closeRepository(repo.dir)
  const files = endings.map(ending => packFile.replace(/pack$/, ending))

  await Promise.all(files.map(file => rm(file, { force: true })))
  const digest = result.stdout.toString().trim()
  if (digest === '') return { pack: noIds, synced: Promise.resolve() }
  for (const [i, file] of files.entries()) await rename(`${kept}-${digest}.${endings[i]}`, file)
  const synced = Promise.all(files.map(syncFile))

  synced.catch(() => {})

  return { pack: await readPackIds(packFile), synced }
}
