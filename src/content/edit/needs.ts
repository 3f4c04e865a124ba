import { isMarkdown } from '../files.ts'
import { linkingPaths } from '../links/inbound.ts'
import { readFrontMatter } from '../markdown/front-matter.ts'
import { findHeading } from '../page/edit.ts'
import { slugOfFile } from '../text/slug.ts'
import type { ContentTree, PageNode } from '../tree/build.ts'
import { configPath } from '../tree/config.ts'
import { variablesPath } from '../tree/variables.ts'
import type { Change, UpdatePage } from './changes.ts'
import { withDescendants } from './places.ts'

/** The data that a batch needs in addition to the tree. */
export type Needs = {
  /** Returns whether the batch may change the tree: it then needs the input of the tree. */
  structure: boolean
  /** The files whose bytes it reads. */
  paths: Set<string>
  /** Other revisions, and the pages that it reads there; '' is the revision that a change request began with. */
  snapshots: Map<string, Set<string>>
  /** The files whose inbound links are rewritten, if they are known in advance: see `inboundOf`. */
  moving?: string[]
  /** Those of `paths` that are read only for links to `moving`. */
  linking: Set<string>
}

/**
 * Returns what `applyChanges` needs for these changes of this tree. It predicts what the appliers read: one that reads
 * anything else needs a line here.
 */
export function needsOf(tree: ContentTree, changes: readonly Change[]): Needs {
  const needs: Needs = { structure: false, paths: new Set(), snapshots: new Map(), linking: new Set() }
  let moving: string[] | null = []
  for (const change of changes) {
    const page = 'page' in change ? tree.pageById.get(change.page) : undefined
    for (const path of pathsReadBy(tree, page, change)) needs.paths.add(path)
    const seen = snapshotOf(change)
    if (seen)
      needs.snapshots.set(seen.revision, (needs.snapshots.get(seen.revision) ?? new Set()).add(seen.page))
    if (change.operation !== 'update_page' || !staysInPlace(page, change)) needs.structure = true
    const moved: string[] | null = movedBy(tree, page, change)
    moving = moving && moved && [...moving, ...moved]
  }
  if (moving?.length === 0) return needs
  needs.paths.add(configPath)
  for (const path of linkingPaths(tree)) {
    if (moving && !needs.paths.has(path)) needs.linking.add(path)
    needs.paths.add(path)
  }
  return moving ? { ...needs, moving } : needs
}

/** Returns the files that a change reads, except those that it reads only for links to moved files. */
function pathsReadBy(tree: ContentTree, page: PageNode | undefined, change: Change): string[] {
  const paths = page?.file ? [page.file.path] : []
  if ('redirect' in change && change.redirect) paths.push(configPath)
  return [...paths, ...operationPaths(tree, change)]
}

function operationPaths(tree: ContentTree, change: Change): string[] {
  switch (change.operation) {
    case 'rename_file': {
      const path = tree.fileById.get(change.file)?.path
      return path !== undefined && isMarkdown(path) ? [path] : []
    }
    case 'set_variables':
      return [tree.config.root + variablesPath]
    case 'apply_template':
      return [`${tree.config.root}README.md`]
    case 'insert_files':
      return assetsLike(tree, change.files)
    default:
      return []
  }
}

/** Returns the page that a change reads in another revision. */
function snapshotOf(change: Change): { revision: string; page: string } | undefined {
  if (change.operation === 'revert_page') return { revision: change.revision ?? '', page: change.page }
  if (!('baseRevision' in change) || change.baseRevision === undefined) return undefined
  return { revision: change.baseRevision, page: change.page }
}

/**
 * Returns the files that a change moves or removes and whose inbound links it rewrites: every file with links to them is
 * read. Null: they are known only after other files have been read.
 */
function movedBy(tree: ContentTree, page: PageNode | undefined, change: Change): string[] | null {
  switch (change.operation) {
    case 'rename_file':
      return change.rewriteLinks === false ? [] : fileMoved(tree, change.file)
    case 'delete_file':
      return rewritesInbound(change) ? fileMoved(tree, change.file) : []
    case 'delete_page':
      if (!rewritesInbound(change)) return []
      return page ? withDescendants(page).flatMap(node => node.file?.path ?? []) : null
    case 'revert_page':
      // Its former path is known only after the other revision has been read.
      return page?.file === undefined ? [] : null
    case 'update_page':
      return pageMoved(page, change)
    default:
      return []
  }
}

const rewritesInbound = (change: { rewriteLinks?: boolean | undefined; replaceWith?: string | undefined }) =>
  change.rewriteLinks === true || change.replaceWith !== undefined

function fileMoved(tree: ContentTree, id: string): string[] {
  const path = tree.fileById.get(id)?.path
  return path ? [path] : []
}

function pageMoved(page: PageNode | undefined, change: UpdatePage): string[] | null {
  if (!change.slug || change.rewriteLinks === false) return []
  if (!page) return null
  const path = page.file?.path ?? page.missing
  return path === undefined || slugOfFile(path) === change.slug ? [] : [path]
}

/** Returns whether a change affects only the file of a page, and nothing that the tree takes from it. */
function staysInPlace(page: PageNode | undefined, change: UpdatePage): boolean {
  if (!page?.file || !page.facts) return false
  const { title, slug, emoji, into, at, document } = change
  if ([title, slug, emoji, into, at].some(value => value !== undefined)) return false
  if (!document || !('markdown' in document) || typeof document.markdown !== 'string') return true
  const heading = findHeading(document.markdown)?.text
  if (heading !== undefined && heading !== page.facts.h1) return false
  const own = readFrontMatter(document.markdown).data.title
  return own === undefined || own === page.facts.frontMatter.title
}

/** Returns the existing files that may be equal to new ones. */
function assetsLike(tree: ContentTree, files: readonly { name: string }[]): string[] {
  const folder = `${tree.config.root}.gitbook/assets/`
  return files.flatMap(({ name }) => {
    const path = folder + name.normalize('NFC')
    return tree.fileByPath.has(path) ? [path] : []
  })
}
