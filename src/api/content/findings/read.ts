import type { OpenContent } from '../../../actions/audience/open-content.ts'
import {
  addedByChangeRequest,
  findingsOfRevision,
} from '../../../actions/findings/read-findings.ts'
import { registryFor } from '../../../actions/findings/registry-for.ts'
import { countFindings } from '../../../content/findings/count.ts'
import type { FindingKind } from '../../../content/findings/kinds.ts'
import type { Bytes } from '../../../http/endpoint.ts'
import { pageOf } from '../../../http/list.ts'
import { sha256 } from '../../../lib/digest.ts'
import type { ChangeRequestRow, UserRow } from '../../../store/tables/rows.ts'
import { answer, until } from '../answer.ts'
import { Findings } from './schema.ts'

type Query = {
  page?: string | undefined
  limit?: number | undefined
  kind?: readonly FindingKind[] | undefined
  added?: boolean | undefined
}

/** Who asks, and the change request that is looked at. */
type Looking = { user: UserRow; changeRequest?: ChangeRequestRow | undefined }

/** The most findings that are listed; all are counted. */
const mostListed = 10_000

/**
 * Answers with a page of the findings of a revision by file and line, with counts of all of them.
 */
export async function answerFindings(
  open: OpenContent,
  { user, changeRequest }: Looking,
  { kind: kinds, added = false, ...query }: Query,
): Promise<Bytes> {
  const { ctx, space, view, signal } = open
  const registry = registryFor(ctx, space, user)
  const { findings: all, whole } = await findingsOfRevision(ctx, space.id, view, registry, signal)
  const findings =
    added && changeRequest ? await addedByChangeRequest(ctx, changeRequest, view, registry) : all
  const asked = kinds && new Set(kinds)
  const rows = findings
    .filter(({ kind }) => !asked || asked.has(kind))
    .slice(0, mostListed)
    .map((found, seq) => ({ ...found, seq }))
  const name = `findings ${space.id} ${open.scope} ${view.oid} ${[...(asked ?? [])]} ${added}`
  const { rows: shown, ...next } = await pageOf(ctx, query, { name, rows })
  const stats = { total: findings.length, kinds: countFindings(findings) }
  const items = shown.map(({ seq: _, ...found }) => found)
  const body = { ...next, stats, count: items.length, items }

  // Which specs exist is decided by rows, and the base of a change request by its branch.
  const stamp = sha256(JSON.stringify(body))
  const key = `${name} ${query.limit ?? ''} ${query.page ?? ''}`

  return answer(
    open,
    { key, schema: Findings, holds: until(stamp, 0), keep: whole && items.length <= 200 },
    () => body,
  )
}
