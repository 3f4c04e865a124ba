import type { ContentFile } from '../files.ts'
import { readPageFacts } from '../page/facts.ts'
import { parseSummary } from '../summary/parse.ts'
import { decode } from '../text/bytes.ts'
import { buildTree, type ContentTree, type TreeInput } from './build.ts'
import type { ContentConfig } from './config.ts'

/**
 * Builds the tree of files that are in memory, with these settings. `contents` has the bytes of the
 * pages and of the table of contents, by path.
 */
export function treeInMemory(
  files: readonly ContentFile[],
  contents: ReadonlyMap<string, Uint8Array>,
  config: ContentConfig,
  read: Pick<TreeInput, 'variables' | 'issues'> = { variables: {} },
): ContentTree {
  const paths = new Map<string, string>(files.map(({ path, oid }) => [oid, path]))
  const summary = contents.get(config.summary)
  return buildTree({
    ...read,
    spaceId: '',
    files,
    identity: new Map(),
    config,
    summary: summary ? parseSummary(decode(summary).text) : null,
    facts: oid => readPageFacts(contents.get(paths.get(oid) ?? '') ?? new Uint8Array()),
  })
}
