import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import git from 'isomorphic-git'
import { openQuarantine, type Person } from '../../../src/git/commits/quarantine.ts'
import type { Repository } from '../../../src/git/process/processes.ts'
import { GitProcesses } from '../../../src/git/process/processes.ts'
import { moveRefs, readRef } from '../../../src/git/refs/refs.ts'
import { createRepository } from '../../../src/git/repositories/repository.ts'
import type { Oid } from '../../../src/lib/oid.ts'
import { takeFromFolder, touchFolder } from './from-folder.ts'

/** The author of every commit in tests, with a fixed time: the same content has the same ids. */
export const ada: Person = { name: 'Ada', email: 'ada@example.org', at: 1_700_000_000 }

export const main = 'refs/heads/main'

/** A temporary folder with git processes; `remove` ends the processes and deletes the folder. */
export type Bench = {
  folder: string
  processes: GitProcesses
  create: (name?: string) => Promise<Repository>
  remove: () => Promise<void>
}

export async function openBench(): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'stemma-git-'))
  const processes = new GitProcesses()
  return {
    folder,
    processes,
    create: (name = 'a.git') =>
      createRepository(processes, join(folder, name), { defaultBranch: main }),
    remove: async () => {
      processes.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type CommitOptions = {
  ref?: string
  message?: string
  parents?: Oid[]
  at?: number
  base?: Oid | null
  /** The author's email address. */
  email?: string
}

/** Commits files (null: removed) on top of the ref and moves the ref to the new commit. */
export async function commitFiles(
  repo: Repository,
  files: Record<string, string | Uint8Array | null>,
  {
    ref = main,
    message = 'A change',
    parents,
    at = ada.at,
    base,
    email = ada.email,
  }: CommitOptions = {},
): Promise<Oid> {
  const from = (await readRef(repo, ref)) ?? null
  const start = base === undefined ? (parents?.[0] ?? from) : base
  const quarantine = openQuarantine(repo)
  const changes = []

  for (const [path, content] of Object.entries(files))
    changes.push({
      path,
      oid: content === null ? null : await quarantine.writeBlob(Buffer.from(content)),
    })

  const old = start ? await quarantine.readObject(start) : undefined
  const oldTree = old ? (old.content.toString('latin1', 5, 45) as Oid) : null
  const tree = await quarantine.writeTree(oldTree, changes)
  const person = { ...ada, at }
  const commit = await quarantine.writeCommit({
    tree,
    parents: parents ?? (from ? [from] : []),
    author: { ...person, email },
    committer: person,
    message,
  })

  await quarantine.flush()
  await moveRefs(repo, [{ ref, from, to: commit }])
  await takeFromFolder(repo.dir)

  return commit
}

/**
 * Runs the installed git as an outside user would, with a minimal configuration. Returns its stdout
 * without the final line end.
 */
export function gitOutside(
  cwd: string,
  args: readonly string[],
  input?: string | Uint8Array,
): string {
  touchFolder(cwd)
  return execFileSync('git', args, {
    cwd,
    input: input ?? '',
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'Out',
      GIT_AUTHOR_EMAIL: 'out@example.org',
      GIT_COMMITTER_NAME: 'Out',
      GIT_COMMITTER_EMAIL: 'out@example.org',
      GIT_AUTHOR_DATE: '@1700000000 +0000',
      GIT_COMMITTER_DATE: '@1700000000 +0000',
    },
  }).trimEnd()
}

/** Throws if `git fsck --strict` reports a problem. */
export const fsck = (repo: { dir: string }): void =>
  void gitOutside(repo.dir, ['fsck', '--strict', '--full', '--no-dangling'])

/** Returns a file of a commit as isomorphic-git reads it from the disk. */
export async function readIndependently(
  repo: { dir: string },
  commit: string,
  path: string,
): Promise<Buffer> {
  const { blob } = await git.readBlob({ fs, gitdir: repo.dir, oid: commit, filepath: path })
  return Buffer.from(blob)
}
