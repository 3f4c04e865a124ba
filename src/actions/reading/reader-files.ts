import { pageEvaluator, pageScope } from '../../content/evaluate/evaluator.ts'
import { evaluateSteps, isConditionMet } from '../../content/evaluate/page.ts'
import { isMarkdown } from '../../content/files.ts'
import { linkClassifier } from '../../content/links/classify.ts'
import { type LinkFact, linkedFileLimit } from '../../content/links/facts.ts'
import { linkSteps, noFindings } from '../../content/links/find.ts'
import { withinLimits } from '../../content/markdown/limits.ts'
import { slugSteps } from '../../content/openapi/blocks.ts'
import { slugOfEntry } from '../../content/openapi/page.ts'
import { readPageFacts } from '../../content/page/facts.ts'
import { decode } from '../../content/text/bytes.ts'
import {
  type ContentTree,
  type IncludeNode,
  keyed,
  type PageNode,
} from '../../content/tree/build.ts'
import { titleOfInclude } from '../../content/tree/includes.ts'
import { targetsIn } from '../../content/tree/targets.ts'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'
import { sharedMapSteps } from '../../lib/shared-map.ts'
import { inSlices, pauses, type Steps } from '../../lib/slices.ts'
import type { SpaceRow } from '../../store/tables/rows.ts'
import { readLinkFacts } from '../links/read-link-facts.ts'
import { streamReadable } from '../revisions/read-content.ts'
import type { Audience } from './audience.ts'

/**
 * The steps that the expressions of all pages together may take. Beyond them expressions fail,
 * which hides their blocks.
 */
const mostSteps = 20_000_000
const stepsOfPage = 1_000_000
const charactersOfPage = 2_000_000

/** How many pages are looked up together. */
const batch = 500

type FileSource = { space: Pick<SpaceRow, 'id'>; repo: Repository }

/** What the shown pages use, as far as it is known. */
type Use = {
  content: ContentTree
  claims: Audience['claims']
  /** Adds the targets of a file's links to what is used. */
  add: (path: string, links: Iterable<Pick<LinkFact, 'target' | 'how'>>) => void
  files: Set<string>
  /** Used reusable content by id; null while its text is not read, or when it is not shown. */
  includes: Map<string, IncludeNode | null>
  /** The slugs of OpenAPI specs, in lower case. */
  specs: Set<string>
  stepsLeft: number
}

const specsOf = new WeakMap<ContentTree, ReadonlySet<string>>()

/**
 * Returns the slugs, in lower case, of the OpenAPI specs that evaluated pages, reusable content and
 * the table of contents name in a tree that `usedFiles` returned.
 */
export const usedSpecs = (content: ContentTree): ReadonlySet<string> =>
  specsOf.get(content) ?? new Set()

/**
 * Returns a tree that is shown to a reader, limited to the files and the reusable content that its
 * pages use: in their texts as evaluated for these claims, as covers, in links of the table of
 * contents, or in other used reusable content.
 */
export async function usedFiles(
  ctx: Context,
  { space, repo }: FileSource,
  content: ContentTree,
  claims: Audience['claims'],
): Promise<ContentTree> {
  const use = openUse(content, claims, { spaceId: space.id, own: ctx.publicUrl() })
  await inSlices(useOfEntries(use))
  await useOfPages(ctx, repo, use)
  await useOfIncludes(repo, use)
  const used = await inSlices(limited(use))
  specsOf.set(used, use.specs)
  return used
}

function openUse(
  content: ContentTree,
  claims: Audience['claims'],
  home: { spaceId: string; own: string },
): Use {
  const classify = linkClassifier(content, home)
  const files = new Set<string>()
  const includes: Use['includes'] = new Map()
  const add: Use['add'] = (path, links) => {
    for (const link of links) {
      if (link.how === 'spec') continue
      const { to } = classify(path, link)
      if (to.kind === 'file') files.add(to.id)
      if (to.kind === 'reusable-content' && !includes.has(to.id)) includes.set(to.id, null)
    }
  }

  return { content, claims, add, files, includes, specs: new Set(), stepsLeft: mostSteps }
}

/**
 * Adds the specs of the blocks that are shown, limited to those that are named as written: access
 * to them was checked when they were written, which does not cover names that an expression puts
 * together.
 */
function addSpecs({ specs }: Use, shown: readonly string[], written: readonly string[]): void {
  for (const slug of shown) if (written.includes(slug)) specs.add(slug.toLowerCase())
}

/** Adds the files and specs that entries of the table of contents lead to. */
function* useOfEntries({ content, files, specs }: Use): Steps<void> {
  const targetOf = targetsIn(content)
  let seen = 0
  for (const page of content.pageById.values()) {
    const { type, target = '' } = page
    if (++seen % 1024 === 0) yield
    const slug = slugOfEntry(page)
    if (slug !== undefined) specs.add(slug.toLowerCase())
    if (type !== 'link') continue
    const found = targetOf(target) ?? targetOf(target.replace(/#.*$/, ''))
    if (found && 'file' in found) files.add(found.file.id)
  }
}

async function useOfPages(ctx: Context, repo: Repository, use: Use): Promise<void> {
  const pages = [...use.content.pageById.values()].filter(({ file }) => file !== undefined)
  const plain = pages.filter(({ facts }) => facts?.varies === undefined)
  const pause = pauses()

  for (let at = 0; at < plain.length; at += batch) {
    const some = plain.slice(at, at + batch)
    const { facts } = await readLinkFacts(
      ctx,
      repo,
      some.map(({ file }) => file!.oid),
    )

    for (const { file } of some) {
      use.add(file!.path, facts.get(file!.oid)?.links ?? [])
      await pause()
    }
  }

  const varying = new Map<Oid, PageNode[]>()

  for (const page of pages)
    if (page.facts?.varies)
      varying.set(page.file!.oid, [...(varying.get(page.file!.oid) ?? []), page])

  for await (const [oid, bytes] of streamReadable(repo, [...varying.keys()], linkedFileLimit)) {
    const nodes = varying.get(oid) ?? []
    const links = await linksShown(use, decode(bytes).text, nodes[0]?.facts?.frontMatter.vars)
    for (const { file } of nodes) use.add(file!.path, links)
  }
}

/**
 * Returns the links of a text as evaluated for the reader, and adds the specs that it shows; none
 * of a text that is too large to be parsed.
 */
async function linksShown(
  use: Use,
  text: string,
  vars: Parameters<typeof pageScope>[1],
): Promise<Pick<LinkFact, 'target'>[]> {
  const scope = pageScope(use.content.variables, vars, use.claims)
  const limits = { steps: Math.min(stepsOfPage, use.stepsLeft), characters: charactersOfPage }
  const evaluator = pageEvaluator(scope, 'reader', limits)
  const found = function* () {
    return yield* linkSteps(yield* evaluateSteps(text, scope, 'reader', evaluator))
  }
  const { links, specs } = await inSlices(withinLimits(found(), noFindings))

  use.stepsLeft = Math.max(0, use.stepsLeft - evaluator.taken())
  const slugs = specs.map(({ slug }) => slug)
  if (slugs.length > 0) addSpecs(use, slugs, await inSlices(slugSteps(text)))

  return links
}

/** Reads the used reusable content, and what it uses in turn. */
async function useOfIncludes(repo: Repository, use: Use): Promise<void> {
  const byId = new Map(use.content.includes.map(include => [include.id, include]))
  const read = new Set<string>()
  for (;;) {
    const next = [...use.includes.keys()]
      .filter(id => !read.has(id))
      .flatMap(id => byId.get(id) ?? [])
    if (next.length === 0) return
    for (const { id } of next) read.add(id)
    const byOid = new Map<Oid, IncludeNode[]>()

    for (const include of next) byOid.set(include.oid, [...(byOid.get(include.oid) ?? []), include])

    for await (const [oid, bytes] of streamReadable(repo, [...byOid.keys()], linkedFileLimit))
      for (const include of byOid.get(oid) ?? []) await useOfInclude(use, include, bytes)
  }
}

async function useOfInclude(use: Use, include: IncludeNode, bytes: Buffer): Promise<void> {
  const { h1, ...facts } = readPageFacts(bytes)
  const { condition } = facts.frontMatter
  const scope = pageScope(use.content.variables, undefined, use.claims)
  if (facts.closed || (condition !== undefined && !isConditionMet(condition, scope, 'reader')))
    return
  const title = facts.varies === 'heading' ? titleOfInclude(include.path, facts) : include.title
  use.includes.set(include.id, { ...include, title })
  use.add(include.path, await linksShown(use, decode(bytes).text, undefined))
}

function* limited({ content, files: used, includes }: Use): Steps<ContentTree> {
  const files = content.files.filter(({ id, path }) => used.has(id) && !isMarkdown(path))
  yield
  return {
    ...content,
    files,
    fileById: yield* sharedMapSteps(keyed(files, file => file.id)),
    fileByPath: yield* sharedMapSteps(keyed(files, file => file.path)),
    includes: content.includes.flatMap(({ id }) => includes.get(id) ?? []),
  }
}
