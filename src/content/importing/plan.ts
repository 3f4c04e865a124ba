import { mustGet } from '../../lib/must-get.ts'
import type { Change, InsertFiles } from '../edit/changes.ts'
import { blobId } from '../edit/draft.ts'
import { relink } from '../edit/settle-links.ts'
import { baseName, isMarkdown } from '../files.ts'
import { findLinks, resolveLink } from '../links/find.ts'
import { firstOf, pageAtPaths, targetPaths } from '../links/target-paths.ts'
import { readPageFacts } from '../page/facts.ts'
import { parseSummary } from '../summary/parse.ts'
import { encode } from '../text/bytes.ts'
import { spliceAll } from '../text/lines.ts'
import { buildTree, type ContentTree, type PageNode } from '../tree/build.ts'
import { configPath, isUrl, readConfig, spelledAs } from '../tree/config.ts'
import { type Findings, type ImportFinding, Unreadable } from './finding.ts'
import type { FolderFile, KeptBytes } from './folder-file.ts'

/** The most pages of one import: each is a change of one batch. */
const mostPages = 1000

/** A page that an import adds: its reference in the batch, and the file that it was. */
type PlannedPage = { ref: string; path: string; title: string; type: 'page' | 'folder' }

/** The changes that import a folder, without those of its files, whose bytes are on the disk. */
export type ImportPlan = {
  changes: Change[]
  files: { name: string; ref: string; kept: KeptBytes }[]
  /** In the order of the changes. */
  pages: PlannedPage[]
  findings: ImportFinding[]
}

/** Names by which pages and files of the batch refer to each other. */
type Names = {
  tree: ContentTree
  /** By page. */
  pages: Map<PageNode, string>
  /** By path. */
  files: ReadonlyMap<string, string>
  texts: ReadonlyMap<string, string>
  renamed: ReadonlyMap<string, string>
  findings: Findings
}

type Planning = {
  findings: Findings
  prefix: string
  into: string | null
  /** The paths of pages that were converted, by those that other files know. */
  renamed: ReadonlyMap<string, string>
}

/**
 * Returns the changes that add the pages and files of a folder. Its table of contents counts if it has
 * one. Throws Unreadable without pages and for too many.
 */
export function planImport(
  files: readonly FolderFile[],
  { findings, prefix, into, renamed }: Planning,
): ImportPlan {
  const texts = new Map(
    files.flatMap(({ path, text }) => (text === undefined ? [] : [[path, text]])),
  )
  const tree = treeOf(files, texts)
  const kept = files.flatMap(({ path, kept }, at) =>
    kept && tree.fileByPath.get(path)
      ? [{ path, name: nameOf(path), ref: `${prefix}-file-${at}`, kept }]
      : [],
  )
  const names: Names = {
    tree,
    pages: new Map(),
    files: new Map(kept.map(({ path, ref }) => [path, ref])),
    texts,
    renamed,
    findings,
  }
  nameUnread(files, names)
  namePages(tree.pages, names, prefix)
  const plan: ImportPlan = { changes: [], files: kept.map(withoutPath), pages: [], findings: [] }
  addPages(plan, names, tree.pages, into)
  if (plan.pages.length === 0)
    throw new Unreadable(
      'There is no page in these files: nothing was imported. Pages are Markdown, HTML and Word documents (.docx).',
    )
  plan.findings = findings.list()
  return plan
}

const withoutPath = ({ name, ref, kept }: ImportPlan['files'][number]) => ({ name, ref, kept })

/** Returns the change that adds the files of a plan. */
export const filesOf = (files: InsertFiles['files']): Change[] =>
  files.length === 0 ? [] : [{ operation: 'insert_files', files }]

/** Returns the page tree of a space with these files. */
function treeOf(files: readonly FolderFile[], texts: ReadonlyMap<string, string>): ContentTree {
  const bytesOf = new Map<string, Uint8Array>()
  const listed = files.map(({ path, text, kept }) => {
    if (kept) return { path, oid: kept.oid, mode: '100644' }
    const bytes = encode(text)
    const oid = blobId(bytes)
    bytesOf.set(oid, bytes)
    return { path, oid, mode: '100644' }
  })
  const settings = texts.get(configPath)
  const read = readConfig(settings === undefined ? undefined : encode(settings))
  const config = spelledAs(read.config, path => texts.has(path))
  const contents = texts.get(config.summary)

  return buildTree({
    spaceId: 'import',
    files: listed,
    config,
    summary: contents === undefined ? null : parseSummary(contents),
    facts: oid => {
      const bytes = bytesOf.get(oid)
      return bytes && readPageFacts(bytes)
    },
    variables: {},
    identity: new Map(),
  })
}

/** Names the files that are neither a page nor a file of the tree. */
function nameUnread(files: readonly FolderFile[], { tree, findings }: Names): void {
  for (const { path } of files) {
    if (path === configPath || path === tree.summaryPath || tree.pageByFile.get(path)) continue
    if (isMarkdown(path))
      findings.add(
        path,
        `The page is not in the table of contents (${baseName(tree.summaryPath)}). It was left out.`,
      )
    else if (!tree.fileByPath.get(path))
      findings.add(path, 'The file is no content of the folder. It was left out.')
  }
}

function namePages(pages: readonly PageNode[], names: Names, prefix: string): void {
  for (const page of pages) {
    names.pages.set(page, `${prefix}-${names.pages.size}`)
    namePages(page.pages, names, prefix)
  }
  if (names.pages.size > mostPages)
    throw new Unreadable(
      `There are more than ${mostPages} pages. Import them in several parts, or push them with Git.`,
    )
}

function addPages(
  plan: ImportPlan,
  names: Names,
  pages: readonly PageNode[],
  into: string | null,
): void {
  for (const page of pages) {
    const ref = addPage(plan, names, page, into)
    addPages(plan, names, page.pages, ref ?? into)
  }
}

/** Adds one page, and returns its reference; undefined if it is none here. */
function addPage(
  plan: ImportPlan,
  names: Names,
  page: PageNode,
  into: string | null,
): string | undefined {
  const { type, title, file } = page
  const ref = mustGet(names.pages, page)
  const say = (message: string) => names.findings.add(file?.path ?? page.missing ?? title, message)
  if (type === 'link') {
    if (page.target !== undefined && isUrl(page.target))
      plan.changes.push({ operation: 'insert_link', title, url: page.target, into })
    else
      say(`The entry "${title}" of the table of contents is no link to the web. It was left out.`)
    return undefined
  }
  if (type === 'computed') {
    say('The table of contents has pages that are made from an OpenAPI spec. They were left out.')
    return undefined
  }
  if (page.missing !== undefined)
    say(`The table of contents has "${title}", whose file is missing. The page is empty.`)

  const isFolder = file === undefined && page.missing === undefined
  plan.pages.push({
    ref,
    path: file?.path ?? page.missing ?? `${page.path}/`,
    title,
    type: isFolder ? 'folder' : 'page',
  })
  if (type === 'group' && into === null) {
    plan.changes.push({ operation: 'insert_group', title, ref })
    return ref
  }
  const markdown = file && linked(names, file.path)
  plan.changes.push({
    operation: 'insert_page',
    title,
    ref,
    into,
    document: markdown === undefined ? {} : { markdown },
  })
  return ref
}

/** Returns the text of a page, whose links to other files of the folder are references. */
function linked(names: Names, path: string): string {
  const { tree, files, renamed, findings } = names
  const text = names.texts.get(path) ?? ''
  const resolve = targetPaths(tree.config.root)
  const splices = []
  for (const link of findLinks(text)) {
    const { external, candidates } = resolveLink(path, link.target)
    if (external || candidates.length === 0 || link.target.startsWith('#')) continue
    const { paths, fragment } = resolve(path, link.target)
    const converted = firstOf(paths, renamed)
    const page =
      pageAtPaths(tree, paths) ??
      (converted === undefined ? undefined : tree.pageByFile.get(converted))
    const name = page && names.pages.get(page)
    const target = name === undefined ? firstOf(paths, files) : `${name}.md`
    if (target !== undefined)
      splices.push(relink(text, link, `./${target}`, fragment === undefined ? '' : `#${fragment}`))
    else
      findings.add(
        path,
        `A link leads to "${link.target.slice(0, 200)}", which is not in these files.`,
      )
  }
  return spliceAll(text, splices)
}

// Characters that a file name of a space may not have.
const unfit =
  /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufffd\\:*?"<>|]+/g

/** Returns the name of a file in the space. */
function nameOf(path: string): string {
  const name = baseName(path).replace(unfit, '-').replace(/^\.+/, '').trim()
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 ? name.slice(dot).slice(0, 20) : ''
  const stem = dot > 0 ? name.slice(0, dot) : name
  return `${stem.slice(0, 80) || 'file'}${ending.replace(/[. ]+$/, '')}`
}
