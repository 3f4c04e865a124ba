import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gitOutside, main } from '../git/repo.ts'
import { isLongRun } from '../long-run.ts'
import type { TestSpace } from './corpus.ts'

/** What an independent count found in the folder of a documentation repository. */
export type CorpusRoot = {
  /** The folder of the content in the repository; "." for its top. */
  root: string
  files: number
  includes: number
  assets: { count: number }
  summary: {
    heading: string
    entries: number
    file: number
    url: number
    text: number
    computed: number
    groups: number
    separators: number
    linkTitles: number
    depthHist: Record<string, number>
    titleDiffersFromH1: number
    unlisted: string[]
    treePathDiffers: { file: string; treePath: string }[]
  }
  links: {
    total: number
    broken: number
    byClass: Record<string, number>
    brokenLinks: { file: string; line: number; dest: string; cls: string }[]
  }
}

/** A real documentation repository. */
export type Corpus = {
  name: string
  /** A bundle or a repository: `git clone` and `git fetch` read both. */
  source: string
  commit: string
  roots: [CorpusRoot]
}

const fixtures = fileURLToPath(new URL('../../../fixtures/', import.meta.url))
/** Three large repositories beside the checkout, for long runs on machines that have them. */
const large = fileURLToPath(new URL('../../../../shared/corpora/', import.meta.url))

/**
 * Returns the small corpus of the checkout, and in a long run the large ones that the machine has.
 */
export const readCorpora = (): Corpus[] => [smallCorpus(), ...(isLongRun ? largeCorpora() : [])]

/** Returns the corpus of the checkout, which has a single commit. */
export const smallCorpus = (): Corpus => ({
  name: 'elsa-part',
  ...commitFixture('elsa-guides'),
  roots: [readJson('elsa-guides.json')],
})

/** Returns the source of the edits of the checkout: a repository whose commits edit a page each. */
export const smallHistory = (): Pick<Corpus, 'name' | 'source' | 'commit'> => ({
  name: 'elsa-edits',
  source: join(fixtures, 'elsa-edits.bundle'),
  commit: main,
})

/** Returns the large corpora that the machine has, with their histories. */
export function largeCorpora(): Corpus[] {
  if (!existsSync(join(large, 'expected.json'))) return []
  const { corpora } = JSON.parse(readFileSync(join(large, 'expected.json'), 'utf8'))
  return corpora.map((each: Corpus & { bundle: string }) => ({
    ...each,
    source: join(large, each.bundle),
  }))
}

const readJson = (name: string) => JSON.parse(readFileSync(join(fixtures, name), 'utf8'))

/** Commits a folder of fixtures to a new repository that is removed when the process ends. */
function commitFixture(name: string): Pick<Corpus, 'source' | 'commit'> {
  const source = mkdtempSync(join(tmpdir(), 'stemma-corpus-'))
  process.once('exit', () => rmSync(source, { recursive: true, force: true }))
  const git = (...args: string[]) =>
    gitOutside(source, ['--git-dir', source, '--work-tree', join(fixtures, name), ...args])
  gitOutside(source, ['init', '-q', '--bare', '--initial-branch=main'])
  git('add', '--all', '.')
  git('commit', '-q', '-m', 'A part of a real handbook')
  return { source, commit: git('rev-parse', 'HEAD') }
}

/** Brings a corpus into a space with git alone: its commit, or a new one of its folder's tree. */
export function fetchCorpus(
  { repo }: TestSpace,
  { source, commit, roots: [{ root }] }: Corpus,
): void {
  execFileSync('git', ['--git-dir', repo.dir, 'fetch', '-q', source, `${commit}:refs/corpus`], {
    stdio: 'pipe',
  })
  const head =
    root === '.'
      ? commit
      : gitOutside(repo.dir, ['commit-tree', '-m', 'The folder', `${commit}:${root}`])
  gitOutside(repo.dir, ['update-ref', main, head])
}
