import { realpath } from 'node:fs/promises'
import { basename, dirname, relative } from 'node:path'
import { normalize } from '../../lib/normalize.ts'
import { findWorkTree } from '../clone/list-work-tree.ts'

/** Names of folders that say nothing about what they document. */
const general = /^(?:docs?|documentation|manual|book|content|pages|website)$/i

/**
 * Returns a name for the site of a folder: in a Git work tree the name of the repository and the
 * path of the folder, such as "acme-docs"; elsewhere the name of the folder, after that of the one
 * around it if it is as general as "docs".
 */
export async function nameSource(folder: string): Promise<string> {
  const path = await realpath(folder)
  const own = basename(path)
  const tree = await findWorkTree(path)
  if (!tree) return segmentOf(general.test(own) ? `${basename(dirname(path))}-${own}` : own)
  const named = /([^/:\\]+?)(?:\.git|\.bundle)?[/\\]*$/.exec(tree.origin ?? '')?.[1]
  return segmentOf(`${named ?? basename(tree.root)}-${relative(tree.root, path)}`)
}

/** Returns a name in the form of a site's basename. */
const segmentOf = (name: string): string =>
  normalize('NFKD', name)
    .toLowerCase()
    .replace(/[^a-z0-9._]+/g, '-')
    .slice(0, 100)
    .replace(/^[._-]+|[._-]+$/g, '') || 'docs'

/** Returns the title for a name: "payment-api" is titled "Payment api". */
export function titleOf(name: string): string {
  const words = name.replace(/[-_]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
