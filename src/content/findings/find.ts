import type { Oid } from '../../lib/oid.ts'
import type { Steps } from '../../lib/slices.ts'
import type { LinkFacts } from '../links/facts.ts'
import { linkSources, type RevisionLink } from '../links/list.ts'
import { anchorCheck } from '../links/missing-anchors.ts'
import { decode } from '../text/bytes.ts'
import { conflictLines } from '../text/conflicts.ts'
import type { ContentTree } from '../tree/build.ts'
import { configPath } from '../tree/config.ts'
import { type Finding, finding } from './kinds.ts'
import { treeFindings } from './pages.ts'
import { redirectFindings } from './redirects.ts'
import { conflictSentence, textFindings } from './syntax.ts'

/** What the findings of a revision are made from. */
type FindingSource = {
  tree: ContentTree
  /** Sentences about files that could not be read. */
  notices: readonly string[]
  links: readonly RevisionLink[]
  facts: (oid: Oid) => LinkFacts | undefined
  /** The bytes of `.gitbook.yaml`. */
  settings: Uint8Array | undefined
  /** The blobs that are pointers of Git LFS. */
  pointers: ReadonlySet<string>
  /** Findings that only a server knows. */
  others?: readonly Finding[]
}

/** The most findings of a revision that are counted and compared. */
const mostFindings = 100_000

/** The most markers of conflicts that are found in one file of settings. */
const mostMarkers = 50

/**
 * Returns the findings of a revision in the order of their files and lines, in steps: the first of
 * each file, as far as `mostFindings` reaches.
 */
export function* findingSteps(source: FindingSource): Steps<Finding[]> {
  const { tree, notices, links, facts, settings } = source
  const lacks = anchorCheck(tree, facts)
  const found = [
    ...notices.map(message => finding('unread-file', {}, message)),
    ...treeFindings(tree),
    ...conflictsIn(configPath, settings && decode(settings).text),
    ...conflictsIn(tree.summaryPath, tree.summary?.source),
    ...(yield* redirectFindings(tree, settings, lacks)),
    ...pointerFindings(source),
    ...(source.others ?? []),
  ]
  yield

  for (const { path, oid } of linkSources(tree)) {
    if (found.length > 2 * mostFindings) break
    found.push(...textFindings(path, facts(oid) ?? {}))
    if (found.length % 64 === 0) yield
  }

  for (const [at, link] of links.entries()) {
    if (at % 2048 === 2047) yield
    if (found.length > 2 * mostFindings) break
    if (link.status !== 'broken' || isEntryWithoutPage(tree, link)) continue
    const [kind, sentence] = link.anchor
      ? (['missing-anchor', `"${short(link.target)}": the page has no such anchor.`] as const)
      : (['broken-link', brokenSentence(link)] as const)
    found.push(finding(kind, placeOf(link), sentence))
  }

  yield

  return found.sort(byPlace).slice(0, mostFindings)
}

const short = (text: string): string => text.slice(0, 300)

const placeOf = ({ source, line }: RevisionLink) => ({ file: source, line })

/** Reports whether a link is an entry of the table of contents that is reported as a missing page. */
const isEntryWithoutPage = (tree: ContentTree, { page }: RevisionLink): boolean =>
  page !== undefined && tree.pageById.get(page)?.missing !== undefined

const reasons: Partial<Record<RevisionLink['class'], string>> = {
  placeholder: 'stands for a link that was already broken when it was copied',
  'dir-no-readme': 'is a folder without a page of its own',
  'case-mismatch': 'differs from the name of a file in upper and lower case',
  escape: 'is outside the content directory',
  unsafe: 'is not followed, because it would run a program',
}

const brokenSentence = ({ target, class: kind }: RevisionLink): string =>
  kind === 'empty'
    ? 'A link has no target.'
    : `"${short(target)}" ${reasons[kind] ?? 'does not exist'}.`

const conflictsIn = (file: string, text = ''): Finding[] =>
  conflictLines(text, mostMarkers).map(line =>
    finding('conflict-marker', { file, line }, conflictSentence()),
  )

/** Returns the files of which only a pointer of Git LFS is there. */
function pointerFindings({ tree, pointers }: FindingSource): Finding[] {
  if (pointers.size === 0) return []
  const pages = [...tree.pageByFile.values()].flatMap(({ file }) => file ?? [])
  return [...tree.files, ...tree.includes, ...pages].flatMap(({ path, oid }) =>
    pointers.has(oid)
      ? [
          finding(
            'lfs-pointer',
            { file: path },
            'The file is in Git LFS: only its pointer is here.',
          ),
        ]
      : [],
  )
}

const byPlace = (a: Finding, b: Finding): number =>
  compare(a.file ?? '', b.file ?? '') || (a.line ?? 0) - (b.line ?? 0)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
