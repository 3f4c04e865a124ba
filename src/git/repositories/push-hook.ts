import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { randomId } from '../../lib/digest.ts'
import type { Repository } from '../process/processes.ts'
import { fileError } from '../values/errors.ts'

/** The program that Git runs for every ref of a push. */
const hook = 'hooks/update'

/**
 * Installs the program that Git runs before a push moves a ref, for users who push to the
 * repository's folder; this server's own git processes run no hooks. An existing program without
 * `mark` in it is foreign and is kept. Returns whether the repository now has our program.
 */
export async function installPushHook(
  { dir }: Pick<Repository, 'dir'>,
  { script, mark }: { script: string; mark: string },
): Promise<boolean> {
  const held = await readText(join(dir, hook))
  if (held === script) return true
  if (held !== undefined && !held.includes(mark)) return false
  await replaceFile(join(dir, hook), script, 0o755)
  return true
}

/**
 * Writes a file that the hook reads into the repository's folder; undefined removes it. Throws
 * GitError 'no_space'.
 */
export async function writeHookFile(
  { dir }: Pick<Repository, 'dir'>,
  name: string,
  text: string | undefined,
): Promise<void> {
  const file = join(dir, name)
  if ((await readText(file)) === text) return
  if (text === undefined) await rm(file, { force: true })
  else await replaceFile(file, text, 0o644)
}

/**
 * Replaces the file atomically. It is not synced: it derives from rows and is rewritten when the
 * server opens the repository.
 */
async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const temporary = `${file}.${randomId(8)}.tmp`
  try {
    await writeFile(temporary, text, { mode })
    await chmod(temporary, mode)
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw fileError('write a hook', error)
  }
}

const readText = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
