import { existsSync } from 'node:fs'
import { readdir, readFile, readlink, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolders, writeDurably } from '../disk/durable.ts'
import { nameLeftPacks } from '../disk/left-packs.ts'
import { listPacks } from '../disk/list-packs.ts'
import type { Repository } from '../process/processes.ts'
import { runGit } from '../process/run.ts'
import { commandError } from '../values/errors.ts'
import { restoreConfig, upkeepConfig } from './repository.ts'

const hours = 3_600_000
/** Above this many packs, finding an object gets slow and the packs are combined. */
const manyPacks = 20
/** Loose objects in one of the 256 folders, as `git gc --auto` estimates: about 6,700 in total. */
const manyLoose = 27

/**
 * Returns the problems that `git fsck --strict` reports, one per line, at most 1,000; none when the
 * repository is sound. Lists first one line for each damaged pack, whichever byte is damaged; then
 * missing objects, each with what references it (`refs/heads/main~2:a.md`).
 */
export async function fsckRepository(repo: Repository): Promise<string[]> {
  const args = ['fsck', '--strict', '--full', '--no-dangling', '--no-progress', '--name-objects']
  const { code, stdout, stderr } = await runGit(repo, args, { timeoutMs: hours })
  if (code === 0) return []

  const said = `${stdout}\n${stderr}`
    .split('\n')
    .filter(line => line !== '' && !/^(?:notice|hint):/.test(line))
  const lines = [...new Set(said)].map(line => line.replaceAll(`${repo.dir}/`, ''))

  return (lines.length > 0 ? mostTellingFirst(lines) : [`git fsck ended with ${code}`])
    .slice(0, 1000)
    .map(line => line.replace(/[^\x20-\x7e]/g, '?').slice(0, 500))
}

/** One damaged byte of a pack can cause a hundred lines, in an order that depends on the byte. */
function mostTellingFirst(lines: readonly string[]): string[] {
  const packs = new Map<string, string>()
  for (const line of lines) {
    const pack = /objects\/pack\/pack-[0-9a-f]{40}/.exec(line)?.[0]
    if (pack && !packs.has(pack)) packs.set(pack, line)
  }
  const missing = lines.filter(line => line.startsWith('missing '))
  return [...new Set([...packs.values(), ...missing, ...lines])]
}

/** Returns whether a repository has so many packs or loose objects that reading gets slow. */
export async function needsRepack(repo: Repository): Promise<boolean> {
  const loose = await readdir(join(repo.dir, 'objects/17')).catch(() => [])
  return loose.length > manyLoose || (await listPacks(repo)).length > manyPacks
}

/**
 * Packs loose objects and refs, and writes the commit graph. With `full`, or when many packs or
 * loose objects remain, all objects go into one pack; nothing is deleted, reachable or not. Safe
 * while others write. Throws GitError 'aborted' when the signal ends it; the repository is then
 * intact.
 */
export async function repackRepository(
  repo: Repository,
  { full = false, signal }: { full?: boolean; signal?: AbortSignal } = {},
): Promise<void> {
  const git = async (what: string, args: readonly string[]): Promise<void> => {
    const { code, stderr } = await runGit(repo, args, {
      timeoutMs: hours,
      ...(signal && { signal }),
    })
    if (code !== 0) throw commandError(what, code, stderr)
  }

  // Git syncs the content of a pack or of packed-refs, but not the name, before it removes the
  // loose files: a power cut could keep the removal without the name.
  await git('repack', ['repack', '-q', '-l', '-n'])
  await syncFolders([join(repo.dir, 'objects/pack')])
  await git('prune packed objects', ['prune-packed', '-q'])

  // Unreachable objects are still loose.
  if (full || (await needsRepack(repo)))
    await whileNotPrecious(repo, () =>
      git('repack', ['repack', '-q', '-a', '-d', '-k', '-l', '-n']),
    )

  await git('pack the refs', ['pack-refs', '--all', '--no-prune'])
  await syncFolders([repo.dir])
  await git('remove the refs that are packed', ['pack-refs', '--all'])
  await git('write the commit graph', ['commit-graph', 'write', '--reachable', '--no-progress'])
  const folders = ['.', 'objects', 'objects/pack', 'objects/info', 'refs', 'refs/heads']

  await syncFolders(folders.map(folder => join(repo.dir, folder)))
}

/**
 * Deletes every object that no ref reaches, permanently, and packs the others. Call it only while
 * nothing else uses the repository: objects about to get a ref would be deleted too.
 */
export async function dropUnreachable(repo: Repository): Promise<void> {
  const git = async (what: string, args: readonly string[]): Promise<void> => {
    const { code, stderr } = await runGit(repo, args, { timeoutMs: hours })
    if (code !== 0) throw commandError(what, code, stderr)
  }

  // Both may list commits that are deleted.
  for (const name of ['commit-graph', 'commit-graphs'])
    await rm(join(repo.dir, 'objects/info', name), { recursive: true, force: true })
  await whileNotPrecious(repo, async () => {
    await git('repack', ['repack', '-q', '-a', '-d', '-l', '-n'])
    await git('prune', ['prune', '--expire=now'])
  })
  await repackRepository(repo)
}

/**
 * Upkeep writes the configuration and starts git immediately: after this long it is either running
 * or was killed.
 */
const beginsWithinMs = 60_000

/**
 * Makes objects precious again after upkeep was killed, even while others write to the repository;
 * running upkeep is left alone. With `since`, the start of this server in milliseconds since 1970,
 * upkeep of before is known to be killed unless it still runs. Returns whether it was killed.
 */
export async function endKilledUpkeep(
  repo: Repository,
  { since }: { since?: number } = {},
): Promise<boolean> {
  const file = join(repo.dir, 'config')
  const isUpkeep = async () => (await readFile(file, 'utf8').catch(() => '')) === upkeepConfig
  if (!(await isUpkeep())) return false

  const { mtimeMs } = await stat(file)
  const mayBegin =
    since === undefined ? Math.abs(Date.now() - mtimeMs) < beginsWithinMs : mtimeMs >= since
  if (mayBegin || (await isAtWork(repo.dir, { own: since === undefined })) || !(await isUpkeep()))
    return false
  await restoreConfig(repo)

  return true
}

/**
 * How long git processes that outlived their server may take to end: they end when they notice its
 * end.
 */
const patienceMs = 2000

/**
 * Removes lock files and temporary files of killed processes, provided no git process works in the
 * repository within two seconds. Call it before this process writes to the repository. With
 * `since`, the start of this server in milliseconds since 1970, younger files and this server's own
 * processes do not count: they belong to writers that are alive. Returns the removed names,
 * relative to the repository. A pack that a killed process had completed is kept.
 */
export async function removeStaleLocks(
  repo: Repository,
  { since }: { since?: number } = {},
): Promise<string[]> {
  const isLeft = (mtimeMs: number) =>
    since === undefined || mtimeMs < since || mtimeMs > Date.now() + tickMs
  if ((await findStale(repo.dir, isLeft)).length === 0) return []

  for (let waited = 0; await isAtWork(repo.dir, { own: since === undefined }); waited += 20) {
    if (waited > patienceMs) return []
    await new Promise(resolve => setTimeout(resolve, 20))
  }

  await nameLeftPacks(repo)

  // Processes that ended meanwhile may have removed their own files.
  const stale = await findStale(repo.dir, isLeft)

  for (const name of stale) await rm(join(repo.dir, name), { recursive: true, force: true })

  return stale
}

/**
 * A file dated later than now by more than this, in milliseconds, was written before the clock was
 * set back.
 */
const tickMs = 1000

/**
 * While objects are precious, Git refuses to drop even a pack whose objects are all in another one.
 */
async function whileNotPrecious(repo: Repository, work: () => Promise<void>): Promise<void> {
  await writeDurably(join(repo.dir, 'config'), upkeepConfig)
  try {
    await work()
  } finally {
    await restoreConfig(repo)
  }
}

const staleNames =
  /^(HEAD|config|packed-refs|shallow|index)\.lock$|^packed-refs\.new$|^gc\.pid|^objects\/(info\/commit-graphs?\/.*\.lock|info\/commit-graph\.lock|pack\/multi-pack-index\.lock|pack\/tmp_.*|pack\/\.tmp-.*|[0-9a-f]{2}\/tmp_obj_.*|tmp_objdir-[^/]*|tmp_obj_.*)$|^(config|HEAD)\.[0-9A-Za-z]{8}\.tmp$/

/** Returns the locks and temporary files that `isLeft` accepts by their modification time. */
async function findStale(dir: string, isLeft: (mtimeMs: number) => boolean): Promise<string[]> {
  const top = (await readdir(dir)).filter(name => staleNames.test(name))
  const under = async (folder: string) => {
    const names = await readdir(join(dir, folder), { recursive: true, encoding: 'utf8' }).catch(
      () => [],
    )
    return names.map(name => `${folder}/${name}`)
  }
  const refs = (await under('refs')).filter(name => name.endsWith('.lock'))
  const objects = (await under('objects')).filter(name => staleNames.test(name))
  const found: string[] = []

  for (const name of [...top, ...refs, ...objects]) {
    // A lock vanishes when its git process ends meanwhile.
    const info = await stat(join(dir, name)).catch(() => undefined)
    if (!info || (name.startsWith('refs/') && !info.isFile())) continue
    if (isLeft(info.mtimeMs)) found.push(name)
  }

  return found
}

/**
 * Returns whether a process works in the repository: it names the repository, or a file in it, in
 * its arguments, or has it as its working directory. Without `own`, descendants of this process do
 * not count: the launcher starts most of them. False where there is no /proc.
 */
async function isAtWork(dir: string, { own = true }: { own?: boolean } = {}): Promise<boolean> {
  if (!existsSync('/proc/self/cmdline')) return false

  for (const pid of (await readdir('/proc')).filter(name => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (!line.includes('git')) continue
    const names = (part: string) =>
      part === dir || part.endsWith(`=${dir}`) || part.startsWith(`${dir}/`)
    const works =
      line.split('\0').some(names) || names(await readlink(`/proc/${pid}/cwd`).catch(() => ''))
    if (works && (own || !(await isOwn(pid)))) return true
  }

  return false
}

/** Returns whether a process descends from this one. */
async function isOwn(pid: string): Promise<boolean> {
  for (let at = pid; Number(at) > 1; at = await parentOf(at))
    if (at === String(process.pid)) return true
  return false
}

/** Returns the id of the parent of a process; '0' if the process has ended. */
async function parentOf(pid: string): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[1] ?? '0'
}
