import { compare } from '../../../actions/audience/compare.ts'
import { openAt } from '../../../actions/audience/open-at.ts'
import { primaryHead } from '../../../actions/heads/primary-head.ts'
import type { OpenRequest } from '../../../actions/reviewing/open-request.ts'
import type { Conflict } from '../../../actions/revisions/name-conflicts.ts'
import type { Resolution, ResolvedFile } from '../../../actions/revisions/resolve-conflicts.ts'
import { parseSummary, type SummaryGroup } from '../../../content/summary/parse.ts'
import type { Hold } from '../../../http/limits/admission.ts'
import { type MarkedHtml, markedHtml, type Showing } from '../pages/page-html.ts'
import { requestPath } from '../paths.ts'
import { someResolutions } from './fields.ts'

/** What a file will be with the choices of a form. */
export type Result =
  | { is: 'page'; marked: MarkedHtml }
  | { is: 'contents'; groups: readonly SummaryGroup[] }
  | { is: 'text'; text: string; isCut: boolean }
  | { is: 'gone' | 'binary' | 'open' }

/** Results by the paths of their files; undefined for a page whose form was not sent. */
export type Results = ReadonlyMap<string, Result> | undefined

/**
 * The most characters of all texts that are written as readers see them, of a table of contents that
 * is, and of a text that is shown as it stands in its file.
 */
const mostWritten = 500_000
const longestContents = 200_000
const longestText = 20_000

export type ChoosingAsked = { hold: Hold; at: (path: string) => string }

type Choices = {
  place: OpenRequest
  conflicts: readonly Conflict[]
  /** The fields of the form. */
  values: Readonly<Record<string, string>>
}

type Attempt = (resolutions: readonly Resolution[]) => Promise<ResolvedFile[]>

/**
 * Returns what files in conflict will be with the choices of a form, as their readers will see them. Pages have
 * marks where they differ from what is published.
 */
export async function tryChoices(
  { hold, at }: ChoosingAsked,
  { place, conflicts, values }: Choices,
  attempt: Attempt,
): Promise<Results> {
  const files = await attempt(someResolutions(conflicts, values))
  const byPath = new Map(files.map(file => [file.path, file]))
  const hrefOf = (id: string) => at(`${requestPath(place.request)}/pages/${id}`)
  const showing = { place: await besidePublished(place), hold, hrefOf }
  const results = new Map<string, Result>()
  let left = mostWritten

  for (const conflict of conflicts) {
    const file = byPath.get(conflict.path)
    left -= file?.text?.length ?? 0
    const result = file
      ? await resultOf(showing, conflict, file, left >= 0)
      : { is: 'open' as const }
    results.set(conflict.path, result)
  }

  return results
}

async function resultOf(
  showing: Showing,
  { path, page, entries }: Conflict,
  { text, isGone }: ResolvedFile,
  mayWrite: boolean,
): Promise<Result> {
  if (text === undefined) return { is: isGone ? 'gone' : 'binary' }
  if (entries && text.length <= longestContents)
    return { is: 'contents', groups: parseSummary(text).groups }
  const { pageById } = showing.place.open.shown.content
  const node = page === undefined ? undefined : pageById.get(page)
  if (node?.file?.path === path && mayWrite)
    return { is: 'page', marked: await markedHtml(showing, node, new Set(), text) }
  return { is: 'text', text: text.slice(0, longestText), isCut: text.length > longestText }
}

/** Returns a change request as compared with what is published now. */
async function besidePublished(place: OpenRequest): Promise<OpenRequest> {
  const { open } = place
  const { head } = await primaryHead(open.ctx, open.space)
  const published = await openAt(open, head, `revisions/${head}`)
  return { ...place, compared: await compare(published, open) }
}
