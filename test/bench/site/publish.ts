import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Corpus, largeCorpora, smallCorpus } from '../../support/corpus/corpora.ts'
import { corpora } from '../corpus.ts'
import { git } from '../git.ts'
import { fill, makeSpace, type Space, withRemote } from '../space.ts'
import type { Stemma } from '../stemma.ts'

/** A published site; `path` is that of its base, with a slash at its end. */
export type PublishedSite = { id: string; url: string; path: string }

/** The API path of the sites. */
export const sites = '/v1/orgs/default/sites'

/** Publishes a public site of some spaces. */
export async function publish(
  { caller }: Pick<Stemma, 'caller'>,
  spaces: readonly Pick<Space, 'id'>[],
): Promise<PublishedSite> {
  const body = { title: 'Bench', visibility: 'public', spaces: spaces.map(({ id }) => id) }
  const { id } = await caller.json('POST', sites, { body, status: 201 })
  const { urls } = await caller.json('POST', `${sites}/${id}/publish`)
  return { id, url: urls.published, path: new URL(urls.published).pathname }
}

/**
 * Returns the handbook whose pages are measured: a real one, or on machines without it the part of
 * one in the checkout.
 */
export const handbook = (): Corpus =>
  largeCorpora().find(({ name }) => name === 'fluentd') ?? smallCorpus()

/** Imports a handbook into a new space. */
export async function importHandbook(stemma: Stemma, corpus: Corpus): Promise<Space> {
  const name = await served(corpus)
  const space = await makeSpace(stemma)
  const pages = await withRemote(({ origin }) => fill(stemma, space.path, `${origin}/${name}`))
  return { ...space, pages }
}

/** Returns the file name of a repository in `corpora` with the branch `main` of a handbook. */
async function served({ name, source, commit }: Corpus): Promise<string> {
  const file = `${name}-${commit.slice(0, 12)}.git`
  const dir = join(corpora, file)
  if (existsSync(dir)) return file

  const building = `${dir}.${process.pid}`

  await mkdir(building, { recursive: true })

  try {
    await git(building, ['init', '-q', '--bare', '--initial-branch=main'])
    await git(building, ['fetch', '-q', source, `${commit}:refs/heads/main`])
    await git(building, ['update-server-info'])
    await rename(building, dir)
  } catch (error) {
    await rm(building, { recursive: true, force: true })
    throw error
  }

  return file
}

/** Returns the paths of the pages of a site, in reading order. */
export async function pathsOf(
  { caller }: Pick<Stemma, 'caller'>,
  { path }: PublishedSite,
): Promise<string[]> {
  const { bytes } = await caller.call('GET', `${path}sitemap-pages.xml`)
  const found = [...bytes.toString().matchAll(/<loc>([^<]+)<\/loc>/g)].map(
    ([, url]) => new URL(url!).pathname,
  )
  if (found.length < 20) throw new Error(`The site lists only ${found.length} pages.`)
  return found
}
