import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { corpora } from '../corpus.ts'
import { git } from '../git.ts'
import { fill, makeSpace, type Space, withRemote } from '../space.ts'
import type { Stemma } from '../stemma.ts'
import { pageText, seeded } from '../words.ts'

/** A page of a tree: its file, and the number of pages above it. */
type Place = { file: string; depth: number }

/**
 * Returns the pages of a tree in which each page of a level has as many pages below it as the next
 * level says.
 */
function* places(widths: readonly number[], folder = '', depth = 0): Iterable<Place> {
  const [width = 0, ...below] = widths
  for (let at = 0; at < width; at++) {
    const path = `${folder}${String.fromCharCode(97 + depth)}${at}`
    yield { file: below.length > 0 ? `${path}/README.md` : `${path}.md`, depth }
    yield* places(below, `${path}/`, depth + 1)
  }
}

function* stream(widths: readonly number[], bytes: number): Iterable<string> {
  const random = seeded(7)
  const pages = [...places(widths)]
  const file = (path: string, text: string) =>
    `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`
  const lines = pages.map((page, at) => `${'  '.repeat(page.depth)}* [Page ${at}](${page.file})`)

  yield 'commit refs/heads/main\ncommitter Bench <bench@example.org> 1600000000 +0000\ndata 4\nMany\n'
  yield file('SUMMARY.md', `# Table of contents\n\n${lines.join('\n')}\n`)
  for (const [at, page] of pages.entries())
    yield file(page.file, pageText(`Page ${at}`, bytes, random))
  yield 'done\n'
}

/** Imports a space whose tree has this many pages at each level below a page. */
export async function importDeep(
  stemma: Stemma,
  widths: readonly number[],
  bytes: number,
): Promise<Space> {
  const name = `deep-${widths.join('-')}-${bytes}.git`
  const dir = join(corpora, name)
  if (!existsSync(dir)) {
    const building = `${dir}.${process.pid}`
    await mkdir(building, { recursive: true })

    try {
      await git(building, ['init', '-q', '--bare', '--initial-branch=main'])
      await git(building, ['fast-import', '--quiet'], stream(widths, bytes))
      await git(building, ['update-server-info'])
      await rename(building, dir)
    } catch (error) {
      await rm(building, { recursive: true, force: true })
      throw error
    }
  }

  const space = await makeSpace(stemma)
  const pages = await withRemote(({ origin }) => fill(stemma, space.path, `${origin}/${name}`))

  return { ...space, pages }
}
