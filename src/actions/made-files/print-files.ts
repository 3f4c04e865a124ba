import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Context } from '../../context.ts'
import { randomId } from '../../lib/digest.ts'
import { leastUsed } from './least-used.ts'

/** A PDF and notes about its gaps. */
export type PrintFile = { path: string; notes: readonly string[] }

/** The longest header with notes: proxies refuse responses with more than 4 KB of headers. */
const longestHeader = 2048

/** Returns the header that names the gaps of a PDF, encoded and cut if it is long. */
export function notesHeader({ notes }: PrintFile): Record<string, string> {
  if (notes.length === 0) return {}
  let header = ''
  for (const char of notes.join(' ')) {
    const piece = /[ -~]/.test(char) ? char : encodeURIComponent(char.toWellFormed())
    if (header.length + piece.length > longestHeader - cut.length)
      return { 'X-Print-Notes': header + cut }
    header += piece
  }
  return { 'X-Print-Notes': header }
}

const cut = ' ...'

/** The most bytes of all PDFs. The least recently used are deleted. */
const mostBytes = 1024 ** 3

const folderOf = (ctx: Pick<Context, 'config'>) => join(ctx.config.dataDir, 'prints')

/** Returns the path of the PDF of a space with this digest. */
export const printPath = (ctx: Pick<Context, 'config'>, spaceId: string, digest: string): string =>
  join(folderOf(ctx), spaceId, `${digest}.pdf`)

const notesPath = (path: string) => path.replace(/pdf$/, 'json')

/** Returns the PDF at a path and marks it as just used; undefined when there is none. */
export async function findPrint(path: string): Promise<PrintFile | undefined> {
  if (!existsSync(path)) return undefined
  const now = new Date()
  try {
    const notes = JSON.parse(await readFile(notesPath(path), 'utf8')) as string[]
    await utimes(path, now, now)
    return { path, notes }
  } catch {
    // It is being deleted, or was deleted in part.
    return undefined
  }
}

/** Moves a file to the path of the PDF, and deletes older PDFs to make room. */
export async function keepPrint(
  ctx: Pick<Context, 'config'>,
  from: string,
  { path, notes }: PrintFile,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${notesPath(path)}.${randomId(8)}`
  await writeFile(draft, JSON.stringify(notes))
  await rename(draft, notesPath(path))
  await rename(from, path)
  await makeRoom(folderOf(ctx), path)
}

/** Deletes the PDFs of a space. */
export const removePrints = (ctx: Pick<Context, 'config'>, spaceId: string): Promise<void> =>
  rm(join(folderOf(ctx), spaceId), { recursive: true, force: true })

async function makeRoom(folder: string, newest: string): Promise<void> {
  for (const path of await leastUsed(folder, /^(?!\.work).*\.pdf$/, mostBytes)) {
    if (path === newest) continue
    await rm(path, { force: true })
    await rm(notesPath(path), { force: true })
  }
}
