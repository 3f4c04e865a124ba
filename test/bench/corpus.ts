import { createCipheriv } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { git } from './git.ts'
import { pageText, seeded, sentence } from './words.ts'

/**
 * The content of a repository: pages in folders of fifty, commits that each change one page, and
 * incompressible files.
 */
export type Shape = {
  pages: number
  /** The approximate size of a page. */
  bytes: number
  commits: number
  megabytes?: number
}

/** The repositories, kept between runs. Increase the number when their content changes. */
export const corpora = join(tmpdir(), 'stemma-bench-corpora-1')

const perFolder = 50
const names = new Map<Shape, string>()

/** Returns the file name of a shape's repository in `corpora`, and creates it if necessary. */
export async function corpus(shape: Shape): Promise<string> {
  const name = `${shape.pages}-${shape.bytes}-${shape.commits}-${shape.megabytes ?? 0}.git`
  const dir = join(corpora, name)
  if (names.has(shape) || existsSync(dir)) return name

  const building = `${dir}.${process.pid}`

  await mkdir(building, { recursive: true })

  try {
    await git(building, ['init', '-q', '--bare', '--initial-branch=main'])
    await git(building, ['-c', 'core.compression=1', 'fast-import', '--quiet'], stream(shape))
    if (shape.commits > 1) await git(building, ['repack', '-a', '-d', '-f', '-q'])
    await git(building, ['update-server-info'])
    await rename(building, dir)
  } catch (error) {
    await rm(building, { recursive: true, force: true })
    throw error
  }

  names.set(shape, name)

  return name
}

/** The file of a page by its number; the first page of each folder is its README. */
export function fileOf(page: number): string {
  if (page === 0) return 'README.md'
  const folder = `part-${String(Math.floor(page / perFolder)).padStart(3, '0')}`
  return `${folder}/${page % perFolder === 0 || page === 1 ? 'README' : `page-${String(page).padStart(5, '0')}`}.md`
}

function summary(pages: number): string {
  const lines = Array.from({ length: pages }, (_, page) => {
    const indent = page === 0 || fileOf(page).endsWith('README.md') ? '' : '  '
    return `${indent}* [Page ${page}](${fileOf(page)})`
  })
  return `# Table of contents\n\n${lines.join('\n')}\n`
}

function* stream({ pages, bytes, commits, megabytes = 0 }: Shape): Iterable<string | Uint8Array> {
  const random = seeded(7)
  const texts = Array.from({ length: pages }, (_, page) => pageText(`Page ${page}`, bytes, random))
  yield commitHead('Write everything', 0)
  yield file('SUMMARY.md', summary(pages))
  for (const [page, text] of texts.entries()) yield file(fileOf(page), text)

  // Encrypting zeros gives reproducible noise.
  const noise = createCipheriv('aes-128-ctr', Buffer.alloc(16, 7), Buffer.alloc(16))

  for (let index = 0; index < megabytes; index++) {
    yield `M 100644 inline .gitbook/assets/noise-${index}.bin\ndata ${1 << 20}\n`
    yield noise.update(Buffer.alloc(1 << 20))
    yield '\n'
  }

  for (let commit = 1; commit < commits; commit++) {
    const page = Math.floor(random() * pages)
    const paragraphs = texts[page]!.split('\n\n')
    paragraphs[2 + Math.floor(random() * (paragraphs.length - 2))] = sentence(random)
    texts[page] = paragraphs.join('\n\n')
    yield `${commitHead(`Say it better ${commit}`, commit)}${file(fileOf(page), texts[page]!)}`
  }

  yield 'done\n'
}

function commitHead(message: string, number: number): string {
  const at = 1_600_000_000 + number * 3_600
  return `commit refs/heads/main\ncommitter Bench <bench@example.org> ${at} +0000\ndata ${message.length}\n${message}\n`
}

const file = (path: string, text: string): string =>
  `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`
