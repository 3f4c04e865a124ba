import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gitOutside } from '../git/repo.ts'
import type { Corpus } from './corpora.ts'

/** Returns the Markdown of the pages of a corpus by the paths of their files. */
export function corpusFiles({
  commit,
  source,
}: Pick<Corpus, 'commit' | 'source'>): Map<string, string> {
  const dir = mkdtempSync(join(tmpdir(), 'stemma-corpus-'))
  try {
    gitOutside(dir, ['init', '-q', '--bare'])
    gitOutside(dir, ['fetch', '--quiet', source, `${commit}:refs/heads/docs`])
    const files = gitOutside(dir, ['ls-tree', '-r', '--name-only', '-z', commit])
      .split('\0')
      .filter(path => /(?<!SUMMARY)\.md$/.test(path))
    return new Map(files.map(file => [file, gitOutside(dir, ['show', `${commit}:${file}`])]))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
