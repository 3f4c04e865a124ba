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

/** What a batch has to be given beside the tree. */
export type Needs = {
  /** Whether it may change the tree: then it takes what the tree is built from. */
  structure: boolean
  /** The files whose bytes it reads. */
  paths: Set<string>
  /** Other revisions, and the pages of which it reads there; '' is the one that a change request began with. */
  snapshots: Map<string, Set<string>>
  /** The files whose inbound links are rewritten, where those are known before: see `inboundOf`. */
  moving?: string[]
  /** Those of `paths` that are read for links to what is moving alone. */
  linking: Set<string>
}

/** What `applyChanges` has to be given for these changes of this tree. */
export function needsOf(tree: ContentTree, changes: readonly Change[]): Needs {
  const needs: Needs = { structure: false, paths: new Set(), snapshots: new Map(), linking: new Set() }
  let moving: string[] | null = []
  const seen = (revision: string, page: string) =>
    needs.snapshots.set(revision, (needs.snapshots.get(revision) ?? new Set()).add(page))
  for (const change of changes) {
    const page = 'page' in change ? tree.pageById.get(change.page) : undefined
    if (page?.file) needs.paths.add(page.file.path)
    const file = change.operation === 'rename_file' ? tree.fileById.get(change.file)?.path : undefined
    if (file !== undefined && isMarkdown(file)) needs.paths.add(file)
    if ('baseRevision' in change && change.baseRevision !== undefined) seen(change.baseRevision, change.page)
    if (change.operation === 'revert_page') seen(change.revision ?? '', change.page)
    if (change.operation === 'set_variables') needs.paths.add(tree.config.root + variablesPath)
    if (change.operation === 'apply_template') needs.paths.add(`${tree.config.root}README.md`)
    if (change.operation === 'insert_files')
      for (const path of assetsLike(tree, change.files)) needs.paths.add(path)
    if (change.operation !== 'update_page' || !staysInPlace(page, change)) needs.structure = true
    if ('redirect' in change && change.redirect) needs.paths.add(configPath)
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

/**
 * The files that a change moves or takes away, and whose links it rewrites: whatever links to them is read. Null: they are
 * known only when that has been read.
 */
function movedBy(tree: ContentTree, page: PageNode | undefined, change: Change): string[] | null {
  const rewrites = 'rewriteLinks' in change ? change.rewriteLinks : undefined
  if (change.operation === 'rename_file' || change.operation === 'delete_file') {
    const replaces = 'replaceWith' in change && change.replaceWith !== undefined
    const does = change.operation === 'rename_file' ? rewrites !== false : rewrites === true || replaces
    return does ? [tree.fileById.get(change.file)?.path ?? ''].filter(Boolean) : []
  }
  if (change.operation === 'delete_page') {
    if (rewrites !== true && change.replaceWith === undefined) return []
    return page ? withDescendants(page).flatMap(node => node.file?.path ?? []) : null
  }
  // What it was called there is known only when the revision has been read.
  if (change.operation === 'revert_page') return page?.file === undefined ? [] : null
  if (change.operation !== 'update_page' || !change.slug || rewrites === false) return []
  if (!page) return null
  const path = page.file?.path ?? page.missing
  return path === undefined || slugOfFile(path) === change.slug ? [] : [path]
}

/** Whether a change touches nothing but the file of a page, and nothing that the tree says of it. */
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

/** The files that new ones may turn out to be the same as. */
function assetsLike(tree: ContentTree, files: readonly { name: string }[]): string[] {
  const folder = `${tree.config.root}.gitbook/assets/`
  return files.flatMap(({ name }) => {
    const path = folder + name.normalize('NFC')
    return tree.fileByPath.has(path) ? [path] : []
  })
}
