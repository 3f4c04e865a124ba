import { existsSync } from 'node:fs'
import { copyFile, link, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { randomId } from '../../lib/digest.ts'
import type { Oid } from '../../lib/oid.ts'
import { makeFolders, syncFolders, writeDurably, writeSynced } from '../disk/durable.ts'
import type { GitProcesses, Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { checkBranch, defaultBranch } from '../refs/default-branch.ts'
import { readRef } from '../refs/refs.ts'
import { fileError, GitError, refError } from '../values/errors.ts'

/**
 * The configuration file of every repository, for people who use it with their own Git. Nothing
 * else may be in it: a hook path, a credential helper or an include would run with our rights.
 */
export const repositoryConfig = configText({ precious: true })

/**
 * The configuration during upkeep, which drops packs contained in others: Git refuses that while
 * objects are precious.
 */
export const upkeepConfig = configText({ precious: false })

/**
 * Creates an empty repository whose HEAD is the branch `defaultBranch` (a full ref). It appears
 * complete and durable or not at all. Throws GitError 'ref_conflict' when the folder exists,
 * 'no_space'.
 */
export const createRepository = (
  processes: GitProcesses,
  dir: string,
  { defaultBranch }: { defaultBranch: string },
): Promise<Repository> => buildRepository(processes, dir, defaultBranch, async () => {})

/**
 * Creates a repository with the objects of another (hard links, so it takes neither space nor
 * time), its default branch and the given refs. Throws like `createRepository`.
 */
export async function copyRepository(
  from: Repository,
  toDir: string,
  { refs = [] }: { refs?: readonly string[] } = {},
): Promise<Repository> {
  const branch = await defaultBranch(from)
  const values = new Map<string, Oid>()
  for (const ref of [branch, ...refs]) {
    const oid = await readRef(from, ref)
    if (oid) values.set(ref, oid)
  }

  return buildRepository(from.processes, toDir, branch, async dir => {
    await linkObjects(join(from.dir, 'objects'), join(dir, 'objects'))
    if (values.size === 0) return
    const input = [...values].map(([ref, oid]) => `create ${ref}\0${oid}\0`).join('')
    const { code, stderr } = await runGit({ dir }, ['update-ref', '--no-deref', '-z', '--stdin'], {
      input,
    })
    if (code !== 0) throw refError(stderr)
  })
}

/**
 * Throws GitError 'not_found' when there is no repository, 'config_changed' when its configuration
 * file was modified or alternates were added: the repository is not used until the operator has
 * checked it.
 */
export async function checkRepositoryConfig(repo: Repository): Promise<void> {
  const config = await readFile(join(repo.dir, 'config'), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
      throw new GitError('not_found', 'The repository does not exist.')
    },
  )

  const changed = (file: string) =>
    new GitError(
      'config_changed',
      'The configuration of the repository was modified outside Stemma.',
      {
        file,
      },
    )
  if (config !== repositoryConfig && config !== upkeepConfig) throw changed('config')

  for (const file of [
    'objects/info/alternates',
    'objects/info/http-alternates',
    'commondir',
    'config.worktree',
  ])
    if (await exists(join(repo.dir, file))) throw changed(file)
}

/** Restores the original configuration file, e.g. after upkeep was interrupted. */
export const restoreConfig = (repo: Repository): Promise<void> =>
  writeDurably(join(repo.dir, 'config'), repositoryConfig)

/**
 * Creates a repository whose folder is first filled under a temporary name. Throws like
 * `createRepository`, and the errors of `fill`.
 */
export async function buildRepository(
  processes: GitProcesses,
  toDir: string,
  branch: string,
  fill: (dir: string) => Promise<void>,
): Promise<Repository> {
  checkBranch(branch)
  const dir = resolve(toDir)
  if (await exists(dir))
    throw new GitError('ref_conflict', 'A repository with that name already exists.')
  await makeFolders(dirname(dir))
  const temporary = `${dir}.new-${randomId(8)}`

  try {
    const folders = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info']
    for (const folder of folders) await mkdir(join(temporary, folder), { recursive: true })
    await writeSynced(join(temporary, 'HEAD'), `ref: ${branch}\n`, 0o644)
    await writeSynced(join(temporary, 'config'), repositoryConfig, 0o644)
    await fill(temporary)
    await syncFolders(await foldersUnder(temporary))
    await rename(temporary, dir)
  } catch (error) {
    await rm(temporary, { recursive: true, force: true })
    throw fileError('create a repository', error)
  }

  await syncFolders([dirname(dir)])

  return { dir, processes }
}

/**
 * Links loose objects first and packs after them: a concurrent repack moves objects only in that
 * direction. A pack that vanishes meanwhile was replaced by another one, which the next round
 * finds. Throws GitError 'repository_damaged' without a folder to link from.
 */
export async function linkObjects(from: string, to: string): Promise<void> {
  if (!existsSync(from))
    throw new GitError('repository_damaged', 'The folder of the objects is missing.')
  for (let round = 0; round < 5; round++) {
    let complete = true
    const folders = (await readdir(from)).filter(name => /^[0-9a-f]{2}$/.test(name))
    for (const folder of [...folders, 'pack']) {
      await mkdir(join(to, folder), { recursive: true })
      const names = await readdir(join(from, folder)).catch(() => [])
      // The index makes a pack visible, so it comes last.
      const wanted = names
        .filter(isObjectFile)
        .sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')))
      for (const name of wanted)
        complete = (await linkFile(join(from, folder, name), join(to, folder, name))) && complete
    }

    if (complete) return
  }
  throw new GitError('busy', 'The repository is being repacked. Try again in a moment.')
}

/**
 * Includes packs under the temporary names that `git repack` uses until it finishes: see
 * `nameLeftPacks`.
 */
const isObjectFile = (name: string): boolean =>
  /^[0-9a-f]{38}$/.test(name) ||
  /^(\.tmp-\d+-)?pack-[0-9a-f]{40}\.(pack|idx|rev|bitmap)$/.test(name)

/** Returns false when the source file has vanished. */
async function linkFile(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    if (code === 'EEXIST') return true
    if (code !== 'EXDEV' && code !== 'EPERM' && code !== 'EMLINK') throw error
    await copyFile(from, to)
  }
  return true
}

async function foldersUnder(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return [
    dir,
    ...entries
      .filter(entry => entry.isDirectory())
      .map(entry => join(entry.parentPath, entry.name)),
  ]
}

const exists = (path: string): Promise<boolean> =>
  readdir(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  )

function configText({ precious }: { precious: boolean }): string {
  const sections: Record<string, string[]> = {
    core: [
      'repositoryformatversion = 1',
      'bare = true',
      'fsync = objects,derived-metadata,reference',
    ],
    extensions: [`preciousObjects = ${precious}`],
    gc: [
      'auto = 0',
      'pruneExpire = never',
      'reflogExpire = never',
      'reflogExpireUnreachable = never',
    ],
    maintenance: ['auto = false'],
    receive: [
      'fsckObjects = true',
      'denyDeletes = true',
      'denyNonFastForwards = true',
      'maxInputSize = 268435456',
      'autogc = false',
      'updateServerInfo = false',
    ],
    transfer: ['fsckObjects = true', 'unpackLimit = 1', 'hideRefs = refs/stemma'],
    uploadpack: ['allowAnySHA1InWant = false'],
  }
  return Object.entries(sections)
    .map(([name, lines]) => `[${name}]\n${lines.map(line => `\t${line}\n`).join('')}`)
    .join('')
}
