import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { randomId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import { syncFolders } from '../disk/durable.ts'
import type { GitProcesses, Repository } from '../process/processes.ts'
import { runGit, streamGit } from '../process/run.ts'
import { defaultBranch } from '../refs/default-branch.ts'
import { commandError, fileError, GitError } from '../values/errors.ts'
import { buildRepository } from './repository.ts'

const hours = 3_600_000

/**
 * Writes these refs (full names, with the values that they have in the bundle) and all objects that
 * they reach into one file, which appears complete or not at all. The refs of the repository may
 * move meanwhile: `git bundle create` leaves out a ref that moves while it runs, without an error.
 * Throws GitError 'not_found' without refs, and 'failed' when an object is missing.
 */
export async function writeBundle(
  repo: Repository,
  refs: ReadonlyMap<string, Oid>,
  file: string,
): Promise<void> {
  if (refs.size === 0) throw new GitError('not_found', 'The repository is empty.')
  const temporary = `${file}.${randomId(8)}.tmp`
  try {
    await pipeline(bundleOf(repo, refs), createWriteStream(temporary, { flags: 'wx' }))
    await rename(temporary, file)
    await syncFolders([dirname(file)])
  } catch (error) {
    await rm(temporary, { force: true })
    throw fileError('write a bundle', error)
  }
}

/**
 * Yields a bundle of version 2: a line for each ref, an empty line, and a pack
 * (gitformat-bundle(5)).
 */
async function* bundleOf(
  repo: Repository,
  refs: ReadonlyMap<string, Oid>,
): AsyncGenerator<Uint8Array> {
  // `git clone` of the bundle checks out the branch that has the value of HEAD.
  const head = refs.get(defaultBranch(repo))
  const lines = [...refs, ...(head ? [['HEAD', head]] : [])].map(([ref, oid]) => `${oid} ${ref}\n`)
  yield Buffer.from(`# v2 git bundle\n${lines.join('')}\n`)
  const args = ['pack-objects', '--revs', '--stdout', '--delta-base-offset', '-q']
  const input = [...new Set(refs.values())].map(oid => `${oid}\n`).join('')
  const options = { input, maxStdout: Number.POSITIVE_INFINITY, timeoutMs: hours }

  yield* streamGit(repo, args, options, (code, stderr) =>
    commandError('write a bundle', code, stderr),
  )
}

/**
 * Creates a repository from a bundle: all its refs, checked objects, and this default branch (a
 * full ref). Throws GitError 'bad_objects' unless the file is a complete bundle, and like
 * `createRepository`.
 */
export const restoreBundle = (
  processes: GitProcesses,
  file: string,
  dir: string,
  { defaultBranch }: { defaultBranch: string },
): Promise<Repository> =>
  buildRepository(processes, dir, defaultBranch, async made => {
    const args = [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-auto-maintenance',
      '--no-write-fetch-head',
      '--refmap=',
    ]

    const { code, stderr } = await runGit({ dir: made }, [...args, '--', file, '+refs/*:refs/*'], {
      protocols: 'file',
      timeoutMs: hours,
    })
    if (code !== 0) throw new GitError('bad_objects', 'The bundle cannot be read.', {}, stderr)
  })
