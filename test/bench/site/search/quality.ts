import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { headOf, primaryRef } from '../../../../src/actions/repositories/head-of.ts'
import { primarySource } from '../../../../src/actions/search/index-search.ts'
import { sectionSteps } from '../../../../src/content/search/sections.ts'
import { inSlices } from '../../../../src/lib/slices.ts'
import { searchableSite } from '../../../actions/finding/searchable.ts'
import { type App, startApp } from '../../../support/app.ts'
import { largeCorpora } from '../../../support/corpus/corpora.ts'
import { git } from '../../git.ts'
import type { IndexedText } from './others.ts'

/** The files of a handbook, by their paths. */
type Files = Record<string, string>

/** A handbook that Stemma has indexed. `find` returns the files of the first pages of a search. */
export type Handbook = {
  pages: IndexedText[]
  find: (query: string, most: number) => Promise<string[]>
}

/**
 * Reads the handbooks with these names; `stemma` is the manual in the checkout. Throws for one that
 * the machine lacks: figures of fewer questions cannot be compared.
 */
export async function readHandbooks(names: readonly string[]): Promise<Map<string, Files>> {
  const found = new Map<string, Files>()
  for (const name of names) {
    const corpus = largeCorpora().find(each => each.name === name)
    if (name === 'stemma')
      found.set(name, filesIn(fileURLToPath(new URL('../../../../docs/', import.meta.url))))
    if (name === 'stemma') continue
    if (!corpus) throw new Error(`The handbook ${name} is not beside the checkout.`)

    const dir = await mkdtemp(join(tmpdir(), 'stemma-bench-'))

    try {
      await git(dir, ['clone', '-q', '-n', corpus.source, 'all'])
      await git(join(dir, 'all'), ['checkout', '-q', corpus.commit])
      found.set(name, filesIn(join(dir, 'all', corpus.roots[0].root)))
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  }

  return found
}

/** Reads the Markdown files below a folder. */
function filesIn(folder: string): Files {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const texts = paths.filter(path => path.endsWith('.md') && !path.startsWith('.git/'))
  return Object.fromEntries(texts.map(path => [path, readFileSync(join(folder, path), 'utf8')]))
}

/** Runs `work` with each handbook on a site of its own. */
export async function withHandbook<Result>(
  files: Files,
  work: (handbook: Handbook) => Promise<Result>,
): Promise<Result> {
  const app = await startApp()
  try {
    return await work(await openHandbook(app, files))
  } finally {
    await app.stop()
  }
}

async function openHandbook(app: App, files: Files): Promise<Handbook> {
  const { spaces, search } = await searchableSite(app, [files])
  const { space } = spaces[0]!
  const head = headOf(app.ctx, space.id, primaryRef(app.ctx, space.id))
  if (!head) throw new Error('The handbook has no content.')

  const { content } = await primarySource(app.ctx, space, head)
  const pages: IndexedText[] = []

  for (const { file, title } of content.pageById.values()) {
    const text = file && files[file.path]
    if (!file || text === undefined) continue
    const { h1, sections } = await inSlices(sectionSteps(text))
    pages.push({
      file: file.path,
      title: `${title}\n${h1}`,
      headings: sections.map(({ heading }) => heading).join('\n'),
      text: sections.map(({ body }) => body).join('\n'),
    })
  }

  return {
    pages,
    find: async (query, most) =>
      (await search(query, { limit: most })).hits.map(
        ({ pageId }) => content.pageById.get(pageId)?.file?.path ?? '',
      ),
  }
}
