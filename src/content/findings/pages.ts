import { canBePage, isMarkdown } from '../files.ts'
import { languagesPath } from '../navigation/languages.ts'
import { isWithoutPath } from '../summary/entry-text.ts'
import type { TreeIssue } from '../text/issues.ts'
import { lineCounter } from '../text/issues.ts'
import type { ContentTree, PageNode } from '../tree/build.ts'
import { configPath } from '../tree/config.ts'
import { variablesPath } from '../tree/variables.ts'
import { type Finding, type FindingKind, finding } from './kinds.ts'

/** The files of other tools that list pages or languages and are not read, with what to do. */
const otherFiles: ReadonlyMap<string, string | undefined> = new Map([
  ['LANGS.md', 'Publish the folder of each language as a variant of a site.'],
  ['book.json', 'Write its "root" and "structure" into .gitbook.yaml.'],
  ['book.js', 'Write its "root" and "structure" into .gitbook.yaml.'],
  ['_sidebar.md', undefined],
  ['_toc.yml', undefined],
  ['_toc.yaml', undefined],
  ['antora.yml', undefined],
  ['conf.py', undefined],
  ['sidebars.js', undefined],
  ['sidebars.ts', undefined],
])

/**
 * Returns the findings about the page tree of a revision, from what its parsers reported: entries
 * that are no pages, files that no entry names, drafts, settings.
 */
export function treeFindings(tree: ContentTree): Finding[] {
  return [
    ...tree.issues.map(issue => ofIssue(tree, issue)),
    ...textEntries(tree),
    ...draftsOf(tree),
    ...unlistedPages(tree),
    ...settingsOfTools(tree),
  ]
}

/** Returns the finding about an issue of the tree. */
function ofIssue(tree: ContentTree, { kind, message, path, line }: TreeIssue): Finding {
  // An entry without a place is one of the list of another tool.
  const file = path ?? (kind && tree.config.navigation?.path)
  return finding(kind ?? kindAt(tree, file), { file, line }, message)
}

/** Returns what an issue of a file is about. */
function kindAt(tree: ContentTree, path: string | undefined): FindingKind {
  const { root, navigation } = tree.config
  if (path === configPath || path === root + variablesPath) return 'invalid-setting'
  if (path !== undefined && path === navigation?.path) return 'unread-settings'
  if (path === tree.summaryPath) return 'contents-line'
  return path !== undefined && tree.pageByFile.has(path) ? 'front-matter' : 'unread-file'
}

/** Returns the entries of the table of contents that are pages without a text. */
function textEntries({ pageById, summary, summaryPath: file }: ContentTree): Finding[] {
  const lineAt = lineCounter(summary?.source ?? '')
  const found: Finding[] = []

  for (const { entry, title, pages } of pageById.values()) {
    if (entry?.kind !== 'text') continue
    const line = lineAt(entry.range.start)
    if (/\]\s*\(|\]\[/.test(entry.title) || isWithoutPath(summary?.source ?? '', entry))
      found.push(
        finding('contents-line', { file, line }, `The link of "${short(title)}" has no path.`),
      )
    else if (pages.length === 0)
      found.push(
        finding(
          'contents-entry',
          { file, line },
          `"${short(title)}" has no link: its page is empty.`,
        ),
      )
  }

  return found
}

const short = (text: string): string => text.slice(0, 200)

const draftsOf = ({ pageByFile }: ContentTree): Finding[] =>
  [...pageByFile.values()].flatMap(({ file, facts }: PageNode) =>
    file && facts?.frontMatter.draft
      ? [finding('draft', { file: file.path }, 'The page is a draft, which readers are not shown.')]
      : [],
  )

/** The files at the top that are about the repository, and seldom pages. */
const aboutRepository =
  /^(?:agents|authors|changelog|changes|claude|code[_-]of[_-]conduct|contributing|contributors|governance|history|licen[cs]e|maintainers|notice|security|support)\.\w+$/i

const adviceAside =
  'Nothing, if it is about the repository; otherwise add an entry to the table of contents.'

/**
 * Returns the Markdown files that the table of contents does not name. Those about the repository
 * are no fault.
 */
function unlistedPages({ files, summary, summaryPath, config }: ContentTree): Finding[] {
  const { navigation, root } = config
  const listing = summary ? summaryPath : navigation?.groups && navigation.path
  if (!listing) return []
  const isUnlisted = (path: string) =>
    isMarkdown(path) &&
    canBePage(path) &&
    !/(?:^|\/)\./.test(path) &&
    !otherFiles.has(path.slice(root.length))
  return files.flatMap(({ path }) => {
    if (!isUnlisted(path)) return []
    const found = finding('unlisted-page', { file: path }, `The page is not in ${listing}.`)
    const isAside = [path, path.slice(root.length)].some(name => aboutRepository.test(name))
    return isAside ? { ...found, severity: 'info' as const, advice: adviceAside } : found
  })
}

/** Returns the settings of other tools that are not taken. */
function settingsOfTools(tree: ContentTree): Finding[] {
  const { config, summary, fileByPath, pageByFile, issues } = tree
  const { navigation, categories } = config
  const found = [...otherFiles].flatMap(([name, advice]) => {
    const file = config.root + name
    const isThere = fileByPath.has(file) || pageByFile.has(file)
    return isThere && navigation?.path !== file
      ? [finding('unread-settings', { file }, `${name} is not read.`, advice)]
      : []
  })
  if (summary && !navigation?.places && navigation?.path !== languagesPath) return found

  const known = new Set(issues.map(({ message }) => message))
  for (const what of navigation?.notTaken ?? [])
    if (!known.has(`${what}.`))
      found.push(
        finding(
          'unread-settings',
          { file: navigation?.path },
          `${what}.`,
          otherFiles.get(navigation?.path ?? ''),
        ),
      )
  for (const [folder, { notTaken: what }] of categories ?? [])
    if (what !== undefined)
      found.push(finding('unread-settings', { file: folder }, `_category_ of ${folder}: ${what}.`))

  return found
}
