import { type Mode, pageScope } from '../../content/evaluate/evaluator.ts'
import { evaluateSteps } from '../../content/evaluate/page.ts'
import { splitFrontMatter } from '../../content/markdown/front-matter.ts'
import { withinLimits } from '../../content/markdown/limits.ts'
import { type Sections, sectionSteps } from '../../content/search/sections.ts'
import { decode } from '../../content/text/bytes.ts'
import type { PageNode } from '../../content/tree/build.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import type { Repository } from '../../git/process/processes.ts'
import type { Oid } from '../../lib/oid.ts'
import { inSlices, type Steps } from '../../lib/slices.ts'
import { type Claims, evaluatePage } from '../evaluating/evaluate-page.ts'
import { streamReadable } from '../revisions/read-content.ts'
import { resolveBlocks } from '../specs/resolve-blocks.ts'
import type { Audience } from './audience.ts'

type Reading = {
  organizationId: string
  spaceId: string
  view: RevisionView
  audience: Audience
  signal?: AbortSignal | undefined
}

/**
 * Returns a page as a reader is shown it: evaluated, with OpenAPI blocks expanded, without front
 * matter and comments.
 */
export async function readerText(
  ctx: Context,
  { organizationId, spaceId, view, audience, signal }: Reading,
  node: PageNode,
  markdown: string,
): Promise<string> {
  const { claims } = audience
  const evaluated = {
    organizationId,
    spaceId,
    view,
    node,
    markdown,
    mode: 'reader',
    claims,
    signal,
  } as const

  return withoutFrontMatter(await evaluatePage(ctx, evaluated))
}

/** Returns reusable content in the file `path` as a reader is shown it. */
export async function readerInclude(
  ctx: Context,
  { audience, ...reading }: Reading,
  written: string,
  path: string,
): Promise<string> {
  const asked = { ...reading, claims: audience.claims, mode: 'reader' } as const
  return withoutFrontMatter(await shownInclude(ctx, asked, written, path))
}

type ShownInclude = Omit<Reading, 'audience'> & { mode: Mode; claims: Claims }

/** Returns reusable content in the file `path`: evaluated in a mode, with its OpenAPI blocks expanded. */
export async function shownInclude(
  ctx: Context,
  { organizationId, spaceId, view, claims, mode, signal }: ShownInclude,
  written: string,
  path: string,
): Promise<string> {
  const scope = pageScope(view.content.variables, undefined, claims)
  const evaluated = await inSlices(evaluateSteps(written, scope, mode), signal)
  const source = { organizationId, spaceId, content: view.content, path }
  return resolveBlocks(ctx, source, evaluated, { written, signal })
}

const noSections: Sections = { h1: '', sections: [] }

/** The most bytes of a page whose text is searched. */
const searchedLimit = 1024 * 1024

/**
 * Yields pages with the sections of their texts as evaluated for a reader; leaves out texts that
 * cannot be read.
 */
export async function* readerSections(
  repo: Repository,
  { view, audience, signal }: Omit<Reading, 'organizationId' | 'spaceId'>,
  nodes: readonly PageNode[],
): AsyncGenerator<[PageNode, Sections]> {
  const byOid = new Map<Oid, PageNode[]>()
  for (const node of nodes)
    if (node.file) byOid.set(node.file.oid, [...(byOid.get(node.file.oid) ?? []), node])

  for await (const [oid, bytes] of streamReadable(repo, [...byOid.keys()], searchedLimit)) {
    const [first, ...others] = byOid.get(oid) ?? []
    if (!first) continue
    const scope = pageScope(view.content.variables, first.facts?.frontMatter.vars, audience.claims)
    const work = evaluateSteps(decode(bytes).text, scope, 'reader')
    const sections = await inSlices(
      withinLimits(sectionsOf(work, first.file?.path), noSections),
      signal,
    )
    for (const node of [first, ...others]) yield [node, sections]
  }
}

function* sectionsOf(evaluated: Steps<string>, path: string | undefined): Steps<Sections> {
  return yield* sectionSteps(yield* evaluated, path)
}

/** Returns a page without its front matter and the blank lines below it. */
export function withoutFrontMatter(markdown: string): string {
  const { block, body } = splitFrontMatter(markdown)
  return block ? markdown.slice(body).replace(/^(?:[ \t]*\r?\n)+/, '') : markdown
}
