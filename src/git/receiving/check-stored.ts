import type { Oid } from '../../lib/oid.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { commandError } from '../values/errors.ts'
import { withQuarantine } from './quarantine.ts'
import { storePack } from './store-pack.ts'

/**
 * Checks objects of the repository by the rules for a pushed pack. Throws PackRefused for what
 * Git's check of objects refuses, and GitError.
 */
export const checkStored = (
  repo: Repository,
  stagingDir: string,
  oids: Iterable<Oid>,
): Promise<void> =>
  withQuarantine(repo, stagingDir, async quarantine => {
    const input = `${[...oids].join('\n')}\n`
    const packed = await runGit(repo, ['pack-objects', '--stdout', '-q', '--window=0'], { input })
    if (packed.code !== 0) throw commandError('pack changed files', packed.code, packed.stderr)
    await quarantine.writePack(packed.stdout)
    await storePack(quarantine)
  })
