import { setTimeout as sleep } from 'node:timers/promises'
import { type GitServer, serveGit } from '../support/git/git-server.ts'
import { corpora, corpus, type Shape } from './corpus.ts'
import type { Stemma } from './stemma.ts'

/** A page with a file. */
export type Page = { id: string; file: string }

/** An imported space; `path` is its path in the API. */
export type Space = { id: string; path: string; pages: Page[] }

type Listed = { id: string; type: string; git?: { path: string }; pages?: Listed[] }

/** Serves the generated repositories over HTTP while `work` runs. */
export async function withRemote<Result>(
  work: (remote: GitServer) => Promise<Result>,
): Promise<Result> {
  const remote = await serveGit({ folder: corpora })
  try {
    return await work(remote)
  } finally {
    await remote.close()
  }
}

/** Creates an empty space. */
export async function makeSpace({ caller }: Stemma): Promise<{ id: string; path: string }> {
  const body = { title: 'Bench', empty: true }
  const { id } = await caller.json('POST', '/v1/orgs/default/spaces', { body, status: 201 })
  return { id, path: `/v1/spaces/${id}` }
}

/** Imports a repository into a space. Returns its pages once they can be read. */
export async function fill({ caller, url }: Stemma, path: string, remote: string): Promise<Page[]> {
  const body = { url: remote, ref: 'refs/heads/main' }
  const { headers } = await caller.call('POST', `${path}/git/import`, {
    body,
    status: [200, 202, 204],
  })
  const operation = String(headers.location).replace(url, '')

  for (;;) {
    const { state, error } = await caller.json('GET', operation)
    if (state === 'failure') throw new Error(`The import failed: ${error}`)
    if (state === 'success') break
    await sleep(20)
  }

  return readPages(await caller.json('GET', `${path}/content/pages`))
}

/** The pages with a file in a page list, in its order. */
export function readPages({ pages }: { pages: Listed[] }): Page[] {
  return pages.flatMap(({ id, git, pages: below = [] }) => [
    ...(git ? [{ id, file: git.path }] : []),
    ...readPages({ pages: below }),
  ])
}

/**
 * Imports these shapes into new spaces, in order. Throws if a space has the wrong number of pages.
 */
export async function importSpaces(stemma: Stemma, shapes: readonly Shape[]): Promise<Space[]> {
  const spaces: Space[] = []
  for (const shape of shapes) {
    const name = await corpus(shape)
    const space = await makeSpace(stemma)
    const pages = await withRemote(({ origin }) => fill(stemma, space.path, `${origin}/${name}`))
    if (pages.length !== shape.pages)
      throw new Error(`${name} has ${pages.length} pages, not ${shape.pages}`)
    spaces.push({ ...space, pages })
  }

  return spaces
}
