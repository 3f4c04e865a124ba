import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spaceRepository } from '../../src/actions/repositories/space-repository.ts'
import { createSpace } from '../../src/actions/spaces/create-space.ts'
import type { Repository } from '../../src/git/process/processes.ts'
import { findUser } from '../../src/store/people/users.ts'
import type { SpaceRow } from '../../src/store/tables/rows.ts'
import type { App } from './app.ts'
import { commitFiles, gitOutside, main } from './repo.ts'

/** A space of "acme", its repository, and the paths of its API. */
export type TestSpace = { space: SpaceRow; repo: Repository; api: string }

/** Makes a space; with files, they take the place of its first page, committed as somebody with a Git of their own would. */
export async function makeSpace(
  app: App,
  files: Record<string, string | Uint8Array> = {},
  title = 'Guide',
): Promise<TestSpace> {
  const user = findUser(app.ctx.store, app.admin.id)
  if (!user) throw new Error('The admin is gone.')
  const row = { organization_id: 'acme', title, empty: Object.keys(files).length > 0 }
  const space = await createSpace(app.ctx, row, user)
  const repo = spaceRepository(app.ctx, space.id)
  if (row.empty) await commitFiles(repo, files)
  return { space, repo, api: `/v1/spaces/${space.id}` }
}

export type ExpectedRoot = {
  root: string
  files: number
  includes: number
  summary: {
    entries: number
    file: number
    url: number
    text: number
    computed: number
    groups: number
    depthHist: Record<string, number>
    treePathDiffers: { file: string; treePath: string }[]
  }
}
export type Corpus = { name: string; commit: string; roots: ExpectedRoot[] }

const corpora = join(fileURLToPath(new URL('../../../shared/', import.meta.url)), 'corpora')
const bundles: Record<string, string> = {
  fluentd: 'fluentd.bundle',
  elsa: 'elsa-guides.bundle',
  'pgsql-tw': 'postgresql-zh-tw.bundle',
}

/** What was counted in real documentation repositories; undefined where they are not at hand. */
export function readCorpora(): Corpus[] | undefined {
  const file = join(corpora, 'expected.json')
  if (!existsSync(file)) return undefined
  return (JSON.parse(readFileSync(file, 'utf8')) as { corpora: Corpus[] }).corpora
}

/** Brings a corpus into a space with git alone: its branch for one at the top, else the folder as a tree of its own. */
export function fetchCorpus({ repo }: TestSpace, { name, commit, roots }: Corpus): void {
  const bundle = join(corpora, bundles[name] as string)
  execFileSync('git', ['--git-dir', repo.dir, 'fetch', '-q', bundle, `${commit}:refs/corpus`], {
    stdio: 'pipe',
  })
  const root = roots[0]?.root ?? '.'
  const tree = root === '.' ? `${commit}^{tree}` : `${commit}:${root}`
  const parent = root === '.' ? ['-p', commit] : []
  const head =
    root === '.' ? commit : gitOutside(repo.dir, ['commit-tree', ...parent, '-m', 'The folder', tree])
  gitOutside(repo.dir, ['update-ref', main, head])
}
